/** Copies people. They belong to no organization, and each database that names them has their row. */
import { columnsOf } from "./paths.ts";
import type { Route } from "./route.ts";
import { decoded, encodedRow, jsonOf, quoted, rangeOf, run } from "./sql.ts";

/** The uids of people whom rows of the organization name. */
const people = `SELECT identity_uid AS uid FROM role_bindings WHERE uid >= ? AND uid < ?
  UNION SELECT identity_uid FROM sign_ins WHERE identity_provider_uid >= ? AND identity_provider_uid < ?
  UNION SELECT identity_uid FROM scim_users WHERE uid >= ? AND uid < ?`;

/** Copies the people who have come into the organization. Each database that names them has their row. */
export async function copyPeople({ source, target, root }: Route): Promise<void> {
  const columns = await columnsOf(source, "identities");
  const params = [...rangeOf(root), ...rangeOf(root), ...rangeOf(root)];
  for (let after = ""; ; ) {
    const rows = await run(
      source,
      `SELECT uid, ${encodedRow(columns.map(quoted))} AS row FROM identities
        WHERE uid IN (${people}) AND length(uid) = 40 AND uid > ? ORDER BY uid LIMIT 200`,
      ...params,
      after,
    );
    if (rows.length === 0) return;
    await run(
      target,
      `INSERT INTO identities (${columns.map(quoted).join(", ")}) SELECT ${columns.map((_, n) => decoded(n + 1)).join(", ")}
        FROM json_each(?) WHERE true ON CONFLICT (uid) DO UPDATE SET email = excluded.email,
          email_unverified = excluded.email_unverified, update_time = excluded.update_time
        WHERE excluded.update_time > identities.update_time`,
      jsonOf(rows.map(({ row }) => String(row))),
    );
    after = String(rows.at(-1)?.uid);
  }
}
