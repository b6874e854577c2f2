/**
 * Token exchange as the standards have it (RFC 8693 and the assertions of RFC 7523). Both are `/sts/exchange` in other
 * words: the same function judges the token.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import {
  Capability,
  CapabilitySchema,
} from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import readCapabilities from "../../../schema/gen/read_capabilities.json" with { type: "json" };
import { capabilityName } from "../../../schema/options.ts";
import { retryStale } from "../../aip/stale.ts";
import { textViolation } from "../../aip/text.ts";
import { isUid } from "../../aip/uid_path.ts";
import { maxTokenLength, type Narrowing } from "../../auth/claims.ts";
import { readScope, writeScope } from "../../auth/scopes.ts";
import type { Config } from "../../config.ts";
import { type ExchangeParameters, readExchangeParameters } from "../exchange_parameters.ts";
import type { LoginContext } from "../login/context.ts";
import { isNarrowedAlready } from "../narrowing.ts";
import { exchangeToken } from "../security_token.ts";
import { OAuthError, type OAuthErrorCode } from "./errors.ts";
import { apiResources, oneParameter, readResources, requiredParameter } from "./parameters.ts";

const tokenType = (name: string) => `urn:ietf:params:oauth:token-type:${name}`;
const subjectTypes = ["jwt", "id_token", "access_token"].map(tokenType);
const issuedTypes = ["access_token", "jwt"].map(tokenType);

const maxScopeLength = 16 * 1024;

/** The grant of RFC 8693. A token that proves nothing is `invalid_request` there (section 2.2.2). */
export function exchangeSubjectToken(
  context: LoginContext,
  form: URLSearchParams,
): Promise<Response> {
  const type = requiredParameter(form, "subject_token_type");
  if (!subjectTypes.includes(type)) throw invalidType("subject_token_type", subjectTypes);
  if (form.has("actor_token") || form.has("actor_token_type")) {
    const text =
      "actor_token is not supported: the new token acts as one identity, and its claim act names the subject_token";
    throw new OAuthError("invalid_request", text);
  }
  const [accessToken = ""] = issuedTypes;
  const issued = oneParameter(form, "requested_token_type") || accessToken;
  if (!issuedTypes.includes(issued)) throw invalidType("requested_token_type", issuedTypes);
  const token = requiredParameter(form, "subject_token", maxTokenLength);
  return respond(context, form, token, "invalid_request", { issued_token_type: issued });
}

/** The grant of RFC 7523. A token that proves nothing is `invalid_grant` there (section 3.1). */
export const exchangeAssertion = (context: LoginContext, form: URLSearchParams) =>
  respond(context, form, requiredParameter(form, "assertion", maxTokenLength), "invalid_grant", {});

const invalidType = (name: string, types: string[]) =>
  new OAuthError("invalid_request", `${name} must be ${types.join(" or ")}`);

async function respond(
  context: LoginContext,
  form: URLSearchParams,
  token: string,
  refusal: OAuthErrorCode,
  more: object,
): Promise<Response> {
  for (const [name, value] of form) {
    const flaw = textViolation(value);
    if (flaw) throw new OAuthError("invalid_request", `${name} ${flaw}`);
  }
  const identity = readUid(form, "identity");
  const asked = { token, identity, identityProvider: readUid(form, "identity_provider") };
  const parameters = readParameters(form, context.config);
  await context.countExchange(token);
  const issued = await retryStale(() =>
    exchangeToken(context, asked, parameters, "/oauth/token"),
  ).catch((thrown: unknown) => {
    throw toOAuthError(thrown, refusal);
  });
  const scope = scopeOf(issued.narrowing);
  const body = {
    access_token: issued.token,
    ...more,
    token_type: "Bearer",
    expires_in: Math.floor((issued.expires - context.now) / 1000),
    ...(scope === "" ? {} : { scope }),
  };
  return Response.json(body, { headers: { "cache-control": "no-store", pragma: "no-cache" } });
}

function readUid(form: URLSearchParams, name: string): string {
  const uid = oneParameter(form, name);
  if (uid !== "" && !isUid(uid)) throw new OAuthError("invalid_request", `${name} must be a uid`);
  return uid;
}

/** The audience is that of the API unless the request names others, as `audience` or as `resource` (RFC 8707). */
function readParameters(form: URLSearchParams, config: Config): ExchangeParameters {
  const { audience, registryUrl, registryAudience } = config;
  const known = new Map([[registryUrl, registryAudience], ...apiResources(config)]);
  const named = [...form.getAll("audience"), ...readResources(form, known)];
  const aud = named.length > 0 ? named : [audience];
  const { scopes, cap } = readTokenScopes(form);
  try {
    return readExchangeParameters({ aud, scope: "", scopes, cap });
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) throw thrown;
    const text = thrown.rawMessage.replace(/^Invalid argument: aud: /, "audience: ");
    throw new OAuthError("invalid_target", text);
  }
}

const capabilityNames = new Map(
  CapabilitySchema.values
    .filter(({ number }) => number !== Capability.UNKNOWN)
    .map((value) => [value.number as number, capabilityName(value)]),
);

/** A scope is `read`, `write`, a capability, or the uid of a group. Without one, the token is not narrowed. */
function readTokenScopes(form: URLSearchParams): { scopes: string[]; cap: string[] } {
  const asked = oneParameter(form, "scope", maxScopeLength).split(" ").filter(Boolean);
  const names = [...capabilityNames.values()];
  const scopes = asked.filter(isUid);
  const cap = asked.filter((scope) => names.includes(scope));
  const isKnown = (scope: string) => [...scopes, ...cap, readScope, writeScope].includes(scope);
  const unknown = asked.find((scope) => !isKnown(scope));
  if (unknown !== undefined) {
    const text = `a scope must be ${readScope}, ${writeScope}, a capability such as repo.list, or the uid of a group`;
    throw new OAuthError("invalid_scope", `${text}; ${unknown.slice(0, 64)} is not one`);
  }
  if (asked.includes(writeScope)) return { scopes, cap: [] };
  if (asked.includes(readScope)) cap.push(...namesOf(readCapabilities));
  return { scopes, cap };
}

const namesOf = (capabilities: number[]) =>
  capabilities.flatMap((capability) => capabilityNames.get(capability) ?? []);

/** The scopes of the new token (RFC 8693 section 2.2.1). Empty for a token that is not narrowed. */
const scopeOf = ({ scopes = [], capabilities = [] }: Narrowing): string =>
  [...scopes, ...namesOf(capabilities)].join(" ");

/** A refusal of an exchange as an error of OAuth. Failures of the platform stay what they are. */
function toOAuthError(thrown: unknown, refusal: OAuthErrorCode): unknown {
  const refused = [Code.PermissionDenied, Code.FailedPrecondition, Code.Unimplemented];
  const isRefused = thrown instanceof ConnectError && refused.includes(thrown.code);
  if (!isRefused && !(thrown instanceof ConnectError && thrown.code === Code.InvalidArgument))
    return thrown;
  const text = thrown.rawMessage.replace(/^[A-Z][a-z ]+: /, "");
  if (isNarrowedAlready(thrown)) return new OAuthError("invalid_scope", text);
  return new OAuthError(isRefused ? refusal : "invalid_request", text);
}
