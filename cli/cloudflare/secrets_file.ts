/** Files that pass secrets to wrangler. They are deleted afterwards. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Keys } from "../keys.ts";
import { readSecrets, secretsOf } from "../keys.ts";
import { TemporaryFolder } from "../temporary_folder.ts";

/**
 * Returns the secrets of the environment, or undefined if none is set. Throws a USAGE Failure if one cannot be read, or
 * if SIGNING_KEYS or PAGE_TOKEN_KEYS is missing.
 */
export function keysOfEnvironment(env: NodeJS.ProcessEnv): Keys | undefined {
  const { SIGNING_KEYS, PAGE_TOKEN_KEYS, ENCRYPTION_KEYS } = env;
  const secrets = { SIGNING_KEYS, PAGE_TOKEN_KEYS, ENCRYPTION_KEYS };
  if (!Object.values(secrets).some(Boolean)) return undefined;
  return readSecrets(JSON.stringify(secrets), "the environment");
}

/** The folder of the files. It is deleted when this program ends. */
export class SecretsFolder {
  readonly #folder = new TemporaryFolder("platform-secrets-");

  /**
   * Writes a file for `--secrets-file`. It is JSON, because the variables of wrangler's own environment would override
   * an env file, and they may contain the private key.
   */
  async write(name: string, keys: Keys): Promise<string> {
    const file = join(await this.#folder.path(), `${name}.json`);
    await writeFile(file, JSON.stringify(secretsOf(keys)), { mode: 0o600, flag: "wx" });
    return file;
  }

  remove(): Promise<void> {
    return this.#folder.remove();
  }
}
