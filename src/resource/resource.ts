/** What this room needs to know of a resource, said once beside the resource's handlers. */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Version, VersionedTable } from "../aip/stale.ts";
import type { Call, Database, EventDraft } from "../auth/call.ts";

/** How the row of a uid is read. */
export interface Readable<Row> {
  /** As errors call the resource: `iam/Role`. */
  type: string;
  /** The statement that reads the row. */
  select: (db: Database, uid: string) => RunnableQuery<Row[], "sqlite">;
}

/** Columns of a table by property, without those that are generated. */
export type Columns<Table extends SQLiteTable> = Table["$inferInsert"];

/** A resource: its message and its rows, and how one is made of the other. `Own` are the columns of `toColumns`. */
export interface Resource<
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own,
> extends Readable<Row> {
  schema: Desc;
  table: Table;
  /** Stored row to message. */
  toMessage: (row: Row, call: Call) => MessageShape<Desc>;
  /** What a client may set of the resource, as columns. */
  toColumns: (message: MessageShape<Desc>) => Own;
  /** The group to which events about the resource of a uid belong. */
  groupOf: (uid: string) => string;
  /** What no two resources of a parent share, as ALREADY_EXISTS names it. */
  unique?: (message: MessageShape<Desc>) => string;
  /** The body of the event of a create or an update; by default the message. */
  eventBody?: (message: MessageShape<Desc>) => EventDraft["body"];
  /** Further attributes of the events about the resource of a uid. */
  eventExtensions?: (uid: string) => Record<string, string>;
}

/** What the message of every resource has. */
interface Stamped {
  uid: string;
  createTime?: Timestamp | undefined;
  updateTime?: Timestamp | undefined;
}

/** Describes a resource; its types are checked against each other. */
export const resource = <
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own extends Partial<Columns<Table>>,
>(
  described: Resource<Desc, Row, Table, Own> & {
    toMessage: (row: Row, call: Call) => MessageShape<Desc> & Stamped;
    /** All of them columns of the table: drizzle leaves out others without a word. */
    toColumns: (
      message: MessageShape<Desc>,
    ) => Own & Record<Exclude<keyof Own, keyof Columns<Table>>, never>;
  },
): Resource<Desc, Row, Table, Own> => described;
