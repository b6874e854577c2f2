/** `platformctl quota`: lists and changes quotas with the calls of the API. */
import { expect, test } from "vitest";
import { makeOperator, newOrganization } from "../../world/personas.ts";
import { newStateFolder, platformctl } from "../command.ts";

async function newOperator() {
  const organization = await newOrganization("quotas");
  await makeOperator(organization);
  const env = {
    PLATFORM_STATE: await newStateFolder(organization),
    PLATFORM_GROUP: organization.uid,
  };
  return { organization, run: (...args: string[]) => platformctl(["quota", ...args], { env }) };
}

test("the operator sets a quota, and the list shows it with the use and a warning", async () => {
  const { organization, run } = await newOperator();
  const set = await run("set", organization.uid, "role_bindings", "2");
  expect([set.code, set.out]).toEqual([
    0,
    `The quota role_bindings of ${organization.uid} is 2.\n`,
  ]);
  const { out } = await run("list");
  expect(out).toMatch(/^role_bindings +2 +2 +own limit, 80 % used$/m);
  expect(out).toMatch(/^repos +0 +10,000/m);
  const { quotas } = JSON.parse((await run("list", organization.uid, "--json")).out);
  expect(quotas).toContainEqual(
    expect.objectContaining({ kind: "QUOTA_KIND_ROLE_BINDINGS", limit: "2", own: true }),
  );
  const reset = await run("set", organization.uid, "role_bindings", "default");
  expect(reset.out).toContain("is 20,000,000.");
  const free = await run("set", organization.uid, "role_bindings", "unlimited");
  expect(free.out).toContain("is unlimited.");
});

test("a wrong kind or limit is refused, and the defaults are listed for the operator only", async () => {
  const { organization, run } = await newOperator();
  expect((await run("set", organization.uid, "pets", "1")).code).not.toBe(0);
  for (const text of ["many", "1.5", "3GB", "1e3", "-1"]) {
    const { code, err } = await run("set", organization.uid, "repos", "--", text);
    expect([code === 0, err]).toEqual([false, expect.stringContaining("a whole number")]);
  }
  const bytes = await run("set", organization.uid, "registry_bytes", "1.5");
  expect(bytes.err).toContain("bytes such as 500GB");
  expect((await run("list", "default")).out).toMatch(/^owned_organizations +10$/m);
  const other = await newOrganization("other");
  const env = { PLATFORM_STATE: await newStateFolder(other), PLATFORM_GROUP: other.uid };
  const refused = await platformctl(["quota", "list", "default"], { env });
  expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining("internal")]);
});
