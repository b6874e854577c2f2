import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { BatchItem } from "drizzle-orm/batch";
import { alreadyExists } from "../aip/errors.ts";
import { applyMask } from "../aip/field_mask.ts";
import type { Version, VersionedTable } from "../aip/stale.ts";
import { newUid } from "../aip/uid_path.ts";
import type { Call } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { commit } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { eventOf } from "./event.ts";
import type { Columns, Resource } from "./resource.ts";

type Statement = BatchItem<"sqlite">;

/** The message of a Create without output-only fields. It is an empty message if the request has none. */
export function newMessage<Desc extends DescMessage>(
  { schema }: { schema: Desc },
  given: MessageShape<Desc> | undefined,
): MessageShape<Desc> {
  const blank = create(schema);
  return applyMask(schema, blank, given ?? blank, undefined);
}

/** Columns of a new row that the client does not set and that not every resource has. */
type Rest<Table extends VersionedTable, Own> = Omit<
  Columns<Table>,
  keyof Own | "uid" | "createTime" | "updateTime"
>;

/** Required if the row needs such columns. */
type WithRest<Rest> = object extends Rest ? { columns?: Rest } : { columns: Rest };

interface Creation {
  /** The parent of the new uid, or the uid itself. */
  parent?: string;
  uid?: string;
  /** Statements to run after the row and its event. */
  also?: Statement[];
  /** The error if a UNIQUE index refuses the row. By default ALREADY_EXISTS, which names the unique part. */
  conflict?: (() => Error) | undefined;
}

/**
 * Writes a new row and its event. The handler has checked the message. It gets its uid and its times, and is
 * returned. A call that only validates gets no uid. Throws ALREADY_EXISTS, and the errors of {@link commit}.
 */
export async function writeCreate<
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own,
>(
  call: Call,
  of: Resource<Desc, Row, Table, Own>,
  caller: Caller,
  message: MessageShape<Desc>,
  {
    parent = "",
    uid = newUid(parent),
    columns,
    also = [],
    conflict,
  }: Creation & WithRest<Rest<Table, Own>>,
): Promise<MessageShape<Desc>> {
  const now = timestampFromMs(call.now);
  Object.assign(message, { uid, createTime: now, updateTime: now });
  const times = { createTime: call.now, updateTime: call.now };
  // `Rest` contains the columns that the table needs in addition to those named here.
  const row = {
    uid,
    ...of.toColumns(message),
    ...columns,
    ...times,
  } as unknown as Columns<Table> & { uid: string };
  await commit(
    call,
    [...creation(call, of, caller, row, message), ...also],
    conflict ?? conflictOf(of, message),
  );
  return call.validateOnly ? withoutUid(message) : message;
}

/** The response to a Create that only validates: the uid is generated, so it is left out (AIP-163). */
export const withoutUid = <M extends object>(message: M): M => Object.assign(message, { uid: "" });

/** The statements that write a row and the event of its creation, if all columns are known. */
export const creation = <
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own,
>(
  call: Call,
  of: Resource<Desc, Row, Table, Own>,
  caller: Caller,
  row: Columns<Table> & { uid: string },
  message: MessageShape<Desc>,
): [Statement, Statement] => [
  call.db.insert(of.table).values(row),
  insertEvent(call, caller, eventOf(of, row.uid, message)),
];

/** The error if another resource has the unique part of the message. Undefined if no part is unique. */
export function conflictOf<Message>(
  { type, unique }: { type: string; unique?: (message: Message) => string },
  message: Message,
): (() => Error) | undefined {
  return unique && (() => alreadyExists(type, unique(message)));
}
