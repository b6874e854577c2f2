/** Uploads that have begun, so that the next run can continue them. They are files in XDG_STATE_HOME/platform. */
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { here } from "../surroundings.ts";

/** In milliseconds: the registry deletes an upload a week after its last chunk. */
const lifetimeMs = 7 * 24 * 60 * 60 * 1000;

/** The upload of one blob into one repository. */
export type UploadKey = { registry: string; name: string; digest: string };

/** The location of an upload, and the ETags of the parts that went to R2 directly. */
export type UploadRecord = { location: string; etags: string[] };

/** Keeps the record of each upload in a file that only its owner can read. */
export type UploadRecords = {
  /** The record of the upload, or undefined if there is none. */
  find(key: UploadKey): Promise<UploadRecord | undefined>;
  keep(key: UploadKey, record: { location: string | undefined; etags: string[] }): Promise<void>;
  forget(key: UploadKey): Promise<void>;
};

/** Opens the records, and deletes those of uploads that no longer exist. */
export async function openUploadRecords(
  env: NodeJS.ProcessEnv = here().env,
): Promise<UploadRecords> {
  const state = env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  const folder = join(state, "platform", "uploads");
  await deleteOld(folder);
  const fileOf = (key: UploadKey) => join(folder, `${fileName(key)}.json`);
  return {
    async find(key) {
      try {
        const { location, etags = [] } = JSON.parse(await readFile(fileOf(key), "utf8"));
        return typeof location === "string" ? { location, etags } : undefined;
      } catch {
        return undefined;
      }
    },
    async keep(key, { location, etags }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const next = `${fileOf(key)}.${randomUUID()}.new`;
      await writeFile(next, JSON.stringify({ ...key, location, etags }), { mode: 0o600 });
      await rename(next, fileOf(key));
    },
    forget: (key) => rm(fileOf(key), { force: true }),
  };
}

const fileName = ({ registry, name, digest }: UploadKey) =>
  createHash("sha256").update(`${registry}\n${name}\n${digest}`).digest("hex");

async function deleteOld(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const file = join(folder, name);
    const entry = await stat(file).catch(() => undefined);
    if (entry && entry.mtimeMs < Date.now() - lifetimeMs) await rm(file, { force: true });
  }
}
