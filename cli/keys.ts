/** The keys of a platform. They sign tokens, sign page tokens and encrypt stored secrets. */
import { randomBytes } from "node:crypto";
import { parseEnv } from "node:util";
import type { JWK } from "jose";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { domains, sealingSecret, secrets } from "../schema/deployment/workers.ts";
import { usageFailure } from "./failure.ts";

/** Private keys, newest first. The first key signs, and signatures of the others are still accepted. */
export type Keys = {
  signingKeys: { keys: JWK[] };
  /** 32 bytes each, in base64url. */
  pageTokenKeys: string[];
  /** Like the others. Empty in a folder from before encryption keys existed, until it is opened again. */
  encryptionKeys: string[];
};

/** The secrets as a Worker receives them, and as `wrangler secret bulk` reads them. */
export type WorkerSecrets = {
  SIGNING_KEYS: string;
  PAGE_TOKEN_KEYS: string;
  /** Only for Workers that store secrets. See {@link sealingDomains}. */
  ENCRYPTION_KEYS?: string;
};

/** The domains whose Workers store secrets. A single Worker for the whole platform stores them, too. */
export const sealingDomains = Object.keys(domains).filter((name) => domains[name]?.seals);

/** The names of the secrets that a Worker must have before it is deployed. */
export const secretsNeeded = ({ seals }: { seals: boolean }) => [
  ...secrets,
  ...(seals ? [sealingSecret] : []),
];

const newKey = () => randomBytes(32).toString("base64url");

/** Creates one new key of each kind. */
export async function newKeys(): Promise<Keys> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  const jwk = await exportJWK(privateKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    signingKeys: { keys: [{ ...jwk, kid, alg: "ES256", use: "sig" }] },
    pageTokenKeys: [newKey()],
    encryptionKeys: [newKey()],
  };
}

/**
 * Adds a new key of each kind and keeps the newest `kept` old ones, which are still accepted. It keeps every encryption
 * key, because only that key can decrypt what it encrypted in the database.
 */
export async function rotateKeys(old: Keys, kept: number): Promise<Keys> {
  const fresh = await newKeys();
  return {
    signingKeys: { keys: [...fresh.signingKeys.keys, ...old.signingKeys.keys.slice(0, kept)] },
    pageTokenKeys: [...fresh.pageTokenKeys, ...old.pageTokenKeys.slice(0, kept)],
    encryptionKeys: [...fresh.encryptionKeys, ...old.encryptionKeys],
  };
}

/** Returns the same keys, with a first encryption key if the platform is older than encryption keys. */
export const completeKeys = (keys: Keys): Keys =>
  keys.encryptionKeys.length > 0 ? keys : { ...keys, encryptionKeys: [newKey()] };

/** Returns only the public keys and the page token keys, for Workers that only check tokens. */
export function withoutPrivateKeys({ signingKeys, pageTokenKeys }: Keys): Keys {
  const keys = signingKeys.keys.map(
    ({ kty, crv, x, y, n, e, kid, alg, use }) =>
      // JSON leaves out the members that a key of this kind does not have.
      JSON.parse(JSON.stringify({ kty, crv, x, y, n, e, kid, alg, use })) as JWK,
  );
  return { signingKeys: { keys }, pageTokenKeys, encryptionKeys: [] };
}

/** Returns the values of the secrets. */
export const secretsOf = ({ signingKeys, pageTokenKeys, encryptionKeys }: Keys): WorkerSecrets => ({
  SIGNING_KEYS: JSON.stringify(signingKeys),
  PAGE_TOKEN_KEYS: JSON.stringify(pageTokenKeys),
  ...(encryptionKeys.length > 0 ? { ENCRYPTION_KEYS: JSON.stringify(encryptionKeys) } : {}),
});

/** Returns the secrets as lines of an env file. */
export const secretsText = (secrets: WorkerSecrets) =>
  Object.entries(secrets)
    .map(([name, value]) => `${name}='${value}'`)
    .join("\n");

/**
 * Reads the output of secretsText, or secrets in JSON. `from` names the source in messages. Throws a USAGE Failure if a
 * secret is missing, or if a Worker would not accept it. Only ENCRYPTION_KEYS may be missing, because older outputs do
 * not have it.
 */
export function readSecrets(text: string, from: string): Keys {
  const secrets = text.trimStart().startsWith("{") ? objectIn(text, from) : parseEnv(text);
  const signingKeys = objectIn(secrets.SIGNING_KEYS, `SIGNING_KEYS in ${from}`);
  const pageTokenKeys = objectIn(secrets.PAGE_TOKEN_KEYS, `PAGE_TOKEN_KEYS in ${from}`);
  const encryptionKeys = secrets.ENCRYPTION_KEYS
    ? objectIn(secrets.ENCRYPTION_KEYS, `ENCRYPTION_KEYS in ${from}`)
    : [];
  if (!isList(signingKeys.keys) || !signingKeys.keys.every(isKey)) {
    throw usageFailure(`SIGNING_KEYS in ${from} must be a JWKS with at least one key.`);
  }
  if (!isList(pageTokenKeys) || !pageTokenKeys.every((key) => typeof key === "string")) {
    throw usageFailure(`PAGE_TOKEN_KEYS in ${from} must be a list of keys.`);
  }
  if (!Array.isArray(encryptionKeys) || !encryptionKeys.every(isKeyText)) {
    throw usageFailure(
      `ENCRYPTION_KEYS in ${from} must be a list of keys of 32 bytes in base64url.`,
    );
  }
  return { signingKeys: { keys: signingKeys.keys }, pageTokenKeys, encryptionKeys };
}

const isKeyText = (value: unknown): value is string =>
  typeof value === "string" && Buffer.from(value, "base64url").length === 32;

const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;

const isKey = (value: unknown): value is JWK =>
  typeof value === "object" && value !== null && "kty" in value;

function objectIn(text: unknown, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(typeof text === "string" ? text : "");
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // The failure below describes it.
  }
  throw usageFailure(`${what} is missing or is not valid JSON.`);
}
