/** `platformctl list` finds what no one has used, and keys that expire. */
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../../world/personas.ts";
import { sql } from "../../../world/platform.ts";
import { newStateFolder, platformctl } from "../../command.ts";

const day = 24 * 3600 * 1000;
let organization: Organization;
let env: Record<string, string>;
let idle: string;

beforeAll(async () => {
  organization = await newOrganization();
  ({ uid: idle } = await newIdentity(organization, "viewer"));
  const old = Date.now() - 200 * day;
  await sql("update identities set create_time = ? where uid = ?", old, idle);
  await sql("update role_bindings set update_time = ? where identity_uid = ?", old, idle);
  const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };
  await createResource(`/iam/v2/identities/${organization.uid}`, organization.owner.token, {
    name: "key-bot",
    staticKeys: {
      ...{ issuer: "https://i.example", subject: "s" },
      issuerKeys: JSON.stringify({ keys: [jwk] }),
      expirationTime: new Date(Date.now() + 10 * day).toISOString(),
    },
  });
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: organization.uid };
});

const list = async (...args: string[]) => {
  const { code, out, err } = await platformctl(["list", ...args, "--group", organization.uid], {
    env,
  });
  return {
    code,
    err,
    lines: out
      .split("\n")
      .filter(Boolean)
      .map((line) => line.split("\t")),
  };
};

test("--unused-for finds identities and role bindings, and says that they were never used", async () => {
  const { lines } = await list("identities", "--unused-for", "90d");
  expect(lines.map((line) => [line.at(-1), line.includes("never")])).toEqual([[idle, true]]);
  const bindings = (await list("role-bindings", "--unused-for", "90d")).lines;
  expect(bindings.map((line) => line.includes("never"))).toEqual([true]);
  expect((await list("identities", "--unused-for", "300d")).lines).toEqual([]);
});

test("--expiring-within finds static keys, with their expiry", async () => {
  const { lines } = await list("identities", "--expiring-within", "30d");
  expect(lines.map(([name]) => name)).toEqual(["key-bot"]);
  expect(Date.parse(lines[0]?.at(-2) ?? "")).toBeGreaterThan(Date.now() + 9 * day);
  expect((await list("identities", "--expiring-within", "9d")).lines).toEqual([]);
});

test("an invalid period is refused, and so are two options that set the same field", async () => {
  const wrong = await list("identities", "--unused-for", "2026-01-01");
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("such as 90d")]);
  const both = await list("identities", "--unused-for", "9d", "--unused-since", "9d");
  expect(both.code).toBe(2);
  const ordered = await list("identities", "--unused-for", "9d", "--order-by", "name");
  expect(ordered.err).toContain("last_used_time");
});
