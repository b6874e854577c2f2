/** No call of any kind removes the last owner of an organization. */
import { describe, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  createResource,
  newOrganization,
  newUser,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { type Answer, callRest, costOf, requestInfo, sql } from "../../world/platform.ts";
import { patchSchema, userSchema } from "../scim/client.ts";
import { type MakeCandidate, nonOwners, owners } from "./owner_candidates.ts";
import { newWorkloadOwner, ownerRemovals, prepareCall } from "./owner_removals.ts";
import {
  addOwner,
  bind,
  bindOwner,
  newOwnerlessOrganization,
  newProvisionedOwner,
  ownerCapabilities,
} from "./owners.ts";

/** The use of rows is recorded after the response of a call. */
const withoutUse = (rows: Record<string, unknown>[]) =>
  rows.map(({ last_used_time: _, idle_since_time: __, ...row }) => row);

/** All stored data of an organization, including its events, without the record of use. */
const stateOf = (uid: string) =>
  Promise.all([
    ...["role_bindings", "roles", "identity_providers", "scim_users"].map((table) =>
      sql(`select * from ${table} where ancestor0 = ? order by uid`, uid).then(withoutUse),
    ),
    sql(
      `select * from identities where ancestor0 = ?1 or uid in (
      select identity_uid from role_bindings where parent = ?1) order by uid`,
      uid,
    ).then(withoutUse),
    sql("select id from events where group_uid = ? order by id", uid),
  ]);

const refusal = (organization: string) => ({
  code: 9,
  message: expect.stringContaining("no owner left"),
  details: [
    { "@type": expect.stringMatching(/ErrorInfo$/), reason: "LAST_OWNER" },
    { violations: [{ type: "LAST_OWNER", subject: organization }] },
    requestInfo,
  ],
});

const versions = ["v2", "v1"] as const;
const table = Object.entries(ownerRemovals).flatMap(([name, removal]) =>
  versions.map((version) => [name, version, removal] as const),
);

describe("the last owner remains if a caller", () => {
  test.each(table)(
    "%s (%s), and the call succeeds with another owner",
    async (_, version, removal) => {
      const { uid, ask } = await removal(version);
      const before = await stateOf(uid);
      const refused = await ask();
      expect([refused.status, refused.body]).toMatchObject([400, refusal(uid)]);
      expect(await stateOf(uid)).toEqual(before);
      await addOwner(uid);
      const done = await ask();
      expect(done.status, JSON.stringify(done.body)).toBe(200);
      expect(costOf(done).roundTrips).toBe(2);
    },
  );

  test("leaves the platform, and owns any organization", async () => {
    const [one, two] = [await newOrganization(), await newOrganization()];
    const { uid, token } = one.owner;
    await bindOwner(two.uid, uid);
    const leave = prepareCall("DELETE", `/auth/v1/delete/${uid}`, token);
    expect((await leave()).body).toMatchObject(refusal(one.uid));
    await addOwner(one.uid);
    expect((await leave()).status).toBe(200);
    expect(await sql("select 1 from role_bindings where identity_uid = ?", uid)).toEqual([]);
  });

  test.each([
    [
      "PATCH",
      { schemas: [patchSchema], Operations: [{ op: "replace", path: "active", value: false }] },
    ],
    [
      "PATCH",
      { schemas: [patchSchema], Operations: [{ op: "replace", path: "externalId", value: "x" }] },
    ],
    ["PUT", { schemas: [userSchema], active: false }],
    ["DELETE", undefined],
  ])("is deactivated by the provider (SCIM %s %j)", async (method, body) => {
    const { client, user, userName } = await newProvisionedOwner();
    const { uid } = client.organization;
    const before = await stateOf(uid);
    const whole = body && method === "PUT" ? { ...body, userName } : body;
    const refused = await client.ask(method, `/Users/${user.id}`, whole);
    expect([refused.status, refused.body]).toMatchObject([
      400,
      { scimType: "mutability", detail: expect.stringContaining("no owner left") },
    ]);
    expect(await stateOf(uid)).toEqual(before);
    const rename = { op: "replace", path: "displayName", value: "Ada" };
    expect((await client.patch(user.id, rename)).status).toBe(200);
    await addOwner(uid);
    const done = await client.ask(method, `/Users/${user.id}`, whole);
    expect(done.status).toBe(method === "DELETE" ? 204 : 200);
  });
});

describe("with a second owner", () => {
  const leave = async (add: MakeCandidate) => {
    const { uid, owner } = await newOrganization();
    const [own] = await sql<{ uid: string }>("select uid from role_bindings where parent = ?", uid);
    await add(uid);
    return callRest(`/iam/v2/roleBindings/${own?.uid}`, { method: "DELETE", token: owner.token });
  };

  test.each(Object.entries(owners))("%s, the owner can be removed", async (_, add) => {
    expect((await leave(add)).status).toBe(200);
  });

  test.each(Object.entries(nonOwners))("%s, the owner must stay", async (_, add) => {
    expect((await leave(add)).body).toMatchObject({
      code: 9,
      details: [{ reason: "LAST_OWNER" }, {}, {}],
    });
  });
});

describe("an organization", () => {
  test("can be deleted with its last owner", async () => {
    const { uid, owner } = await newOrganization();
    expect((await prepareCall("DELETE", `/iam/v2/groups/${uid}`, owner.token)()).status).toBe(200);
    expect(await sql("select 1 from role_bindings where parent = ?", uid)).toEqual([]);
  });

  test("that has lost all its owners can still be changed", async () => {
    const { uid } = await newOwnerlessOrganization();
    const keeper = await newUser();
    const role = `${uid}/${randomUid().slice(0, 16)}`;
    await sql(
      "insert into roles (uid, name, capabilities, create_time, update_time) values (?, 'keeper', ?, 1, 1)",
      ...[role, JSON.stringify([Capability.CAP_IAM_ROLE_BINDINGS_DELETE])],
    );
    await bind(uid, keeper.uid, role);
    const other = await bind(uid, (await newUser()).uid, await roleUid("viewer"));
    const remove = prepareCall("DELETE", `/iam/v2/roleBindings/${other}`, keeper.token);
    expect((await remove()).status).toBe(200);
  });

  test("keeps an owner whose matchers change, but a role in use cannot be deleted", async () => {
    const { uid, workload } = await newWorkloadOwner();
    const to = { claimMatch: { issuer: "https://j.example", subject: "next" } };
    const hand = prepareCall("PATCH", `/iam/v2/identities/${workload.uid}`, workload.token, to);
    expect((await hand()).status).toBe(200);
    const { owner, uid: other } = await newOrganization();
    const capabilities = await ownerCapabilities(owner.token);
    const role = await createResource(`/iam/v2/roles/${other}`, owner.token, {
      name: "boss",
      capabilities,
    });
    await sql("update role_bindings set role_uid = ? where parent = ?", role.uid, other);
    const gone = await prepareCall("DELETE", `/iam/v2/roles/${role.uid}`, owner.token)();
    expect(gone.body.details[1].violations).toMatchObject([{ type: "RESOURCE_IN_USE" }]);
    expect(uid).not.toBe(other);
  });
});

describe("keeps one of two owners if", () => {
  const bindingsOf = async (uid: string, identity: string) =>
    (
      await sql<{ uid: string }>(
        "select uid from role_bindings where parent = ? and identity_uid = ?",
        ...[uid, identity],
      )
    )[0]?.uid;

  async function two() {
    const { uid, owner } = await newOrganization();
    const other = await addOwner(uid);
    return {
      uid,
      people: await Promise.all(
        [owner, other].map(async (one) => ({ ...one, binding: await bindingsOf(uid, one.uid) })),
      ),
    };
  }

  const remove = (binding: string | undefined, token: string) =>
    callRest(`/iam/v2/roleBindings/${binding}`, { method: "DELETE", token });

  const races: Record<
    string,
    (people: Awaited<ReturnType<typeof two>>["people"]) => Promise<Answer>[]
  > = {
    "each deletes their own binding": (people) =>
      people.map(({ binding, token }) => remove(binding, token)),
    "each deletes the other's binding": ([one, other]) => [
      remove(other?.binding, one?.token ?? ""),
      remove(one?.binding, other?.token ?? ""),
    ],
    "each leaves the platform": (people) =>
      people.map(({ uid, token }) =>
        callRest(`/auth/v1/delete/${uid}`, { method: "DELETE", token }),
      ),
    "one leaves, and the other deletes their binding in version 1": ([one, other]) => [
      callRest(`/auth/v1/delete/${one?.uid}`, { method: "DELETE", token: one?.token }),
      callRest(`/iam/v1/rolebindings/${other?.binding}`, { method: "DELETE", token: other?.token }),
    ],
  };

  test.each(Object.entries(races))("%s", async (_, race) => {
    for (let round = 0; round < 5; round += 1) {
      const { uid, people } = await two();
      const answers = await Promise.all(race(people));
      const left = await sql("select 1 from role_bindings where parent = ?", uid);
      expect([answers.filter(({ status }) => status === 200).length, left.length]).toEqual([1, 1]);
    }
  });
});
