import { beforeAll, describe, expect, test } from "vitest";
import { maxExamined } from "../../src/paging/examined_rows.ts";
import { mergeRows } from "../../src/paging/merge.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

/** More advisories than a page looks at. The text is in the names of the last ones and of some in a small group. */
const rows = maxExamined + 500;
const last = 30;
const inSmall = 40;

let organization: Organization;
let small: string;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  small = (await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "small" })).uid;
  const insert = (parent: string, count: number, name: string) =>
    sql(
      `insert into advisories (uid, create_time, update_time, advisory_id, author, artifact_name, artifact_type,
         artifact_architecture, component_name, component_location, component_type, origin, aliases, severities)
       with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ?2)
       select ?1 || '/' || printf('f00e%012x', n), n, n, 'ADV-' || n, '', ${name}, '', '', '', '', '', '', '[]', '[]'
       from numbers`,
      parent,
      count,
    );
  await insert(uid, rows, `iif(n > ${rows - last}, 'needle-', 'hay-') || n`);
  await insert(small, inSmall, `iif(n % 4 = 0, 'Needle-', 'straw-') || n`);
});

const path = "/vulnerabilities/v2/advisories";

async function pagesOf(query: Record<string, string>) {
  const pages: { names: string[]; total: string | undefined }[] = [];
  let pageToken = "";
  do {
    const search = new URLSearchParams({ query: "needle", page_size: "20", ...query });
    if (pageToken !== "") search.set("page_token", pageToken);
    const { status, body } = await callRest(`${path}?${search}`, {
      token: organization.owner.token,
    });
    expect(status).toBe(200);
    const advisories = (body.advisories ?? []) as { artifactName: string }[];
    pages.push({
      names: advisories.map(({ artifactName }) => artifactName),
      total: body.totalCount,
    });
    pageToken = body.nextPageToken ?? "";
  } while (pageToken !== "" && pages.length < 20);
  return pages;
}

test("a merged page ends where the first of its statements ended", () => {
  const sorting = { orders: { uid: "uid" as const }, defaultOrder: "uid" };
  const rowsOf = (...uids: string[]) => uids.map((uid) => ({ uid }));
  const query = {
    ...{ order: { field: "uid", descending: false }, filters: [], classes: [] },
    ...{ index: "order_index" as const, pageSize: 3, skip: 0, cursor: undefined, isCounted: false },
  };
  const merged = mergeRows(sorting, query, {
    rows: [rowsOf("a", "h"), rowsOf("b"), rowsOf("c", "g")],
    ends: [{ uid: "m" }, { uid: "f" }, undefined],
  });
  expect(merged).toEqual({ rows: rowsOf("a", "b", "c"), more: false, end: { uid: "f" } });
});

describe("a filter that no index has", () => {
  test.each(["create_time", "create_time desc", "uid", "advisory_id desc"])(
    "finds every row once, in pages that can be short, by %s",
    async (order_by) => {
      const found = await pagesOf({ "uidp.descendants_of": organization.uid, order_by });
      const names = found.flatMap((page) => page.names);
      const wanted = await sql<{ name: string }>(
        `select artifact_name as name from advisories where ancestor0 = ?1 and instr(lower(artifact_name), 'needle') > 0
         order by ${order_by}, substr(uid, -16) ${order_by.endsWith("desc") ? "desc" : ""}`,
        organization.uid,
      );
      expect(names).toEqual(wanted.map(({ name }) => name));
      expect(names.length).toBe(last + inSmall / 4);
      expect(Math.max(...found.map((page) => page.names.length))).toBe(20);
      // The scope is too large to count its matches.
      expect(found.map(({ total }) => total)).toEqual(found.map(() => undefined));
    },
  );

  test("looks at a limited number of rows, and can find none on a page that is not the last", async () => {
    const [first, second] = await pagesOf({
      "uidp.children_of": organization.uid,
      order_by: "create_time",
    });
    expect(first?.names).toEqual([]);
    expect(second?.names.length).toBe(20);
  });

  test("counts the matches in a scope with few rows", async () => {
    const found = await pagesOf({ "uidp.children_of": small });
    expect(found.map(({ total }) => total)).toEqual(found.map(() => String(inSmall / 4)));
    expect(found.flatMap(({ names }) => names).length).toBe(inSmall / 4);
  });

  test("cannot skip rows that the page has not looked at", async () => {
    const ask = (query: string) =>
      callRest(`${path}?query=needle&uidp.children_of=${query}`, {
        token: organization.owner.token,
      });
    const far = await ask(`${organization.uid}&order_by=create_time&skip=1`);
    expect([far.status, far.body.details[1].fieldViolations[0].field]).toEqual([400, "skip"]);
    const near = await ask(`${small}&order_by=create_time&skip=8`);
    expect(near.body.advisories.length).toBe(2);
    const behind = await ask(`${small}&order_by=create_time&skip=50`);
    expect([behind.status, behind.body.advisories]).toEqual([200, undefined]);
  });
});
