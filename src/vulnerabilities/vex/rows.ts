/** The rows of advisories from VEX statements: the D1 statements that write them. */
import { sql } from "drizzle-orm";
import { ReviewState } from "../../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { advisories, advisoryEvents } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { vexSubjects } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { type InsertRow, insertFrom } from "../../aip/insert_from.ts";
import { fromParameter, toJsonParameters } from "../../aip/json_parameters.ts";
import type { Call } from "../../auth/call.ts";
import type { VexChange } from "./advisories.ts";

const member = (name: keyof VexChange) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
const json = (name: keyof VexChange) => sql`"given"."value" -> ${sql.raw(`'${name}'`)}`;

/** The columns of an advisory, from the JSON of a Change. */
const columns = {
  uid: member("uid"),
  createTime: member("createTime"),
  updateTime: member("updateTime"),
  advisoryId: member("advisoryId"),
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
  source: "vex",
  sourceDigest: member("digest"),
} satisfies InsertRow<typeof advisories>;

/** The statements that write the advisories. */
export function upsertVexAdvisories(call: Call, changes: VexChange[]) {
  const rows = changes.map(({ additions: _, ...row }) => JSON.stringify(row));
  return toJsonParameters(rows).map((parameter) =>
    insertFrom(call.db, advisories, columns, fromParameter(parameter)).onConflictDoUpdate({
      target: advisories.uid,
      set: {
        updateTime: sql`max(excluded.update_time, ${advisories.updateTime} + 1)`,
        // Fields that a person wrote do not change.
        aliases: sql`iif(${advisories.editTime} is null, excluded.aliases, ${advisories.aliases})`,
        severities: sql`excluded.severities`,
        source: sql`excluded.source`,
        sourceDigest: sql`excluded.source_digest`,
        sourceTime: null,
      },
    }),
  );
}

/** Adds the events. An event that already exists does not change. */
export function insertVexEvents(call: Call, changes: VexChange[]) {
  const rows = changes.flatMap(({ uid, additions }) =>
    additions.map((addition) => JSON.stringify({ ...addition, advisoryUid: uid })),
  );
  const of = (name: string) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;
  const values = {
    uid: of("uid"),
    advisoryUid: of("advisoryUid"),
    createTime: of("time"),
    updateTime: of("time"),
    author: of("author"),
    reviewState: ReviewState.APPROVED as number,
    type: of("type"),
    detail: sql`"given"."value" -> 'detail'`,
  } satisfies InsertRow<typeof advisoryEvents>;
  return toJsonParameters(rows).map((parameter) =>
    insertFrom(call.db, advisoryEvents, values, fromParameter(parameter)).onConflictDoNothing(),
  );
}

/** Stores the subjects of the advisories, as the newest statement describes them. */
export function upsertVexSubjects(call: Call, changes: VexChange[]) {
  const rows = changes.map(({ additions: _, aliases: __, severities: ___, ...row }) =>
    JSON.stringify(row),
  );
  const values = {
    uid: member("uid"),
    identity: member("identity"),
    vulnerability: json("vulnerability"),
    product: json("product"),
    subcomponent: sql`nullif(${json("subcomponent")}, 'null')`,
    csaf: sql`nullif(${json("csaf")}, 'null')`,
    published: member("published"),
  } satisfies InsertRow<typeof vexSubjects>;
  return toJsonParameters(rows).map((parameter) =>
    insertFrom(call.db, vexSubjects, values, fromParameter(parameter)).onConflictDoUpdate({
      target: vexSubjects.uid,
      set: {
        vulnerability: sql`excluded.vulnerability`,
        product: sql`excluded.product`,
        subcomponent: sql`excluded.subcomponent`,
        csaf: sql`excluded.csaf`,
        published: sql`excluded.published`,
      },
    }),
  );
}
