/** The event about an organization that comes near a quota: once, until it has less again. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sending, startSending } from "../../events/deliveries/sending.ts";
import { randomName } from "../../world/personas.ts";

let platform: Sending;
beforeAll(async () => {
  platform = await startSending({}, false);
});
afterAll(() => platform?.close());

const type = "dev.vendor.api.iam.quota.near_limit.v1";

async function warningsOf(organization: string) {
  await platform.runSchedule();
  const rows = await platform.sql(
    "select subject, group_uid, data from events where type = ? and subject = ? order by seq",
    type,
    organization,
  );
  return rows.length;
}

const limit = (organization: string, kind: string, most: number) =>
  platform.sql("insert or replace into quotas values (?, ?, ?, 1)", organization, kind, most);

const newRole = async (organization: string) =>
  (
    await platform.done(`/iam/v2/roles/${organization}`, {
      ...{ name: randomName("role"), capabilities: ["CAP_REPO_LIST"] },
    })
  ).uid as string;

test("is written once at four fifths, and again only after the use was lower", async () => {
  const organization = await platform.newOrganization();
  await limit(organization, "roles", 5);
  for (let role = 0; role < 3; role += 1) await newRole(organization);
  expect(await warningsOf(organization)).toBe(0);
  const fourth = await newRole(organization);
  expect(await warningsOf(organization)).toBe(1);
  await newRole(organization);
  expect(await warningsOf(organization)).toBe(1);
  const { quotas } = await platform.done(`/iam/v2/quotas/${organization}`);
  expect(quotas.find(({ kind }: { kind: string }) => kind === "QUOTA_KIND_ROLES")).toMatchObject({
    ...{ limit: "5", used: "5", nearLimit: true },
  });
  await platform.call(`/iam/v2/roles/${fourth}`, undefined, "DELETE");
  expect(await warningsOf(organization)).toBe(1);
  const [another] = await platform.sql("select uid from roles where parent = ?", organization);
  await platform.call(`/iam/v2/roles/${another?.uid}`, undefined, "DELETE");
  expect(await warningsOf(organization)).toBe(1);
  await newRole(organization);
  expect(await warningsOf(organization)).toBe(2);
});

test("of tags is written once for all classes", async () => {
  const organization = await platform.newOrganization();
  const repo = await platform.newRepo(organization);
  await limit(organization, "tags", 5);
  for (const name of ["one", "1.0-r1", "1-20260101", "two", "2.0-r2"]) {
    await platform.done(`/registry/v2/tags/${repo}`, { name, digest: `sha256:${"a".repeat(64)}` });
  }
  expect(await warningsOf(organization)).toBe(1);
});

test("the event is written when the operator lowers the limit, and not for a kind without a limit", async () => {
  const organization = await platform.newOrganization();
  await platform.sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
      select ?, ?, uid, 1, 1 from roles where name = 'operator'`,
    `${organization}/00000000000000aa`,
    platform.owner,
  );
  for (let role = 0; role < 4; role += 1) await newRole(organization);
  const change = (value: object) =>
    platform.call(
      `/iam/v2/quotas/${organization}`,
      { kind: "QUOTA_KIND_ROLES", ...value },
      "PATCH",
    );
  expect((await change({ limit: "3" })).status).toBe(200);
  expect(await warningsOf(organization)).toBe(1);
  expect((await change({ unlimited: true })).status).toBe(200);
  await newRole(organization);
  expect(await warningsOf(organization)).toBe(1);
});
