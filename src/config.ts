import type { D1Database, Queue, R2Bucket } from "@cloudflare/workers-types";

/** The environment of a Worker: bindings, variables (wrangler.toml) and secrets. */
export interface Env {
  /**
   * The first database of the platform, and the only one of most platforms. The others are `DB_2`, `DB_3` and so on
   * (src/rpc/databases.ts). Each has the same tables, and some of the organizations.
   */
  DB: D1Database;
  /** The name of the database for new organizations, such as `DB_2`. The default is `DB`. */
  NEW_ORGANIZATIONS?: string;
  /** The files of `site/dist` by their paths. Only ping serves them. */
  ASSETS?: { fetch(request: Request | string): Promise<Response> } | undefined;
  /**
   * The queue that wakes the sender of events. Without it, events are sent by the schedule of the events
   * Worker.
   */
  EVENTS?: Pick<Queue<object>, "send"> | undefined;
  /** The bucket with the blobs of the registry. Only distribution has it. */
  BLOBS?: R2Bucket | undefined;
  /** Origin of the API host, such as `https://api.example.com`. */
  BASE_URL: string;
  /** Origin of the registry host. */
  REGISTRY_URL: string;
  /** Origin of the issuer: the `iss` of every token that the platform signs. */
  ISSUER_URL: string;
  /** Audience of tokens for the API. */
  AUDIENCE: string;
  /** Audience of tokens for the registry: its host, without a scheme. */
  REGISTRY_AUDIENCE: string;
  /**
   * The operator's name in lowercase. It appears in the path of tag history and in event types, and as a
   * prefix of packages.
   */
  VENDOR: string;
  /** DNS domain in the domains of errors and in resource types. */
  SERVICE_DOMAIN: string;
  /** The organization whose images anyone can pull without a login. */
  PUBLIC_NAMESPACE: string;
  /**
   * Secret: a JWKS. The first key signs, and all keys verify. Workers that never sign get the public half.
   */
  SIGNING_KEYS: string;
  /** Secret: a JSON array of keys, each 32 bytes in base64url. The first key signs, and all keys verify. */
  PAGE_TOKEN_KEYS: string;
  /**
   * Secret of the Workers iam, issuer and events: a JSON array of keys, each 32 bytes in base64url. The first
   * key encrypts, and all keys decrypt. They seal the client secrets of identity providers, the state of a
   * login in progress, and the secrets of subscriptions.
   */
  ENCRYPTION_KEYS?: string;
  /** JSON array of {@link TermsDocument}. By default no document is required. */
  TERMS?: string;
  /** Issuers, separated by spaces, whose `email_verified` claim is trusted. None by default. */
  TRUSTED_EMAIL_ISSUERS?: string;
  /** Issuers, separated by spaces, whose people can register themselves. None by default. */
  REGISTRATION_ISSUERS?: string;
  /** More domains, separated by spaces, where anyone can get an email address. */
  PUBLIC_EMAIL_DOMAINS?: string;
  /** URL where signed AWS requests are replayed and AWS roles are assumed. */
  AWS_STS_URL?: string;
  /** URL where tokens are exchanged at Google Cloud. */
  GOOGLE_STS_URL?: string;
  /** URL where tokens are exchanged at Microsoft Entra. */
  AZURE_LOGIN_URL?: string;
  /**
   * Resolver (DNS over HTTPS, JSON) for the hosts of sinks and issuers. If it is empty, no host is looked up.
   * The default is Cloudflare's resolver, and none if BASE_URL is on this machine.
   */
  DNS_URL?: string;
  /**
   * The pauses between the attempts to send an event, such as `5s 30s 2m 10m 1h`. The default is
   * {@link defaultRetries}.
   */
  DELIVERY_RETRIES?: string;
  /** How many days events are kept: at least 30. The default is 400. */
  EVENT_RETENTION_DAYS?: string;
  /**
   * The most bytes in the body of one request to the registry. Without it, only Cloudflare's own limit
   * applies.
   */
  MAX_BODY_BYTES?: string;
  /** The bytes that each organization may store in the registry. Without it, there is no limit. */
  STORAGE_LIMIT_BYTES?: string;
  /** The share of pulls that have events: a number from 0 to 1. The default is 1. */
  PULL_EVENTS?: string;
  /**
   * URL of the bucket over R2's S3 API: `https://<account>.r2.cloudflarestorage.com/<bucket>`. With it and
   * its two secrets, clients may send large blobs directly to R2.
   */
  S3_URL?: string;
  /** Secret of the Worker distribution: the id of an access key for that bucket. */
  S3_ACCESS_KEY_ID?: string;
  /** Secret of the Worker distribution: the access key itself. */
  S3_SECRET_ACCESS_KEY?: string;
  /** `true` redirects pulls of large blobs to that bucket. */
  REDIRECT_PULLS?: string;
  /** `true` accepts images whose blobs the repository does not have. */
  SPARSE_IMAGES?: string;
  /**
   * `nearest` lets reads start at a replica of the database. The default is `primary`: every call starts
   * there.
   */
  READS?: string;
  /** The greatest age of a replica that such a read uses, such as `5m`: from 2m to 24h. The default is 2m. */
  READS_MAX_AGE?: string;
  /** `true` adds a `server-timing` header to responses, with the number of D1 round trips and rows read. */
  METER?: string;
}

/** A legal document, and the RPCs that require it. */
export interface TermsDocument {
  /** The id of the document, with its version: `sfdpa.v1`. */
  id: string;
  /** Title, for display. */
  label: string;
  /** URL of the text. */
  url: string;
  /**
   * RPCs such as `platform.iam.v2.GroupsService/CreateGroup`. A call fails until the group that it is about
   * has accepted the document.
   */
  methods: string[];
}

/** The configuration after its checks. */
export interface Config {
  baseUrl: string;
  registryUrl: string;
  issuerUrl: string;
  audience: string;
  registryAudience: string;
  vendor: string;
  serviceDomain: string;
  publicNamespace: string;
  signingKeys: string;
  pageTokenKeys: string[];
  /** Empty in a Worker that has none. */
  encryptionKeys: string[];
  terms: TermsDocument[];
  trustedEmailIssuers: string[];
  registrationIssuers: string[];
  publicEmailDomains: string[];
  awsStsUrl: string;
  googleStsUrl: string;
  azureLoginUrl: string;
  /** If this is empty, no name is looked up. */
  dnsUrl: string;
  /** The pauses between the attempts to send an event, in milliseconds. */
  deliveryRetries: number[];
  eventRetentionDays: number;
  /** Undefined if there is no limit. */
  maxBodyBytes: number | undefined;
  /** Undefined if there is no limit. */
  storageLimitBytes: number | undefined;
  /** From 0 to 1. */
  pullEvents: number;
  sparseImages: boolean;
  /**
   * The greatest age of a replica that reads may use, in milliseconds. Undefined if all reads start at the
   * primary.
   */
  replicaMaxAge: number | undefined;
  /** Undefined in a Worker without credentials. `url` has no slash at its end. */
  s3:
    | { url: string; accessKeyId: string; secretAccessKey: string; redirectsPulls: boolean }
    | undefined;
  meter: boolean;
}

const requiredVariables = [
  "BASE_URL",
  "REGISTRY_URL",
  "ISSUER_URL",
  "AUDIENCE",
  "REGISTRY_AUDIENCE",
  "VENDOR",
  "SERVICE_DOMAIN",
  "PUBLIC_NAMESPACE",
  "SIGNING_KEYS",
  "PAGE_TOKEN_KEYS",
] as const;

/** A setting is missing or invalid. The message names it. */
export class ConfigError extends Error {}

/** The bucket of a Worker that needs it. Throws ConfigError. */
export function requireBucket({ BLOBS }: Env): R2Bucket {
  if (!BLOBS) throw new ConfigError("configuration is missing BLOBS");
  return BLOBS;
}

let lastRead: { env: Env; config: Config } | undefined;

/**
 * Reads and checks the configuration, once for each `env`. Throws ConfigError, which names the wrong setting.
 */
export function configOf(env: Env): Config {
  if (lastRead?.env !== env) lastRead = { env, config: readConfig(env) };
  return lastRead.config;
}

/** The names that an error carries. They are read even if the rest of the configuration is wrong. */
export const errorNamesOf = ({
  SERVICE_DOMAIN,
  VENDOR,
}: Env): Pick<Config, "serviceDomain" | "vendor"> => ({
  serviceDomain: SERVICE_DOMAIN,
  vendor: VENDOR,
});

function readConfig(env: Env): Config {
  const missing: string[] = requiredVariables.filter((name) => !env[name]);
  if (!env.DB) missing.push("DB");
  if (missing.length > 0) throw new ConfigError(`configuration is missing ${missing.join(", ")}`);
  return {
    baseUrl: origin(env, "BASE_URL"),
    registryUrl: origin(env, "REGISTRY_URL"),
    issuerUrl: origin(env, "ISSUER_URL"),
    audience: env.AUDIENCE,
    registryAudience: env.REGISTRY_AUDIENCE,
    vendor: vendorOf(env.VENDOR),
    serviceDomain: env.SERVICE_DOMAIN,
    publicNamespace: env.PUBLIC_NAMESPACE,
    signingKeys: env.SIGNING_KEYS,
    pageTokenKeys: keyList("PAGE_TOKEN_KEYS", env.PAGE_TOKEN_KEYS),
    encryptionKeys: env.ENCRYPTION_KEYS ? keyList("ENCRYPTION_KEYS", env.ENCRYPTION_KEYS) : [],
    terms: termsOf(env.TERMS || "[]"),
    trustedEmailIssuers: splitWords(env.TRUSTED_EMAIL_ISSUERS),
    registrationIssuers: splitWords(env.REGISTRATION_ISSUERS),
    publicEmailDomains: splitWords(env.PUBLIC_EMAIL_DOMAINS),
    awsStsUrl: env.AWS_STS_URL || "https://sts.amazonaws.com",
    googleStsUrl: env.GOOGLE_STS_URL || "https://sts.googleapis.com",
    azureLoginUrl: env.AZURE_LOGIN_URL || "https://login.microsoftonline.com",
    dnsUrl: resolverOf(env),
    deliveryRetries: durationsOf(env.DELIVERY_RETRIES || defaultRetries),
    eventRetentionDays: retentionOf(env.EVENT_RETENTION_DAYS || "400"),
    maxBodyBytes: bytesOf(env, "MAX_BODY_BYTES"),
    storageLimitBytes: bytesOf(env, "STORAGE_LIMIT_BYTES"),
    pullEvents: shareOf(env.PULL_EVENTS || "1"),
    s3: bucketOf(env),
    sparseImages: env.SPARSE_IMAGES === "true",
    replicaMaxAge: replicaMaxAgeOf(env),
    meter: env.METER === "true",
  };
}

/** The age is known to the minute, because the events Worker writes the time once a minute. */
function replicaMaxAgeOf({ READS, READS_MAX_AGE }: Env): number | undefined {
  if (READS !== undefined && !["", "primary", "nearest"].includes(READS))
    throw new ConfigError(`READS must be primary or nearest; it is ${JSON.stringify(READS)}`);
  const [, amount, unit = ""] = /^(\d{1,4})([mh])$/.exec(READS_MAX_AGE || "2m") ?? [];
  const age = Number(amount) * (unitMs[unit] ?? 0);
  if (!(age >= 2 * 60_000 && age <= 24 * 3_600_000)) {
    throw new ConfigError(
      `READS_MAX_AGE must be a duration from 2m to 24h, such as 5m; it is ${JSON.stringify(READS_MAX_AGE)}`,
    );
  }
  return READS === "nearest" ? age : undefined;
}

/** Together 27 hours and 42 minutes. */
const defaultRetries = "5s 30s 2m 10m 30m 1h 2h 4h 8h 12h";

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

function durationsOf(text: string): number[] {
  return splitWords(text).map((word) => {
    const [, amount, unit = ""] = /^(\d{1,4})([smh])$/.exec(word) ?? [];
    if (amount === undefined) {
      throw new ConfigError(
        `DELIVERY_RETRIES must be durations such as 30s, 5m or 2h; it contains ${JSON.stringify(word)}`,
      );
    }
    return Number(amount) * (unitMs[unit] ?? 0);
  });
}

function retentionOf(text: string): number {
  if (/^\d{2,5}$/.test(text) && Number(text) >= 30) return Number(text);
  throw new ConfigError(
    `EVENT_RETENTION_DAYS must be a number of at least 30; it is ${JSON.stringify(text)}`,
  );
}

function bytesOf(env: Env, name: "MAX_BODY_BYTES" | "STORAGE_LIMIT_BYTES"): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number of bytes; it is ${JSON.stringify(text)}`);
}

/** A Worker that has only the variable, and not its secrets, serves no blobs. */
function bucketOf({
  S3_URL,
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
  REDIRECT_PULLS,
}: Env): Config["s3"] {
  if (!S3_URL || !S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY) return undefined;
  if (!URL.canParse(S3_URL)) {
    throw new ConfigError(`S3_URL must be a URL; it is ${JSON.stringify(S3_URL)}`);
  }
  return {
    url: S3_URL.replace(/\/+$/, ""),
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
    redirectsPulls: REDIRECT_PULLS === "true",
  };
}

function shareOf(text: string): number {
  if (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text)) return Number(text);
  throw new ConfigError(`PULL_EVENTS must be a number from 0 to 1; it is ${JSON.stringify(text)}`);
}

function origin(env: Env, name: "BASE_URL" | "REGISTRY_URL" | "ISSUER_URL"): string {
  if (!URL.canParse(env[name]))
    throw new ConfigError(`${name} must be a URL; it is "${env[name]}"`);
  return env[name].replace(/\/+$/, "");
}

function resolverOf({ BASE_URL, DNS_URL }: Env): string {
  if (DNS_URL !== undefined) {
    if (DNS_URL !== "" && !URL.canParse(DNS_URL)) {
      throw new ConfigError(`DNS_URL must be a URL; it is "${DNS_URL}"`);
    }
    return DNS_URL;
  }
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(BASE_URL).hostname);
  return isHere ? "" : "https://cloudflare-dns.com/dns-query";
}

/** The other fields of the message whose one field has the vendor's name (src/aip/vendor_names.ts). */
const reservedVendorNames = [
  "amazon",
  "azure",
  "description",
  "github",
  "google",
  "group",
  "name",
  "uid",
];

/** Characters that are allowed in a path, in an event type and in a JSON key. */
const vendorPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

function vendorOf(name: string): string {
  if (!vendorPattern.test(name)) {
    const text =
      "must be 1 to 63 lowercase letters, digits and hyphens, and must not begin with a hyphen";
    throw new ConfigError(`VENDOR ${text}; it is ${JSON.stringify(name)}`);
  }
  if (reservedVendorNames.includes(name))
    throw new ConfigError(`VENDOR must not be "${name}", because another field has that name`);
  return name;
}

const splitWords = (text = "") => text.split(/\s+/).filter((word) => word !== "");

function keyList(name: string, text: string): string[] {
  const refusal = `${name} must be a JSON array of keys in base64url`;
  const keys = jsonOf(text, refusal);
  if (!Array.isArray(keys) || keys.length === 0) throw new ConfigError(refusal);
  if (!keys.every((key) => typeof key === "string" && /^[\w+/-]{43,}=*$/.test(key))) {
    throw new ConfigError(`${refusal}, each of 32 bytes`);
  }
  return keys;
}

/** An RPC in a package that a Worker serves. That Worker checks whether the RPC exists. */
const methodPattern =
  /^platform\.(iam|registry|vulnerabilities|libraries|advisory|events)(\.[a-z_]+)?(\.v[12])?\.[A-Za-z]+\/[A-Za-z]+$/;

function termsOf(text: string): TermsDocument[] {
  const refusal = "TERMS must be a JSON array of documents, each with id, label, url and methods";
  const documents = jsonOf(text, refusal);
  const isDocument = (one: Partial<TermsDocument> | null) =>
    [one?.id, one?.label, one?.url].every((value) => typeof value === "string") &&
    Array.isArray(one?.methods);
  if (!Array.isArray(documents) || !documents.every(isDocument)) throw new ConfigError(refusal);
  const names = (documents as TermsDocument[]).flatMap(({ methods }) => methods as unknown[]);
  const odd = names.find((name) => typeof name !== "string" || !methodPattern.test(name));
  if (odd !== undefined) {
    throw new ConfigError(`TERMS names ${JSON.stringify(odd)}; a method is package.Service/Method`);
  }
  return documents;
}

function jsonOf(text: string, refusal: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(refusal);
  }
}
