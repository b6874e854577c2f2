import type { Message } from "@bufbuild/protobuf";
import { and, type SQL } from "drizzle-orm";
import { hasUid } from "../../schema/tables/list_indexes.ts";
import type { VersionedTable } from "../aip/stale.ts";
import type { Call, EventImage } from "../auth/call.ts";
import type { Caller } from "../auth/grants.ts";
import { commit, onlyIfChanged, type Statement } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { eventAbout } from "./event.ts";

interface Deletion {
  /** A condition that the row must still meet. */
  condition?: SQL;
  /** The image in the event. By default the one of the resource. */
  image?: EventImage;
  /** Whether the event has a body. */
  hasBody?: boolean;
  /** Statements to run first. They run even if the row no longer exists, and are then undone. */
  before?: Statement[];
  /** Statements to run after the row and its event. */
  extraWrites?: Statement[];
}

/**
 * Deletes the row of a uid and writes the event, whose body is the request. Throws Stale if the row no longer
 * exists, and the errors of `commit`.
 */
export async function writeDelete(
  call: Call,
  of: { table: VersionedTable } & Parameters<typeof eventAbout>[0],
  caller: Caller,
  request: Message & { uid: string },
  { condition, image, hasBody = true, before = [], extraWrites = [] }: Deletion = {},
): Promise<Record<never, never>> {
  const { uid } = request;
  const deletion = [
    call.db.delete(of.table).where(and(hasUid(of.table, uid), condition)),
    onlyIfChanged(call.db),
    insertEvent(call, caller, {
      ...eventAbout(of, uid),
      ...(image ? { image } : {}),
      ...(hasBody ? { body: { desc: call.method.input, message: request } } : {}),
    }),
    ...extraWrites,
  ];
  await commit(call, [...before, ...deletion] as [Statement, ...Statement[]]);
  return {};
}
