/** Keys of a platform: those that sign tokens, sign page tokens, and encrypt stored secrets. */
import { randomBytes } from "node:crypto";
import { parseEnv } from "node:util";
import type { JWK } from "jose";
import { calculateJwkThumbprint } from "jose/jwk/thumbprint";
import { exportJWK } from "jose/key/export";
import { generateKeyPair } from "jose/key/generate/keypair";
import { domains, sealingSecret, secrets } from "../schema/deployment/workers.ts";
import { usageFailure } from "./failure.ts";

/** Private keys, newest first: the first signs, the others are still accepted. */
export type Keys = {
  signingKeys: { keys: JWK[] };
  /** base64url, 32 bytes each. */
  pageTokenKeys: string[];
  /** As these. None in a folder made before there were any, until it is opened again. */
  encryptionKeys: string[];
};

/** The secrets as a Worker is given them, in the form that `wrangler secret bulk` reads too. */
export type WorkerSecrets = {
  SIGNING_KEYS: string;
  PAGE_TOKEN_KEYS: string;
  /** Only for Workers that store secrets, {@link sealingDomains}. */
  ENCRYPTION_KEYS?: string;
};

/** Domains whose Workers store secrets. The whole platform in one Worker does, too. */
export const sealingDomains = Object.keys(domains).filter((name) => domains[name]?.seals);

/** Names of the secrets without which a Worker is not deployed. */
export const secretsNeeded = ({ seals }: { seals: boolean }) => [
  ...secrets,
  ...(seals ? [sealingSecret] : []),
];

const newKey = () => randomBytes(32).toString("base64url");

/** One new key of each kind. */
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
 * A new key of each kind before the newest `kept` old ones, which go on being accepted. Encryption
 * keys are all kept: what they have sealed stays in the database, and nothing else opens it.
 */
export async function rotateKeys(old: Keys, kept: number): Promise<Keys> {
  const fresh = await newKeys();
  return {
    signingKeys: { keys: [...fresh.signingKeys.keys, ...old.signingKeys.keys.slice(0, kept)] },
    pageTokenKeys: [...fresh.pageTokenKeys, ...old.pageTokenKeys.slice(0, kept)],
    encryptionKeys: [...fresh.encryptionKeys, ...old.encryptionKeys],
  };
}

/** The same keys, and a first one of a kind that a platform older than the kind has none of. */
export const completeKeys = (keys: Keys): Keys =>
  keys.encryptionKeys.length > 0 ? keys : { ...keys, encryptionKeys: [newKey()] };

/** The same without what signs and what encrypts, for Workers that only check tokens. */
export function withoutPrivateKeys({ signingKeys, pageTokenKeys }: Keys): Keys {
  const keys = signingKeys.keys.map(
    ({ kty, crv, x, y, n, e, kid, alg, use }) =>
      // JSON leaves out the members that a key of this kind has not.
      JSON.parse(JSON.stringify({ kty, crv, x, y, n, e, kid, alg, use })) as JWK,
  );
  return { signingKeys: { keys }, pageTokenKeys, encryptionKeys: [] };
}

/** The values of the secrets. */
export const secretsOf = ({ signingKeys, pageTokenKeys, encryptionKeys }: Keys): WorkerSecrets => ({
  SIGNING_KEYS: JSON.stringify(signingKeys),
  PAGE_TOKEN_KEYS: JSON.stringify(pageTokenKeys),
  ...(encryptionKeys.length > 0 ? { ENCRYPTION_KEYS: JSON.stringify(encryptionKeys) } : {}),
});

/** Lines of an env file. */
export const secretsText = (secrets: WorkerSecrets) =>
  Object.entries(secrets)
    .map(([name, value]) => `${name}='${value}'`)
    .join("\n");

/**
 * Reads what secretsText or JSON of Secrets says. `from` names the source in messages. Throws a
 * USAGE Failure when a secret is not what a Worker takes, or missing; ENCRYPTION_KEYS may be, as in
 * what was made before there were any.
 */
export function readSecrets(text: string, from: string): Keys {
  const secrets = text.trimStart().startsWith("{") ? objectIn(text, from) : parseEnv(text);
  const signingKeys = objectIn(secrets.SIGNING_KEYS, `SIGNING_KEYS in ${from}`);
  const pageTokenKeys = objectIn(secrets.PAGE_TOKEN_KEYS, `PAGE_TOKEN_KEYS in ${from}`);
  const encryptionKeys = secrets.ENCRYPTION_KEYS
    ? objectIn(secrets.ENCRYPTION_KEYS, `ENCRYPTION_KEYS in ${from}`)
    : [];
  if (!isList(signingKeys.keys) || !signingKeys.keys.every(isKey)) {
    throw usageFailure(`SIGNING_KEYS in ${from} is not a JWKS with at least one key.`);
  }
  if (!isList(pageTokenKeys) || !pageTokenKeys.every((key) => typeof key === "string")) {
    throw usageFailure(`PAGE_TOKEN_KEYS in ${from} is not a list of keys.`);
  }
  if (!Array.isArray(encryptionKeys) || !encryptionKeys.every(isKeyText)) {
    throw usageFailure(`ENCRYPTION_KEYS in ${from} is not a list of base64url keys of 32 bytes.`);
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
    // Falls through to the failure.
  }
  throw usageFailure(`${what} is missing, or it is not JSON.`);
}
