/**
 * Does the matching that is left to do, and then announces its results: after the response of the call that caused it, and
 * on a schedule.
 */
import type { CallAnywhere, Database } from "../auth/call.ts";
import { findPublic, type MatchContext } from "./context.ts";
import { nextRoot } from "./marks.ts";
import { Pieces } from "./pieces.ts";

type Setting = Pick<CallAnywhere, "config"> & { databases: Pick<CallAnywhere["databases"], "all"> };

/** A function that returns the context of a run, which is made when something is to be done. */
function contextOf({ config, databases: { all } }: Setting, db: Database) {
  let context: Promise<MatchContext> | undefined;
  const open = async (): Promise<MatchContext> => {
    const publicOrganization = await findPublic(all, config.publicNamespace);
    const purls = await import("../packages/purls.ts");
    return { config, purls, db, databases: all, publicOrganization };
  };
  return () => {
    context ??= open();
    return context;
  };
}

/**
 * Does the work of all organizations in a database, until `end` in milliseconds since 1970. They take turns. A failure of
 * one holds up no other. Throws the first error at the end.
 */
export async function runMatching(setting: Setting, db: Database, end: number): Promise<void> {
  const all = new Map<string, Pieces>();
  const over: string[] = [];
  const context = contextOf(setting, db);
  for (let root = ""; Date.now() < end; ) {
    const next = await nextRoot(db, root, over);
    if (next === undefined && root === "") break;
    root = next ?? "";
    if (next === undefined) continue;
    const pieces = all.get(next) ?? new Pieces(db, next);
    all.set(next, pieces);
    if (!(await pieces.doNext(context)) && pieces.failures.length > 0) over.push(next);
  }
  for (const { failures } of all.values()) if (failures.length > 0) throw failures[0];
}

/** How long a run after a response begins further pieces, in milliseconds. The schedule does the rest. */
const runTime = 10_000;

/** A run after a response. `again` says that something was marked while it may have looked already. */
interface Run {
  end: number;
  again: boolean;
}

/** The runs of this isolate, by organization. One that is cut off counts until its end. */
const running = new Map<string, Run>();

async function matchIn(db: Database, setting: Setting, root: string, end: number): Promise<void> {
  const pieces = new Pieces(db, root);
  const context = contextOf(setting, db);
  let isLeft = true;
  while (isLeft && Date.now() < end) isLeft = await pieces.doNext(context);
  if (pieces.failures.length > 0) throw pieces.failures[0];
}

/** Does the work of an organization after a response. A run that is in progress does it too. */
export async function matchOrganization(setting: Setting, root: string): Promise<void> {
  const now = Date.now();
  const other = running.get(root);
  if (other && other.end > now) {
    other.again = true;
    return;
  }
  const run: Run = { end: now + runTime, again: true };
  running.set(root, run);
  try {
    while (run.again && Date.now() < run.end) {
      run.again = false;
      for (const db of setting.databases.all) await matchIn(db, setting, root, run.end);
    }
  } finally {
    if (running.get(root) === run) running.delete(root);
  }
}
