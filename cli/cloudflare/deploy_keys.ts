/** Which keys a Worker that is deployed gets, and what it would lack. */
import { refusedFailure } from "../failure.ts";
import type { Keys } from "../keys.ts";
import { secretsNeeded, withoutPrivateKeys } from "../keys.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/** A Worker: its environment in wrangler.toml (empty: the top level), and what it does with keys. */
export type KeyTarget = {
  name: string;
  env: string;
  /** Signs tokens: has the private half. */
  signs: boolean;
  /** Stores secrets: has the encryption keys. */
  seals: boolean;
};

/** Tells what Workers would lack of the keys that they need, and what to do; empty: nothing. */
export async function findMissingKeys(
  targets: KeyTarget[],
  keys: Keys | undefined,
  config: string,
): Promise<string[]> {
  if (keys) return missingKeys(targets, keys);
  const missing = await Promise.all(targets.map((target) => missingSecrets(target, config)));
  const lines = missing.flat();
  if (lines.length === 0) return [];
  const isOlder = lines.every((line) => line.endsWith(" ENCRYPTION_KEYS."));
  return [
    ...lines,
    isOlder
      ? completionAdvice
      : "Make keys once: npx platformctl keys new > keys.env, keep that file safe, and add --keys keys.env.",
  ];
}

const completionAdvice =
  "Add it to the keys that you have: npx platformctl keys complete --from keys.env > next.env, keep " +
  "that file instead, and add --keys next.env.";

/** What the keys given lack for the Workers that are to have them. */
function missingKeys(targets: KeyTarget[], { signingKeys, encryptionKeys }: Keys): string[] {
  const names = (some: KeyTarget[]) => some.map(({ name }) => name).join(", ");
  const signing = signingKeys.keys[0]?.d ? [] : targets.filter(({ signs }) => signs);
  const sealing = encryptionKeys.length > 0 ? [] : targets.filter(({ seals }) => seals);
  const found = [];
  if (signing.length > 0) {
    found.push(`SIGNING_KEYS has no private key, and ${names(signing)} must sign.`);
  }
  if (sealing.length > 0) {
    found.push(`ENCRYPTION_KEYS is missing, and ${names(sealing)} must have it.`, completionAdvice);
  }
  return found;
}

/** What of the keys a Worker gets: no more than it needs. */
export const keysFor = (keys: Keys, { signs, seals }: KeyTarget): Keys => ({
  ...(signs ? keys : withoutPrivateKeys(keys)),
  encryptionKeys: seals ? keys.encryptionKeys : [],
});

async function missingSecrets({ name, env, seals }: KeyTarget, config: string): Promise<string[]> {
  const args = ["secret", "list", "--format", "json", "--config", config, `--env=${env}`];
  const { code, out, err } = await runWrangler(args, { quiet: true });
  const text = withoutColors(`${out}${err}`);
  if (code !== 0) {
    if (/\b10007\b|does not exist|not found/i.test(text)) {
      return [`${name} is not there yet, and so has no keys.`];
    }
    throw refusedFailure("WRANGLER", `Cannot look at the secrets of ${name}:\n${text.trim()}`);
  }
  const names = (JSON.parse(out) as { name: string }[]).map((secret) => secret.name);
  return secretsNeeded({ seals })
    .filter((secret) => !names.includes(secret))
    .map((secret) => `${name} has no ${secret}.`);
}
