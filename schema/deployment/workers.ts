/**
 * The Workers: the bindings, variables and routes of each. Edit this file and run `npm run gen`, which writes
 * wrangler.toml from it. An environment in wrangler.toml inherits neither bindings nor variables, so each
 * environment contains all of them.
 */

import type { RateClass, RateLimitChanges } from "./rate_limits.ts";

/** The domain of production. It has one host each for the API, the issuer and the registry. */
const domain = "example.com";

/**
 * The D1 databases of production, each with its id as `npx wrangler d1 create platform` prints it. All Workers have
 * all of them. Most platforms need only `DB`. Further ones are `DB_2`, `DB_3` and so on (docs/SCALING.md).
 */
export const databases: { binding: `DB${"" | `_${number}`}`; name: string; id: string }[] = [
  { binding: "DB", name: "platform", id: "00000000-0000-0000-0000-000000000000" },
];

/**
 * The rate limits that differ from the defaults of rate_limits.ts, in calls a minute. Each Worker has a binding for every
 * limit of its classes, and the variable RATE_LIMITS with the same numbers.
 */
export const rateLimits: RateLimitChanges = {};

/** The database for new organizations. It must be one of the above. */
export const newOrganizations: string = "DB";

/** The queue that wakes the sender of events. Every Worker that writes events has it. */
export const queue = { binding: "EVENTS", name: "platform-events" };

/** The queue of the pulls that the registry counts. The Worker of the registry sends and receives its messages. */
export const pullQueue = { binding: "PULLS", name: "platform-pulls" };

/** The R2 bucket with the blobs of the registry. */
export const bucket = { binding: "BLOBS", name: "platform-blobs" };

/**
 * The dataset of the metrics in Analytics Engine, such as `platform`. Every Worker of production writes into it. If it is
 * empty, there are no metrics (docs/OPERATIONS.md).
 */
export const metricsDataset: string = "";

/** The names of the platform in every environment. docs/DEPLOY.md describes each variable. */
const names = {
  VENDOR: "vendor",
  SERVICE_DOMAIN: "platform.example",
  PUBLIC_NAMESPACE: "public",
};

/** A platform with one database and the default limits does not need these variables. */
const placement: Record<string, string> = {
  ...(newOrganizations === "DB" ? {} : { NEW_ORGANIZATIONS: newOrganizations }),
  ...(Object.keys(rateLimits).length > 0 ? { RATE_LIMITS: JSON.stringify(rateLimits) } : {}),
};

const development = "http://localhost:8787";

/**
 * The variables. Those of a preview have no addresses: `npm run preview` adds them, and the id of its
 * database.
 */
export const vars = {
  development: {
    BASE_URL: development,
    REGISTRY_URL: development,
    ISSUER_URL: development,
    AUDIENCE: development,
    REGISTRY_AUDIENCE: new URL(development).host,
    ...placement,
    ...names,
  },
  preview: names,
  production: {
    BASE_URL: `https://api.${domain}`,
    REGISTRY_URL: `https://registry.${domain}`,
    ISSUER_URL: `https://issuer.${domain}`,
    AUDIENCE: `https://api.${domain}`,
    REGISTRY_AUDIENCE: `registry.${domain}`,
    ...placement,
    ...names,
  },
};

/** The routes of a domain's Worker on the three hosts. */
export type DomainWorker = {
  /**
   * The Worker receives every request that no other route of this host matches, and responds with the
   * platform's own 404.
   */
  host?: "BASE_URL" | "ISSUER_URL" | "REGISTRY_URL";
  /** The first segments of its REST paths. The default is its own name. */
  paths?: string[];
  /**
   * Its gRPC packages `platform.<name>`, or single services in packages of other domains. The default is its
   * own name.
   */
  packages?: string[];
  /** More patterns of paths on the API host, for paths that are not below a first segment. */
  patterns?: string[];
  /** The Worker calls the Workers of these domains: it has a binding `DOMAIN_<NAME>` for each. */
  calls?: string[];
  /** The classes of the Worker's calls. The default is the classes of most RPCs. */
  rateClasses?: RateClass[];
  /** The Worker stores secrets, so it has ENCRYPTION_KEYS. */
  seals?: boolean;
  /** The Worker sends events: it receives the messages of the queue, and runs every minute. */
  sendsEvents?: boolean;
  /** The Worker writes events about credentials that expire soon: it runs every hour. */
  noticesExpiries?: boolean;
  /** The Worker stores blobs: it has the bucket, cleans it up every ten minutes, and has the queue of pulls. */
  storesBlobs?: boolean;
  /** The Worker makes daily expiry plans and carries out plans: it runs every ten minutes. */
  runsPlans?: boolean;
};

/** The domains. Each is a folder of src with a worker.ts. */
export const domains: Record<string, DomainWorker> = {
  // The iam Worker serves identities, although their package in version 1 belongs to events.
  iam: {
    paths: ["iam", "scim"],
    patterns: ["leaked-keys"],
    packages: ["iam", "events.Identities"],
    seals: true,
    noticesExpiries: true,
  },
  registry: {
    paths: ["registry", "apko"],
    rateClasses: ["read", "list", "write", "import"],
    seals: true,
    runsPlans: true,
  },
  vulnerabilities: { rateClasses: ["read", "list", "write", "import"] },
  libraries: { rateClasses: ["read", "list"] },
  advisory: { rateClasses: ["list"] },
  events: { seals: true, sendsEvents: true },
  ping: { host: "BASE_URL", paths: [], packages: [], rateClasses: ["read"] },
  issuer: {
    host: "ISSUER_URL",
    paths: ["sts", "auth"],
    packages: ["auth", "oidc"],
    rateClasses: ["read", "write", "exchange", "login"],
    seals: true,
  },
  distribution: {
    host: "REGISTRY_URL",
    paths: [],
    packages: [],
    // A login with the token of a workload is an exchange.
    rateClasses: ["exchange", "registry"],
    seals: true,
    storesBlobs: true,
  },
  // It comes last, because a Worker can only be bound to Workers that are deployed.
  mcp: {
    paths: ["mcp"],
    patterns: ["mcp", ".well-known/oauth-protected-resource*"],
    packages: [],
    rateClasses: ["read"],
    calls: ["iam", "registry", "vulnerabilities", "libraries", "advisory", "events", "issuer"],
  },
};

/** Secrets that a Worker needs before it is deployed. */
export const secrets = ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"];
export const sealingSecret = "ENCRYPTION_KEYS";
