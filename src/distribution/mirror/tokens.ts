/** Gets tokens of upstreams (distribution token specification). They are kept in memory only. */

import { fetchOutside, RefusedDestination } from "../../auth/outgoing/outgoing.ts";
import type { Config } from "../../config.ts";
import { refusesLogin, retryAfter, UpstreamFailure } from "./failures.ts";
import { basicOf, type Mirror } from "./setting.ts";

/** The most tokens that are kept. */
const maxTokens = 500;

/** A token without `expires_in` is valid for this long, in seconds (distribution token specification). */
const defaultLifetime = 60;

/** How long before its end a token is not used any more, in milliseconds. */
const margin = 5_000;

const known = new Map<string, { header: string; until: number }>();

/** A token is for one image, and for the credentials as they are now. */
const keyOf = ({ holder, origin, path }: Mirror) =>
  `${holder.uid} ${holder.updateTime} ${origin} ${path}`;

/** The Authorization header that the upstream has accepted before. Undefined without one. */
export function knownAuthorization(mirror: Mirror): string | undefined {
  const kept = known.get(keyOf(mirror));
  return kept && kept.until > Date.now() ? kept.header : undefined;
}

/** Forgets what the upstream does not accept any more. */
export const forgetAuthorization = (mirror: Mirror): void => void known.delete(keyOf(mirror));

function keep(mirror: Mirror, header: string, lifetime: number): string {
  const [oldest] = known.keys();
  if (known.size >= maxTokens && oldest !== undefined) known.delete(oldest);
  known.set(keyOf(mirror), { header, until: Date.now() + lifetime });
  return header;
}

/**
 * The Authorization header that answers a challenge. Undefined if there is no way to answer it. Throws UpstreamFailure.
 */
export async function authorize(
  config: Config,
  mirror: Mirror,
  challenge: string,
): Promise<string | undefined> {
  const basic = await basicOf(config, mirror);
  const [, scheme = ""] = /^\s*(\w+)/.exec(challenge) ?? [];
  if (scheme.toLowerCase() === "basic") return basic && keep(mirror, basic, 3_600_000);
  const { realm, service, scope } = parametersOf(challenge);
  if (scheme.toLowerCase() !== "bearer" || realm === undefined || !URL.canParse(realm))
    return undefined;
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set("service", service);
  const own = `repository:${mirror.path}:pull`;
  // Some registries have scopes of their own kind. No other image is asked for.
  url.searchParams.set(
    "scope",
    scope === undefined || scope.startsWith("repository:") ? own : scope,
  );
  const mayLogIn = basic !== undefined && isOfUpstream(url, new URL(mirror.origin));
  const given = await fetchToken(config, mirror, url, mayLogIn ? basic : undefined);
  return given && keep(mirror, `Bearer ${given.token}`, given.lifetime * 1000 - margin);
}

/** The parameters of a challenge (RFC 9110, section 11.2). */
function parametersOf(challenge: string): Record<string, string | undefined> {
  const pairs = challenge.matchAll(/(\w+)\s*=\s*"([^"]*)"/g);
  return Object.fromEntries(
    [...pairs].map(([, name = "", value = ""]) => [name.toLowerCase(), value]),
  );
}

/**
 * Whether the password of an upstream may be sent to a token server. It must have the same host, or be in the same domain:
 * `auth.docker.io` is the one of `registry-1.docker.io`.
 */
export function isOfUpstream(realm: URL, origin: URL): boolean {
  if (realm.protocol !== origin.protocol) return false;
  if (realm.hostname === origin.hostname) return true;
  const domain = origin.hostname.split(".").slice(1).join(".");
  return domain.includes(".") && `.${realm.hostname}`.endsWith(`.${domain}`);
}

/** Undefined if the server gives no token for the image. */
async function fetchToken(
  config: Config,
  mirror: Mirror,
  url: URL,
  basic: string | undefined,
): Promise<{ token: string; lifetime: number } | undefined> {
  const fail = (reason: "unreachable" | "refused" | "limited", text: string, pause?: number) =>
    new UpstreamFailure(reason, `the token server of ${mirror.address} ${text}`, Date.now(), pause);
  const headers = { accept: "application/json", ...(basic && { authorization: basic }) };
  const signal = AbortSignal.timeout(10_000);
  const response = await fetchOutside(config, url, { headers, signal }).catch((thrown: Error) => {
    if (thrown instanceof RefusedDestination) throw fail("refused", thrown.predicate);
    throw fail("unreachable", "does not answer");
  });
  if (response.status === 429)
    throw fail(
      "limited",
      "takes no more requests now",
      retryAfter(response.headers.get("retry-after"), Date.now()),
    );
  if (response.status >= 500) throw fail("unreachable", `answers with ${response.status}`);
  if (basic && response.status === 401) throw fail("refused", refusesLogin);
  // ghcr.io answers so about an image that does not exist. The other images must not pay for that.
  if (response.status >= 400) return undefined;
  if (response.status !== 200) throw fail("refused", `answers with ${response.status}`);
  const body: unknown = await response.json().catch(() => undefined);
  const { token, access_token, expires_in } = (body ?? {}) as Record<string, unknown>;
  const text = token ?? access_token;
  if (typeof text !== "string" || !/^[\x21-\x7e]+$/.test(text))
    throw fail("refused", "sends no token");
  const lifetime = typeof expires_in === "number" ? expires_in : defaultLifetime;
  return { token: text, lifetime: Math.min(Math.max(lifetime, defaultLifetime), 3600) };
}
