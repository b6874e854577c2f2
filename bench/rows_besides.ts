/**
 * Rows read by Lists that the bound is not about: with filters, by callers of several grants, and
 * for `skip`. For information: what they cost follows from what they match, not from a page.
 */
import type { Organization } from "./organization.ts";
import type { Report } from "./report.ts";
import type { Stage } from "./stage.ts";
import type { Cell } from "./table.ts";

type Query = Record<string, string>;

/** Answers the table's rows for one size of the registry. */
export async function besides(stage: Stage, organization: Organization): Promise<Cell[][]> {
  const { root, group, repo, owner, member } = organization;
  const { results } = await stage.db
    .prepare("select name, digest from tags where parent = ? and class = 0 order by uid limit 1")
    .bind(repo)
    .all<{ name: string; digest: string }>();
  const [{ name, digest } = { name: "", digest: "" }] = results;
  const tokens = { owner: await stage.tokenFor(owner), member: await stage.tokenFor(member) };
  const cells: Cell[][] = [];
  const ask = async (what: string, who: keyof typeof tokens, path: string, query: Query) => {
    const { body, cost } = await stage.call(tokens[who], `${path}?${new URLSearchParams(query)}`);
    const total = String(body?.totalCount);
    cells.push([what, query.order_by ?? "uid", total, cost.rowsRead, cost.roundTrips]);
  };
  const tags = "/registry/v2/tags";
  const atRoot = { "uidp.descendants_of": root };
  for (const order_by of ["uid", "name", "create_time", "update_time desc"]) {
    await ask("tags, name", "owner", tags, { ...atRoot, order_by, name });
    await ask("tags, digest", "owner", tags, { ...atRoot, order_by, digest });
    const updated_since = "2026-01-20T00:00:00Z";
    await ask("tags, updated_since", "owner", tags, { ...atRoot, order_by, updated_since });
    const path = "/registry/v2/repos";
    await ask("repos, name", "owner", path, { ...atRoot, order_by, name: "image-1" });
  }
  await ask("tags, no scope, three grants", "member", tags, { order_by: "name" });
  await ask("tags, scope above three grants", "member", tags, { ...atRoot, order_by: "name" });
  const atGroup = { "uidp.descendants_of": group, order_by: "name" };
  await ask("tags, scope of one of three grants", "member", tags, atGroup);
  await ask("tags, skip=1000", "owner", tags, { ...atRoot, order_by: "name", skip: "1000" });
  return cells;
}

/** Prints the table of {@link besides}. */
export const printBesides = (cells: Cell[][], size: number, report: Report) =>
  report.table(
    `Rows read by other Lists of 50, ${size} tags (for information)`,
    ["list", "order", "total", "rows read", "round trips"],
    cells,
  );
