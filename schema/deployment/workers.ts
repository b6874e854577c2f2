/**
 * The Workers: what each is bound to, told by variables, and routed. Edit this file, then run `npm run gen`, which
 * writes wrangler.toml of it. An environment of wrangler.toml inherits neither bindings nor variables, so there all
 * of them say the same.
 */

/** Production: a host for the API, one for the issuer, one for the registry, all below this domain. */
const domain = "example.com";

/** The D1 database of production, as `npx wrangler d1 create platform` prints its id. All Workers share it. */
export const database = {
  binding: "DB",
  name: "platform",
  id: "00000000-0000-0000-0000-000000000000",
};

/** What the platform is called, wherever it runs. docs/DEPLOY.md says what each variable is. */
const names = {
  VENDOR: "vendor",
  SERVICE_DOMAIN: "platform.example",
  PUBLIC_NAMESPACE: "public",
};

const development = "http://localhost:8787";

/** The variables. Those of a preview lack its addresses, which `npm run preview` adds with its database's id. */
export const vars = {
  development: {
    BASE_URL: development,
    REGISTRY_URL: development,
    ISSUER_URL: development,
    AUDIENCE: development,
    REGISTRY_AUDIENCE: new URL(development).host,
    ...names,
  },
  preview: names,
  production: {
    BASE_URL: `https://api.${domain}`,
    REGISTRY_URL: `https://registry.${domain}`,
    ISSUER_URL: `https://issuer.${domain}`,
    AUDIENCE: `https://api.${domain}`,
    REGISTRY_AUDIENCE: `registry.${domain}`,
    ...names,
  },
};

/** What a domain's Worker takes of the three hosts. */
export type DomainWorker = {
  /** It takes what no other route of this host takes, and answers that with the platform's own 404. */
  host?: "BASE_URL" | "ISSUER_URL" | "REGISTRY_URL";
  /** First segments of its REST paths. Its own name, unless it is said. */
  paths?: string[];
  /** Its gRPC packages `platform.<name>`, or single services of other domains' packages. Its own name. */
  packages?: string[];
  /** It stores secrets, so it has ENCRYPTION_KEYS. */
  seals?: boolean;
};

/** The domains, each a folder of src with a worker.ts. */
export const domains: Record<string, DomainWorker> = {
  // Identities are kept by iam, whatever their package of version 1 says.
  iam: { paths: ["iam", "scim"], packages: ["iam", "events.Identities"], seals: true },
  registry: { paths: ["registry", "apko"] },
  vulnerabilities: {},
  libraries: {},
  advisory: {},
  events: {},
  ping: { host: "BASE_URL", paths: [], packages: [] },
  issuer: {
    host: "ISSUER_URL",
    paths: ["sts", "auth"],
    packages: ["auth", "oidc"],
    seals: true,
  },
  distribution: { host: "REGISTRY_URL", paths: [], packages: [] },
};

/** Secrets without which a Worker is not deployed. */
export const secrets = ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"];
export const sealingSecret = "ENCRYPTION_KEYS";
