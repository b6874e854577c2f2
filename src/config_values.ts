/** Reads the values of single settings (src/config.ts). Each function throws ConfigError, which names the setting. */

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

/** A setting is missing or invalid. The message names it. */
export class ConfigError extends Error {}

/** The age is known to the minute, because the events Worker writes the time once a minute. */
export function replicaMaxAgeOf({
  READS,
  READS_MAX_AGE,
}: {
  READS?: string;
  READS_MAX_AGE?: string;
}): number | undefined {
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

/** The pauses of DELIVERY_RETRIES by default: together 27 hours and 42 minutes. */
export const defaultRetries = "5s 30s 2m 10m 30m 1h 2h 4h 8h 12h";

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000 };

export function durationsOf(text: string): number[] {
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

export function retentionOf(text: string): number {
  if (/^\d{2,5}$/.test(text) && Number(text) >= 30) return Number(text);
  throw new ConfigError(
    `EVENT_RETENTION_DAYS must be a number of at least 30; it is ${JSON.stringify(text)}`,
  );
}

/** The days of EXPIRY_UNDO_DAYS. */
export function undoDaysOf(text: string): number {
  if (/^\d{1,2}$/.test(text) && Number(text) <= 30) return Number(text);
  throw new ConfigError(
    `EXPIRY_UNDO_DAYS must be a number from 0 to 30; it is ${JSON.stringify(text)}`,
  );
}

/** A whole number. Undefined without the setting. `unit` is for the error: `bytes`. */
export function numberOf<Name extends string>(
  env: { [name in Name]?: string },
  name: Name,
  unit: string,
): number | undefined {
  const text = env[name];
  if (!text) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number of ${unit}; it is ${JSON.stringify(text)}`);
}

/** The bucket over R2's S3 API. `url` has no slash at its end. */
export interface S3Settings {
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
  redirectsPulls: boolean;
}

/** A Worker that has only the variable, and not its secrets, serves no blobs. */
export function bucketOf({
  S3_URL,
  S3_ACCESS_KEY_ID,
  S3_SECRET_ACCESS_KEY,
  REDIRECT_PULLS,
}: {
  S3_URL?: string;
  S3_ACCESS_KEY_ID?: string;
  S3_SECRET_ACCESS_KEY?: string;
  REDIRECT_PULLS?: string;
}): S3Settings | undefined {
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

/** The most certificates of a setting. Each that has the right name is tried. */
const maxCertificates = 16;

/** Certificates in PEM, as DER. */
export function certificatesOf(name: string, text: string): Uint8Array<ArrayBuffer>[] {
  const pem = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*/g;
  const bodies = [...text.matchAll(pem)].map(([, body = ""]) => body);
  if (text.replace(pem, "").trim() !== "" || bodies.length > maxCertificates)
    throw new ConfigError(`${name} must be at most ${maxCertificates} certificates in PEM`);
  try {
    return bodies.map((body) => Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0)));
  } catch {
    throw new ConfigError(`${name} must be certificates in PEM; one of them is not in base64`);
  }
}

export function shareOf(name: string, text: string): number {
  if (/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text)) return Number(text);
  throw new ConfigError(`${name} must be a number from 0 to 1; it is ${JSON.stringify(text)}`);
}

/** The endpoint that takes spans (src/telemetry/otlp.ts). */
export interface OtlpSettings {
  url: string;
  headers: Record<string, string>;
  /** The share of traces that are exported, from 0 to 1. */
  share: number;
}

/** Undefined without OTLP_URL. The other settings are checked all the same. */
export function otlpOf({
  OTLP_URL,
  OTLP_HEADERS,
  TRACE_SHARE,
}: {
  OTLP_URL?: string;
  OTLP_HEADERS?: string;
  TRACE_SHARE?: string;
}): OtlpSettings | undefined {
  const share = shareOf("TRACE_SHARE", TRACE_SHARE || "0.1");
  const headers = headersOf("OTLP_HEADERS", OTLP_HEADERS || "");
  if (!OTLP_URL) return undefined;
  if (!/^https?:$/.test(URL.parse(OTLP_URL)?.protocol ?? ""))
    throw new ConfigError(`OTLP_URL must be a URL; it is ${JSON.stringify(OTLP_URL)}`);
  return { url: OTLP_URL, headers, share };
}

/** Headers such as `name=value,other=value`, with percent-encoded values. An error does not repeat them: they are secret. */
function headersOf(name: string, text: string): Record<string, string> {
  const parts = text.split(",").map((part) => part.trim());
  const pairs = parts
    .filter((part) => part !== "")
    .map((part) => /^([\w!#$%&'*+.^`|~-]+)=([!-~]*)$/.exec(part)?.slice(1) ?? []);
  try {
    const headers = pairs.map(([key, value = ""]) => {
      if (key === undefined) throw new TypeError("not a header");
      return [key.toLowerCase(), decodeURIComponent(value)] as const;
    });
    return Object.fromEntries(new Headers(headers.map(([key, value]) => [key, value])));
  } catch {
    throw new ConfigError(`${name} must be headers such as name=value,other=value`);
  }
}

export function origin<Name extends string>(env: { [name in Name]: string }, name: Name): string {
  if (!URL.canParse(env[name]))
    throw new ConfigError(`${name} must be a URL; it is "${env[name]}"`);
  return env[name].replace(/\/+$/, "");
}

export function resolverOf({ BASE_URL, DNS_URL }: { BASE_URL: string; DNS_URL?: string }): string {
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
  "etag",
  "github",
  "google",
  "group",
  "name",
  "uid",
];

/** Characters that are allowed in a path, in an event type and in a JSON key. */
const vendorPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function vendorOf(name: string): string {
  if (!vendorPattern.test(name)) {
    const text =
      "must be 1 to 63 lowercase letters, digits and hyphens, and must not begin with a hyphen";
    throw new ConfigError(`VENDOR ${text}; it is ${JSON.stringify(name)}`);
  }
  if (reservedVendorNames.includes(name))
    throw new ConfigError(`VENDOR must not be "${name}", because another field has that name`);
  return name;
}

export const splitWords = (text = "") => text.split(/\s+/).filter((word) => word !== "");

export function keyList(name: string, text: string): string[] {
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

export function termsOf(text: string): TermsDocument[] {
  const refusal = "TERMS must be a JSON array of documents, each with id, label, url and methods";
  const documents = jsonOf(text, refusal);
  const isDocument = (document: Partial<TermsDocument> | null) =>
    [document?.id, document?.label, document?.url].every((value) => typeof value === "string") &&
    Array.isArray(document?.methods);
  if (!Array.isArray(documents) || !documents.every(isDocument)) throw new ConfigError(refusal);
  const names = (documents as TermsDocument[]).flatMap(({ methods }) => methods as unknown[]);
  const odd = names.find((name) => typeof name !== "string" || !methodPattern.test(name));
  if (odd !== undefined) {
    throw new ConfigError(`TERMS names ${JSON.stringify(odd)}; a method is package.Service/Method`);
  }
  return documents;
}

/** A mirror that answers for the names of another registry. */
export interface NamedMirror {
  /** The repository that mirrors the registry, as images are addressed: `{organization}/hub`. */
  repository: string;
  /** Whether anyone can pull from it without a login. */
  anonymous: boolean;
}

const mirrorsRefusal =
  'MIRRORS must be a JSON object of hosts with their repositories, such as {"docker.io":{"repository":"acme/hub","anonymous":false}}';

/** The mirrors by the hosts that they answer for. */
export function mirrorsOf(text: string): Map<string, NamedMirror> {
  const all = jsonOf(text, mirrorsRefusal);
  if (typeof all !== "object" || all === null || Array.isArray(all))
    throw new ConfigError(mirrorsRefusal);
  const entries = Object.entries(all).map(([host, value]): [string, NamedMirror] => {
    const { repository, anonymous = false } = (value ?? {}) as Partial<NamedMirror>;
    const isRight =
      typeof repository === "string" &&
      /^[a-z0-9._-]+(?:\/[a-z0-9._-]+)+$/.test(repository) &&
      typeof anonymous === "boolean";
    if (!isRight) throw new ConfigError(mirrorsRefusal);
    return [host, { repository, anonymous }];
  });
  return new Map(entries);
}

function jsonOf(text: string, refusal: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(refusal);
  }
}
