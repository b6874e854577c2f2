import { describe, expect, test } from "vitest";
import { withoutDecisionId } from "../contract/decisions.ts";
import { plantedDigest } from "../paging/tree.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  newUser,
  randomUid,
} from "../world/personas.ts";
import { callRest, requestInfo } from "../world/platform.ts";

const info = (reason: string, domain: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: `${domain}.platform.example`,
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
    const { uid, owner } = await newOrganization();
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
    const { uid, owner } = await newOrganization();
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

test("a resource of another organization and one that does not exist return the same bytes", async () => {
  const other = await newOrganization();
  const { owner } = await newOrganization();
  const repo = await createResource(`/registry/v2/repos/${other.uid}`, other.owner.token, {
    name: "r",
  });
  const uids = [repo.uid, absent(other.uid), absent(randomUid())];
  for (const method of ["GET", "PATCH", "DELETE"]) {
    const body = method === "PATCH" ? { description: "x" } : undefined;
    const answers = await Promise.all(
      uids.map((uid) =>
        callRest(`/registry/v2/repos/${uid}`, { method, token: owner.token, body }),
      ),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(withoutDecisionId(answer.body)).toBe(withoutDecisionId(answers[0]?.body));
    }
    expect(answers[0]?.body.code).toBe(7);
    const metadata = { decision_id: expect.stringMatching(/^[\w-]{100,}$/) };
    expect(answers[0]?.body.details).toEqual([
      { ...info("PERMISSION_DENIED", "registry"), metadata },
      requestInfo,
    ]);
  }
});

test("a name in use is ALREADY_EXISTS with the resource", async () => {
  const { uid, owner } = await newOrganization();
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

test("a missing capability is named in the error", async () => {
  const organization = await newOrganization();
  const viewer = await newIdentity(organization, "viewer");
  const answer = await callRest(`/registry/v2/repos/${organization.uid}`, {
    token: viewer.token,
    body: { name: "x" },
  });
  expect(answer.status).toBe(403);
  expect(answer.body.message).toContain("repo.create");
});

test("an unknown path is 404, and the path of an operation with another verb is 501 with Allow", async () => {
  const { token } = await newUser();
  for (const path of ["/nope", "/iam/v3/groups", "/iam/v2", "/iam/v2/group", "/constructor"]) {
    const answer = await callRest(path, { token });
    expect([path, answer.status, answer.body.code]).toEqual([path, 404, 5]);
    expect(answer.body.details[0].reason).toBe("ROUTE_NOT_FOUND");
  }
  const answer = await callRest(`/registry/v2/tags/${randomUid()}`, {
    method: "PATCH",
    token,
    body: {},
  });
  expect([answer.status, answer.body.code]).toEqual([501, 12]);
  expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(["DELETE", "GET", "POST"]);
});
