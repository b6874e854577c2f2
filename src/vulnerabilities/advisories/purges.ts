import { and, eq, sql } from "drizzle-orm";
import { Advisories } from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import {
  AdvisoryPurgesService,
  type PurgeAdvisoriesRequest,
} from "../../../schema/gen/platform/vulnerabilities/v2/advisory_purges_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { notFound } from "../../aip/errors.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commitForResults, onlyIf } from "../../outbox/commit.ts";
import { insertEvent, insertEvents } from "../../outbox/outbox.ts";
import { service } from "../../rpc/service.ts";
import { upsertDocuments } from "../catalog.ts";
import { deleteAdvisories, reduceToEdits } from "./purged_advisories.ts";
import {
  countPurgeable,
  deleteRemainder,
  hasNoneLeft,
  isPurgeable,
  type Purge,
  selectCounts,
  selectRemainder,
  toPurge,
} from "./purged_remainder.ts";
import { areAdvisoriesUnchanged } from "./versions.ts";

/** The most advisories in a step, and the most events and aliases of all of them. */
const maxAdvisories = 200;
const maxParts = 4_000;

/** The next advisories, one more than a step takes, and whether a person has written to them. */
function selectNextAdvisories({ db }: Call, purge: Purge) {
  const ofAdvisory = eq(advisoryEvents.advisoryUid, advisories.uid);
  const events = db.select({ count: sql`count(*)` }).from(advisoryEvents).where(ofAdvisory);
  const byHand = db
    .select({ one: sql`1` })
    .from(advisoryEvents)
    .where(and(ofAdvisory, eq(advisoryEvents.byHand, true)));
  return db
    .select({
      uid: advisories.uid,
      advisoryId: advisories.advisoryId,
      updateTime: advisories.updateTime,
      removeTime: advisories.removeTime,
      origin: advisories.origin,
      parts: sql<number>`${events} + json_array_length(${advisories.aliases})`.as("parts"),
      byHand: sql<number>`${advisories.editTime} is not null or ${advisories.removeTime} is not null
        or exists ${byHand}`.as("by_hand_too"),
    })
    .from(advisories)
    .where(isPurgeable(purge))
    .orderBy(advisories.uid)
    .limit(maxAdvisories + 1);
}

type NextAdvisory = Awaited<ReturnType<typeof selectNextAdvisories>>[number];

/** The advisories of one step: at least one, if there is any. */
function takeStep(next: NextAdvisory[]): NextAdvisory[] {
  let parts = 0;
  const end = next.findIndex((advisory, i) => {
    parts += advisory.parts;
    return i === maxAdvisories || (i > 0 && parts > maxParts);
  });
  return end < 0 ? next : next.slice(0, end);
}

/** The response of a call that deletes nothing. */
async function countPurgeableRows(call: Call, purge: Purge) {
  const { rows } = await authorizeAndRead(call, purge.parent, countPurgeable(call, purge));
  const [[counted], [left]] = rows;
  if (!counted) throw notFound("iam/Group", purge.parent);
  return { ...counted, more: Boolean(left?.more) };
}

/** The statements of one step. The results of the first and the last statement contain its outcome. */
async function statementsOf(
  call: Call,
  caller: Caller,
  request: PurgeAdvisoriesRequest,
  purge: Purge,
  step: NextAdvisory[],
  isLast: boolean,
) {
  const { parent } = purge;
  const kept = purge.source === "" ? [] : step.filter(({ byHand }) => byHand);
  const purged = step.filter((advisory) => !kept.includes(advisory));
  const ids = step.map(({ advisoryId }) => advisoryId);
  const origins = step.map(({ origin }) => origin);
  return {
    counts: { advisories: purged.length, reducedAdvisories: kept.length },
    statements: [
      selectCounts(call, parent),
      onlyIf(call.db, sql`exists (select 1 from ${groups} where ${groups.uid} = ${parent})`),
      onlyIf(call.db, areAdvisoriesUnchanged(parent, ids, step)),
      ...insertPurgeEvents(call, caller, request, purged),
      ...deleteAdvisories(
        call,
        parent,
        purged.map(({ uid }) => uid),
      ),
      ...reduceToEdits(
        call,
        kept.map(({ uid }) => uid),
      ),
      ...(await upsertDocuments(call, parent, origins)),
      // The rest follows the last advisories, unless someone has written another one in the meantime.
      ...(isLast
        ? [onlyIf(call.db, hasNoneLeft(call, purge)), ...deleteRemainder(call, purge)]
        : []),
      selectCounts(call, parent),
      selectRemainder(call, purge),
    ] as const,
  };
}

/** The event of the step, and one for each advisory that was not deleted before. */
function insertPurgeEvents(
  call: Call,
  caller: Caller,
  request: PurgeAdvisoriesRequest,
  purged: NextAdvisory[],
) {
  const { parent } = request;
  const { delete: deletion } = Advisories.method;
  const deleted = purged.filter(({ removeTime }) => removeTime === null);
  return [
    insertEvent(call, caller, {
      subject: parent,
      group: parent,
      body: { desc: call.method.input, message: request },
    }),
    ...insertEvents(
      call,
      caller,
      deletion,
      deleted.map(({ uid }) => ({
        subject: uid,
        group: parent,
        body: { desc: deletion.input, message: { id: uid } },
      })),
    ),
  ];
}

type Counts = { documents: number; artifacts: number; vulnerabilityMetadata: number };

export const advisoryPurgesService = service(AdvisoryPurgesService, {
  /** Takes two round trips. */
  async purgeAdvisories(request, call) {
    const purge = toPurge(request);
    const { parent } = purge;
    if (!request.force) return countPurgeableRows(call, purge);
    const { caller, rows } = await authorizeAndRead(call, parent, [
      selectNextAdvisories(call, purge),
      selectRemainder(call, purge),
    ]);
    const [next, [left]] = rows;
    if (!left) throw notFound("iam/Group", parent);
    if (!left.more) return {};
    const step = takeStep(next);
    const isLast = step.length === next.length;
    const { counts, statements } = await statementsOf(call, caller, request, purge, step, isLast);
    const results = await commitForResults(call, [...statements]);
    if (call.validateOnly) return countPurgeableRows(call, purge);
    const [before] = results[0] as [Counts];
    const [after] = results.at(-2) as [Counts];
    const [rest] = results.at(-1) as [{ more: number }];
    return {
      ...counts,
      documents: before.documents - after.documents,
      artifacts: before.artifacts - after.artifacts,
      vulnerabilityMetadata: before.vulnerabilityMetadata - after.vulnerabilityMetadata,
      more: Boolean(rest.more),
    };
  },
});
