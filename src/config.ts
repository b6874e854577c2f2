import type { D1Database } from "@cloudflare/workers-types";

/** What a Worker is given: bindings, variables (wrangler.toml) and secrets. */
export interface Env {
  /** The platform's only database. */
  DB: D1Database;
  /** The files of `site/dist`, under their paths; only ping serves any. */
  ASSETS?: { fetch(request: Request | string): Promise<Response> } | undefined;
  /** Origin of the API host, `https://api.example.com`. */
  BASE_URL: string;
  /** Origin of the registry host. */
  REGISTRY_URL: string;
  /** Origin of the issuer; the `iss` of every token we sign. */
  ISSUER_URL: string;
  /** Audience of API tokens. */
  AUDIENCE: string;
  /** Audience of registry tokens, the bare registry host. */
  REGISTRY_AUDIENCE: string;
  /** Operator's name in lower case: history segment, event types, accepted package prefix. */
  VENDOR: string;
  /** DNS domain in error domains and resource types. */
  SERVICE_DOMAIN: string;
  /** Organization whose images may be pulled without a login. */
  PUBLIC_NAMESPACE: string;
  /** Secret: JWKS, first key signs, all verify. Workers that never sign get the public half. */
  SIGNING_KEYS: string;
  /** Secret: JSON array of base64url keys of 32 bytes, first key signs, all verify. */
  PAGE_TOKEN_KEYS: string;
  /**
   * Secret of the Workers iam and issuer: JSON array of base64url keys of 32 bytes, first key
   * encrypts, all decrypt. Seals the client secrets of identity providers and logins under way.
   */
  ENCRYPTION_KEYS?: string;
  /** JSON array of {@link TermsDocument}. Default: none is demanded. */
  TERMS?: string;
  /** Issuers, parted by spaces, whose `email_verified` is believed. Default: none. */
  TRUSTED_EMAIL_ISSUERS?: string;
  /** Issuers, parted by spaces, whose people may register themselves. Default: none. */
  REGISTRATION_ISSUERS?: string;
  /** Further domains, parted by spaces, at which anyone can have an address. */
  PUBLIC_EMAIL_DOMAINS?: string;
  /** Where signed AWS requests are replayed and AWS roles assumed. */
  AWS_STS_URL?: string;
  /** Where tokens are exchanged at Google Cloud. */
  GOOGLE_STS_URL?: string;
  /** Where tokens are exchanged at Microsoft Entra. */
  AZURE_LOGIN_URL?: string;
  /**
   * Resolver (DNS over HTTPS, JSON) that is asked about the hosts of sinks and issuers; empty: none is.
   * Default: Cloudflare's, and none where BASE_URL is on this very machine.
   */
  DNS_URL?: string;
  /** `true` answers with a `server-timing` header that counts D1 round trips and rows read. */
  METER?: string;
}

/** A legal document and the RPCs that wait for it. */
export interface TermsDocument {
  /** The document and its version, `sfdpa.v1`. */
  id: string;
  /** Title, for display. */
  label: string;
  /** Where to read it. */
  url: string;
  /** `platform.iam.v2.GroupsService/CreateGroup`; these demand it of the groups they are about. */
  methods: string[];
}

/** The configuration, checked. */
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
  /** Empty in a Worker that was given none. */
  encryptionKeys: string[];
  terms: TermsDocument[];
  trustedEmailIssuers: string[];
  registrationIssuers: string[];
  publicEmailDomains: string[];
  awsStsUrl: string;
  googleStsUrl: string;
  azureLoginUrl: string;
  /** Empty: names are not looked up. */
  dnsUrl: string;
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

/** A setting is missing or unreadable; the message names it. */
export class ConfigError extends Error {}

let lastRead: { env: Env; config: Config } | undefined;

/** Reads and checks the configuration, once for an `env`. Throws ConfigError naming what is wrong. */
export function configOf(env: Env): Config {
  if (lastRead?.env !== env) lastRead = { env, config: readConfig(env) };
  return lastRead.config;
}

/** The names that an error carries, of a configuration that may be wrong otherwise. */
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
    meter: env.METER === "true",
  };
}

function origin(env: Env, name: "BASE_URL" | "REGISTRY_URL" | "ISSUER_URL"): string {
  if (!URL.canParse(env[name])) throw new ConfigError(`${name} is not a URL: ${env[name]}`);
  return env[name].replace(/\/+$/, "");
}

function resolverOf({ BASE_URL, DNS_URL }: Env): string {
  if (DNS_URL !== undefined) {
    if (DNS_URL !== "" && !URL.canParse(DNS_URL)) {
      throw new ConfigError(`DNS_URL is not a URL: ${DNS_URL}`);
    }
    return DNS_URL;
  }
  const isHere = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(BASE_URL).hostname);
  return isHere ? "" : "https://cloudflare-dns.com/dns-query";
}

/** What fields are called beside the one that is called by the vendor's name (src/aip/vendor_names.ts). */
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

/** What can stand in a path, in the type of an event and as a key of JSON. */
const vendorPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

function vendorOf(name: string): string {
  if (!vendorPattern.test(name)) {
    const text = "must be up to 63 lower case letters, digits and hyphens";
    throw new ConfigError(`VENDOR is ${JSON.stringify(name)}, and ${text}`);
  }
  if (reservedVendorNames.includes(name))
    throw new ConfigError(`VENDOR is ${name}, as other fields are called`);
  return name;
}

const splitWords = (text = "") => text.split(/\s+/).filter((word) => word !== "");

function keyList(name: string, text: string): string[] {
  const refusal = `${name} is not a JSON array of base64url keys`;
  const keys = jsonOf(text, refusal);
  if (!Array.isArray(keys) || keys.length === 0) throw new ConfigError(refusal);
  if (!keys.every((key) => typeof key === "string" && /^[\w+/-]{43,}=*$/.test(key))) {
    throw new ConfigError(`${refusal} of 32 bytes`);
  }
  return keys;
}

/** An RPC of a package that some Worker serves; that Worker looks whether there is one of the name. */
const methodPattern =
  /^platform\.(iam|registry|vulnerabilities|libraries|advisory|events)(\.v[12])?\.[A-Za-z]+\/[A-Za-z]+$/;

function termsOf(text: string): TermsDocument[] {
  const refusal = "TERMS is not a JSON array of documents with id, label, url and methods";
  const documents = jsonOf(text, refusal);
  const isDocument = (one: Partial<TermsDocument> | null) =>
    [one?.id, one?.label, one?.url].every((value) => typeof value === "string") &&
    Array.isArray(one?.methods);
  if (!Array.isArray(documents) || !documents.every(isDocument)) throw new ConfigError(refusal);
  const names = (documents as TermsDocument[]).flatMap(({ methods }) => methods as unknown[]);
  const odd = names.find((name) => typeof name !== "string" || !methodPattern.test(name));
  if (odd !== undefined) {
    throw new ConfigError(`TERMS names ${JSON.stringify(odd)}, which is no package.Service/Method`);
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
