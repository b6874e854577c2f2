/** The Lists of version 1, which have no pages, and whose `id` is one filter more. */
import { beforeAll, describe, expect, test } from "vitest";
import { newOrganization, roleUid } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { listedIds, violatedFields } from "../../world/resource_calls.ts";

/** More than a page of version 2 can have. */
const count = 230;

/** The columns of a planted row, as SQL: ?1 is the organization, ?2 a role, and `value` counts the rows. */
const tables: Record<string, { table: string; columns: Record<string, string> }> = {
  groups: { table: "groups", columns: { name: "'n' || value" } },
  roles: { table: "roles", columns: { name: "'n' || value", capabilities: "'[1605]'" } },
  identities: { table: "identities", columns: { name: "'n' || value", last_seen_time: "1" } },
  rolebindings: {
    table: "role_bindings",
    columns: { identity_uid: "printf('%040x', value)", role_uid: "?2" },
  },
  group_invites: {
    table: "group_invites",
    columns: {
      ...{ role_uid: "?2", expiration_time: "1" },
      ...{ key_id: "?1 || value", code_digest: "'x'", inviter_uid: "''" },
    },
  },
  account_associations: {
    table: "account_associations",
    columns: { name: "'n' || value", accounts: "'{}'" },
  },
  identityProviders: {
    table: "identity_providers",
    columns: {
      ...{ name: "'n' || value", default_role: "?2", additional_scopes: "'[]'" },
      ...{ issuer: "'https://a.example'", client_id: "'c'" },
    },
  },
  externalGroupRoleMappings: {
    table: "external_group_role_mappings",
    columns: { external_group_id: "'n' || value", role_uid: "?2", scope: "?1" },
  },
  terms: { table: "terms_acceptances", columns: { doc_id: "'n' || value", accepted_by: "'x'" } },
};

let organization: string;
let token: string;
/** The first of the planted groups, identity providers and so on. */
let first: string;
beforeAll(async () => {
  const { uid, owner } = await newOrganization();
  [organization, token, first] = [uid, owner.token, `${uid}/${step(1)}`];
  const role = await roleUid("viewer");
  const numbers = JSON.stringify(Array.from({ length: count }, (_, index) => index + 1));
  for (const [kind, { table, columns }] of Object.entries(tables)) {
    const all = { ...columns, create_time: "value", update_time: "value" };
    const into = `insert into ${table} (uid, ${Object.keys(all)})`;
    const values = Object.values(all).join(", ");
    // Mappings belong to an identity provider. Of the others, one is in the first group.
    const place = kind === "externalGroupRoleMappings" ? first : uid;
    await sql(
      `${into} select ?3 || printf('/%016x', value), ${values} from json_each(?4)`,
      ...[uid, role, place, numbers],
    );
    await sql(`${into} select ?3, ${values} from (select 0 as value)`, uid, role, below());
  }
});

const step = (number: number) => number.toString(16).padStart(16, "0");
const planted = (place: string) =>
  Array.from({ length: count }, (_, index) => `${place}/${step(index + 1)}`);
const below = () => `${first}/${"f".repeat(16)}`;
const list = (kind: string, query: string) => callRest(`/iam/v1/${kind}?${query}`, { token });

describe("a list has all rows in items, without pages", () => {
  test.each(["groups", "roles", "identities", "rolebindings", "identityProviders"])(
    "%s, ordered by id",
    async (kind) => {
      const { body } = await list(kind, `uidp.children_of=${organization}`);
      expect(Object.keys(body)).toEqual(["items"]);
      const ids = listedIds({ body });
      expect(ids).toEqual(ids.toSorted());
      expect(ids).toEqual(expect.arrayContaining(planted(organization)));
      const everywhere = listedIds(await list(kind, ""));
      expect(everywhere).toEqual(expect.arrayContaining([...ids, below()]));
    },
  );

  test("externalGroupRoleMappings, of a provider", async () => {
    const { body } = await list("externalGroupRoleMappings", `identityProviderUidp=${first}`);
    expect(Object.keys(body)).toEqual(["items"]);
    expect(listedIds({ body })).toEqual([...planted(first), below()]);
  });

  test("group_invites, the newest first", async () => {
    const answer = await list("group_invites", `group=${organization}`);
    expect(Object.keys(answer.body)).toEqual(["items"]);
    expect(listedIds(answer)).toEqual([...planted(organization).reverse(), below()]);
    expect(listedIds(await list("group_invites", ""))).toEqual(listedIds(answer));
  });

  test("account_associations, by the uids of their groups", async () => {
    const { body } = await list("account_associations", "");
    expect(Object.keys(body)).toEqual(["items"]);
    const groups = body.items.map(({ group }: { group: string }) => group);
    expect(groups).toEqual([...planted(organization), below()].sort());
  });

  test("terms, of the group and those above it", async () => {
    const { body } = await callRest(`/iam/v1/terms/${organization}`, { token });
    expect([Object.keys(body), body.items.length]).toEqual([["items"], count]);
  });
});

const filtered = ["groups", "roles", "identities", "rolebindings", "identityProviders"];

describe("a list can be filtered by id, by place and by both", () => {
  test.each(filtered)("%s", async (kind) => {
    const above = `${organization}/${step(2)}`;
    for (const [query, expected] of [
      [`id=${above}`, [above]],
      [`uidp.children_of=${first}`, [below()]],
      [`uidp.descendantsOf=${first}`, [below()]],
      [`uidp.ids=${above}&uidp.ids=${below()}`, [below(), above]],
      [`id=${below()}&uidp.descendants_of=${organization}`, [below()]],
      [`id=${below()}&uidp.children_of=${first}`, [below()]],
      [`id=${below()}&uidp.ids=${below()}`, [below()]],
      [`id=${below()}&uidp.children_of=${organization}`, []],
      [`id=${above}&uidp.descendants_of=${first}`, []],
      [`id=${above}&uidp.ancestors_of=${above}`, []],
      [`id=${above}&uidp.in_root=true`, []],
      [`id=${above}&uidp.ids=${below()}`, []],
    ] as const) {
      const answer = await list(kind, query);
      expect([query, answer.status, listedIds(answer)]).toEqual([query, 200, [...expected]]);
    }
  });

  test.each(["groups", "roles", "identityProviders"])("%s, and by name", async (kind) => {
    const [two, three] = [`${organization}/${step(2)}`, `${organization}/${step(3)}`];
    const place = `uidp.children_of=${organization}`;
    for (const [query, expected] of [
      [`${place}&name=n2`, [two]],
      [`id=${two}&${place}&name=n2`, [two]],
      [`id=${three}&name=n2`, []],
      [`uidp.children_of=${first}&name=n2`, []],
    ] as const) {
      expect([query, listedIds(await list(kind, query))]).toEqual([query, [...expected]]);
    }
  });

  test.each(filtered)("%s: two places at once are rejected, with any id", async (kind) => {
    const two = `uidp.in_root=true&uidp.children_of=${organization}`;
    for (const query of [two, `${two}&id=${first}`]) {
      expect(violatedFields((await list(kind, query)).body)).toEqual(["uidp"]);
    }
  });

  test("mappings are filtered by their provider and by place", async () => {
    const [one, two] = planted(first);
    const of = `identityProviderUidp=${first}`;
    for (const [query, expected] of [
      [`${of}&uidp.ids=${two}&uidp.ids=${organization}/${step(9)}/${step(1)}`, [two]],
      [`uidp.ids=${one}`, [one]],
      [`${of}&uidp.children_of=${organization}/${step(2)}`, []],
      [`identityProviderUidp=${organization}/${step(2)}`, []],
    ]) {
      const answer = await list("externalGroupRoleMappings", String(query));
      expect([query, listedIds(answer)]).toEqual([query, expected]);
    }
  });
});

test.each([
  ["roles", `name=${"n".repeat(256)}`, "name"],
  ["roles", "parent=%2F%2F", "parent"],
  ["roles", `parent=%2F&uidp.in_root=true&uidp.children_of=${"0".repeat(40)}`, "uidp"],
  ["roles", `parent=nope&id=${"0".repeat(40)}`, "parent"],
  ["group_invites", `group=nope&id=${"0".repeat(40)}`, "group"],
  ["identityProviders", `name=${"a".repeat(999)}`, "name"],
  ["identityProviders", `id=${"0".repeat(40)}&name=${"a".repeat(999)}`, "name"],
])("%s by %s is rejected, naming %s", async (kind, query, field) => {
  const { status, body } = await list(kind, query);
  expect([status, violatedFields(body)]).toEqual([400, [field]]);
});
