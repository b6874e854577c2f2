/**
 * Finds the database of each organization (docs/decisions/0010). With one database, a statement is sent as it is.
 * With several, the directory names the database, and each batch first checks that the organization is there.
 */
import type { D1Database } from "@cloudflare/workers-types";
import { StaleError } from "../aip/stale.ts";
import { isUid, rootOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import { ConfigError, type Env } from "../config.ts";
import type { Query, Send } from "./d1_through.ts";
import { DatabaseFailure } from "./database_failure.ts";
import { drizzleThrough } from "./drizzle_through.ts";
import { sendChecked, Unserved } from "./location_check.ts";
import { Locations } from "./locations.ts";

const nameForNew = (env: Env) => env.NEW_ORGANIZATIONS || "DB";

let lastBound: { env: Env; databases: Map<string, D1Database> } | undefined;

/**
 * The databases of an environment by the names of their bindings, `DB` first. They are found once for each `env`.
 * Throws ConfigError if there is none for new organizations.
 */
export function databasesOf(env: Env): Map<string, D1Database> {
  if (lastBound?.env !== env) lastBound = { env, databases: readDatabases(env) };
  return lastBound.databases;
}

function readDatabases(env: Env): Map<string, D1Database> {
  // A cast, because any number of them can be bound and the type has only the first.
  const bindings = env as unknown as Record<string, D1Database>;
  const further = Object.keys(env).filter((name) => /^DB_[1-9]\d*$/.test(name));
  const names = ["DB", ...further.sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))];
  const databases = new Map(
    names.flatMap((name): [string, D1Database][] => {
      const database = bindings[name];
      return database ? [[name, database]] : [];
    }),
  );
  const forNew = nameForNew(env);
  if (databases.has(forNew)) return databases;
  throw new ConfigError(
    `NEW_ORGANIZATIONS names ${JSON.stringify(forNew)}, which is not a database`,
  );
}

/**
 * The databases of the environment. `sends` are their batches in one call. `directory` reads the locations of
 * organizations in the first one, if its batches may come from a replica.
 */
export function openDatabases(env: Env, sends: Send[], directory = sends[0] as Send): Databases {
  const bound = databasesOf(env);
  const all = sends.map(drizzleThrough);
  // DB is always the first.
  const first = all[0] as Database;
  const names = [...bound.keys()];
  const forNew = nameForNew(env);
  const common = { first, all, names, forNew };
  if (all.length === 1) {
    return {
      ...common,
      databaseOf: () => first,
      split: async (uids) => [{ db: first, name: "DB", uids }],
      othersThan: async () => [],
      rootOf: () => undefined,
    };
  }
  return {
    ...common,
    ...spread({ sends, all, locations: new Locations(env.DB, names, directory), names }),
  };
}

interface Opened {
  names: string[];
  sends: Send[];
  all: Database[];
  locations: Locations;
}

/** The part of {@link Databases} that finds the databases of organizations. */
type Finders = Pick<Databases, "databaseOf" | "split" | "othersThan" | "rootOf">;

function spread({ names, sends, all, locations }: Opened): Finders {
  const byRoot = new Map<string, Database>();
  const roots = new WeakMap<Database, string>();
  const sendFor = senderOf(sends, locations);
  return {
    databaseOf(uid) {
      if (!isUid(uid)) return all[0] as Database;
      const root = rootOf(uid);
      const database = byRoot.get(root) ?? drizzleThrough(sendFor(root));
      byRoot.set(root, database);
      roots.set(database, root);
      return database;
    },
    async split(uids) {
      const uniqueRoots = [...new Set(uids.map(rootIn))];
      await locations.learn(uniqueRoots.filter((root) => root !== ""));
      const indexes = new Map<string, number>();
      for (const root of uniqueRoots)
        indexes.set(root, root === "" ? 0 : await locations.indexOf(root));
      const parts = Map.groupBy(uids, (uid) => indexes.get(rootIn(uid)) ?? 0);
      return [...parts].map(([index, part]) => {
        const send = sendForMany(sends[index] as Send, locations, [...new Set(part.map(rootIn))]);
        return { db: drizzleThrough(send), name: names[index] ?? "", uids: part };
      });
    },
    rootOf: (database) => roots.get(database),
    async othersThan(database) {
      const root = roots.get(database);
      const own = root === undefined ? all.indexOf(database) : await locations.indexOf(root);
      return all.filter((_, index) => index !== own);
    },
  };
}

/** The root of a uid. Empty for another text. */
const rootIn = (uid: string) => (isUid(uid) ? rootOf(uid) : "");

/** Sends a batch to a database, and fails if it does not serve these organizations. Their locations are then forgotten. */
async function sendAtLocation(send: Send, locations: Locations, roots: string[], queries: Query[]) {
  try {
    return await sendChecked(send, roots, queries);
  } catch (thrown) {
    if (thrown instanceof Unserved) locations.forget(roots);
    throw thrown;
  }
}

/** Sends batches to the database of one organization, and follows the organization if it has moved. */
function senderOf(sends: Send[], locations: Locations): (root: string, isSecond?: boolean) => Send {
  const sendFor =
    (root: string, isSecond = false): Send =>
    async (queries) => {
      try {
        const send = sends[await locations.indexOf(root)] as Send;
        return await sendAtLocation(send, locations, [root], queries);
      } catch (thrown) {
        if (!(thrown instanceof Unserved)) throw thrown;
        // The batch has written nothing, so it can be sent to the new location.
        if (thrown.state !== "leaving" && !isSecond) return sendFor(root, true)(queries);
        throw new DatabaseFailure("moving", thrown);
      }
    };
  return sendFor;
}

/** Sends batches about several organizations of one database. */
const sendForMany =
  (send: Send, locations: Locations, roots: string[]): Send =>
  async (queries) => {
    try {
      return await sendAtLocation(send, locations, roots, queries);
    } catch (thrown) {
      // The call runs again, and asks the directory where each of them is now.
      throw thrown instanceof Unserved ? new StaleError() : thrown;
    }
  };
