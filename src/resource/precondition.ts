/** The condition of the caller for an update or a delete (`If-Match`). */
import type { Message } from "@bufbuild/protobuf";
import { etagMismatch } from "../aip/errors.ts";
import { matchesVersion, versionOf } from "../aip/etags.ts";
import { isUnchanged, type Version, type VersionedTable } from "../aip/stale.ts";
import type { Call } from "../auth/call.ts";
import { onlyIf } from "../outbox/commit.ts";

/** The part of a resource that has its version. */
export interface Versioned {
  /** The name of the resource in errors: `iam/Role`. */
  type: string;
  table?: VersionedTable;
  // `never`, because each resource has rows of its own type.
  toMessage?: (row: never, call: Call) => Message;
}

/**
 * Throws ABORTED with the reason ETAG_MISMATCH if the call has `If-Match` and the row has another version. The call
 * then writes only while the row is as it was read. `row` is undefined for a resource that does not exist.
 */
export function requireMatch(call: Call, of: Versioned, uid: string, row: object | undefined) {
  const { ifMatch } = call;
  if (!ifMatch) return;
  if (!row) throw etagMismatch(of.type, uid, undefined);
  const { table, toMessage } = of;
  const version = toMessage && versionOf(toMessage(row as never, call));
  if (!table || version === undefined) throw new Error(`${of.type} has no version for If-Match`);
  if (!matchesVersion(ifMatch, version)) throw etagMismatch(of.type, uid, `"${version}"`);
  call.guards.set("if-match", () => onlyIf(call.db, isUnchanged(table, row as Version)));
}
