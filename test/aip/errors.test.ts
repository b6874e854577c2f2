import { beforeAll, describe, expect, test } from "vitest";
import { plantedDigest } from "../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest, requestInfo } from "../world/platform.ts";

const info = (reason: string, domain: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: `${domain}.platform.example`,
});
let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

const absent = (uid: string) => `${uid}/0123456789abcdef`;

describe("an absent resource is NOT_FOUND with its type and name", () => {
  test.each([
    ["/iam/v2/groups", "iam", "Group"],
    ["/iam/v2/identities", "iam", "Identity"],
    ["/iam/v2/roles", "iam", "Role"],
    ["/iam/v2/roleBindings", "iam", "RoleBinding"],
    ["/registry/v2/repos", "registry", "Repo"],
    ["/registry/v2/tags", "registry", "Tag"],
  ])("%s returns NOT_FOUND with the type and the name", async (path, domain, resource) => {
    const { uid, owner } = organization;
    const gone = absent(uid);
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const noUpdate = resource === "Tag" && method === "PATCH";
      const idempotent = resource === "RoleBinding" && method === "DELETE";
      if (noUpdate || idempotent) continue;
      const body = method === "PATCH" ? {} : undefined;
      const answer = await callRest(`${path}/${gone}`, { method, token: owner.token, body });
      expect([method, answer.status]).toEqual([method, 404]);
      expect(answer.body).toEqual({
        code: 5,
        message: `Not found: ${resource} ${gone}`,
        details: [
          info("NOT_FOUND", domain),
          {
            "@type": "type.googleapis.com/google.rpc.ResourceInfo",
            resourceType: `${domain}.platform.example/${resource}`,
            resourceName: gone,
            description: `${resource} does not exist`,
          },
          requestInfo,
        ],
      });
    }
  });

  test("a parent that does not exist is named with the parent's type", async () => {
    const { uid, owner } = organization;
    const body = { name: "x", digest: plantedDigest(1), capabilities: ["CAP_REPO_LIST"] };
    const errorOf = async (path: string) =>
      (await callRest(`${path}/${absent(uid)}`, { token: owner.token, body })).body.details[1];
    for (const path of ["/iam/v2/identities", "/iam/v2/roles", "/registry/v2/repos"]) {
      expect(await errorOf(path)).toMatchObject({ resourceType: "iam.platform.example/Group" });
    }
    expect(await errorOf("/registry/v2/tags")).toMatchObject({
      resourceType: "registry.platform.example/Repo",
    });
  });
});

test("a name in use is ALREADY_EXISTS with the resource", async () => {
  const { uid, owner } = organization;
  for (const [path, type, body] of [
    ["/registry/v2/repos", "registry.platform.example/Repo", { name: "x" }],
    ["/iam/v2/groups", "iam.platform.example/Group", { name: "x" }],
    ["/iam/v2/roles", "iam.platform.example/Role", { name: "x", capabilities: ["CAP_REPO_LIST"] }],
  ] as const) {
    await createResource(`${path}/${uid}`, owner.token, body);
    const again = await callRest(`${path}/${uid}`, { token: owner.token, body });
    expect([again.status, again.body.code]).toEqual([409, 6]);
    expect(again.body.details[0].reason).toBe("ALREADY_EXISTS");
    expect(again.body.details[1]).toMatchObject({ resourceType: type, resourceName: "x" });
    const second = await createResource(`${path}/${uid}`, owner.token, { ...body, name: "y" });
    const renamed = await callRest(`${path}/${second.uid}`, {
      method: "PATCH",
      token: owner.token,
      body: { name: "x" },
    });
    expect([renamed.status, renamed.body.code]).toEqual([409, 6]);
    expect((await callRest(`${path}/${second.uid}`, { token: owner.token })).body).toEqual(second);
  }
});

test("a call without a credential, or with a bad one, is 401 with the challenge and the reason", async () => {
  for (const headers of [
    {},
    { authorization: "Basic abc" },
    { authorization: "Bearer" },
    { authorization: "Bearer x y" },
    { authorization: "Bearer not.a.token" },
  ]) {
    const answer = await callRest("/registry/v2/repos", { headers });
    expect([answer.status, answer.body.code]).toEqual([401, 16]);
    expect(answer.body.details).toEqual([info("UNAUTHENTICATED", "registry"), requestInfo]);
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer /);
  }
});
