/** The keys that a deployed Worker receives, and the keys that it would lack. */
import { refusedFailure } from "../failure.ts";
import type { Keys } from "../keys.ts";
import { secretsNeeded, withoutPrivateKeys } from "../keys.ts";
import { runWrangler, withoutColors } from "../wrangler.ts";

/** A Worker: its environment in wrangler.toml (empty for the top level), and how it uses keys. */
export type KeyTarget = {
  name: string;
  env: string;
  /** Whether it signs tokens and so needs the private key. */
  signs: boolean;
  /** Whether it stores secrets and so needs the encryption keys. */
  seals: boolean;
};

/** Returns which keys the Workers would lack, and what to do. Returns an empty list if no key is missing. */
export async function findMissingKeys(
  targets: KeyTarget[],
  keys: Keys | undefined,
  config: string,
  run = runWrangler,
): Promise<string[]> {
  if (keys) return missingKeys(targets, keys);
  const missing = await Promise.all(targets.map((target) => missingSecrets(target, config, run)));
  const lines = missing.flat();
  if (lines.length === 0) return [];
  const isOlder = lines.every((line) => line.endsWith(" ENCRYPTION_KEYS."));
  return [
    ...lines,
    isOlder
      ? completionAdvice
      : "Create keys once with `npx platformctl keys new > keys.env`. Keep that file safe, and add --keys keys.env.",
  ];
}

const completionAdvice =
  "Add an encryption key with `npx platformctl keys complete --keys keys.env > next.env`. " +
  "Keep next.env instead of keys.env, and add --keys next.env.";

/** Returns which of the given keys the Workers would lack. */
function missingKeys(targets: KeyTarget[], { signingKeys, encryptionKeys }: Keys): string[] {
  const names = (workers: KeyTarget[]) => workers.map(({ name }) => name).join(", ");
  const signing = signingKeys.keys[0]?.d ? [] : targets.filter(({ signs }) => signs);
  const sealing = encryptionKeys.length > 0 ? [] : targets.filter(({ seals }) => seals);
  const problems = [];
  if (signing.length > 0) {
    problems.push(
      `SIGNING_KEYS has no private key, but these Workers sign tokens: ${names(signing)}.`,
    );
  }
  if (sealing.length > 0) {
    problems.push(
      `ENCRYPTION_KEYS is missing, but these Workers need it: ${names(sealing)}.`,
      completionAdvice,
    );
  }
  return problems;
}

/** Returns the keys that a Worker needs, and no others. */
export const keysFor = (keys: Keys, { signs, seals }: KeyTarget): Keys => ({
  ...(signs ? keys : withoutPrivateKeys(keys)),
  encryptionKeys: seals ? keys.encryptionKeys : [],
});

async function missingSecrets(
  { name, env, seals }: KeyTarget,
  config: string,
  run: typeof runWrangler,
): Promise<string[]> {
  const args = ["secret", "list", "--format", "json", "--config", config, `--env=${env}`];
  const { code, out, err } = await run(args, { quiet: true });
  const text = withoutColors(`${out}${err}`);
  if (code !== 0) {
    if (/\b10007\b|does not exist|not found/i.test(text)) {
      return [`${name} does not exist yet, so it has no keys.`];
    }
    throw refusedFailure("WRANGLER", `Cannot list the secrets of ${name}:\n${text.trim()}`);
  }
  const names = (JSON.parse(out) as { name: string }[]).map((secret) => secret.name);
  return secretsNeeded({ seals })
    .filter((secret) => !names.includes(secret))
    .map((secret) => `${name} has no ${secret}.`);
}
