/** The rows of an organization in the database, read without the API. */
import { createHash } from "node:crypto";
import type { Organization } from "../world/personas.ts";
import { sql } from "../world/platform.ts";

/**
 * The rows of every table that contain the uid of the organization in some column, except rows of another
 * organization that only mention it.
 */
async function rowsOf(
  organization: string,
  other?: Organization,
): Promise<Record<string, unknown[]>> {
  const tables = await sql<{ name: string }>(
    // Tests of events make a table refused_… for some time.
    "select name from sqlite_master where type = 'table' and name not like 'refused\\_%' escape '\\' and name not like '\\_%' escape '\\' and name not like 'sqlite\\_%' escape '\\' and name not like 'd1\\_%' escape '\\'",
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    const columns = await sql<{ name: string }>("select name from pragma_table_info(?)", name);
    const any = (test: (column: string) => string) =>
      columns.map((column) => test(`coalesce("${column.name}", '')`)).join(" or ");
    const isTheirs = any((column) => `instr(${column}, ?1) = 1`);
    const isNamed = any((column) => `instr(${column}, ?1) > 0`);
    const isOthers = any((column) => `instr(${column}, ?2) > 0 or instr(${column}, ?3) > 0`);
    // The event of a person's exchange is in no group, and names the groups in the request.
    const isInNoGroup = name === "events" ? "substr(uid, 1, 1) = '/'" : "false";
    const query = `select * from "${name}" where ${isTheirs} or ((${isNamed}) and not (${isOthers} or ${isInNoGroup}))`;
    found[name] = await sql(query, organization, other?.uid ?? "none", other?.owner.uid ?? "none");
  }
  return found;
}

/** A digest of the organization's rows in each table, in any order. */
export async function tableDigests(
  organization: string,
  other: Organization,
): Promise<Record<string, string>> {
  const all = Object.entries(await rowsOf(organization, other)).map(([table, rows]) => {
    const texts = rows.map((row) => JSON.stringify(row)).sort();
    const digest = createHash("sha256").update(texts.join("\n")).digest("hex");
    return [table, `${rows.length} ${digest}`];
  });
  return Object.fromEntries(all);
}

/** Texts that belong only to this organization: uids, random names and addresses in its rows. */
export async function organizationSecrets(organization: string): Promise<string[]> {
  const rows = Object.values(await rowsOf(organization)).flat() as Record<string, unknown>[];
  const texts = rows.flatMap((row) => Object.values(row)).map(String);
  const found = texts.flatMap(
    (text) => text.match(/[a-z]+-[0-9a-f]{12}\b|\b[0-9a-f]{16}\b/g) ?? [],
  );
  return [...new Set([organization, ...found])];
}
