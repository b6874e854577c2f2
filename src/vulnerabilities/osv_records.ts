import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import { ReviewState } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import {
  ImportOsvRecordsResponseSchema,
  OsvRecordsService,
} from "../../schema/gen/platform/vulnerabilities/v2/osv_records_pb.js";
import { advisories, advisoryEvents } from "../../schema/tables/advisories.ts";
import { groups } from "../../schema/tables/groups.ts";
import { type FieldViolation, invalidArguments, notFound } from "../aip/errors.ts";
import { sha256 } from "../aip/sha256.ts";
import { newUid } from "../aip/uid_path.ts";
import { authorized } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { commitGuarded, retryStale } from "../outbox/commit.ts";
import { record } from "../outbox/outbox.ts";
import { service } from "../rpc/service.ts";
import { type OsvAdvisory, readOsv } from "./osv.ts";

/** A record as read, and the SHA-256 of its canonical JSON in hex. */
interface Digested extends OsvAdvisory {
  digest: string;
}

/** A record that is to be written: the uid of its advisory and the digest stored there so far. */
interface Change extends Digested {
  uid: string;
  before: string | null;
}

/** Characters of JSON in one bound parameter, well below D1's 2 MB. */
const parameterSize = 400_000;

/** Reads all records; throws INVALID_ARGUMENT with every violation of every record. */
function readRecords(records: JsonObject[]): OsvAdvisory[] {
  const violations: FieldViolation[] = [];
  const seen = new Map<string, number>();
  const read = records.map((one, i) => {
    const { advisory, violations: found } = readOsv(one, `records[${i}]`);
    violations.push(...found);
    const twin = seen.get(advisory.id);
    if (twin === undefined) seen.set(advisory.id, i);
    else if (advisory.id !== "") {
      const description = `records[${i}].id is the id of records[${twin}] too`;
      violations.push({ field: `records[${i}].id`, description });
    }
    return advisory;
  });
  if (violations.length > 0) throw invalidArguments(violations);
  return read;
}

/** The JSON of RFC 8785: no spaces, keys sorted by UTF-16 code units. */
function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(",")}}`;
}

const digestAll = (read: OsvAdvisory[], records: JsonObject[]): Promise<Digested[]> =>
  Promise.all(
    read.map(async (one, i) => ({ ...one, digest: await sha256(canonicalJson(records[i])) })),
  );

const selectStored = (call: Call, parent: string, ids: string[]) =>
  call.db
    .select({
      advisoryId: advisories.advisoryId,
      uid: advisories.uid,
      updateTime: advisories.updateTime,
      sourceDigest: advisories.sourceDigest,
    })
    .from(advisories)
    .where(
      and(
        eq(advisories.parent, parent),
        sql`${advisories.advisoryId} in (select "value" from json_each(${JSON.stringify(ids)}))`,
      ),
    );

type Stored = Awaited<ReturnType<typeof selectStored>>[number];

/** The records that say something new: unknown here, or changed and not older than what is stored. */
function changesOf(parent: string, given: Digested[], stored: Stored[]): Change[] {
  const known = new Map(stored.map((row) => [row.advisoryId, row]));
  return given.flatMap((one): Change[] => {
    const row = known.get(one.id);
    if (!row) return [{ ...one, uid: newUid(parent), before: null }];
    if (row.sourceDigest === one.digest || row.updateTime > one.updateTime) return [];
    return [{ ...one, uid: row.uid, before: row.sourceDigest }];
  });
}

const member = (name: keyof Change) => sql`"given"."value" ->> ${sql.raw(`'${name}'`)}`;

/** Each column that an import writes, out of the JSON of a Change. */
const values: Record<keyof typeof advisories.$inferInsert, SQL> = {
  uid: member("uid"),
  createTime: member("createTime"),
  updateTime: member("updateTime"),
  deleteTime: member("deleteTime"),
  advisoryId: member("id"),
  legacyAdvisoryId: sql`null`,
  author: member("author"),
  artifactName: member("name"),
  artifactType: sql`'library'`,
  artifactArchitecture: sql`'noarch'`,
  componentName: member("name"),
  componentLocation: member("purl"),
  componentType: member("componentType"),
  origin: member("name"),
  aliases: member("aliases"),
  severities: member("severities"),
  sourceDigest: member("digest"),
};

/** The columns of a table that an insert names, in its order, with their names in the table. */
const written = Object.entries(getTableColumns(advisories))
  .filter(([, column]) => column.generated === undefined)
  .map(([property, column]) => ({ property: property as keyof typeof values, name: column.name }));

/** An id stays what it is in the group; the rest of the row is the record's. */
const replaced = Object.fromEntries(
  written
    .filter(({ property }) => !["uid", "advisoryId", "legacyAdvisoryId"].includes(property))
    .map(({ property, name }) => [property, sql`excluded.${sql.identifier(name)}`]),
);

/** Writes the advisories, all or none: none where one is not any more as it was read. */
function upsertAdvisories(call: Call, parent: string, changes: Change[]) {
  const json = JSON.stringify(changes.map(({ steps: _, ...rest }) => rest));
  const row = written.map(({ property }) => values[property]);
  return call.db
    .insert(advisories)
    .select(
      sql`with "given" as (select "value" from json_each(${json}))
        select ${sql.join(row, sql`, `)} from "given"
        where not exists (
          select 1 from "given" left join ${advisories}
            on ${advisories.parent} = ${parent} and ${advisories.advisoryId} = ${member("id")}
          where ${advisories.sourceDigest} is not ${member("before")})`,
    )
    .onConflictDoUpdate({ target: advisories.uid, set: replaced })
    .returning({ uid: advisories.uid });
}

/** The changes whose advisory now is what this call wrote, so that a refused write changes no event. */
const applied = (json: string) =>
  sql`from json_each(${json}) as "given" cross join ${advisories}
    on ${advisories.uid} = ${member("uid")} and ${advisories.sourceDigest} = ${member("digest")}`;

/** Puts the changes' events in the place of those the advisories had: two statements a parameter. */
async function replaceEvents(call: Call, changes: Change[]) {
  const parts = await Promise.all(changes.map(withEventUids));
  return inParameters(parts).flatMap((json) => {
    const event = {
      uid: sql`"event"."value" ->> 'uid'`,
      advisoryUid: sql`${advisories.uid}`,
      createTime: sql`"event"."value" ->> 'time'`,
      updateTime: sql`"event"."value" ->> 'time'`,
      author: sql`${advisories.author}`,
      reviewer: sql`''`,
      reviewState: sql`${ReviewState.APPROVED as number}`,
      issue: sql`null`,
      type: sql`"event"."value" ->> 'type'`,
      detail: sql`"event"."value" ->> 'detail'`,
      findings: sql`''`,
    } satisfies Record<keyof typeof advisoryEvents.$inferInsert, SQL>;
    const row = Object.keys(getTableColumns(advisoryEvents)).map(
      (name) => event[name as keyof typeof event],
    );
    return [
      call.db
        .delete(advisoryEvents)
        .where(sql`${advisoryEvents.advisoryUid} in (select ${advisories.uid} ${applied(json)})`),
      call.db.insert(advisoryEvents).select(
        sql`select ${sql.join(row, sql`, `)} ${applied(json)}
          cross join json_each("given"."value", '$.steps') as "event"`,
      ),
    ];
  });
}

/** An event's last step is made of what it says, so that the same record makes the same events. */
async function withEventUids({ uid, digest, steps }: Change): Promise<string> {
  const events = await Promise.all(
    steps.map(async (step) => {
      const hash = await sha256(canonicalJson({ uid, type: step.type, detail: step.detail }));
      return { ...step, uid: `${uid}/${hash.slice(0, 16)}` };
    }),
  );
  return JSON.stringify({ uid, digest, steps: events });
}

/** Joins JSON texts into as few JSON arrays as the size of a parameter allows. */
function inParameters(parts: string[]): string[] {
  const groups: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (size + part.length > parameterSize) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(part);
    size += part.length;
  }
  return groups.map((group) => `[${group.join(",")}]`);
}

export const osvRecordsService = service(OsvRecordsService, {
  async importOsvRecords({ parent, records }, call) {
    const given = await digestAll(readRecords(records), records);
    const ids = given.map(({ id }) => id);
    const group = call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent));
    return retryStale(async () => {
      const stored = selectStored(call, parent, ids);
      const { caller, rows } = await authorized(call, parent, [group, stored]);
      if (!rows[0][0]) throw notFound("iam/Group", parent);
      const changes = changesOf(parent, given, rows[1]);
      const created = changes.filter(({ before }) => before === null).length;
      const updated = changes.length - created;
      const answer = { created, updated, unchanged: given.length - changes.length };
      if (changes.length === 0) return answer;
      const body = { desc: ImportOsvRecordsResponseSchema, message: answer };
      await commitGuarded(call, [
        upsertAdvisories(call, parent, changes),
        record(call, caller, { subject: parent, group: parent, body }),
        ...(await replaceEvents(call, changes)),
      ]);
      return answer;
    });
  },
});
