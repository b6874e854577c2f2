/** The rows that a push has written. */
import { sql } from "../world/platform.ts";
import type { Target } from "./client.ts";

/** The uid of the repository, or an empty text. Its group is named by its uid. */
export const repoOf = async ({ name }: Target) => {
  const [group, repo] = name.split("/");
  const rows = await sql<{ uid: string }>(
    "select uid from repos where parent = ? and name = ?",
    group,
    repo,
  );
  return rows[0]?.uid ?? "";
};

/** The events of the repository, except those of pulls. */
export const eventsOf = async (target: Target) =>
  sql<{ type: string; tag: string; digest: string; previous: string; data: string }>(
    `select type, tag, digest, previous_digest as previous, data from events
     where repo_uid = ? and type not like '%pull%' order by seq`,
    await repoOf(target),
  );
