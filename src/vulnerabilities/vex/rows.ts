/** The rows of advisories that come from VEX statements: the statements of D1 that write them. */
import { type SQL, sql } from "drizzle-orm";
import { ReviewState } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { advisories, advisoryEvents } from "../../../schema/tables/advisories.ts";
import { vexSubjects } from "../../../schema/tables/vex_subjects.ts";
import type { Call } from "../../auth/call.ts";
import { inParameters, insertedFrom } from "../json_parameters.ts";
import type { Change } from "./advisories.ts";

const member = (name: keyof Change) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const json = (name: keyof Change) => sql`"given"."value" -> ${sql.raw(`'${name}'`)}`;

/** Each column of an advisory, out of the JSON of a Change. */
const columns: Record<keyof typeof advisories.$inferInsert, SQL> = {
  uid: member("uid"),
  createTime: member("createTime"),
  updateTime: member("updateTime"),
  deleteTime: sql`null`,
  advisoryId: member("advisoryId"),
  legacyAdvisoryId: sql`null`,
  author: member("author"),
  artifactName: member("artifactName"),
  artifactType: member("artifactType"),
  artifactArchitecture: member("artifactArchitecture"),
  componentName: member("componentName"),
  componentLocation: member("componentLocation"),
  componentType: member("componentType"),
  origin: member("artifactName"),
  aliases: json("aliases"),
  severities: json("severities"),
  source: sql`'vex'`,
  sourceDigest: member("digest"),
  sourceTime: sql`null`,
  editTime: sql`null`,
  removeTime: sql`null`,
};

/** The statements that write the advisories. */
export function upsertAdvisories(call: Call, changes: Change[]) {
  const rows = changes.map(({ additions: _, ...row }) => JSON.stringify(row));
  return inParameters(rows).map((parameter) =>
    call.db
      .insert(advisories)
      .select(insertedFrom(advisories, columns, parameter))
      .onConflictDoUpdate({
        target: advisories.uid,
        set: {
          updateTime: sql`max(excluded.update_time, ${advisories.updateTime} + 1)`,
          // What was written by hand stays.
          aliases: sql`iif(${advisories.editTime} is null, excluded.aliases, ${advisories.aliases})`,
          severities: sql`excluded.severities`,
          source: sql`excluded.source`,
          sourceDigest: sql`excluded.source_digest`,
          sourceTime: sql`null`,
        },
      }),
  );
}

/** Adds the events. One that is there already stays as it is. */
export function insertEvents(call: Call, changes: Change[]) {
  const rows = changes.flatMap(({ uid, additions }) =>
    additions.map((one) => JSON.stringify({ ...one, advisoryUid: uid })),
  );
  const of = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
  const values: Record<keyof typeof advisoryEvents.$inferInsert, SQL> = {
    uid: of("uid"),
    advisoryUid: of("advisoryUid"),
    createTime: of("time"),
    updateTime: of("time"),
    author: of("author"),
    reviewer: sql`''`,
    reviewState: sql`${ReviewState.APPROVED as number}`,
    issue: sql`null`,
    type: of("type"),
    detail: sql`"given"."value" -> 'detail'`,
    findings: sql`''`,
    byHand: sql`0`,
  };
  return inParameters(rows).map((parameter) =>
    call.db
      .insert(advisoryEvents)
      .select(insertedFrom(advisoryEvents, values, parameter))
      .onConflictDoNothing(),
  );
}

/** Keeps what the advisories are about, as the newest statement tells it. */
export function upsertSubjects(call: Call, changes: Change[]) {
  const rows = changes.map(({ additions: _, aliases: __, severities: ___, ...row }) =>
    JSON.stringify(row),
  );
  const values: Record<keyof typeof vexSubjects.$inferInsert, SQL> = {
    uid: member("uid"),
    identity: member("identity"),
    vulnerability: json("vulnerability"),
    product: json("product"),
    productVersion: member("productVersion"),
    subcomponent: sql`nullif(${json("subcomponent")}, 'null')`,
    published: member("published"),
  };
  return inParameters(rows).map((parameter) =>
    call.db
      .insert(vexSubjects)
      .select(insertedFrom(vexSubjects, values, parameter))
      .onConflictDoUpdate({
        target: vexSubjects.uid,
        set: {
          vulnerability: sql`excluded.vulnerability`,
          product: sql`excluded.product`,
          productVersion: sql`excluded.product_version`,
          subcomponent: sql`excluded.subcomponent`,
          published: sql`excluded.published`,
        },
      }),
  );
}
