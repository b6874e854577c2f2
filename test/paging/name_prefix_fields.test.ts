/** `name_prefix` together with the other fields of a List. */
import { beforeAll, expect, test } from "vitest";
import { createResource, newIdentity, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import {
  everyTag,
  expectedUids,
  type Named,
  newPlaces,
  type Places,
  plantNames,
  searchable,
} from "./named_rows.ts";
import { walkPages } from "./tree.ts";

let places: Places;

beforeAll(async () => {
  places = await newPlaces();
  const names = ["RC1", "rc2", "Rc3", "rc4", "rb", "rd", "rc-20260102", "rc4-r7"];
  await plantNames("tags", places.repo, names);
  await plantNames("identities", places.uid, ["ci-1", "ci-2", "ci-3", "cj"]);
});

async function namesOf(path: string, plural: string, query: Record<string, string>) {
  const asked = new URLSearchParams(query);
  const { status, body } = await callRest(`${path}?${asked}`, { token: places.token });
  expect(status, JSON.stringify(body)).toBe(200);
  return ((body[plural] ?? []) as Named[]).map(({ name }) => name);
}

/** The names of tags in the repository. */
const tagsWith = (query: Record<string, string>) =>
  namesOf("/registry/v2/tags", "tags", { "uidp.children_of": places.repo, ...query });

const identitiesWith = (query: Record<string, string>) =>
  namesOf("/iam/v2/identities", "identities", { "uidp.descendants_of": places.uid, ...query });

test("tags match every other filter too: classes, name, digest and updated_since", async () => {
  expect(await tagsWith({ name_prefix: "rc" })).toEqual(["RC1", "rc2", "Rc3", "rc4"]);
  expect(await tagsWith({ name_prefix: "rc", ...everyTag })).toEqual([
    ...["rc-20260102", "RC1", "rc2", "Rc3", "rc4", "rc4-r7"],
  ]);
  expect(await tagsWith({ name_prefix: "RC", name: "rc2" })).toEqual(["rc2"]);
  expect(await tagsWith({ name_prefix: "RC", name: "rb" })).toEqual([]);
  const digest = `sha256:${"7".repeat(64)}`;
  const some = "parent = ? and name in ('RC1', 'Rc3', 'rd')";
  await sql(`update tags set digest = ?, update_time = 5000 where ${some}`, digest, places.repo);
  const descending = { name_prefix: "rc", order_by: "name desc" };
  expect(await tagsWith({ ...descending, digest })).toEqual(["Rc3", "RC1"]);
  const since = { updated_since: "1970-01-01T00:00:04Z" };
  expect(await tagsWith({ ...descending, ...since })).toEqual(["Rc3", "RC1"]);
  const paged = { ...descending, digest, "uidp.children_of": places.repo, page_size: "1" };
  const { uids } = await walkPages("/registry/v2/tags", "tags", paged, places.token);
  expect(uids.length).toBe(2);
});

test("identities match every other filter too, and are sorted by name with all of them", async () => {
  const since = "2026-01-01T00:00:00Z";
  const ci = { name_prefix: "CI" };
  expect(await identitiesWith({ ...ci, unused_since: since })).toEqual(["ci-1", "ci-2", "ci-3"]);
  expect(await identitiesWith({ ...ci, expires_before: since })).toEqual([]);
  const expire = "update identities set key_expire_time = 1000 where name = 'ci-2' and parent = ?";
  await sql(expire, places.uid);
  expect(await identitiesWith({ ...ci, expires_before: since })).toEqual(["ci-2"]);
  const kind = { relationship_type: "RELATIONSHIP_TYPE_STATIC" };
  expect(await identitiesWith({ ...ci, ...kind })).toEqual([]);
});

test("only tags can have capitals in their names, in both versions, so the other lists need no second index", async () => {
  const { uid, token, repo } = places;
  const refused = async (path: string, body: unknown) => {
    const answer = await callRest(path, { token, body });
    expect(answer.status).toBe(400);
    expect(answer.body.details[1].fieldViolations[0].field).toBe("name");
  };
  const name = "Capital";
  const capabilities = ["CAP_IAM_GROUPS_LIST"];
  const claimMatch = { issuer: "https://issuer.example", subject: "s" };
  await refused(`/registry/v2/repos/${uid}`, { name });
  await refused(`/iam/v2/groups/${uid}`, { name });
  await refused(`/iam/v2/roles/${uid}`, { name, capabilities });
  await refused(`/iam/v2/identities/${uid}`, { name, claimMatch });
  await refused(`/registry/v1/repos/${uid}`, { name });
  await refused(`/iam/v1/groups/${uid}`, { name });
  await refused(`/iam/v1/roles/${uid}`, { name, capabilities: ["groups.list"] });
  await refused(`/iam/v1/identities/${uid}`, { name, claimMatch });
  await createResource(`/registry/v2/tags/${repo}`, token, {
    ...{ name, digest: `sha256:${"1".repeat(64)}` },
  });
});

test("skip leaves out rows, from the start or from a page token", async () => {
  const query = { name_prefix: "rc", page_size: "2", "uidp.children_of": places.repo };
  expect(await tagsWith({ ...query, skip: "1" })).toEqual(["rc2", "Rc3"]);
  const { token } = places;
  const first = await callRest(`/registry/v2/tags?${new URLSearchParams(query)}`, { token });
  const page_token = first.body.nextPageToken;
  expect(await tagsWith({ ...query, page_token, skip: "1" })).toEqual(["rc4"]);
});

test("a caller with several grants gets the rows of all of them in one order", async () => {
  const { uid, token, team, inner } = places;
  const other = (await createResource(`/iam/v2/groups/${uid}`, token, { name: "other" })).uid;
  const repo = (await createResource(`/registry/v2/repos/${other}`, token, { name: "image" })).uid;
  const rows = [
    ...(await plantNames("tags", inner, ["RC2", "rC3", "rc1", "rb"])),
    ...(await plantNames("tags", repo, ["Rc2", "rc3", "RC1"])),
  ];
  const organization = { uid, name: "", owner: { uid: "", token } };
  const viewer = await newIdentity(organization, "viewer", { bindAt: team });
  const binding = { identityUid: viewer.uid, roleUid: await roleUid("viewer") };
  await createResource(`/iam/v2/roleBindings/${other}`, token, binding);
  for (const order_by of ["name", "name desc"]) {
    const query = { name_prefix: "rc", page_size: "2", order_by };
    const { uids } = await walkPages("/registry/v2/tags", "tags", query, viewer.token);
    expect(uids).toEqual(expectedUids(rows, "rc", order_by === "name desc"));
  }
});

test.each(["uid", "update_time desc", "create_time"])(
  "order_by %s is refused in every list, and the error says why",
  async (order_by) => {
    const [field] = order_by.split(" ");
    const description = `order_by must begin with one of name; you sent "${field}"; with name_prefix, rows are sorted by name`;
    for (const { path } of searchable) {
      const query = { name_prefix: "r", order_by, "uidp.descendants_of": places.uid };
      const asked = new URLSearchParams(query);
      const { status, body } = await callRest(`${path}?${asked}`, { token: places.token });
      expect(status).toBe(400);
      expect(body.details[1].fieldViolations).toEqual([{ field: "order_by", description }]);
    }
  },
);

test("a page token of one text is refused for another, and for none", async () => {
  const { token, repo } = places;
  const list = (query: Record<string, string>) => {
    const asked = new URLSearchParams({ "uidp.children_of": repo, page_size: "1", ...query });
    return callRest(`/registry/v2/tags?${asked}`, { token });
  };
  const { nextPageToken } = (await list({ name_prefix: "rc" })).body;
  const next = await list({ name_prefix: "rc", page_token: nextPageToken });
  expect(next.body.tags.map(({ name }: Named) => name)).toEqual(["rc2"]);
  for (const text of ["r", "rc1", "RC", ""]) {
    const query = { name_prefix: text, order_by: "name", page_token: nextPageToken };
    const { status, body } = await list(query);
    expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "page_token"]);
  }
});
