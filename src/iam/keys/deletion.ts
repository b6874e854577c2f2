import { keys } from "../../../schema/tables/iam/keys.ts";
import type { Database } from "../../auth/call.ts";
import { isBelow } from "../../paging/scope.ts";

/** The statement that deletes the keys of an identity, or of all identities in a group. */
export const deleteKeysBelow = (db: Database, uid: string) =>
  db.delete(keys).where(isBelow(keys.uid, uid));
