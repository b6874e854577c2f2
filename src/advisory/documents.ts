import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, exists, ne, type SQL, sql } from "drizzle-orm";
import type { AnySQLiteSelect, SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  type Document,
  type DocumentAdvisory,
  DocumentAdvisorySchema,
  DocumentSchema,
  type ListDocumentsRequest,
} from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import { EventTypeFilter } from "../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { ReviewState } from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import {
  advisories,
  advisoryEvents,
  eventsOfAdvisory,
} from "../../schema/tables/vulnerabilities/advisories.ts";
import { advisoryAliases } from "../../schema/tables/vulnerabilities/advisory_aliases.ts";
import { advisoryDocuments } from "../../schema/tables/vulnerabilities/advisory_documents.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import { resourceExhausted } from "../aip/errors.ts";
import type { Call, CallAnywhere } from "../auth/call.ts";
import { limitBytes, type Measured } from "../paging/byte_limit.ts";
import { refuseLongSkip } from "../paging/list.ts";
import {
  defineListing,
  type ListQuery,
  type RowQuery,
  type RowSelect,
  times,
} from "../paging/listing.ts";
import { type ListOptions, paginate, pagingAdvice, unpagedByDefault } from "../paging/page.ts";
import { selectPage } from "../paging/rows.ts";
import { selectTotal } from "../paging/totals.ts";
import { type PublishedEvent, toDocumentEvents } from "./document_events.ts";
import { atPublic, type PublicScope, publicScopes } from "./public_scope.ts";

const columns = {
  uid: advisoryDocuments.uid,
  parent: advisoryDocuments.parent,
  origin: advisoryDocuments.origin,
  createTime: advisoryDocuments.createTime,
  updateTime: advisoryDocuments.updateTime,
};

type Row = Pick<RowOf<typeof advisoryDocuments>, "uid" | "origin" | "createTime" | "updateTime">;

type AdvisoryRow = Pick<
  RowOf<typeof advisories>,
  "advisoryId" | "aliases" | "componentLocation"
> & { events: PublishedEvent[] };

type DocumentRow = Row & { advisories: AdvisoryRow[] };

/** A document with one of its advisories, or with none. */
type JoinedRow = Row & Omit<AdvisoryRow, "advisoryId"> & { advisoryId: string | null };

const listing = defineListing<typeof advisoryDocuments, Row>({
  table: advisoryDocuments,
  select: (db, from) => db.select(columns).from(from),
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
function hasAlias({ db }: Call, scope: PublicScope, aliases: string[]): SQL | undefined {
  if (aliases.length === 0) return undefined;
  const aliasList = valuesSubselect(aliases);
  const aliased = db
    .select({ uid: advisoryAliases.advisoryUid })
    .from(advisoryAliases)
    .where(sql`${advisoryAliases.alias} in ${aliasList}`);
  const event = db.select({ one: sql`1` }).from(advisoryEvents).where(isPublished);
  const matches = db
    .select({ parent: advisories.parent, origin: advisories.origin })
    .from(advisories)
    .where(
      and(
        sql`(${advisories.advisoryId} in ${aliasList} or ${advisories.uid} in ${aliased})`,
        // The plus sign keeps the planner on the indexes of the rarer values.
        sql`+${advisories.ancestor0} = ${scope.uid}`,
        exists(event),
      ),
    );
  return sql`(${advisoryDocuments.parent}, ${advisoryDocuments.origin}) in ${matches}`;
}

/** An event of an advisory in the JSON of {@link eventsOfAdvisory}. */
interface StoredEvent {
  createTime: number;
  reviewState: number;
  type: number;
  detail: JsonObject;
}

/** The events that {@link isPublished} selects. */
const readEvents = (text: string): PublishedEvent[] =>
  (JSON.parse(text) as StoredEvent[])
    .filter(
      ({ reviewState, type }) =>
        reviewState === ReviewState.APPROVED && type !== EventTypeFilter.COMPONENT_LOCATION_CHANGED,
    )
    .map(({ createTime: time, type, detail }) => ({ time, type, detail }));

/**
 * The documents of a select, each with its advisories: one row for each advisory, in the order of the documents. A
 * document without advisories has one row, whose advisory is null.
 */
function selectAdvisories({ db }: Call, documents: RowSelect<Row>) {
  // SQLite reads the documents of the page while it reads their advisories, so it stores them nowhere in between.
  const document = documents.as("document");
  const column = (name: keyof typeof columns): SQLiteColumn => document[name];
  const parent = column("parent");
  const ofDocument = and(
    sql`${advisories.origin} = ${column("origin")}`,
    sql`${advisories.uid} > ${parent} || '/' and ${advisories.uid} < ${parent} || '0'`,
    sql`+${advisories.parent} = ${parent}`,
  );
  const selected: AnySQLiteSelect = db
    .select({
      uid: column("uid"),
      origin: column("origin"),
      createTime: column("createTime"),
      updateTime: column("updateTime"),
      advisoryId: advisories.advisoryId,
      aliases: advisories.aliases,
      componentLocation: advisories.componentLocation,
      events: sql`${eventsOfAdvisory}`.mapWith(readEvents).as("events"),
    })
    .from(document)
    .leftJoin(advisories, ofDocument)
    .$dynamic();
  // A cast, because the columns of a select of any columns have no types.
  return selected as RowSelect<JoinedRow>;
}

/**
 * The most documents and advisories, and the most bytes of them, in a response without pages. It is as many
 * documents as a request can name aliases.
 */
const maxDocuments = 1_000;
const maxAdvisories = 3_000;
const maxBytes = 4 * 1024 * 1024;

const advice = "name an id, or CVEs in cves";

/**
 * The documents of a query, each with its advisories, and the number of all documents. It takes one D1 round trip.
 * Throws RESOURCE_EXHAUSTED if a response without pages would contain more advisories than our largest page.
 */
async function readDocuments(call: Call, query: ListQuery, scope: PublicScope) {
  const joined = selectAdvisories(call, selectPage(call.db, listing, query, [scope], true));
  // No more than these are read.
  const most = maxAdvisories + maxDocuments + 2;
  const rows: RowQuery<JoinedRow & Partial<Measured>> = call.unpaged
    ? limitBytes(call.db, joined.$dynamic().limit(most), maxBytes)
    : joined;
  const total = selectTotal(call.db, listing, query, [scope]);
  const [joinedRows, counted] = query.isCounted
    ? await call.db.batch([rows, total])
    : [await rows, []];
  const documents = toDocumentRows(joinedRows);
  const size = documents.reduce((sum, document) => sum + document.advisories.length, 0);
  const isLarge = size > maxAdvisories || (joinedRows.at(-1)?.bytesSoFar ?? 0) > maxBytes;
  if (call.unpaged && isLarge && documents.length <= maxDocuments) {
    throw resourceExhausted(
      `more than ${maxAdvisories} advisories, or more than 4 MiB of them, match; ${advice}, or ${pagingAdvice(call)}`,
    );
  }
  return { rows: [documents], total: counted[0]?.total ?? 0 };
}

/** The documents of these rows, in the same order. Their advisories are in the order of their ids. */
function toDocumentRows(rows: JoinedRow[]): DocumentRow[] {
  const documents = new Map<string, DocumentRow>();
  for (const { advisoryId, aliases, componentLocation, events, ...row } of rows) {
    const document = documents.get(row.uid) ?? { ...row, advisories: [] };
    documents.set(row.uid, document);
    if (advisoryId !== null) {
      document.advisories.push({ advisoryId, aliases, componentLocation, events });
    }
  }
  for (const { advisories: documentAdvisories } of documents.values()) {
    documentAdvisories.sort((a, b) => (a.advisoryId < b.advisoryId ? -1 : 1));
  }
  return [...documents.values()];
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

function toDocument(row: DocumentRow): Document {
  const published = row.advisories.filter(({ events }) => events.length > 0);
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
 * RESOURCE_EXHAUSTED if there are too many documents or advisories. It takes two D1 round trips.
 */
export async function listDocuments(request: ListDocumentsRequest, asked: CallAnywhere) {
  const { id, cves } = request;
  const anywhere = unpagedByDefault(asked, request);
  const [scope] = await publicScopes(anywhere);
  const call = atPublic(anywhere, scope);
  const options: ListOptions = {
    filters: [
      id === "" ? undefined : eq(advisoryDocuments.origin, id),
      scope && hasAlias(call, scope, cves),
    ],
    index: id === "" ? "order_index" : "scope_index",
    maxRows: maxDocuments,
    advice,
  };
  const page = await paginate<DocumentRow>(call, request, listing, options, async (query) => {
    refuseLongSkip(query);
    return scope ? readDocuments(call, query, scope) : { rows: [[]], total: 0 };
  });
  return { documents: page.rows.map(toDocument), ...page.envelope };
}
