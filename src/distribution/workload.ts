/**
 * The token of a workload as a password: of a CI job, a pod or a person, signed by an issuer that an identity accepts.
 * The same code judges it as in an exchange, with the registry as the audience.
 */
import { Code, ConnectError } from "@connectrpc/connect";
import { isUpstreamExpired } from "../aip/errors.ts";
import { callerUid } from "../auth/call.ts";
import { registryAudiences } from "../auth/identity_matchers.ts";
import { credentialOf, readUnverified, tokenCheck } from "../auth/token.ts";
import { exchangeForeignToken } from "../issuer/foreign_token.ts";
import { noteExchange } from "../issuer/issued_token.ts";
import { inSpan } from "../telemetry/trace.ts";
import {
  type RegistryBearer,
  type RegistryClaims,
  registryTokenLifetime,
  tokenUser,
} from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { RegistryError, unauthorized } from "./errors.ts";

/**
 * The bearer of a workload's token. `identity` is a uid, or empty for the identity of the token's issuer and subject.
 * Takes one round trip. The writes of the login are in `noted`, for the batch that reads the grants. Throws UNAUTHORIZED
 * for a text that no other issuer can have signed, DENIED if no identity accepts the token, and TOOMANYREQUESTS.
 */
export async function verifyWorkload(
  context: RegistryContext,
  token: string,
  identity: string,
): Promise<RegistryBearer> {
  const { config, databases, now, request } = context;
  const { issuer, claims } = readUnverified(token);
  if (issuer === config.issuerUrl)
    throw unauthorized(`the platform itself issued the token; the user name is then ${tokenUser}`);
  await context.exchangeLimit.unverified();
  const exchangeContext = { config, databases, db: context.db, now, headers: request.headers };
  const audiences = registryAudiences(config);
  const foreign = { token, issuer, claims, audiences, identity, scopes: [] };
  const exchanged = await inSpan(databases.trace, tokenCheck, () =>
    exchangeForeignToken(exchangeContext, foreign),
  ).catch((thrown: unknown) => {
    // Only after the signature: before it, no one learns whether an identity accepts the issuer.
    throw isUpstreamExpired(thrown) ? expired(issuer, now - claims.exp * 1000) : toRefusal(thrown);
  });
  const { ends, identity: uid } = exchanged;
  if (ends <= now) throw expired(issuer, now - ends);
  const { issuerUrl: iss, registryAudience: aud } = config;
  const own: RegistryClaims = { ...exchanged.claims, iss, aud, sub: uid, exp: ends / 1000 };
  const credential = credentialOf(own);
  await context.limit.caller(credential, "");
  databases.trace?.note({ caller: callerUid(credential) });
  context.db = databases.databaseOf(uid);
  const noted = noteExchange({ ...exchangeContext, db: context.db }, "/token", exchanged, {
    ...{ audiences: [aud], scopes: [], cap: [] },
    expires: Math.min(now + registryTokenLifetime, ends),
  });
  return { claims: own, credential, access: undefined, expires: ends, noted };
}

/** 401, because podman and skopeo show the text of a 401 from a token endpoint, and not that of a 403. */
const refused = (text: string) => new RegistryError(401, "DENIED", text);

const refusals = [Code.PermissionDenied, Code.FailedPrecondition, Code.Unimplemented];

/** A refusal of the exchange, for the client. Failures of the platform stay what they are. */
const toRefusal = (thrown: unknown) =>
  thrown instanceof ConnectError && refusals.includes(thrown.code)
    ? refused(thrown.rawMessage.replace(/^[A-Z][a-z ]+: /, ""))
    : thrown;

const expired = (issuer: string, ms: number) =>
  refused(`the token of ${issuer} expired ${durationText(ms)} ago; get a new one in the job`);

/** The largest units first, in milliseconds. */
const units: [string, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
];

/** A duration in its largest whole unit: `12 minutes`. */
function durationText(ms: number): string {
  const [unit, length] = units.find(([, one]) => ms >= one) ?? ["second", 1000];
  const count = Math.max(1, Math.floor(ms / length));
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
