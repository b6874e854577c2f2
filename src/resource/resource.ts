/**
 * Describes a resource for this room. The description is written once, next to the handlers of the resource.
 */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Version, VersionedTable } from "../aip/stale.ts";
import type { Call, Database, EventDraft, EventImage } from "../auth/call.ts";

/** How to read the row of a uid. */
export interface Readable<Row> {
  /** The name of the resource in errors: `iam/Role`. */
  type: string;
  /** The statement that reads the row. */
  select: (db: Database, uid: string) => RunnableQuery<Row[], "sqlite">;
}

/** The columns of a table by property, without generated columns. */
export type Columns<Table extends SQLiteTable> = Table["$inferInsert"];

/**
 * A resource: its message, its rows, and how to convert one into the other. `Own` contains the columns of
 * `toColumns`.
 */
export interface Resource<
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own,
> extends Readable<Row> {
  schema: Desc;
  table: Table;
  /** Converts a stored row to a message. */
  toMessage: (row: Row, call: Call) => MessageShape<Desc>;
  /** The fields that a client can set, as columns. */
  toColumns: (message: MessageShape<Desc>) => Own;
  /** The group that events about the resource of a uid belong to. */
  groupOf: (uid: string) => string;
  /** The part that no two resources of a parent share, as ALREADY_EXISTS names it. */
  unique?: (message: MessageShape<Desc>) => string;
  /** The body of the event of a create or an update. By default the message. */
  eventBody?: (message: MessageShape<Desc>) => EventDraft["body"];
  /** Further attributes of the events about the resource of a uid. */
  eventExtensions?: (uid: string) => Record<string, string>;
  /** The image that an event about the resource of a uid is about. A deletion has no message. */
  imageOf?: (uid: string, message?: MessageShape<Desc>) => EventImage;
}

/** The fields that the message of every resource has. */
interface Stamped {
  uid: string;
  createTime?: Timestamp | undefined;
  updateTime?: Timestamp | undefined;
}

/** Describes a resource. The compiler checks its types against each other. */
export const resource = <
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own extends Partial<Columns<Table>>,
>(
  described: Resource<Desc, Row, Table, Own> & {
    toMessage: (row: Row, call: Call) => MessageShape<Desc> & Stamped;
    /** Every property must be a column of the table: drizzle ignores others without an error. */
    toColumns: (
      message: MessageShape<Desc>,
    ) => Own & Record<Exclude<keyof Own, keyof Columns<Table>>, never>;
  },
): Resource<Desc, Row, Table, Own> => described;
