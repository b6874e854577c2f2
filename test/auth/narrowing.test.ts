/**
 * A token that is narrowed to groups or capabilities can only do what both its identity and its limits allow.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { callRest, tokenFor } from "../world/platform.ts";

let organization: Organization;
let owner: string;
let group: string;
const repos: Record<string, string> = {};
beforeAll(async () => {
  organization = await newOrganization();
  ({ token: owner } = organization.owner);
  const newGroup = async (parent: string) =>
    (await createResource(`/iam/v2/groups/${parent}`, owner, { name: randomName("group") })).uid;
  group = await newGroup(organization.uid);
  const places = {
    root: organization.uid,
    group,
    below: await newGroup(group),
    sibling: await newGroup(organization.uid),
  };
  for (const [place, uid] of Object.entries(places)) {
    repos[place] = (await createResource(`/registry/v2/repos/${uid}`, owner, { name: "repo" })).uid;
  }
});

type Claims = { scopes?: string[]; capabilities?: number[] };
const narrowed = (claims: Claims) => tokenFor(organization.owner.uid, claims);

/** The status of a read of each repository. */
async function reach(token: string) {
  const answers = Object.entries(repos).map(async ([place, uid]) => [
    place,
    (await callRest(`/registry/v2/repos/${uid}`, { token })).status,
  ]);
  return Object.fromEntries(await Promise.all(answers));
}

describe("scopes", () => {
  test("limit the token to the groups that they name", async () => {
    const token = await narrowed({ scopes: [group] });
    expect(await reach(token)).toEqual({ root: 403, group: 200, below: 200, sibling: 403 });
    const { body } = await callRest("/registry/v2/repos", { token });
    const uids = body.repos.map((repo: { uid: string }) => repo.uid);
    expect(uids.sort()).toEqual([repos.group, repos.below].sort());
  });

  test("give no access that the identity does not have", async () => {
    const bot = await newIdentity(organization, "viewer", { bindAt: group });
    const token = await tokenFor(bot.uid, { scopes: [organization.uid] });
    expect(await reach(token)).toEqual({ root: 403, group: 200, below: 200, sibling: 403 });
  });

  test("of another organization give no access, and neither does an empty list", async () => {
    const other = await newOrganization();
    for (const scopes of [[other.uid], []]) {
      const token = await narrowed({ scopes });
      expect(await reach(token)).toEqual({ root: 403, group: 403, below: 403, sibling: 403 });
      expect((await callRest("/registry/v2/repos", { token })).status).toBe(403);
    }
  });

  test("that begin like the uid of a group and are not one give no access", async () => {
    const token = await narrowed({ scopes: [group.slice(0, -1), `${organization.uid}/`] });
    expect(await reach(token)).toEqual({ root: 403, group: 403, below: 403, sibling: 403 });
  });
});

describe("capabilities", () => {
  test("limit the possible actions", async () => {
    const token = await narrowed({ capabilities: [Capability.CAP_REPO_LIST] });
    const path = `/registry/v2/repos/${repos.root}`;
    expect((await callRest(path, { token })).status).toBe(200);
    const body = { description: "d" };
    expect((await callRest(path, { method: "PATCH", token, body })).status).toBe(403);
    expect((await callRest(path, { method: "DELETE", token })).status).toBe(403);
    expect((await callRest("/iam/v2/groups", { token })).status).toBe(403);
  });

  test("add nothing to the identity's own capabilities", async () => {
    const bot = await newIdentity(organization, "advisories.viewer");
    const token = await tokenFor(bot.uid, { capabilities: [Capability.CAP_REPO_LIST] });
    expect((await callRest(`/registry/v2/repos/${repos.root}`, { token })).status).toBe(403);
  });

  test("allow no action if the list is empty", async () => {
    const token = await narrowed({ capabilities: [] });
    expect((await callRest(`/registry/v2/repos/${repos.root}`, { token })).status).toBe(403);
  });

  test("limit the capabilities that can be granted to others", async () => {
    const bot = await newIdentity(organization, undefined);
    const bind = async (token: string) =>
      (
        await callRest(`/iam/v2/roleBindings/${organization.uid}`, {
          token,
          body: { identityUid: bot.uid, roleUid: await roleUid("viewer") },
        })
      ).status;
    const capabilities = [Capability.CAP_IAM_ROLE_BINDINGS_CREATE];
    expect(await bind(await narrowed({ capabilities }))).toBe(403);
    expect(await bind(owner)).toBe(200);
  });

  test("without groups.create remove a user's right to create an organization", async () => {
    const create = async (capabilities: number[]) => {
      const token = await narrowed({ capabilities });
      return (await callRest("/iam/v2/groups", { token, body: { name: "more" } })).status;
    };
    expect(await create([Capability.CAP_REPO_LIST])).toBe(403);
    expect(await create([Capability.CAP_IAM_GROUPS_CREATE])).toBe(200);
  });
});

test("scopes and capabilities limit a token together", async () => {
  const token = await narrowed({ scopes: [group], capabilities: [Capability.CAP_REPO_LIST] });
  expect(await reach(token)).toEqual({ root: 403, group: 200, below: 200, sibling: 403 });
  const body = { description: "d" };
  const changed = await callRest(`/registry/v2/repos/${repos.group}`, {
    method: "PATCH",
    token,
    body,
  });
  expect(changed.status).toBe(403);
});
