/** Looks at tags of upstreams that no one pulls (`upstream_schedule`), so that their moves are in the history too. */
import { and, eq, lt, sql } from "drizzle-orm";
import {
  type UpstreamSchedule,
  UpstreamScheduleSchema,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { mirroredTags } from "../../../schema/tables/registry/mirrors.ts";
import { repos, upstreamSource } from "../../../schema/tables/registry/repos.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import { isWritable } from "../../auth/databases.ts";
import { matches, maxGlob } from "../../registry/tag_rules/patterns.ts";
import { logFailure } from "../../rpc/database_failure.ts";
import type { RegistryContext } from "../context.ts";
import { RegistryError } from "../errors.ts";
import { reasonOf, UpstreamFailure } from "./failures.ts";
import { digestOfTag, isGone, refresh, requireAsking } from "./refresh.ts";
import { findMirror } from "./setting.ts";
import { noteTag } from "./states.ts";
import { forgetFetches, takeTurn } from "./turns.ts";

/** The mirrors and the tags of a mirror that one run looks at. */
const most = { mirrors: 200, tags: 100 };

/** The mirrors that are looked at at the same time, so that slow upstreams leave room for the others. */
const lanes = 8;

/** The longest time for the tags of one mirror in a run, in milliseconds. */
const longestTurn = 10_000;

/** The time between two looks by default, in milliseconds. */
const defaultInterval = 3_600_000;

/** Looks at all tags that are due, until `end`. An upstream that fails holds up no other. */
export async function watchUpstreams(context: RegistryContext, end: number): Promise<void> {
  const { db, now } = context;
  await forgetFetches(db, now);
  const watched = await db
    .select({ uid: repos.uid, schedule: repos.upstreamSchedule })
    .from(repos)
    .where(and(sql`"upstream_schedule" is not null`, isWritable(sql`${repos.uid}`)))
    // Those whose upstream is slow must not keep the others out.
    .orderBy(sql`random()`)
    .limit(most.mirrors);
  const next = watched.values();
  const lane = async () => {
    for (const { uid, schedule } of next) {
      if (Date.now() > end) return;
      const ownEnd = Math.min(end, Date.now() + longestTurn);
      await watchOne(context, uid, messageFromStored(UpstreamScheduleSchema, schedule), ownEnd);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

async function watchOne(
  context: RegistryContext,
  uid: string,
  schedule: UpstreamSchedule,
  end: number,
): Promise<void> {
  try {
    for (const due of await selectDue(context, uid, schedule)) {
      if (Date.now() > end) return;
      const own = { ...context, now: Date.now() };
      await look(own, due).catch((thrown) => noteReason(own, due, thrown));
    }
  } catch (thrown) {
    // The state of the upstream says why. The next run asks again.
    if (!(thrown instanceof RegistryError))
      logFailure("an upstream was not looked at", thrown, { level: "warn" });
  }
}

/** Notes why a tag was not compared, so that the others get their turn. Throws if none of them can be compared now. */
async function noteReason(
  context: RegistryContext,
  { repo, tag }: DueTag,
  thrown: unknown,
): Promise<void> {
  if (thrown instanceof UpstreamFailure && thrown.retryTime > 0) throw thrown;
  await noteTag(context, repo, tag, reasonOf(thrown));
}

/** A tag to look at. `isNamed` says that the schedule names it, so that it need not exist yet. */
interface DueTag {
  repo: string;
  tag: string;
  isNamed: boolean;
}

async function selectDue(
  { db, now }: RegistryContext,
  uid: string,
  { tags, interval }: UpstreamSchedule,
): Promise<DueTag[]> {
  const age = interval ? Number(interval.seconds) * 1000 : defaultInterval;
  const mirrors = sql`(select ${uid} as "uid"
    union all select "uid" from ${repos} where "upstream" is not null and ${eq(upstreamSource, uid)}) as "mirror"`;
  const isMatched = sql`exists (select 1 from json_each(${JSON.stringify(tags)}) as "pattern"
    where length("pattern"."value") > ${maxGlob} or ${mirroredTags.tag} glob "pattern"."value")`;
  const [known, named] = await db.batch([
    db
      .select({ repo: mirroredTags.repo, tag: mirroredTags.tag })
      .from(mirrors)
      .crossJoin(mirroredTags)
      .where(
        and(
          sql`${mirroredTags.repo} = "mirror"."uid"`,
          lt(mirroredTags.checkTime, now - age),
          isMatched,
        ),
      )
      .orderBy(mirroredTags.checkTime)
      .limit(most.tags),
    db
      .select({ tag: sql<string>`"named"."value"`.as("named_tag") })
      .from(sql`json_each(${JSON.stringify(tags.filter(isName))}) as "named"`)
      .where(
        sql`not exists (select 1 from ${mirroredTags}
          where ${mirroredTags.repo} = ${uid} and ${mirroredTags.tag} = "named"."value")
          and not exists (select 1 from ${repos} where ${repos.uid} = ${uid} and "upstream" ->> '$.prefix')`,
      ),
  ]);
  const names = { include: tags, exclude: [] };
  return [
    ...named.map(({ tag }) => ({ repo: uid, tag, isNamed: true })),
    ...known
      .filter(({ tag }) => matches(names, tag))
      .map((row) => ({ ...row, isNamed: tags.includes(row.tag) })),
  ];
}

const isName = (pattern: string) => !pattern.includes("*");

/** Compares one tag with the upstream. A pull that does so at the same time is enough. */
async function look(context: RegistryContext, { repo, tag, isNamed }: DueTag): Promise<void> {
  const mirror = await findMirror(context, { repo, accessUid: "", rest: "" }, tag);
  if (mirror) requireAsking(mirror);
  const known = await digestOfTag(context, repo, tag);
  if (!mirror || (known === undefined && !isNamed)) {
    // The image is not mirrored any more, or someone has deleted the tag here.
    await context.db
      .delete(mirroredTags)
      .where(and(eq(mirroredTags.repo, repo), eq(mirroredTags.tag, tag)));
    return;
  }
  const turn = await takeTurn(context, mirror, tag, 0);
  if (turn === "after" || turn === "busy") return;
  try {
    const refreshed = await refresh(context, mirror, tag, known);
    if (refreshed === "unknown") await noteTag(context, repo, tag, isGone);
  } finally {
    await turn.release();
  }
}
