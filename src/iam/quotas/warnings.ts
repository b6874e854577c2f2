/**
 * Writes the events about organizations that come near a quota. The trigger that counts a new row notes them in `counts`.
 * Each is written once, until the use has fallen below four fifths of the limit.
 */
import { and, eq, gt, sql } from "drizzle-orm";
import { QuotaSchema } from "../../../schema/gen/platform/iam/quotas/v2/quotas_pb.js";
import { counts, isWarned, WARNING_DUE, WARNING_SENT } from "../../../schema/tables/counts.ts";
import { UNLIMITED } from "../../../schema/tables/quota_check.ts";
import { runBatches } from "../../aip/batches.ts";
import type { WriteContext } from "../../auth/call.ts";
import { isWritable } from "../../auth/databases.ts";
import type { Statement } from "../../outbox/commit.ts";
import { insertCompleteEventIfChanged } from "../../outbox/outbox.ts";
import { limitOfKind, selectQuotas, toQuota, usedOfKind } from "../../resource/quotas.ts";

/** The warnings of one batch. */
const batchSize = 50;

const isNear = sql`"quota_limit" <> ${sql.raw(String(UNLIMITED))} and "used" * 5 >= "quota_limit" * 4`;

/** Writes the events that are due, and forgets the warnings that no longer apply. */
export const writeQuotaWarnings = (context: WriteContext): Promise<void> =>
  runBatches(batchSize, () => writeBatch(context));

/** The warnings that need work. A kind with several totals has one row. */
const selectWarnings = ({ db }: WriteContext) =>
  db
    .select({
      organization: sql<string>`"organization"`,
      kind: sql<string>`"kind"`,
      isNear: sql<number>`${isNear}`.as("is_near"),
    })
    .from(
      sql`(select "ancestor" as "organization", "kind", max("warning") as "greatest",
        ${usedOfKind(sql`"counts"."ancestor"`, sql`"counts"."kind"`)} as "used",
        ${limitOfKind(sql`"counts"."ancestor"`, sql`"counts"."kind"`)} as "quota_limit"
        from "counts" where ${isWarned} and ${isWritable(sql`"ancestor"`)}
        group by "ancestor", "kind" limit -1)`,
    )
    .where(sql`"greatest" = ${WARNING_DUE} or not (${isNear})`)
    .limit(batchSize);

/** Returns the number of warnings that needed work. */
async function writeBatch(context: WriteContext): Promise<number> {
  const { db } = context;
  const found = await selectWarnings(context);
  const parts = await Promise.all(found.map((one) => statementsOf(context, one)));
  const [first, ...rest] = parts.flat();
  if (first) await db.batch([first, ...rest]);
  return found.length;
}

type Warning = Awaited<ReturnType<typeof selectWarnings>>[number];

async function statementsOf(
  context: WriteContext,
  { organization, kind, isNear: near }: Warning,
): Promise<Statement[]> {
  const { db } = context;
  const isTotal = and(eq(counts.ancestor, organization), eq(counts.kind, kind));
  const forget = db
    .update(counts)
    .set({ warning: 0 })
    .where(and(isTotal, gt(counts.warning, 0)));
  if (!near) return [forget];
  const rows = await selectQuotas(db, organization);
  const row = rows.find((one) => one.kind === kind);
  const message = row && toQuota(organization, row);
  if (!message) return [forget];
  const send = db
    .update(counts)
    .set({ warning: WARNING_SENT })
    .where(and(isTotal, eq(counts.warning, WARNING_DUE)));
  const event = insertCompleteEventIfChanged(context, {
    ...{ type: "api.iam.quota.near_limit.v1", path: "/iam/v2/quotas", audience: "customer" },
    ...{ subject: organization, group: organization },
    // No identity caused the event.
    actor: { identity: "", act: {} },
    body: { desc: QuotaSchema, message },
  });
  return [send, event];
}
