import { eq } from "drizzle-orm";
import { repos } from "../../../schema/tables/registry/repos.ts";
import type { Readable } from "../../resource/resource.ts";

/** A repository as the parent of a new resource. Only its existence is read. */
export const parentRepo: Readable<{ uid: string }> = {
  type: "registry/Repo",
  select: (db, uid) => db.select({ uid: repos.uid }).from(repos).where(eq(repos.uid, uid)),
};
