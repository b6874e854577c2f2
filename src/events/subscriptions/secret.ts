/** The secrets that sign the requests of a subscription, in the form of Standard Webhooks. */
import { toBase64 } from "../../aip/base64.ts";
import { seal, unseal } from "../../auth/secrets.ts";
import { type Config, ConfigError } from "../../config.ts";

/** The prefix of a secret. 32 bytes in base64 follow. */
const secretPrefix = "whsec_";

/** Creates a secret. */
export const newWebhookSecret = () =>
  secretPrefix + toBase64(crypto.getRandomValues(new Uint8Array(32)));

const purposeOf = (subscription: string) => `webhook_secret ${subscription}`;

/** Encrypts the secret of a subscription for its row. */
export const sealWebhookSecret = (config: Config, subscription: string, secret: string) =>
  seal(config, purposeOf(subscription), secret);

/** Decrypts the secret in a row. Throws ConfigError if no key in ENCRYPTION_KEYS opens it. */
export async function openWebhookSecret(
  config: Config,
  subscription: string,
  sealed: string,
): Promise<string> {
  const secret = await unseal(config, purposeOf(subscription), sealed);
  if (secret === undefined) {
    throw new ConfigError(`no key in ENCRYPTION_KEYS opens the secret of ${subscription}`);
  }
  return secret;
}

/**
 * Signs a request: `v1,` and the HMAC-SHA256 of its id, its time in seconds and its body, in base64 (Standard
 * Webhooks 1.0, "Signature scheme").
 */
export async function signWebhook(
  secret: string,
  { id, seconds, body }: { id: string; seconds: number; body: string },
): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    Uint8Array.from(atob(secret.slice(secretPrefix.length)), (character) =>
      character.charCodeAt(0),
    ),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const content = new TextEncoder().encode(`${id}.${seconds}.${body}`);
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign("HMAC", key, content)))}`;
}
