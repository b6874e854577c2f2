import { beforeAll, expect, test } from "vitest";
import { createResource, newOrganization, type Organization } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

let organization: Organization;
let team: string;

/** Texts that JSON and SQL write in a special way. */
const name = `"quoted" \\ 'it''s' \u{1f600} \n\t\u0001 ${"x".repeat(100)}`;

beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  team = (await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" })).uid;
  await sql(
    `insert into roles (uid, name, description, capabilities, create_time, update_time)
     select ?1 || '/' || printf('f00b%012x', value), ?2 || value, ?2, '[]', 1, 1 from json_each('[1,2]')`,
    uid,
    name,
  );
  await sql(
    `insert into identities (uid, name, description, last_seen_time, relationship_type, create_time, update_time)
     select ?1 || '/' || printf('f00b%012x', value), ?2 || value, ?2, 1, 0, 1, 1 from json_each(?3)`,
    uid,
    name,
    JSON.stringify(Array.from({ length: 200 }, (_, at) => at)),
  );
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select ?1 || '/' || printf('f00b%012x', rowid), uid, ?2 || '/' || printf('f00b%012x', 1 + rowid % 2), 1, 1
     from identities where parent = ?2 and uid > ?2 || '/f00b' and uid < ?2 || '/f00c'`,
    team,
    uid,
  );
});

const read = (query: string) =>
  callRest(`/iam/v2/roleBindings?uidp.children_of=${team}&${query}`, {
    token: organization.owner.token,
  });

interface Binding {
  uid: string;
  identity: { uid: string; name: string; description?: string };
  role: { uid: string; name: string; description?: string };
  group: { uid: string; name: string };
}

test("a page shows the same names as a single role binding, whatever characters they have", async () => {
  const { body } = await read("page_size=3");
  const [first] = body.roleBindings as Binding[];
  const single = await callRest(`/iam/v2/roleBindings/${first?.uid}`, {
    token: organization.owner.token,
  });
  expect(first).toEqual(single.body);
  expect(first?.role.name.startsWith(name)).toBe(true);
  expect(first?.identity.description).toBe(name);
  expect(first?.group).toMatchObject({ uid: team, name: "team" });
});

test("texts that are too long for one JSON are complete too", async () => {
  const long = "\u0001".repeat(20_000);
  await sql(
    "update identities set description = ? where parent = ? and uid like '%/f00b%'",
    long,
    organization.uid,
  );
  const { status, body } = await read("page_size=200");
  expect(status).toBe(200);
  const bindings = body.roleBindings as Binding[];
  expect(bindings.length).toBe(200);
  expect(new Set(bindings.map(({ identity }) => identity.description))).toEqual(new Set([long]));
  expect(new Set(bindings.map(({ role }) => role.description))).toEqual(new Set([name]));
});
