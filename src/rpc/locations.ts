/** Finds the location of an organization in the directory: the name of its database (docs/decisions/0010). */
import type { D1Database } from "@cloudflare/workers-types";
import { ConfigError } from "../config.ts";
import type { Send } from "./d1_through.ts";
import { listed } from "./location_check.ts";

/**
 * The locations that this isolate remembers, for each first database. An organization moves rarely, and its old
 * database then refuses every batch, so a location needs no expiry.
 */
const remembered = new WeakMap<D1Database, Map<string, string>>();

/** The most organizations that an isolate remembers. */
const maxRemembered = 20_000;

function rememberedOf(first: D1Database): Map<string, string> {
  const locations = remembered.get(first) ?? new Map<string, string>();
  if (locations.size >= maxRemembered) locations.clear();
  remembered.set(first, locations);
  return locations;
}

/** The locations of organizations, which their uids name. */
export class Locations {
  readonly #names: string[];
  readonly #directory: Send;
  readonly #known: Map<string, string>;

  /** `names` are those of all databases, and `directory` reads the first one. */
  constructor(first: D1Database, names: string[], directory: Send) {
    this.#names = names;
    this.#directory = directory;
    this.#known = rememberedOf(first);
  }

  /** Reads the locations that are not known yet in one round trip. */
  async learn(roots: string[]): Promise<void> {
    const unknown = roots.filter((root) => !this.#known.has(root));
    if (unknown.length === 0) return;
    const names = await readLocations(this.#directory, unknown);
    for (const root of unknown) this.#known.set(root, names.get(root) ?? "DB");
  }

  /** The index of an organization's database among all. Throws ConfigError if this Worker does not have it. */
  async indexOf(root: string): Promise<number> {
    await this.learn([root]);
    const name = this.#known.get(root) ?? "DB";
    const index = this.#names.indexOf(name);
    if (index < 0)
      throw new ConfigError(`the directory names the database ${name}, which is missing`);
    return index;
  }

  /** Makes the next call of {@link indexOf} read the directory again. */
  forget(roots: string[]): void {
    for (const root of roots) this.#known.delete(root);
  }
}

/** Reads the directory. It does not name the organizations of the first database. */
async function readLocations(first: Send, roots: string[]): Promise<Map<string, string>> {
  const sql = `select "uid", "database" from "organization_databases" where "uid" in ${listed}`;
  const [result] = await first([{ sql, params: [JSON.stringify(roots)] }]);
  const rows = (result?.results ?? []) as { uid: string; database: string }[];
  return new Map(rows.map(({ uid, database }) => [uid, database]));
}
