/** Parameters that an RPC of version 2 does not have are refused, and the error helps to find the right one. */
import { beforeAll, describe, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  repo = (await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "r" })).uid;
});

const call = (path: string, more: Record<string, unknown> = {}) =>
  callRest(path, { token: organization.owner.token, ...more });
const violations = async (path: string, more: Record<string, unknown> = {}) => {
  const { status, body } = await call(path, more);
  expect([status, body.code, body.details[1]["@type"]]).toEqual([
    ...[400, 3, "type.googleapis.com/google.rpc.BadRequest"],
  ]);
  return body.details[1].fieldViolations as { field: string; description: string }[];
};

describe("an unknown parameter", () => {
  test.each([
    ["updated_sinse=2026-01-01T00:00:00Z", "updated_sinse", "did you mean updated_since?"],
    ["updatedSinse=x", "updatedSinse", "did you mean updated_since?"],
    ["pagesize=3", "pagesize", "did you mean page_size?"],
    ["uidp.descendant_of=x", "uidp.descendant_of", "did you mean uidp.descendants_of?"],
    ["descendants_of=x", "descendants_of", "did you mean uidp.descendants_of?"],
    ["deprecated=true", "deprecated", "the parameters are uidp.ancestors_of, "],
    ["name.first=x", "name.first", "the parameters are "],
    ["__proto__=x", "__proto__", "the parameters are "],
  ])("%s is refused, and the error names the nearest one", async (query, field, advice) => {
    const [found] = await violations(`/registry/v2/tags?${query}`);
    expect(found?.field).toBe(field);
    expect(found?.description).toContain(`ListTags has no parameter "${field}"; ${advice}`);
  });

  test("is refused together with valid ones, and the error names up to ten", async () => {
    const found = await violations("/registry/v2/tags?page_size=1&a=1&b=2&a=3");
    expect(found.map(({ field }) => field)).toEqual(["a", "b"]);
    const many = Array.from({ length: 500 }, (_, n) => `zz${n}=1`).join("&");
    expect(await violations(`/registry/v2/tags?${many}`)).toHaveLength(10);
  });

  test("is shortened in the error if it is long", async () => {
    const [found] = await violations(`/registry/v2/tags?${"x".repeat(5000)}=1`);
    expect(found?.field).toHaveLength(64);
    expect(found?.description.length).toBeLessThan(600);
  });

  test("is refused in a Get, an Update and a Delete, and nothing is written", async () => {
    const path = `/registry/v2/repos/${repo}`;
    const [got] = await violations(`${path}?view=FULL`);
    expect(got?.description).toContain("remove it, because the query has no parameters");
    const body = { description: "new" };
    const [updated] = await violations(`${path}?updatemask=description`, { method: "PATCH", body });
    expect(updated?.description).toContain("did you mean update_mask?");
    await violations(`${path}?force=true`, { method: "DELETE" });
    expect((await call(path)).body.description).toBeUndefined();
  });

  test("is ignored in version 1, as the contract says", async () => {
    const { status } = await call(`/registry/v1/repos?updated_sinse=1`);
    expect(status).toBe(200);
  });
});

test("a parameter that the path or the body already contains is refused", async () => {
  const [inPath] = await violations(`/registry/v2/repos/${repo}?uid=${organization.uid}`);
  expect(inPath?.description).toBe("uid is part of the path; remove it from the query");
  const [inBody] = await violations(`/registry/v2/repos/${repo}?repo.description=x`, {
    method: "PATCH",
    body: { description: "y" },
  });
  expect(inBody?.description).toBe(
    "repo.description is part of the body; remove it from the query",
  );
});

test("a parameter without a name is ignored", async () => {
  expect((await call("/registry/v2/tags?&&=&page_size=1")).status).toBe(200);
});
