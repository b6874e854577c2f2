/** What a login asks for (contract: browser login parameters). */
import { invalidArgument } from "../../aip/errors.ts";
import { requireText } from "../../aip/text.ts";
import { isUid } from "../../aip/uid_path.ts";
import type { Config } from "../../config.ts";
import { readExchangeParameters } from "../exchange_parameters.ts";

/** The parameters of `GET /oauth` that mean something here. */
export interface LoginParameters {
  /** Where the tokens go; empty: a page says that the login is done. */
  redirect: string;
  /** Uid of an identity provider or its group, or name of a verified organization. */
  idp: string;
  audiences: string[];
  /** Groups by uid or name; empty: all of the provider's group. */
  scopes: string[];
  /** Uid of the identity to be instead of oneself; empty: none. */
  identity: string;
  createRefreshToken: boolean;
  /** X25519 public key of a client without a browser; empty: none. */
  headlessCode: string;
  /** Code of an invite to accept; empty: none. */
  invite: string;
}

const maxRedirectLength = 1024;
const maxTextLength = 1024;
const maxScopes = 20;

/**
 * The address that gets the tokens; empty without one. A program of the same machine at any port
 * (RFC 8252 section 7.3) or an address of the platform itself, so that nobody is sent elsewhere
 * with a token. Throws INVALID_ARGUMENT for any other.
 */
export function readRedirect(config: Config, query: URLSearchParams): string {
  const given = singleParameter(query, "redirect");
  const exit = singleParameter(query, "exit");
  if (exit !== "" && exit !== "redirect") throw invalidArgument("exit", "exit must be redirect");
  if (given === "") {
    if (exit !== "") throw invalidArgument("redirect", "redirect is required with exit=redirect");
    return "";
  }
  if (given.length <= maxRedirectLength && URL.canParse(given)) {
    const url = new URL(given);
    const isPlain = url.username === "" && url.password === "" && !given.includes("#");
    if (isPlain && (isLoopback(url) || isOurs(config, url))) return url.href;
  }
  const places = "an http URL of this very machine, or a URL of the platform";
  throw invalidArgument("redirect", `redirect must be ${places}`);
}

const isLoopback = ({ protocol, hostname }: URL) =>
  protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

const isOurs = ({ baseUrl, issuerUrl }: Config, { origin }: URL) =>
  [baseUrl, issuerUrl].some((url) => new URL(url).origin === origin);

/**
 * Reads the other parameters. `client_id`, `connection`, `skip_registration` and `screen_hint` are
 * those of another login page and mean nothing here. Throws INVALID_ARGUMENT naming the field.
 */
export function readParameters(query: URLSearchParams, defaultAudience: string) {
  const audience = singleParameter(query, "audience");
  const asked = readExchangeParameters({
    aud: audience === "" ? [defaultAudience] : audience.split(",").map((part) => part.trim()),
    scope: "",
    scopes: query.getAll("scope").filter((scope) => scope !== ""),
    cap: [],
  });
  const parameters: Omit<LoginParameters, "redirect"> = {
    idp: singleParameter(query, "idp_id"),
    audiences: asked.audiences,
    scopes: asked.scopes,
    identity: singleParameter(query, "identity"),
    createRefreshToken: readBoolean(query, "create_refresh_token"),
    headlessCode: singleParameter(query, "headless_code"),
    invite: singleParameter(query, "invite"),
  };
  for (const scope of asked.scopes) requireText("scope", scope);
  const tooLong = asked.scopes.some((scope) => scope.length > maxTextLength);
  if (asked.scopes.length > maxScopes || tooLong) {
    throw invalidArgument("scope", `scope takes at most ${maxScopes} groups`);
  }
  if (parameters.idp === "") {
    const text = "idp_id is required: an identity provider, or the name of an organization";
    throw invalidArgument("idp_id", text);
  }
  const { identity, createRefreshToken } = parameters;
  if (identity !== "" && !isUid(identity)) {
    throw invalidArgument("identity", "identity must be the uid of an identity");
  }
  if (parameters.headlessCode !== "" && query.has("redirect")) {
    throw invalidArgument("redirect", "redirect goes without headless_code");
  }
  if (identity !== "" && createRefreshToken) {
    const text = "create_refresh_token is for oneself, not for another identity";
    throw invalidArgument("create_refresh_token", text);
  }
  return parameters;
}

/** A parameter that stands once. */
function singleParameter(query: URLSearchParams, name: string): string {
  const [value = "", ...more] = query.getAll(name);
  if (more.length > 0) throw invalidArgument(name, `${name} stands twice`);
  if (value.length > maxTextLength) throw invalidArgument(name, `${name} is too long`);
  requireText(name, value);
  return value;
}

function readBoolean(query: URLSearchParams, name: string): boolean {
  const value = singleParameter(query, name);
  if (value !== "" && value !== "true" && value !== "false") {
    throw invalidArgument(name, `${name} must be true or false`);
  }
  return value === "true";
}
