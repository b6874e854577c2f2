/** The deletions that the schedules have not finished (schema/tables/platform/deletions.ts). */
import type { FsckCheck } from "./check.ts";
import { newCheck } from "./check.ts";

/** SQL: the condition that a uid is not that of a deleted parent with rows that are left. */
export const isPresent = (parent: string): string => `${parent} NOT IN (SELECT uid FROM deletions)`;

/** SQL: the same for an id in `repo_storage`. */
export const hasPresentId = (id: string): string =>
  `${id} NOT IN (SELECT storage_id FROM deletions WHERE storage_id IS NOT NULL)`;

/** SQL: the repositories with content, and the deleted ones whose content is left. */
export const storages = `(SELECT id, organization_id FROM repo_storage
  UNION ALL SELECT storage_id, organization_id FROM deletions WHERE storage_id IS NOT NULL)`;

const dayMs = 24 * 3600 * 1000;
const late = `FROM deletions WHERE is_removing <> 0 OR time < cast(unixepoch('subsec') * 1000 AS integer) - ${dayMs}`;

/** Only the schedule can finish a deletion, so nothing is repaired. */
export const deletionsCheck: FsckCheck = newCheck(
  {
    name: "deletions",
    promise:
      "A schedule removes what was in a deleted repository, group or identity provider within a day.",
    remedy:
      "changes nothing; look in the log for the errors of the schedules of iam and the registry",
  },
  [
    {
      table: "deletions",
      damaged: `SELECT uid, 'was deleted more than a day ago, and some of its rows are left' AS wrong ${late}`,
      repair: [],
    },
  ],
);
