/** The files of the local databases, one for each database in wrangler.toml. */
import { createHash, createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readWranglerToml } from "../cloudflare/wrangler_toml.ts";
import { projectRoot } from "../project.ts";

/** The names and the ids of the databases that the Worker of `npm start` has. */
export const localDatabases = (): { binding: string; id: string }[] =>
  (readWranglerToml(join(projectRoot, "wrangler.toml")).d1_databases ?? []).map(
    ({ binding, database_id }) => ({ binding, id: database_id ?? binding }),
  );

/** The path of a database below the folder where wrangler keeps all of them. Its name is a hash of the id. */
export function placeOf(id: string): string {
  const key = createHash("sha256").update("miniflare-D1DatabaseObject").digest();
  const hash = (part: string | Buffer) =>
    createHmac("sha256", key).update(part).digest().subarray(0, 16);
  const name = Buffer.concat([hash(id), hash(hash(id))]).toString("hex");
  return `d1/miniflare-D1DatabaseObject/${name}.sqlite`;
}

/** The files that exist of these databases, in the folder of wrangler. */
export const databaseFiles = (folder: string, databases: { id: string }[]): string[] =>
  databases.map(({ id }) => join(folder, "v3", placeOf(id))).filter((file) => existsSync(file));
