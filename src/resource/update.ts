import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
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

/** Stands in what {@link maskedUpdate} makes, and in nothing else. */
const validated = Symbol("validated");

/** An update between its two steps, {@link maskedUpdate} and {@link writeUpdate}. */
export interface Update<Message, Row extends Version> {
  readonly [validated]: true;
  readonly row: Row;
  /** The message as the row has it. */
  readonly before: Message;
  /** The message with the masked fields, which has passed the rules of its proto. A handler may settle more of it. */
  readonly after: Message;
  /** When it is written: later than the row's update time. */
  readonly updateTime: number;
}

/**
 * Applies a mask to what a row shows, and checks the outcome against the rules of the proto. Throws
 * INVALID_ARGUMENT. The handler's own rules stand between this and {@link writeUpdate}.
 */
export function maskedUpdate<Desc extends DescMessage, Row extends Version>(
  call: Call,
  of: { schema: Desc; toMessage: (row: Row, call: Call) => MessageShape<Desc> },
  row: Row,
  given: MessageShape<Desc>,
  mask: { paths: string[] } | undefined,
): Update<MessageShape<Desc>, Row> {
  const before = of.toMessage(row, call);
  const after = applyMask(of.schema, before, given, mask);
  validate(of.schema, after);
  const updateTime = nextTime(call, row.updateTime);
  return { [validated]: true, row, before, after, updateTime };
}

interface Writing<Message, Table extends VersionedTable> {
  /** Columns to write besides those of the message. */
  columns?: SQLiteUpdateSetSource<Table>;
  /** What is answered and stands in the event, where it is more than the message that the mask was applied to. */
  message?: Message;
  /** More changes than the message shows: it is written though that is the same. */
  hasChanged?: boolean;
  /** Statements behind the row and its event. */
  also?: BatchItem<"sqlite">[];
}

/**
 * Writes an update and its event, guarded by the update time that the row was read with, and returns the message. If
 * nothing has changed, nothing is written: the update time stays, and there is no event. Throws Stale where the row
 * is not as it was read, ALREADY_EXISTS, and what `commit` throws.
 */
export async function writeUpdate<
  Desc extends DescMessage,
  Row extends Version,
  Table extends VersionedTable,
  Own,
>(
  call: Call,
  of: Resource<Desc, Row, Table, Own>,
  caller: Caller,
  { row, before, after, updateTime }: Update<MessageShape<Desc>, Row>,
  {
    columns,
    message = after,
    hasChanged = false,
    also = [],
  }: Writing<MessageShape<Desc>, Table> = {},
): Promise<MessageShape<Desc>> {
  if (!hasChanged && isUnchangedMessage(of.schema, before, after)) return before;
  Object.assign(message, { updateTime: timestampFromMs(updateTime) });
  const changes = { ...of.toColumns(after), ...columns, updateTime };
  await commitIfChanged(
    call,
    [
      // TypeScript knows neither that `Own` are columns of the table nor that it has an update time.
      updateAsRead(call.db, of.table, row, changes as SQLiteUpdateSetSource<Table>),
      insertEvent(call, caller, eventOf(of, row.uid, message)),
      ...also,
    ],
    conflictOf(of, after),
  );
  return message;
}
