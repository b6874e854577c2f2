/** People have one name, which every command accepts. */
import { beforeAll, expect, test } from "vitest";
import {
  bindPerson,
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  type Persona,
} from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let ada: Persona;
let bot: Persona;
let address: string;
let env: Record<string, string>;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  ada = await newUser();
  address = `${ada.uid.slice(0, 12)}@example.com`;
  await sql("update identities set email = ? where uid = ?", address, ada.uid);
  await bindPerson({ uid, token: owner.token }, ada.uid, "editor");
  bot = await newIdentity(organization, "viewer");
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: uid };
});

const run = (...args: string[]) => platformctl(args, { env });

test("members lists people by their addresses, then workloads, with their roles", async () => {
  const { out, err } = await run("members");
  expect(err).toBe("");
  const rows = out
    .trim()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(rows.map(([, kind]) => kind)).toEqual(["person", "person", "workload"]);
  const { name } = organization;
  expect(rows).toContainEqual([address, "person", `editor of ${name}`, ada.uid]);
  expect((await run("list", "members")).out).toBe(out);
  const { members } = JSON.parse((await run("members", "--people", "--json")).out);
  expect(members).toHaveLength(2);
});

test("the address and the name of a person are accepted where an identity is meant", async () => {
  const [{ name } = { name: "" }] = await sql<{ name: string }>(
    "select name from identities where uid = ?",
    ada.uid,
  );
  for (const named of [address, name, ada.uid]) {
    const { out } = await run("access", "what", "--identity", named);
    expect({ named, out }).toMatchObject({ named, out: expect.stringContaining("repo.create") });
    expect((await run("list", "role-bindings", "--identity", named)).out).toContain(
      ada.uid.slice(0, 1),
    );
  }
  const unknown = await run("access", "what", "--identity", "nobody@example.com");
  expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining("NOT_FOUND")]);
});

test("access who and events name a person by the address", async () => {
  expect((await run("access", "who", "repo.create", organization.uid)).out).toContain(address);
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, ada.token, {
    name: "app",
  });
  const tag = { name: "1.0", digest: fakeDigest("one") };
  await createResource(`/registry/v2/tags/${uid}`, organization.owner.token, tag);
  const events = await platformctl(["list", "events", "--by", address], {
    env: { ...env, NO_COLOR: "1" },
    columns: 150,
  });
  expect(events.out).toMatch(/^WHEN +EVENT +WHAT +WHO/);
  expect(events.out).toMatch(new RegExp(`platform\\.registry\\.repo\\.created +app +${address}`));
});

test("two people with the same name are listed as candidates", async () => {
  const other = await newUser();
  await sql("update identities set name = 'grace' where uid in (?, ?)", other.uid, ada.uid);
  await bindPerson({ ...organization, token: organization.owner.token }, other.uid, "viewer");
  const { code, err } = await run("access", "what", "--identity", "grace");
  expect(code).toBe(1);
  for (const { uid } of [ada, other]) expect(err).toContain(uid);
  expect(bot.uid).toContain("/");
});
