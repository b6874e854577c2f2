import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { is, SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { applyMask, isUnchangedMessage } from "../aip/field_mask.ts";
import { updateAsRead, type Version, type VersionedTable } from "../aip/stale.ts";
import { validate } from "../aip/validation.ts";
import type { Call } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { commitIfChanged, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { conflictOf } from "./create.ts";
import { eventOf } from "./event.ts";
import type { Resource } from "./resource.ts";
import { type Columns, type Joined, onlyColumns, updatedRow } from "./stored_row.ts";

/** A property that only {@link maskedUpdate} sets. */
const validated = Symbol("validated");

/** An update between its two steps, {@link maskedUpdate} and {@link writeUpdate}. */
export interface Update<Message, Row extends Version> {
  readonly [validated]: true;
  readonly row: Row;
  /** The message of the stored row. */
  readonly before: Message;
  /** The message after the mask, which meets the rules of its proto. A handler can set further fields. */
  readonly after: Message;
  /** The time of the write, which is later than the update time of the row. */
  readonly updateTime: number;
}

/**
 * Applies a mask to the message of a row, and checks the result against the rules of the proto. Throws
 * INVALID_ARGUMENT. The handler's own rules come between this and {@link writeUpdate}.
 */
export function maskedUpdate<Desc extends DescMessage, Row extends Version>(
  call: Call,
  of: { schema: Desc; toMessage: (row: Row, call: Call) => MessageShape<Desc> },
  row: Row,
  sent: MessageShape<Desc>,
  mask: { paths: string[] } | undefined,
): Update<MessageShape<Desc>, Row> {
  const before = of.toMessage(row, call);
  const after = applyMask(of.schema, before, sent, mask);
  validate(of.schema, after);
  const updateTime = nextTime(call, row.updateTime);
  return { [validated]: true, row, before, after, updateTime };
}

interface Writing<Table extends VersionedTable, Shown> {
  /** Columns to write in addition to those of the message, and generated and joined columns that change with them. */
  columns?: Partial<Columns<Table> & Joined<Table, Shown>>;
  /**
   * True if the change includes more than the message shows. The update is then written even if the message
   * stays the same.
   */
  hasChanged?: boolean;
  /** Statements to run after the row and its event. */
  extraWrites?: BatchItem<"sqlite">[];
}

/**
 * Those of the columns whose values differ from the row that was read. SQLite writes every index of a column that an
 * update sets, also if its value stays the same.
 */
export function changedColumns<Some>(row: object, columns: Some): Partial<Some> {
  const before = new Map<string, unknown>(Object.entries(row));
  const all = Object.entries(columns as object) as [string, unknown][];
  const changed = all.filter(
    ([name, value]) =>
      !before.has(name) ||
      is(value, SQL) ||
      JSON.stringify(before.get(name)) !== JSON.stringify(value),
  );
  // A cast, because some of the columns have the types of all.
  return Object.fromEntries(changed) as Partial<Some>;
}

/**
 * Writes an update and its event if the row still has the update time that was read. Returns the message of the row as
 * it was written. If nothing has changed, nothing is written: the update time stays the same, and there is no event.
 * Throws Stale if the row has changed since it was read. Throws ALREADY_EXISTS, and the errors of `commit`.
 */
export async function writeUpdate<
  Desc extends DescMessage,
  Row extends Version & Shown,
  Table extends VersionedTable,
  Own,
  Shown,
>(
  call: Call,
  of: Resource<Desc, Row, Table, Own, Shown>,
  caller: Caller,
  { row, before, after, updateTime }: Update<MessageShape<Desc>, Row>,
  { columns, hasChanged = false, extraWrites = [] }: Writing<Table, Shown> = {},
): Promise<MessageShape<Desc>> {
  if (!hasChanged && isUnchangedMessage(of.schema, before, after)) return before;
  const written = { ...of.toColumns(after), ...columns, updateTime };
  const changes = changedColumns(row, onlyColumns(of.table, written));
  const message = of.toMessage(updatedRow(of.table, row, written), call);
  await commitIfChanged(
    call,
    [
      // TypeScript does not know that the table has an update time.
      updateAsRead(call.db, of.table, row, changes as SQLiteUpdateSetSource<Table>),
      insertEvent(call, caller, eventOf(of, row.uid, message)),
      ...extraWrites,
    ],
    conflictOf(of, message),
  );
  return message;
}
