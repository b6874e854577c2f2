/** The databases of a deployment or of this machine, through the bindings of a Worker that wrangler runs. */
import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { D1Database } from "@cloudflare/workers-types";
import { refusedFailure } from "../failure.ts";
import { type Sql, sqlOf } from "../move/sql.ts";
import { projectRoot } from "../project.ts";
import { TemporaryFolder } from "../temporary_folder.ts";
import { type D1Binding, noDatabase, readWranglerToml } from "./wrangler_toml.ts";

/** The databases by their bindings. `close` must be called at the end. */
export interface BoundDatabases {
  databases: Map<string, Sql>;
  close: () => Promise<void>;
}

/** Opens these databases: the deployed ones, or local ones in the folder of `npm start`. */
export async function openBoundDatabases(
  found: D1Binding[],
  place: { folder?: string },
): Promise<BoundDatabases> {
  const isUncreated = found.some((one) => (one.database_id ?? noDatabase) === noDatabase);
  if (place.folder === undefined && isUncreated)
    throw refusedFailure("D1", "The databases do not exist yet. Run `npm run deploy` first.");
  const folder = new TemporaryFolder("platformctl-");
  const configPath = join(await folder.path(), "wrangler.json");
  const remote = place.folder === undefined;
  await writeFile(configPath, configOf(found, remote));
  // It takes a second to load, and the package does not contain it.
  const { getPlatformProxy }: typeof import("wrangler") = createRequire(import.meta.url)(
    "wrangler",
  );
  const persist = place.folder === undefined ? false : { path: join(place.folder, "v3") };
  const proxy = await getPlatformProxy<Record<string, D1Database>>({
    ...{ configPath, persist, remoteBindings: remote, envFiles: [] },
  });
  return {
    databases: new Map(Object.entries(proxy.env).map(([name, one]) => [name, sqlOf(one)])),
    async close() {
      await proxy.dispose();
      await folder.remove();
    },
  };
}

/** Returns the databases in wrangler.toml of an environment, or of its top level. */
export function bindingsOf(env: string | undefined): D1Binding[] {
  const toml = readWranglerToml(join(projectRoot, "wrangler.toml"));
  const worker = env === undefined ? toml : toml.env[env];
  if (!worker) throw refusedFailure("WRANGLER_TOML", `wrangler.toml has no environment ${env}.`);
  return worker.d1_databases ?? [];
}

const configOf = (bindings: D1Binding[], remote: boolean) =>
  JSON.stringify({
    name: "platform-move",
    compatibility_date: "2026-10-01",
    d1_databases: bindings.map((one) => ({ ...one, remote })),
  });
