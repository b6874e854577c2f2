import { beforeAll, describe, expect, test } from "vitest";
import { plantedDigest } from "../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest, requestInfo, sql } from "../world/platform.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const post = (path: string, body: unknown) =>
  callRest(path, { method: "POST", token: organization.owner.token, body });

async function rows(): Promise<unknown> {
  const tables = ["groups", "identities", "roles", "role_bindings", "repos", "tags", "manifests"];
  return Promise.all(
    tables.map((table) =>
      sql(
        `select count(*) as n from ${table} where uid >= ? and uid < ? || 'g'`,
        organization.uid,
        organization.uid,
      ),
    ),
  );
}

const events = () =>
  sql("select count(*) as n from events where substr(subject, 1, 40) = ?", organization.uid);

const long = (length: number) => "a".repeat(length);
const groups = "/iam/v2/groups/@";
const identities = "/iam/v2/identities/@";
const roles = "/iam/v2/roles/@";
const bindings = "/iam/v2/roleBindings/@";
const repos = "/registry/v2/repos/@";
const tags = "/registry/v2/tags/R";
const namePattern = '"^[a-z0-9 ._-]{1,}$"';

describe("an error names the field that breaks its rule, with the rule, and nothing is written", () => {
  test.each([
    [groups, { name: "Upper" }, "name", `name must match ${namePattern}`],
    [groups, { name: "" }, "name", `name must match ${namePattern}`],
    [groups, {}, "name", `name must match ${namePattern}`],
    [groups, { name: long(256) }, "name", "255"],
    [groups, { name: "a", description: "a\nb" }, "description", "description must match"],
    [groups, { name: "a", description: long(513) }, "description", "description must match"],
    [groups, { name: "a", kind: 99 }, "kind", ""],
    [identities, {}, "name", `name must match ${namePattern}`],
    [identities, { name: "a/b" }, "name", `name must match ${namePattern}`],
    [identities, { name: "a\u0001" }, "name", `name must match ${namePattern}`],
    [identities, { name: "a\u0000" }, "name", "name contains the character NUL (U+0000)"],
    [identities, { name: "ok", company: long(256) }, "company", ""],
    [identities, { name: "ok", claimMatch: { subject: "s" } }, "claim_match.iss", ""],
    [
      identities,
      { name: "ok", claimMatch: { issuer: "https://i.example" } },
      "claim_match.sub",
      "",
    ],
    [identities, { name: "ok", awsIdentity: { awsAccount: "12" } }, "aws_identity.aws_account", ""],
    [roles, { capabilities: ["CAP_REPO_LIST"] }, "name", `name must match ${namePattern}`],
    [roles, { name: "r", capabilities: [99999] }, "capabilities[0]", ""],
    [roles, { name: "r", capabilities: ["UNKNOWN"] }, "capabilities[0]", ""],
    [
      bindings,
      { identityUid: "nope", roleUid: plantedDigest(0) },
      "identity_uid",
      "identity_uid must match",
    ],
    [repos, { name: "Python" }, "name", "name must match"],
    [repos, { name: "a//b" }, "name", "name must match"],
    [repos, { name: long(256) }, "name", "255"],
    [repos, { name: "ok", bundles: ["base", "gold"] }, "bundles[1]", ""],
    [
      repos,
      { name: "ok", aliases: ["no tag"] },
      "aliases[0]",
      'you sent "no tag" (aliases[0] must match',
    ],
    [repos, { name: "ok", activeTags: ["-x"] }, "active_tags[0]", ""],
    [repos, { name: "ok", catalogTier: 99 }, "catalog_tier", ""],
    [repos, { name: "ok", sync_config: {} }, "sync_config.source", ""],
    [tags, { name: "ok" }, "digest", "digest must match"],
    [tags, { name: "ok", digest: "sha256:abc" }, "digest", "digest must match"],
    [tags, { name: "ok", digest: plantedDigest(1).toUpperCase() }, "digest", "digest must match"],
    [tags, { name: ".x", digest: plantedDigest(1) }, "name", "name must match"],
    [tags, { name: long(129), digest: plantedDigest(1) }, "name", "name must match"],
  ])("%s %j", async (path, body, field, description) => {
    const before = [await rows(), await events()];
    const answer = await post(path.replace("@", organization.uid).replace("R", repo), body);
    expect([answer.status, answer.body.code]).toEqual([400, 3]);
    const [info, request] = answer.body.details;
    expect(info).toEqual({
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "INVALID_ARGUMENT",
      domain: `${path.split("/")[1]}.platform.example`,
    });
    expect(request["@type"]).toBe("type.googleapis.com/google.rpc.BadRequest");
    const found = request.fieldViolations.find((one: { field: string }) => one.field === field);
    expect(found?.description, JSON.stringify(request)).toContain(description);
    expect([await rows(), await events()]).toEqual(before);
  });
});

test("an identity without a name is rejected in the documented words", async () => {
  const { body } = await post(`/iam/v2/identities/${organization.uid}`, {});
  const description =
    "name can contain only lowercase letters, digits, spaces, dots, underscores and hyphens, and must not be empty " +
    '(name must match "^[a-z0-9 ._-]{1,}$")';
  expect(body).toEqual({
    code: 3,
    message: `Invalid argument: name: ${description}`,
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "INVALID_ARGUMENT",
        domain: "iam.platform.example",
      },
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        fieldViolations: [{ field: "name", description }],
      },
      requestInfo,
    ],
  });
});

test("an error names every broken field, and its message names the first", async () => {
  const { body } = await post(`/registry/v2/repos/${organization.uid}`, {
    name: "UP",
    description: "\t",
    bundles: ["x"],
  });
  const fields = body.details[1].fieldViolations.map((one: { field: string }) => one.field);
  expect(fields).toEqual(["name", "description", "bundles[0]"]);
  expect(body.message).toMatch(/^Invalid argument: name: /);
});

test.each([
  "nope",
  "0".repeat(39),
  "0".repeat(41),
  "A".repeat(40),
  `${"0".repeat(40)}/12`,
  `${"0".repeat(40)}//${"0".repeat(16)}`,
  `${"0".repeat(40)}/${"0".repeat(16)}/x`,
])("%s is not a uid, for any method", async (uid) => {
  const { token } = organization.owner;
  for (const path of [
    "/iam/v2/groups",
    "/iam/v2/identities",
    "/iam/v2/roles",
    "/registry/v2/repos",
  ]) {
    for (const method of ["GET", "DELETE", "PATCH"]) {
      const body = method === "PATCH" ? { description: "x" } : undefined;
      const answer = await callRest(`${path}/${uid}`, { method, token, body });
      expect([method, path, answer.status]).toEqual([method, path, 400]);
      expect(answer.body.details[1].fieldViolations[0].field).toBe("uid");
    }
  }
  for (const path of ["/iam/v2/identities", "/iam/v2/roleBindings", "/registry/v2/tags"]) {
    const answer = await post(`${path}/${uid}`, { name: "x", digest: plantedDigest(1) });
    expect([path, answer.status]).toEqual([path, 400]);
  }
  const listed = await callRest(`/registry/v2/repos?uidp.children_of=${uid}`, { token });
  expect(listed.status).toBe(400);
  expect(listed.body.details[1].fieldViolations[0].field).toBe("uidp.children_of");
});

test("texts that are not Unicode are rejected, or stored as they are returned", async () => {
  const { token } = organization.owner;
  for (const description of ["a\ud800b", "a\u0000b", "\ufeffx", "é😀"]) {
    const sent = `{"name":"n${description.codePointAt(1)}","description":${JSON.stringify(description)}}`;
    const made = await post(`/registry/v2/repos/${organization.uid}`, sent);
    expect([200, 400]).toContain(made.status);
    if (made.status === 400) continue;
    const read = await callRest(`/registry/v2/repos/${made.body.uid}`, { token });
    expect(read.body).toEqual(made.body);
  }
});
