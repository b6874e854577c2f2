/** Files that pass secrets to wrangler. They are deleted afterwards. */
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Keys } from "../keys.ts";
import { readSecrets, secretsOf } from "../keys.ts";

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

/** A folder that no other user can read, and that is deleted when this program ends. */
export class SecretsFolder {
  #path: string | undefined;

  /**
   * Writes a file for `--secrets-file`. It is JSON, because the variables of wrangler's own environment would override
   * an env file, and they may contain the private key.
   */
  async write(name: string, keys: Keys): Promise<string> {
    this.#path ??= await this.#make();
    const file = join(this.#path, `${name}.json`);
    await writeFile(file, JSON.stringify(secretsOf(keys)), { mode: 0o600, flag: "wx" });
    return file;
  }

  async #make(): Promise<string> {
    const path = await mkdtemp(join(tmpdir(), "platform-secrets-"));
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
      process.once(signal, () => {
        this.remove();
        process.exit(1);
      });
    }
    return path;
  }

  remove(): void {
    if (this.#path) rmSync(this.#path, { recursive: true, force: true });
    this.#path = undefined;
  }
}
