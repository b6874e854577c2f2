/** The refusal of a caller without access, and the first use of an identity. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityLabel, missingCapabilities } from "../../src/auth/access.ts";
import { createResource, newOrganization, type Organization, roleUid } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { startIssuer } from "./oidc_issuer.ts";

let organization: Organization;
let issuer: Awaited<ReturnType<typeof startIssuer>>;
beforeAll(async () => {
  organization = await newOrganization();
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const { CAP_REPO_LIST: list, CAP_REPO_CREATE: create } = Capability;

test("a refusal names each capability that is needed", () => {
  const text = (capabilities: number[]) => missingCapabilities(capabilities, "").rawMessage;
  const where = "on the resource or on a group above it";
  expect(text([list])).toContain(`you need the capability repo.list ${where}`);
  expect(text([list, create])).toContain(
    `you need the capabilities repo.list, repo.create ${where}`,
  );
});

test("a capability that this version does not know is named by its number", () => {
  expect(capabilityLabel(999_999)).toBe("999999");
});

test("the first use of an identity is recorded by a call that it can make, and not by a validation", async () => {
  const claimMatch = { issuer: issuer.url, subject: "ci" };
  const identities = `/iam/v2/identities/${organization.uid}`;
  const bot = await createResource(identities, organization.owner.token, {
    name: "ci",
    claimMatch,
  });
  const firstUse = async () => {
    const query = "select first_used_time as time from identities where uid = ?";
    return (await sql<{ time: number }>(query, bot.uid))[0]?.time;
  };
  const unused = await firstUse();
  const token = await issuer.sign("ci");
  const list = () => callRest("/registry/v2/repos", { token });
  expect((await list()).status).toBe(403);
  expect(await firstUse()).toBe(unused);
  const path = `/iam/v2/roleBindings/${organization.uid}`;
  const body = { identityUid: bot.uid, roleUid: await roleUid("owner") };
  await createResource(path, organization.owner.token, body);
  const validated = await callRest(path, {
    token,
    body: { identityUid: bot.uid, roleUid: await roleUid("viewer"), validateOnly: true },
  });
  expect([validated.status, validated.body.message]).toEqual([200, undefined]);
  expect(await firstUse()).toBe(unused);
  const before = Date.now();
  expect((await list()).status).toBe(200);
  const first = await firstUse();
  expect(first).toBeGreaterThanOrEqual(before);
  expect(first).toBeLessThanOrEqual(Date.now());
  expect((await list()).status).toBe(200);
  expect(await firstUse()).toBe(first);
});
