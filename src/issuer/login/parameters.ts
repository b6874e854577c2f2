/** Reads the parameters of a login (contract: browser login parameters). */

import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { requireText } from "../../aip/text.ts";
import { isUid } from "../../aip/uid_path.ts";
import { isLoopbackHost } from "../../auth/outgoing/addresses.ts";
import type { Config } from "../../config.ts";
import { readExchangeParameters } from "../exchange_parameters.ts";
import type { DeviceRequest } from "../oauth/device_codes.ts";
import type { AuthorizationRequest } from "../oauth/parameters.ts";

/** The parameters of `GET /oauth` that have an effect. */
export interface LoginParameters {
  /** The address that gets the tokens. If it is empty, a page says that the login is complete. */
  redirect: string;
  /** The uid of an identity provider or of its group, or the name of a verified organization. */
  idp: string;
  audiences: string[];
  /** Groups by uid or name. Empty for the whole group of the provider. */
  scopes: string[];
  /** The uid of the identity to act as. Empty for the person. */
  identity: string;
  createRefreshToken: boolean;
  /** The X25519 public key of a client without a browser. Empty if there is none. */
  headlessCode: string;
  /** The code of an invite to accept. Empty if there is none. */
  invite: string;
  /** The request of an OAuth client. The login then returns a code to that client, and no token. */
  authorization?: AuthorizationRequest;
  /** The request of a program on another machine. The login then waits for that program. */
  device?: DeviceRequest;
}

const maxRedirectLength = 1024;
const maxTextLength = 1024;
const maxScopes = 20;

/**
 * Returns the address that gets the tokens, or an empty text if there is none. The address must belong to a
 * program on the same machine, at any port (RFC 8252 section 7.3), or to the platform itself. No token is
 * therefore sent elsewhere. Throws INVALID_ARGUMENT for any other address.
 */
export function readRedirect(config: Config, query: URLSearchParams): string {
  const redirect = singleParameter(query, "redirect");
  const exit = singleParameter(query, "exit");
  if (exit !== "" && exit !== "redirect")
    throw invalidArgument("exit", `exit must be redirect; you sent ${quoted(exit)}`);
  if (redirect === "") {
    if (exit !== "") throw invalidArgument("redirect", "redirect is required if exit is redirect");
    return "";
  }
  if (redirect.length <= maxRedirectLength && URL.canParse(redirect)) {
    const url = new URL(redirect);
    const isPlain = url.username === "" && url.password === "" && !redirect.includes("#");
    if (isPlain && (isLoopback(url) || isOurs(config, url))) return url.href;
  }
  const permitted =
    "an http URL of this machine (localhost, 127.0.0.1 or [::1]), or a URL of the platform";
  throw invalidArgument("redirect", `redirect must be ${permitted}`);
}

/** Whether a URL leads to a program on the same machine. */
export const isLoopback = (url: URL) => url.protocol === "http:" && isLoopbackHost(url);

const isOurs = ({ baseUrl, issuerUrl }: Config, { origin }: URL) =>
  [baseUrl, issuerUrl].some((url) => new URL(url).origin === origin);

/**
 * Reads the other parameters. `client_id`, `connection`, `skip_registration` and `screen_hint` belong to
 * another login page and have no effect here. Throws INVALID_ARGUMENT for the field.
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
    throw invalidArgument(
      "scope",
      `scope must have at most ${maxScopes} groups, each of at most ${maxTextLength} characters`,
    );
  }
  if (parameters.idp === "") {
    const text =
      "idp_id is required: send the uid of an identity provider, or the name of an organization";
    throw invalidArgument("idp_id", text);
  }
  const { identity, createRefreshToken } = parameters;
  if (identity !== "" && !isUid(identity)) {
    throw invalidArgument("identity", "identity must be the uid of an identity");
  }
  if (parameters.headlessCode !== "" && query.has("redirect")) {
    throw invalidArgument("redirect", "redirect must be empty if headless_code is set");
  }
  if (identity !== "" && createRefreshToken) {
    const text = "create_refresh_token must be false if identity is set";
    throw invalidArgument("create_refresh_token", text);
  }
  return parameters;
}

/** A parameter that can appear only once. */
function singleParameter(query: URLSearchParams, name: string): string {
  const [value = "", ...more] = query.getAll(name);
  if (more.length > 0)
    throw invalidArgument(name, `${name} is given more than once; it takes one value`);
  if (value.length > maxTextLength)
    throw invalidArgument(
      name,
      `${name} must have at most ${maxTextLength} characters; you sent ${value.length}`,
    );
  requireText(name, value);
  return value;
}

function readBoolean(query: URLSearchParams, name: string): boolean {
  const value = singleParameter(query, name);
  if (value !== "" && value !== "true" && value !== "false") {
    throw invalidArgument(name, `${name} must be true or false; you sent ${quoted(value)}`);
  }
  return value === "true";
}
