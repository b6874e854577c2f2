import { eq } from "drizzle-orm";
import { repos } from "../../../schema/tables/registry/repos.ts";
import type { Readable } from "../../resource/resource.ts";

/** A repo as the parent of what is made in it: only whether it is there. */
export const parentRepo: Readable<{ uid: string }> = {
  type: "registry/Repo",
  select: (db, uid) => db.select({ uid: repos.uid }).from(repos).where(eq(repos.uid, uid)),
};
