import { and, gt, lt } from "drizzle-orm";
import { keys } from "../../../schema/tables/iam/keys.ts";
import type { Database } from "../../auth/call.ts";

/** The statement that deletes the keys of an identity, or of all identities in a group. */
export const deleteKeysBelow = (db: Database, uid: string) =>
  db.delete(keys).where(and(gt(keys.uid, `${uid}/`), lt(keys.uid, `${uid}0`)));
