/**
 * Does the matching that is left to do, and then announces its results: after the response of the call that caused it, and
 * on a schedule.
 */
import { MARK } from "../../schema/tables/registry/match_marks.ts";
import { StaleError } from "../aip/stale.ts";
import type { CallAnywhere, Database } from "../auth/call.ts";
import { announceImages } from "./announcements/announce_images.ts";
import { markImages } from "./announcements/mark_images.ts";
import { findPublic, type MatchContext } from "./context.ts";
import { type Mark, nextMarks, nextRoot } from "./marks.ts";
import { matchAdvisories } from "./match_advisories.ts";
import { matchImage } from "./match_image.ts";

type Setting = Pick<CallAnywhere, "config"> & { databases: Pick<CallAnywhere["databases"], "all"> };

async function contextOf({ config, databases: { all } }: Setting, db: Database) {
  const publicOrganization = await findPublic(all, config.publicNamespace);
  const purls = await import("../packages/purls.ts");
  return { config, purls, db, databases: all, publicOrganization };
}

/** Does one piece of the work of an organization: that of its next marks. */
async function matchPiece(context: MatchContext, marks: Mark[]): Promise<void> {
  const [first] = marks;
  try {
    if (first?.kind === MARK.image) await matchImage(context, first);
    else if (first?.kind === MARK.statements) await markImages(context, first);
    else if (first?.kind === MARK.announcement) await announceImages(context, marks);
    else await matchAdvisories(context, marks);
  } catch (thrown) {
    // Something has changed in between. The next piece reads again.
    if (!(thrown instanceof StaleError)) throw thrown;
  }
}

/**
 * Does the work of all organizations in a database, until `end` in milliseconds since 1970. They take turns. A failure of
 * one holds up no other. Throws the first error at the end.
 */
export async function runMatching(setting: Setting, db: Database, end: number): Promise<void> {
  const failures = new Map<string, unknown>();
  let context: MatchContext | undefined;
  for (let root = ""; Date.now() < end; ) {
    const next = await nextRoot(db, root, [...failures.keys()]);
    if (next === undefined && root === "") break;
    root = next ?? "";
    if (next === undefined) continue;
    context ??= await contextOf(setting, db);
    const marks = await nextMarks(db, next);
    await matchPiece(context, marks).catch((thrown) => failures.set(next, thrown));
  }
  for (const thrown of failures.values()) throw thrown;
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
  let context: MatchContext | undefined;
  while (Date.now() < end) {
    const marks = await nextMarks(db, root);
    if (marks.length === 0) return;
    context ??= await contextOf(setting, db);
    await matchPiece(context, marks);
  }
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
