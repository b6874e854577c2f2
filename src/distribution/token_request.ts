/**
 * Reads a request to the token endpoint: the query of a GET (distribution token specification), or the form
 * of a POST (distribution OAuth2 specification).
 */
import { readRequestBytes } from "../aip/bounded_body.ts";
import { quoted } from "../aip/quoted.ts";
import {
  catalogScope,
  passwordOf,
  type RegistryBearer,
  readBearer,
  tokenOf,
  verifyBearer,
} from "./bearer.ts";
import { isGetOrHead, type RegistryContext } from "./context.ts";
import { methodUnsupported, queryInvalid, tooLarge } from "./errors.ts";
import { type ImageName, scopeOf, toImageName } from "./repository.ts";

/** The most bytes of a form. */
const maxFormBytes = 64 * 1024;

/** The most images in one request. */
const maxScopes = 20;

/** The actions that `*` stands for. */
const allActions = ["pull", "push", "delete"];

/** The access to one image that a client requests. */
export interface TokenScope {
  name: ImageName;
  actions: string[];
}

/** The parts of a request. */
export interface TokenRequest {
  /** The text of the scopes that the registry knows, for the challenge. */
  scope: string;
  /** The images. Scopes that the registry does not know are left out. */
  scopes: TokenScope[];
  /** Whether the client also asks for the list of all images. */
  isForCatalog: boolean;
  /** Reads who asks. Undefined without a credential. */
  authenticate: () => Promise<RegistryBearer | undefined>;
  /** The token that the client logged in with, if it wants to have it back as a refresh token. */
  refreshToken: string | undefined;
}

/** Reads the request. Throws QUERY_INVALID and UNSUPPORTED. */
export async function readTokenRequest(context: RegistryContext): Promise<TokenRequest> {
  const isForm = context.request.method === "POST";
  if (!isForm && !isGetOrHead(context)) {
    throw methodUnsupported(context.request.method, ["GET", "HEAD", "POST"]);
  }
  const parameters = isForm ? await readForm(context.request) : context.url.searchParams;
  const { registryAudience } = context.config;
  for (const service of parameters.getAll("service")) {
    if (service === registryAudience) continue;
    throw queryInvalid(`service must be ${registryAudience}; you sent ${quoted(service)}`);
  }
  const texts = parameters.getAll("scope").flatMap((text) => text.split(/\s+/));
  const scopeTexts = [...new Set(texts.filter((text) => text !== ""))];
  if (scopeTexts.length > maxScopes) {
    throw queryInvalid(
      `a request may have at most ${maxScopes} scopes; you sent ${scopeTexts.length}`,
    );
  }
  const scopes = scopeTexts.flatMap((text) => readScope(text) ?? []);
  const isForCatalog = scopeTexts.includes(catalogScope);
  const credential = isForm ? credentialOf(context, parameters) : undefined;
  const isOffline =
    parameters.get("offline_token") === "true" || parameters.get("access_type") === "offline";
  const header = context.request.headers.get("authorization");
  return {
    scope: [
      ...scopes.map(({ name, actions }) => scopeOf(name.full, actions)),
      ...(isForCatalog ? [catalogScope] : []),
    ].join(" "),
    scopes,
    isForCatalog,
    authenticate: () =>
      credential === undefined ? readBearer(context) : verifyBearer(context, credential),
    refreshToken: isOffline
      ? (credential ?? (header === null ? undefined : tokenOf(header, context.config)))
      : undefined,
  };
}

async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    throw queryInvalid("the content type of a POST must be application/x-www-form-urlencoded");
  }
  const bytes = await readRequestBytes(request, maxFormBytes, () =>
    tooLarge(`the form may have at most ${maxFormBytes} bytes`),
  );
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** The token or key in a form: the password of a user, or a refresh token that we returned. */
function credentialOf({ config }: RegistryContext, form: URLSearchParams): string {
  const grant = form.get("grant_type");
  if (grant === "refresh_token") return form.get("refresh_token") ?? "";
  if (grant !== "password") {
    throw queryInvalid(
      `grant_type must be password or refresh_token; you sent ${quoted(grant ?? "")}`,
    );
  }
  return passwordOf(config, form.get("username"), form.get("password"));
}

/**
 * Reads a scope for an image. Undefined for any other scope: of another type or class, or that the grammar of the
 * distribution token specification does not allow.
 */
function readScope(scope: string): TokenScope | undefined {
  const [, name = "", list = ""] = /^repository:(.*):([a-z*,]+)$/.exec(scope) ?? [];
  const image = toImageName(name);
  const actions = list
    .split(",")
    .filter((action) => action !== "")
    .flatMap((action) => (action === "*" ? allActions : [action]));
  if (!image || actions.length === 0) return undefined;
  return { name: image, actions: [...new Set(actions)] };
}
