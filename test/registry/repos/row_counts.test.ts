/** The rows that a call reads depend on its resource, and not on the number of other rows. */
import { beforeAll, expect, test } from "vitest";
import { readHistory, registryToken } from "../../distribution/stored_images.ts";
import { plantedDigest } from "../../paging/tree.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { type Answer, callRest, costOf, sql } from "../../world/platform.ts";

/** The repositories in the organization, and the groups in it. */
const many = 400;
let organization: Organization;

beforeAll(async () => {
  organization = await newOrganization();
  for (const [table, step] of Object.entries({ repos: "00", groups: "01" })) {
    await sql(
      `insert into ${table} (uid, name, create_time, update_time)
       with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${many})
       select ? || '/' || printf('${step}%014x', i), '${table}-' || i, i, i from numbers`,
      organization.uid,
    );
  }
  // Most repositories have a history.
  await sql(
    `insert into tag_moves (repo_uid, tag, update_time, digest)
     select uid, '1', 1, 'sha256:' || name from repos where uid > ? || '/0000000000000064' and uid < ? || '0'`,
    organization.uid,
    organization.uid,
  );
});

const read = (answer: Answer) => {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return costOf(answer).rowsRead;
};

test.each(["uid", "uid desc"])(
  "the last page by %s reads no more rows than one page",
  async (order) => {
    const { uid, owner } = organization;
    const path = `/registry/v2/repos?uidp.descendants_of=${uid}&page_size=50&order_by=${order}`;
    const late = await callRest(`${path}&skip=300`, { token: owner.token });
    const last = await callRest(`${path}&page_token=${late.body.nextPageToken}`, {
      token: owner.token,
    });
    expect(last.body.repos).toHaveLength(50);
    expect(read(last)).toBeLessThanOrEqual(70);
  },
);

test("an import of the moves of a tag reads no other repository", async () => {
  const { uid, owner } = organization;
  const moves = [
    { repo: "repos-7", tag: "1", updateTime: "2026-01-01T00:00:00Z", digest: plantedDigest(1) },
  ];
  const path = `/registry/v2/tagMoves/${uid}:import`;
  expect(read(await callRest(path, { token: owner.token, body: { moves } }))).toBeLessThanOrEqual(
    70,
  );
  expect(read(await callRest(path, { token: owner.token, body: { moves } }))).toBeLessThanOrEqual(
    70,
  );
});

test("a history reads no other group and no other repository", async () => {
  const { uid, owner } = organization;
  const tag = { name: "2", digest: plantedDigest(2) };
  const repo = `${uid}/${"7".padStart(16, "0")}`;
  expect(
    (await callRest(`/registry/v2/tags/${repo}`, { token: owner.token, body: tag })).status,
  ).toBe(200);
  const answer = await readHistory(`${uid}/repos-7`, "2", await registryToken(owner.uid));
  expect(read(answer)).toBeLessThanOrEqual(70);
});
