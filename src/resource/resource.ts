/**
 * Describes a resource for this room. The description is written once, next to the handlers of the resource.
 */
import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { RunnableQuery } from "drizzle-orm/runnable-query";
import type { Version, VersionedTable } from "../aip/stale.ts";
import type { FieldOf } from "../aip/whole_message.ts";
import type { Call, Database, EventDraft, EventImage } from "../auth/call.ts";
import type { Columns } from "./stored_row.ts";

/** How to read the row of a uid. */
export interface Readable<Row> {
  /** The name of the resource in errors: `iam/Role`. */
  type: string;
  /** The statement that reads the row. */
  select: (db: Database, uid: string) => RunnableQuery<Row[], "sqlite">;
}

/** The part of a resource that its events need. */
export interface Evented<Desc extends DescMessage> {
  schema: Desc;
  /** The group that events about the resource of a uid belong to. */
  groupOf: (uid: string) => string;
  /** The body of the event of a create or an update. By default the message. */
  eventBody?: (message: MessageShape<Desc>) => EventDraft["body"];
  /** Further attributes of the events about the resource of a uid. */
  eventExtensions?: (uid: string) => Record<string, string>;
  /** The image that an event about the resource of a uid is about. A deletion has no message. */
  imageOf?: (uid: string, message?: MessageShape<Desc>) => EventImage;
}

/** The part of a resource that turns what was written into an answer and an event. `Shown` is what `toMessage` reads. */
export interface Answered<Desc extends DescMessage, Table extends VersionedTable, Shown>
  extends Evented<Desc> {
  table: Table;
  /** Converts a stored row to a message. */
  toMessage: (row: Shown, call: Call) => MessageShape<Desc>;
}

/**
 * A resource: its message, its rows, and how to convert one into the other. `Row` is what `select` reads, and `Own`
 * contains the columns of `toColumns`.
 */
export interface Resource<
  Desc extends DescMessage,
  Row extends Version & Shown,
  Table extends VersionedTable,
  Own,
  Shown,
> extends Readable<Row>,
    Answered<Desc, Table, Shown> {
  /** The fields that a client can set, as columns. */
  toColumns: (message: MessageShape<Desc>) => Own;
  /** The part that no two resources of a parent share, as ALREADY_EXISTS names it. */
  unique?: (message: MessageShape<Desc>) => string;
}

/** The columns of every resource, which no client sets. */
type Stamps = "uid" | "createTime" | "updateTime";

/** The fields that are not columns of their own name. */
type OtherField<Desc extends DescMessage, Own> = Exclude<
  FieldOf<MessageShape<Desc>>,
  keyof Own | Stamps
>;

/**
 * Where those fields are: in a column of another name, or nowhere that `toColumns` writes, because the server computes
 * them.
 */
type OtherFields<Desc extends DescMessage, Own> = {
  [Field in OtherField<Desc, Own>]: (keyof Own & string) | "computed";
};

/** Required if there are such fields. */
type WithOtherFields<Fields> = object extends Fields
  ? { otherFields?: Record<never, never> }
  : { otherFields: Fields };

/**
 * Describes a resource. The compiler checks its types against each other, and that each field of the message is a
 * column of `toColumns` or one of `otherFields`.
 */
export const resource = <
  Desc extends DescMessage,
  Row extends Version & Shown,
  Table extends VersionedTable,
  Own extends Partial<Columns<Table>>,
  Shown,
>(
  described: Resource<Desc, Row, Table, Own, Shown> & {
    /** Every property must be a column of the table: drizzle ignores others without an error. */
    toColumns: (
      message: MessageShape<Desc>,
    ) => Own & Record<Exclude<keyof Own, keyof Columns<Table>>, never>;
  } & WithOtherFields<OtherFields<NoInfer<Desc>, NoInfer<Own>>>,
): Resource<Desc, Row, Table, Own, Shown> => described;
