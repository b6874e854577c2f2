import type {
  AnalyticsEngineDataset,
  D1Database,
  Queue,
  R2Bucket,
} from "@cloudflare/workers-types";
import {
  bucketOf,
  ConfigError,
  certificatesOf,
  defaultRetries,
  durationsOf,
  keyList,
  mirrorsOf,
  type NamedMirror,
  numberOf,
  type OtlpSettings,
  origin,
  otlpOf,
  replicaMaxAgeOf,
  resolverOf,
  retentionOf,
  type S3Settings,
  splitWords,
  type TermsDocument,
  termsOf,
  undoDaysOf,
  vendorOf,
} from "./config_values.ts";
import { rateLimitsOf } from "./rate_limits_setting.ts";

export { ConfigError, type TermsDocument };

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
  /**
   * The queue of pulls (src/distribution/pulls). Only distribution has it. Without it, each isolate writes its pulls
   * itself.
   */
  PULLS?: Pick<Queue<object>, "send"> | undefined;
  /** The bucket with the blobs of the registry. Only distribution has it. */
  BLOBS?: R2Bucket | undefined;
  /** The dataset of the metrics. Without it, none are written. */
  METRICS?: Pick<AnalyticsEngineDataset, "writeDataPoint"> | undefined;
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
   * Secret of the Workers iam, issuer, events, registry and distribution: a JSON array of keys, each 32 bytes in
   * base64url. The first key encrypts, and all keys decrypt. They seal the client secrets of identity providers, the
   * state of a login in progress, the secrets of subscriptions, the passwords of upstreams, and answers with secrets
   * (src/idempotency).
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
  /** The bytes of pushes that one isolate holds in memory. The default is 64 MiB, half of what an isolate has. */
  UPLOAD_MEMORY_BYTES?: string;
  /** The seconds in which each 128 KiB of a blob must arrive. The default is 60. */
  UPLOAD_STALL_SECONDS?: string;
  /** For how many days an expiry plan can be undone: 0 to 30. The default is 7. */
  EXPIRY_UNDO_DAYS?: string;
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
  /**
   * The mirrors that answer for other registries: for requests with `?ns=docker.io`, and for names without an organization.
   * JSON of {@link NamedMirror} by host: `{"docker.io":{"repository":"acme/hub"}}`. None by default.
   */
  MIRRORS?: string;
  /** `true` accepts images whose blobs the repository does not have. */
  SPARSE_IMAGES?: string;
  /**
   * `nearest` lets reads start at a replica of the database. The default is `primary`: every call starts
   * there.
   */
  READS?: string;
  /** The greatest age of a replica that such a read uses, such as `5m`: from 2m to 24h. The default is 2m. */
  READS_MAX_AGE?: string;
  /**
   * The rate limits that differ from the defaults (schema/deployment/rate_limits.ts), in calls a minute:
   * `{"read":{"caller":6000}}`. `off` turns all of them off.
   */
  RATE_LIMITS?: string;
  /** `true` adds a `server-timing` header to responses, with the number of D1 round trips and rows read. */
  METER?: string;
  /**
   * The certificates, as PEM, of the authorities whose certificates signers of images have: roots and intermediates. By
   * default, no signature is recorded.
   */
  SIGNATURE_ROOTS?: string;
  /** URL that takes spans by OTLP over HTTP, such as `https://otel.example.com/v1/traces`. By default, none are sent. */
  OTLP_URL?: string;
  /** Secret: the headers of these requests, such as `authorization=Bearer%20abc,x-team=platform`. */
  OTLP_HEADERS?: string;
  /** The share of traces that are exported: a number from 0 to 1. The default is 0.1. */
  TRACE_SHARE?: string;
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
  uploadMemoryBytes: number;
  /** In milliseconds. */
  uploadStallMs: number;
  undoDays: number;
  sparseImages: boolean;
  /** By host. */
  mirrors: Map<string, NamedMirror>;
  /**
   * The greatest age of a replica that reads may use, in milliseconds. Undefined if all reads start at the
   * primary.
   */
  replicaMaxAge: number | undefined;
  /** Undefined if there are none. */
  rateLimits: ReturnType<typeof rateLimitsOf>;
  /** Undefined in a Worker without credentials. */
  s3: S3Settings | undefined;
  /** Certificates as DER. Empty if no signatures are recorded. */
  signatureRoots: Uint8Array<ArrayBuffer>[];
  meter: boolean;
  /** Undefined if no spans are exported. */
  otlp: OtlpSettings | undefined;
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

/** A token for the registry can be limited to actions and networks, which the API and the exchange do not look at. */
function registryAudienceOf({ REGISTRY_AUDIENCE, AUDIENCE, ISSUER_URL }: Env): string {
  if (![AUDIENCE, ISSUER_URL].includes(REGISTRY_AUDIENCE)) return REGISTRY_AUDIENCE;
  throw new ConfigError("REGISTRY_AUDIENCE must be another text than AUDIENCE and ISSUER_URL");
}

function readConfig(env: Env): Config {
  const missing: string[] = requiredVariables.filter((name) => !env[name]);
  if (!env.DB) missing.push("DB");
  if (missing.length > 0) throw new ConfigError(`configuration is missing ${missing.join(", ")}`);
  return {
    baseUrl: origin(env, "BASE_URL"),
    registryUrl: origin(env, "REGISTRY_URL"),
    issuerUrl: origin(env, "ISSUER_URL"),
    audience: env.AUDIENCE,
    registryAudience: registryAudienceOf(env),
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
    maxBodyBytes: numberOf(env, "MAX_BODY_BYTES", "bytes"),
    storageLimitBytes: numberOf(env, "STORAGE_LIMIT_BYTES", "bytes"),
    uploadMemoryBytes: numberOf(env, "UPLOAD_MEMORY_BYTES", "bytes") ?? 64 * 1024 * 1024,
    uploadStallMs: (numberOf(env, "UPLOAD_STALL_SECONDS", "seconds") ?? 60) * 1000,
    undoDays: undoDaysOf(env.EXPIRY_UNDO_DAYS || "7"),
    s3: bucketOf(env),
    sparseImages: env.SPARSE_IMAGES === "true",
    mirrors: mirrorsOf(env.MIRRORS || "{}"),
    replicaMaxAge: replicaMaxAgeOf(env),
    rateLimits: rateLimitsOf(env.RATE_LIMITS),
    signatureRoots: certificatesOf("SIGNATURE_ROOTS", env.SIGNATURE_ROOTS || ""),
    meter: env.METER === "true",
    otlp: otlpOf(env),
  };
}
