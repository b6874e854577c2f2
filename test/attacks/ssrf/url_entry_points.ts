/** An organization of the public platform, and every call that takes a host. */
import { newKey } from "../../issuer/foreign_issuer.ts";
import { randomUid } from "../../world/personas.ts";
import type { PublicPlatform, PublicRequestOptions, PublicSite } from "./public_platform.ts";

/** The issuer that all resources are created with. Its site responds correctly. */
const goodIssuer = "https://idp.good.example";

/** A correct discovery document for the issuer at that origin. */
export const documentOf = (issuer: string, wrong: object = {}) => ({
  issuer,
  jwks_uri: `${issuer}/keys`,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  ...wrong,
});

export const discovery = "/.well-known/openid-configuration";

/** A site that returns these documents as JSON, and 404 otherwise. */
export const siteOf =
  (documents: Record<string, unknown>): PublicSite =>
  (path) =>
    path in documents ? Response.json(documents[path]) : new Response(null, { status: 404 });

export type Tenant = Awaited<ReturnType<typeof newTenant>>;

/** An organization with an owner, an identity and an identity provider, all valid. */
export async function newTenant(platform: PublicPlatform) {
  const key = await newKey("first");
  const keys = { keys: [key.jwk] };
  platform.sites.set(goodIssuer, siteOf({ [discovery]: documentOf(goodIssuer), "/keys": keys }));
  const owner = randomUid();
  await platform.db
    .prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'owner', 1, 1, 1)",
    )
    .bind(owner)
    .run();
  const token = await platform.tokenOf(owner);
  const make = async (path: string, body: unknown) => {
    const answer = await platform.call(path, { token, body });
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.text}`);
    return answer.body.uid as string;
  };
  const group = await make("/iam/v2/groups", { name: "acme" });
  const role = await platform.db
    .prepare("select uid from roles where name = 'viewer' and length(uid) = 40")
    .first<string>("uid");
  const claimMatch = { issuer: goodIssuer, subject: "robot" };
  const identity = await make(`/iam/v2/identities/${group}`, { name: "robot", claimMatch });
  const provider = await make(`/iam/v2/identityProviders/${group}`, {
    name: "idp",
    defaultRole: role,
    oidc: { issuer: goodIssuer, clientId: "client", clientSecret: "sec-ret" },
  });
  return { key, keys, token, group, role, identity, provider };
}

/** A request with a host for one entry point, and the field in its error. */
export interface UrlEntryPoint {
  name: string;
  field: string;
  /** Whether the call looks up the name of the host. */
  looksUp: boolean;
  ask: (tenant: Tenant, host: string) => [string, PublicRequestOptions];
}

const match = (issuer: string) => ({ name: "a", claimMatch: { issuer, subject: "robot" } });
const oidc = (issuer: string) => ({ issuer, clientId: "client", clientSecret: "sec-ret" });
const lookup = (issuer: string) => `issuer=${encodeURIComponent(issuer)}&subject=robot`;

/** The entry points with an error for the field. Each name of an RPC has its request. */
const ofField = (
  field: string,
  looksUp: boolean,
  requests: Record<string, UrlEntryPoint["ask"]>,
): UrlEntryPoint[] =>
  Object.entries(requests).map(([name, ask]) => ({ name, field, looksUp, ask }));

export const urlEntryPoints: UrlEntryPoint[] = [
  ...ofField("claim_match.issuer", false, {
    CreateIdentity: ({ group }, host) => [`/iam/v2/identities/${group}`, { body: match(host) }],
    "CreateIdentity of version 1": ({ group }, host) => [
      `/iam/v1/identities/${group}`,
      { body: match(host) },
    ],
    UpdateIdentity: ({ identity }, host) => [
      `/iam/v2/identities/${identity}`,
      { method: "PATCH", body: { claimMatch: match(host).claimMatch } },
    ],
    "UpdateIdentity of version 1": ({ identity }, host) => [
      `/iam/v1/identities/${identity}`,
      { method: "PUT", body: match(host) },
    ],
  }),
  ...ofField("issuer", false, {
    LookupIdentity: (_, host) => [`/iam/v2/identities:lookupIdentity?${lookup(host)}`, {}],
    "LookupIdentity of version 1": (_, host) => [`/iam/v1/identities/lookup?${lookup(host)}`, {}],
  }),
  ...ofField("oidc.issuer", true, {
    CreateIdentityProvider: ({ group, role }, host) => [
      `/iam/v2/identityProviders/${group}`,
      { body: { name: "a", defaultRole: role, oidc: oidc(host) } },
    ],
    "CreateIdentityProvider of version 1": ({ group, role }, host) => [
      `/iam/v1/identityProviders/${group}`,
      { body: { name: "a", defaultRole: role, oidc: oidc(host) } },
    ],
    UpdateIdentityProvider: ({ provider }, host) => [
      `/iam/v2/identityProviders/${provider}`,
      { method: "PATCH", body: { oidc: oidc(host) } },
    ],
    "UpdateIdentityProvider of version 1": ({ provider, role }, host) => [
      `/iam/v1/identityProviders/${provider}`,
      { method: "PUT", body: { name: "a", defaultRole: role, oidc: oidc(host) } },
    ],
  }),
  ...ofField("sink", true, {
    CreateSubscription: ({ group }, host) => [
      `/events/v2/subscriptions/${group}`,
      { body: { sink: host } },
    ],
    "CreateSubscription of version 1": ({ group }, host) => [
      `/events/v1/subscriptions/${group}`,
      { body: { sink: host } },
    ],
  }),
];
