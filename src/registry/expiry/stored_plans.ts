/** The rows of expiry plans, and of their tags and manifests. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import {
  ExpiryOutcome,
  type ExpiryPlan,
  type ExpiryPlanItem,
  ExpiryPlanItemSchema,
  ExpiryPlanSchema,
  type ExpiryPlanState,
} from "../../../schema/gen/platform/registry/v2/expiry_plans_pb.js";
import {
  expiryItems,
  expiryPlans,
  type PlannedRule,
} from "../../../schema/tables/registry/expiry_plans.ts";
import { insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import { updateAsRead } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { nextTime, onlyIf, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { selectRow } from "../../resource/find.ts";
import { resource } from "../../resource/resource.ts";
import type { Stored } from "../../resource/stored_row.ts";
import type { PlannedItem } from "./plan.ts";

export type PlanRow = Stored<typeof expiryPlans>;

const timeField = (name: string, time: number | null) =>
  time === null ? {} : { [name]: timestampFromMs(time) };

export const toPlan = (row: PlanRow): ExpiryPlan =>
  create(ExpiryPlanSchema, {
    uid: row.uid,
    state: row.state,
    description: row.description,
    daily: row.daily,
    needsApproval: row.needsApproval,
    truncated: row.truncated,
    creatorUid: row.creatorUid,
    creator: row.creator,
    approverUid: row.approverUid,
    approver: row.approver,
    tagCount: row.tagCount,
    manifestCount: row.manifestCount,
    bytes: BigInt(row.bytes),
    deletedCount: row.deletedCount,
    leftCount: row.leftCount,
    restoredCount: row.restoredCount,
    ...timeField("approveTime", row.approveTime),
    ...timeField("endTime", row.endTime),
    ...timeField("undoExpireTime", row.deletedCount > 0 ? row.undoExpireTime : null),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

export const expiryPlan = resource({
  type: "registry/ExpiryPlan",
  schema: ExpiryPlanSchema,
  table: expiryPlans,
  select: selectRow(expiryPlans),
  toMessage: toPlan,
  toColumns: ({ description }: ExpiryPlan) => ({ description }),
  otherFields: {
    ...{ state: "computed", daily: "computed", needsApproval: "computed", truncated: "computed" },
    ...{ creatorUid: "computed", creator: "computed", approverUid: "computed" },
    ...{ approver: "computed", tagCount: "computed", manifestCount: "computed" },
    ...{ bytes: "computed", deletedCount: "computed", leftCount: "computed" },
    ...{ restoredCount: "computed", approveTime: "computed", endTime: "computed" },
    undoExpireTime: "computed",
  },
  groupOf: (uid: string) => parentOf(parentOf(uid)),
});

/** A changed plan, and the statements that change it as it was read. */
type Change = { row: PlanRow; statements: [Statement, ...Statement[]] };

/** Changes a plan without an event. */
export function changeState(call: Call, row: PlanRow, changes: Partial<PlanRow>): Change {
  const all = { ...changes, updateTime: nextTime(call, row.updateTime) };
  const update = updateAsRead(call.db, expiryPlans, row, all);
  return { row: { ...row, ...all }, statements: [update, onlyIfChanged(call.db)] };
}

/** Changes a plan, with the event of the call. */
export function changePlan(
  call: Call,
  caller: Caller,
  row: PlanRow,
  changes: Partial<PlanRow>,
): Change {
  const { row: after, statements } = changeState(call, row, changes);
  return { row: after, statements: [...statements, planEvent(call, caller, after)] };
}

/** The statement that writes the event of a call that has made or changed a plan. */
export const planEvent = (call: Call, caller: Caller, row: PlanRow): Statement =>
  insertEvent(call, caller, {
    subject: row.uid,
    group: expiryPlan.groupOf(row.uid),
    image: { repo: parentOf(row.uid) },
    body: { desc: ExpiryPlanSchema, message: toPlan(row) },
  });

/** The statement that undoes its batch unless the plan is in a state. */
export const requireState = (db: Database, uid: string, state: ExpiryPlanState): Statement =>
  onlyIf(
    db,
    sql`exists (select 1 from ${expiryPlans} where ${expiryPlans.uid} = ${uid} and ${expiryPlans.state} = ${state})`,
  );

/** The statements that write the items of a plan. */
export function insertItems(
  db: Database,
  planUid: string,
  items: readonly PlannedItem[],
  rules: readonly PlannedRule[],
): Statement[] {
  const numbers = new Map(rules.map(({ uid }, number) => [uid, number]));
  const rows = items.map(({ tag, manifest, rule, reason, bytes }, number) =>
    JSON.stringify([
      number,
      tag?.name ?? "",
      tag?.digest ?? manifest?.digest ?? "",
      numbers.get(rule.uid) ?? 0,
      reason,
      tag?.pullTime || manifest?.pullTime || null,
      bytes,
    ]),
  );
  const of = (place: number) => sql`"given"."value" ->> ${sql.raw(String(place))}`;
  const row = {
    ...{ planUid, number: of(0), tag: of(1), digest: of(2), rule: of(3), reason: of(4) },
    ...{ pullTime: of(5), bytes: of(6), outcome: ExpiryOutcome.PLANNED, note: "", snapshot: null },
  };
  return toJsonParameters(rows).map((parameter) =>
    insertFrom(db, expiryItems, row, fromParameter(parameter)),
  );
}

/** An item without its snapshot. */
export type ItemRow = Omit<typeof expiryItems.$inferSelect, "planUid" | "snapshot">;

/** The statement that reads items of a plan after one of them, in their order or against it. */
export const selectItems = (
  db: Database,
  planUid: string,
  { after, limit, condition }: { after: number; limit: number; condition?: SQL | undefined },
) =>
  db
    .select({
      number: expiryItems.number,
      tag: expiryItems.tag,
      digest: expiryItems.digest,
      rule: expiryItems.rule,
      reason: expiryItems.reason,
      pullTime: expiryItems.pullTime,
      bytes: expiryItems.bytes,
      outcome: expiryItems.outcome,
      note: expiryItems.note,
    })
    .from(expiryItems)
    .where(and(eq(expiryItems.planUid, planUid), gt(expiryItems.number, after), condition))
    .orderBy(expiryItems.number)
    .limit(limit);

export function toItem(row: ItemRow, rules: readonly PlannedRule[]): ExpiryPlanItem {
  const { uid = "", name = "" } = rules[row.rule] ?? {};
  return create(ExpiryPlanItemSchema, {
    tag: row.tag,
    digest: row.digest,
    tagRuleUid: uid,
    tagRule: name,
    reason: row.reason,
    bytes: BigInt(row.bytes),
    outcome: row.outcome,
    note: row.note,
    ...timeField("lastPullTime", row.pullTime),
  });
}

/** SQL: the items of a plan with some numbers. */
export const isItem = (planUid: string, numbers: readonly number[]): SQL =>
  sql`${expiryItems.planUid} = ${planUid} and ${expiryItems.number} in
    (select "value" from json_each(${JSON.stringify(numbers)}))`;

/** An item, and why it is left alone or not restored. */
export type Note = [number: number, note: string];

/**
 * The statements that give items another outcome, and count them in their plan. They undo the batch if one of the items has
 * another outcome than `before`. The update time of the plan is that of the last batch.
 */
export function moveItems(
  { db, now }: Pick<Call, "db" | "now">,
  planUid: string,
  numbers: readonly number[],
  [before, after]: [ExpiryOutcome, ExpiryOutcome],
  columns: { note?: SQL; snapshot?: SQL | null },
): [Statement, ...Statement[]] {
  const { DELETED, LEFT, RESTORED } = ExpiryOutcome;
  const added = (outcome: ExpiryOutcome) => (after === outcome ? numbers.length : 0);
  const sign = after === DELETED ? 1 : after === RESTORED ? -1 : 0;
  const bytes = sql`(select coalesce(sum(${expiryItems.bytes}), 0) from ${expiryItems} where ${isItem(planUid, numbers)})`;
  return [
    requireOutcome(db, planUid, numbers, before),
    db
      .update(expiryItems)
      .set({ outcome: after, ...columns })
      .where(isItem(planUid, numbers)),
    db
      .update(expiryPlans)
      .set({
        deletedCount: sql`${expiryPlans.deletedCount} + ${added(DELETED)}`,
        leftCount: sql`${expiryPlans.leftCount} + ${added(LEFT)}`,
        restoredCount: sql`${expiryPlans.restoredCount} + ${added(RESTORED)}`,
        heldBytes: sql`${expiryPlans.heldBytes} + ${sign} * ${bytes}`,
        updateTime: sql`max(${now}, ${expiryPlans.updateTime} + 1)`,
      })
      .where(eq(expiryPlans.uid, planUid)),
  ];
}

/** The statements that note why items are left alone, or not restored. See {@link moveItems}. */
export function noteItems(
  call: Pick<Call, "db" | "now">,
  planUid: string,
  notes: readonly Note[],
  outcomes: [ExpiryOutcome, ExpiryOutcome],
): [Statement, ...Statement[]] {
  const note = sql`(select "noted"."value" ->> 1 from json_each(${JSON.stringify(notes)}) as "noted"
    where "noted"."value" ->> 0 = ${expiryItems.number})`;
  const numbers = notes.map(([number]) => number);
  return moveItems(call, planUid, numbers, outcomes, { note });
}

/** The statement that undoes its batch unless these items all have an outcome. */
const requireOutcome = (
  db: Database,
  planUid: string,
  numbers: readonly number[],
  outcome: ExpiryOutcome,
): Statement =>
  onlyIf(
    db,
    sql`${numbers.length} = (select count(*) from ${expiryItems}
      where ${isItem(planUid, numbers)} and ${expiryItems.outcome} = ${outcome})`,
  );
