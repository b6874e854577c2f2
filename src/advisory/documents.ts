import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, exists, ne, type SQL, sql } from "drizzle-orm";
import {
  type Document,
  type DocumentAdvisory,
  DocumentAdvisorySchema,
  DocumentSchema,
  type ListDocumentsRequest,
} from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { EventTypeFilter } from "../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { ReviewState } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { advisories, advisoryEvents } from "../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryAliases } from "../../schema/tables/vulnerabilities/advisory_aliases.ts";
import { advisoryDocuments } from "../../schema/tables/vulnerabilities/advisory_documents.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { resourceExhausted } from "../aip/errors.ts";
import { parentOf } from "../aip/uid_path.ts";
import type { Call } from "../auth/call.ts";
import { limitBytes } from "../paging/byte_limit.ts";
import { listScopes } from "../paging/list.ts";
import { defineListing, times } from "../paging/listing.ts";
import { pagingAdvice, unpagedByDefault } from "../paging/page.ts";
import type { Scope } from "../paging/scope.ts";
import { type PublishedEvent, toDocumentEvents } from "./document_events.ts";
import { atPublic, publicScopes } from "./public_scope.ts";

const columns = {
  uid: advisoryDocuments.uid,
  origin: advisoryDocuments.origin,
  createTime: advisoryDocuments.createTime,
  updateTime: advisoryDocuments.updateTime,
};

type Row = Pick<typeof advisoryDocuments.$inferSelect, keyof typeof columns>;

const listing = defineListing({
  table: advisoryDocuments,
  select: (db) => db.select(columns).from(advisoryDocuments),
  orders: { id: "origin", uid: "uid", ...times },
  defaultOrder: "id",
});

/**
 * The events that a reviewer approved. Other events are not published. The location of a component is left
 * out, because the feed has no field for it.
 */
const isPublished = and(
  eq(advisoryEvents.advisoryUid, advisories.uid),
  eq(advisoryEvents.reviewState, ReviewState.APPROVED),
  ne(advisoryEvents.type, EventTypeFilter.COMPONENT_LOCATION_CHANGED),
);

/** The condition that the document has a published advisory with one of the aliases, or with that id. */
function hasAlias({ db }: Call, scopes: Scope[], aliases: string[]): SQL | undefined {
  const [scope] = scopes;
  if (aliases.length === 0 || scope?.at !== "below") return undefined;
  const anonymousCall = valuesSubselect(aliases);
  const aliased = db
    .select({ uid: advisoryAliases.advisoryUid })
    .from(advisoryAliases)
    .where(sql`${advisoryAliases.alias} in ${anonymousCall}`);
  const event = db.select({ one: sql`1` }).from(advisoryEvents).where(isPublished);
  const found = db
    .select({ parent: advisories.parent, origin: advisories.origin })
    .from(advisories)
    .where(
      and(
        sql`(${advisories.advisoryId} in ${anonymousCall} or ${advisories.uid} in ${aliased})`,
        // The plus sign keeps the planner on the indexes of the rarer values.
        sql`+${advisories.ancestor0} = ${scope.uid}`,
        exists(event),
      ),
    );
  return sql`(${advisoryDocuments.parent}, ${advisoryDocuments.origin}) in ${found}`;
}

const readEvents = (text: string) => JSON.parse(text) as PublishedEvent[];

/** The advisories of the documents by id, each with its published events, in one statement. */
function selectAdvisories({ db }: Call, documents: Row[]) {
  const wanted = documents.map(({ uid, origin }) => ({ uid, origin, group: parentOf(uid) }));
  const anonymousCall = sql`json_each(${JSON.stringify(wanted)})`;
  const group = sql`"given"."value" ->> 'group'`;
  const event = sql`json_object('time', ${advisoryEvents.createTime}, 'type', ${advisoryEvents.type},
    'detail', json(${advisoryEvents.detail}))`;
  const events = db
    .select({ events: sql`json_group_array(${event})` })
    .from(advisoryEvents)
    .where(isPublished);
  return db
    .select({
      document: sql<string>`"given"."value" ->> 'uid'`.as("document"),
      advisoryId: advisories.advisoryId,
      aliases: advisories.aliases,
      componentLocation: advisories.componentLocation,
      events: sql<PublishedEvent[]>`${events}`.mapWith(readEvents).as("events"),
    })
    .from(sql`${anonymousCall} as "given"`)
    .innerJoin(
      advisories,
      and(
        sql`${advisories.origin} = "given"."value" ->> 'origin'`,
        sql`${advisories.uid} > ${group} || '/' and ${advisories.uid} < ${group} || '0'`,
        sql`+${advisories.parent} = ${group}`,
      ),
    )
    .$dynamic();
}

type AdvisoryRow = Awaited<ReturnType<typeof selectAdvisories>>[number];

/**
 * The most documents and advisories, and the most bytes of them, in a response without pages. It is as many
 * documents as a request can name aliases.
 */
const maxDocuments = 1_000;
const maxAdvisories = 3_000;
const maxBytes = 4 * 1024 * 1024;

const advice = "name an id, or CVEs in cves";

/** The number of documents whose advisories one statement reads. A parameter can have 2 MB. */
const documentsPerStatement = 2_000;

/** The advisories of the documents, in one round trip. Without documents it makes none. */
async function readAdvisories(call: Call, documents: Row[]): Promise<AdvisoryRow[]> {
  if (documents.length === 0) return [];
  if (call.unpaged) return readAllAdvisories(call, documents);
  const parts = Math.ceil(documents.length / documentsPerStatement);
  const [first, ...rest] = Array.from({ length: parts }, (_, part) =>
    selectAdvisories(
      call,
      documents.slice(part * documentsPerStatement, (part + 1) * documentsPerStatement),
    ).orderBy(advisories.advisoryId),
  );
  return first ? (await call.db.batch([first, ...rest])).flat() : [];
}

/**
 * Like {@link readAdvisories}, for a response to anyone with all documents at once. Throws RESOURCE_EXHAUSTED
 * if there are more than our largest page contains.
 */
async function readAllAdvisories(call: Call, documents: Row[]): Promise<AdvisoryRow[]> {
  // Sorted here, so that no more than these are read.
  const some = selectAdvisories(call, documents).limit(maxAdvisories + 1);
  const { aliases, componentLocation } = advisories;
  const longColumns = { aliases, componentLocation, events: { read: readEvents } };
  const found = await limitBytes(call.db, some, longColumns, maxBytes);
  if (found.length > maxAdvisories || (found.at(-1)?.bytesSoFar ?? 0) > maxBytes) {
    throw resourceExhausted(
      `more than ${maxAdvisories} advisories, or more than 4 MiB of them, match; ${advice}, or ${pagingAdvice(call)}`,
    );
  }
  return found.sort((a, b) => (a.advisoryId < b.advisoryId ? -1 : 1));
}

/**
 * The repository of an operating system's package is the namespace of its package URL (`wolfi` in
 * pkg:apk/wolfi/curl). For other types of packages it is not stored.
 */
const namespaceOf = (purl: string): string =>
  decodePurlPart(/^pkg:(?:apk|deb|rpm|alpm)\/([^/@?#]+)\//.exec(purl)?.[1] ?? "");

function decodePurlPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const toAdvisory = (row: AdvisoryRow): DocumentAdvisory =>
  create(DocumentAdvisorySchema, {
    id: row.advisoryId,
    aliases: row.aliases,
    packageNamespace: namespaceOf(row.componentLocation),
    events: toDocumentEvents(row.events),
  });

function toDocument(row: Row, found: AdvisoryRow[]): Document {
  const published = found.filter(({ events }) => events.length > 0);
  return create(DocumentSchema, {
    id: row.origin,
    uid: row.uid,
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
    advisories: published.map(toAdvisory),
  });
}

/**
 * Returns the documents of the public namespace. Each is complete, however many advisories it has: the page
 * size limits the number of documents. A request without paging fields gets all documents, or
 * RESOURCE_EXHAUSTED if there are too many documents or advisories. It takes three D1 round trips.
 */
export async function listDocuments(request: ListDocumentsRequest, anonymousCall: Call) {
  const { id, cves } = request;
  const anywhere = unpagedByDefault(anonymousCall, request);
  const scopes = await publicScopes(anywhere);
  const call = atPublic(anywhere, scopes);
  const page = await listScopes(call, request, listing, scopes, {
    filters: [
      id === "" ? undefined : eq(advisoryDocuments.origin, id),
      hasAlias(call, scopes, cves),
    ],
    index: id === "" ? "order_index" : "scope_index",
    maxRows: maxDocuments,
    advice,
  });
  const found = await readAdvisories(call, page.rows);
  const of = Map.groupBy(found, ({ document }) => document);
  const documents = page.rows.map((row) => toDocument(row, of.get(row.uid) ?? []));
  return { documents, ...page.envelope };
}
