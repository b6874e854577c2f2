/** The work of the registry that no request waits for: looks at upstreams, and copies of repositories. */
import type { Database, Databases } from "../auth/databases.ts";
import { configOf, type Env, requireBucket } from "../config.ts";
import { openDatabase } from "../rpc/database.ts";
import type { Execution } from "../rpc/runtime.ts";
import { openStorage, type Storage } from "./blobs/storage.ts";
import type { RegistryContext } from "./context.ts";

/** A part of the schedule. It ends before `end`, in milliseconds since 1970. */
type Work = (context: RegistryContext, end: number) => Promise<void>;

/** For how long a run begins further work, in milliseconds. The next run continues. */
const runTime = 45_000;

/** Runs the works in each database, at the same time. A failure of one holds up no other. Throws the first error at the end. */
export async function runScheduled(env: Env, execution: Execution, works: Work[]): Promise<void> {
  const { databases } = openDatabase(env, execution);
  const end = Date.now() + runTime;
  const runs = databases.all.flatMap((db) => {
    const context = contextOf(env, execution, databases, db);
    return works.map((work) => work(context, end));
  });
  for (const ended of await Promise.allSettled(runs))
    if (ended.status === "rejected") throw ended.reason;
}

/** The context of work without a request. */
function contextOf(
  env: Env,
  execution: Execution,
  databases: Databases,
  db: Database,
): RegistryContext {
  const config = configOf(env);
  const url = new URL(config.registryUrl);
  let storage: Storage | undefined;
  const waitUntil = execution.waitUntil.bind(execution);
  const never = () => Promise.reject(new Error("a schedule has no caller"));
  const limit = { caller: never, network: never, unverified: never };
  return {
    ...{ config, db, databases, waitUntil, url, scope: "", pullQueue: env.PULLS },
    now: Date.now(),
    seenStates: () => ({}),
    request: new Request(url),
    after: (work) => waitUntil(work().catch(() => {})),
    limit,
    exchangeLimit: limit,
    get storage() {
      storage ??= openStorage(requireBucket(env), undefined, execution.trace);
      return storage;
    },
  };
}
