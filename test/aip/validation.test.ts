import { beforeAll, describe, expect, test } from "vitest";
import { organizationRows } from "../contract/organization_rows.ts";
import { plantedDigest } from "../paging/tree.ts";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

let organization: Organization;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "r" })).uid;
});

const post = (path: string, body: unknown) =>
  callRest(path, { method: "POST", token: organization.owner.token, body });

const rows = () => organizationRows(organization.uid, { events: true });

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
    const before = await rows();
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
    expect(await rows()).toEqual(before);
  });
});
