/** The settings of a receiver, checked. */
import { addressOf } from "../address.ts";

/** The credentials that a delivery must have, and its limits. Set `secret`, or `issuer` and `group`, or all three. */
export interface WebhookOptions {
  /**
   * The secret of the subscription, such as `whsec_…`. While a secret rotates, pass the new one and the old one: the
   * signature of either is enough.
   */
  secret?: string | readonly string[] | undefined;
  /** The URL of the platform's issuer. If it is set, the token of each delivery is verified. */
  issuer?: string | undefined;
  /** The uid of the group of the subscription, which the token must name. */
  group?: string | undefined;
  /** How many seconds the time of a signature may be before or after the current time. The default is 300. */
  toleranceSeconds?: number | undefined;
  /** The most bytes of a body. The default is 4 MiB. */
  maxBodyBytes?: number | undefined;
  /** Replaces the global `fetch`, which gets the keys of the issuer. */
  fetch?: typeof fetch | undefined;
}

/** The issuer and the group that a token must name. */
export interface TokenRules {
  issuer: string;
  group: string;
  fetch: typeof fetch;
}

/** The settings with their defaults. At least one of `secrets` and `token` is set. */
export interface WebhookRules {
  secrets: Uint8Array<ArrayBuffer>[] | undefined;
  token: TokenRules | undefined;
  toleranceSeconds: number;
  maxBodyBytes: number;
}

const secretPrefix = "whsec_";

/** The shortest secret that Standard Webhooks allows, in bytes. */
const minSecretBytes = 24;

/** Returns the rules of the options. Throws a TypeError if an option is invalid, or if nothing would be verified. */
export function rulesOf(options: WebhookOptions): WebhookRules {
  const secrets = options.secret === undefined ? undefined : [options.secret].flat().map(secretKey);
  const token = tokenRules(options);
  if (!token && (!secrets || secrets.length === 0)) {
    throw new TypeError("set secret, or issuer and group: without them nothing is verified");
  }
  return {
    secrets: secrets?.length === 0 ? undefined : secrets,
    token,
    toleranceSeconds: positive(options.toleranceSeconds ?? 300, "toleranceSeconds"),
    maxBodyBytes: positive(options.maxBodyBytes ?? 4 * 2 ** 20, "maxBodyBytes"),
  };
}

function tokenRules({ issuer, group, fetch: own }: WebhookOptions): TokenRules | undefined {
  if (issuer === undefined && group === undefined) return undefined;
  // An empty text is usually a variable that is not set.
  if (!issuer || !group) throw new TypeError("issuer and group must be set together");
  const address = addressOf(issuer, "issuer");
  if (!isConfidential(address)) {
    throw new TypeError("issuer must be an https URL, or an http URL of this machine");
  }
  return { issuer: address, group, fetch: own ?? globalThis.fetch };
}

/** Whether the network cannot change the response of a URL: it is https, or of this machine. */
export function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return (
    protocol === "https:" ||
    (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}

/** The error must not contain the secret, because errors are logged. */
function secretKey(secret: string): Uint8Array<ArrayBuffer> {
  const text = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret;
  const key = base64Bytes(text);
  if (!key || key.length < minSecretBytes) {
    throw new TypeError(
      `a secret must be ${secretPrefix} and at least ${minSecretBytes} bytes in base64`,
    );
  }
  return key;
}

/** Returns the bytes of a text in base64 with padding, or undefined if it is not base64. */
export function base64Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  const isBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
  return isBase64 ? Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) : undefined;
}

function positive(value: number, name: string): number {
  if (Number.isInteger(value) && value > 0) return value;
  throw new TypeError(`${name} must be a whole number of at least 1`);
}
