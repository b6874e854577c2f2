import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
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
import type { Answered, Resource } from "./resource.ts";
import { type Columns, insertedRow, type Joined } from "./stored_row.ts";

type Statement = BatchItem<"sqlite">;

/** The message of a Create without output-only fields. It is an empty message if the request has none. */
export function newMessage<Desc extends DescMessage>(
  { schema }: { schema: Desc },
  sent: MessageShape<Desc> | undefined,
): MessageShape<Desc> {
  const blank = create(schema);
  return applyMask(schema, blank, sent ?? blank, undefined);
}

/** The part of a new row that the client does not set and that not every resource has. */
type Rest<Table extends VersionedTable, Own, Shown> = Omit<
  Columns<Table> & Joined<Table, Shown>,
  keyof Own | "uid" | "createTime" | "updateTime"
>;

/** Required if the row needs such columns. */
type WithRest<Rest> = object extends Rest ? { columns?: Rest } : { columns: Rest };

interface Creation {
  /** The parent of the new uid, or the uid itself. */
  parent?: string;
  uid?: string;
  /** Statements to run after the row and its event. */
  extraWrites?: Statement[];
  /** The error if a UNIQUE index refuses the row. By default ALREADY_EXISTS, which names the unique part. */
  conflict?: (() => Error) | undefined;
}

/**
 * Writes a new row and its event. The handler has checked the message. Returns the message of the row as it was
 * written. A call that only validates gets no uid. Throws ALREADY_EXISTS, and the errors of {@link commit}.
 */
export async function writeCreate<
  Desc extends DescMessage,
  Row extends Version & Shown,
  Table extends VersionedTable,
  Own,
  Shown,
>(
  call: Call,
  of: Resource<Desc, Row, Table, Own, Shown>,
  caller: Caller,
  input: MessageShape<Desc>,
  {
    parent = "",
    uid = newUid(parent),
    columns,
    extraWrites = [],
    conflict,
  }: Creation & WithRest<Rest<Table, Own, Shown>>,
): Promise<MessageShape<Desc>> {
  const times = { createTime: call.now, updateTime: call.now };
  // `Rest` contains the columns that the table needs in addition to those named here.
  const row = {
    uid,
    ...of.toColumns(input),
    ...columns,
    ...times,
  } as unknown as NewRow<Table, Shown>;
  const { message, statements } = creation(call, of, caller, row);
  await commit(call, [...statements, ...extraWrites], conflict ?? conflictOf(of, message));
  return createdMessage(call, message);
}

/** The response to a Create. If it only validates, the uid is left out, because it is generated (AIP-163). */
export const createdMessage = <M extends object>({ validateOnly }: Call, message: M): M =>
  validateOnly ? Object.assign(message, { uid: "" }) : message;

/** The columns of a new row, and the generated and joined columns that its message shows. */
export type NewRow<Table extends VersionedTable, Shown> = Columns<Table> &
  Joined<Table, Shown> & { uid: string };

/** The message of a new row, and the statements that write the row and the event of its creation. */
export function creation<Desc extends DescMessage, Table extends VersionedTable, Shown>(
  call: Call,
  of: Answered<Desc, Table, Shown>,
  caller: Caller,
  row: NewRow<Table, Shown>,
): { message: MessageShape<Desc>; statements: [Statement, Statement] } {
  // A cast, because TypeScript does not see that stored and joined columns are all that is shown.
  const message = of.toMessage(insertedRow(of.table, row) as unknown as Shown, call);
  const event = insertEvent(call, caller, eventOf(of, row.uid, message));
  return { message, statements: [call.db.insert(of.table).values(row), event] };
}

/** The error if another resource has the unique part of the message. Undefined if no part is unique. */
export function conflictOf<Message>(
  { type, unique }: { type: string; unique?: (message: Message) => string },
  message: Message,
): (() => Error) | undefined {
  return unique && (() => alreadyExists(type, unique(message)));
}
