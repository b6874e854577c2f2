/** The first call of a Worker, which needs everything except the database. */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { emptyName, platformName, toml } from "./bundles.ts";
import type { Probe } from "./runtime.ts";

/** The request to the Worker of a name, and the status that it must return. */
export type ProbeByWorker = (name: string) => Probe & { expected: number };

/**
 * A List with a valid token and an invalid page size. The Worker verifies the token, reads the request and rejects it
 * before it uses the database. Three Workers have no List and get a call of their own.
 */
const paths: Record<string, [path: string, expected: number]> = {
  [emptyName]: ["/", 200],
  [platformName]: ["/registry/v2/tags?page_size=-1", 400],
  iam: ["/iam/v2/groups?page_size=-1", 400],
  registry: ["/registry/v2/tags?page_size=-1", 400],
  vulnerabilities: ["/vulnerabilities/v2/advisories?page_size=-1", 400],
  libraries: ["/libraries/v2/artifacts?page_size=-1", 400],
  advisory: ["/advisory/v2/metadata?page_size=-1", 400],
  events: ["/events/v2/subscriptions?page_size=-1", 400],
  ping: ["/ping/v2/ping", 200],
  issuer: ["/.well-known/openid-configuration", 200],
  mcp: ["/mcp/nothing", 404],
  distribution: ["/v2/nothing", 404],
};

/** Returns variables and secrets of a Worker that is not deployed anywhere, and calls with a token that it accepts. */
export async function makeProbes(): Promise<{
  vars: Record<string, string>;
  probes: ProbeByWorker;
}> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: "bench", alg: "ES256", use: "sig" };
  const sealing = JSON.stringify([Buffer.alloc(32, 1).toString("base64url")]);
  const vars = {
    ...toml.vars,
    SIGNING_KEYS: JSON.stringify({ keys: [key] }),
    PAGE_TOKEN_KEYS: sealing,
    ENCRYPTION_KEYS: sealing,
  };
  const tokenFor = (audience = "") =>
    new SignJWT({})
      .setProtectedHeader({ alg: "ES256", kid: "bench" })
      .setIssuer(toml.vars?.ISSUER_URL ?? "")
      .setSubject("0".repeat(40))
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime("1h")
      .sign(privateKey);
  const api = await tokenFor(toml.vars?.AUDIENCE);
  const registry = await tokenFor(toml.vars?.REGISTRY_AUDIENCE);
  const probes: ProbeByWorker = (name) => {
    const known = paths[name];
    if (!known) throw new Error(`there is no call for the Worker ${name}`);
    const [path, expected] = known;
    const token = name === "distribution" ? registry : api;
    return { path, expected, headers: { authorization: `Bearer ${token}` } };
  };
  return { vars, probes };
}
