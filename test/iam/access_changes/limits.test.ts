/** A call with validate_only has a limited cost and shows only what its caller may see. */
import { beforeEach, expect, test } from "vitest";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { newContractCaller } from "../../contract/fixtures.ts";
import { createResource, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { newIdentityProvider } from "../identity_providers/openid_provider.ts";

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  ({ token } = organization.owner);
});

const newRole = (capabilities: string[]) =>
  createResource(`/iam/v2/roles/${organization.uid}`, token, { name: "many", capabilities });

/** Identities of the organization, each with the role at the organization. */
async function bindMany(role: string, number: number): Promise<void> {
  const steps = JSON.stringify(Array.from({ length: number }, (_, at) => hexOf(at)));
  await sql(
    `insert into identities (uid, name, last_seen_time, create_time, update_time)
     select ?1 || '/' || value, 'bot ' || key, 1, 1, 1 from json_each(?2)`,
    organization.uid,
    steps,
  );
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select ?1 || '/' || value, ?1 || '/' || value, ?3, 1, 1 from json_each(?2)`,
    organization.uid,
    steps,
    role,
  );
}

const hexOf = (at: number) => at.toString(16).padStart(16, "0");

const patch = (uid: string, body: object, as = token) =>
  callRest(`/iam/v2/roles/${uid}?validateOnly=true`, { method: "PATCH", token: as, body });

test("an update of a role with 10,000 bindings reads the first 200, and says that there are more", async () => {
  const role = await newRole(["CAP_REPO_LIST"]);
  await bindMany(role.uid, 10_000);
  const answer = await patch(role.uid, { capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] });
  expect(answer.status).toBe(200);
  const { changes, hasMore } = answer.body.accessChanges;
  expect([changes.length, hasMore]).toEqual([200, true]);
  expect(changes[0]).toEqual({
    identity: { uid: `${organization.uid}/${hexOf(0)}`, name: "bot 0" },
    group: { uid: organization.uid, name: organization.name },
    gained: ["CAP_TAG_LIST"],
  });
  const { roundTrips, rowsRead } = costOf(answer);
  expect(roundTrips).toBeLessThanOrEqual(4);
  expect(rowsRead).toBeLessThan(2500);
});

test("an update that keeps the capabilities changes no access, however many have the role", async () => {
  const role = await newRole(["CAP_REPO_LIST"]);
  await bindMany(role.uid, 300);
  const { body } = await patch(role.uid, { description: "d" });
  expect(body.accessChanges).toEqual({ hasMore: false, hidden: false });
});

test("a holder with more than 1,000 bindings is left out of an update, and its deletion shows the first 200 losses", async () => {
  const role = await newRole(["CAP_REPO_LIST"]);
  const { uid } = await createResource(`/iam/v2/identities/${organization.uid}`, token, {
    name: "everywhere",
  });
  const steps = JSON.stringify(Array.from({ length: 1200 }, (_, at) => hexOf(at)));
  await sql(
    `insert into groups (uid, name, create_time, update_time)
     select ?1 || '/' || value, 'g' || key, 1, 1 from json_each(?2)`,
    organization.uid,
    steps,
  );
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select ?1 || '/' || value || '/' || value, ?3, ?4, 1, 1 from json_each(?2)`,
    ...[organization.uid, steps, uid, role.uid],
  );
  const updated = await patch(role.uid, { capabilities: ["CAP_TAG_LIST"] });
  expect(updated.body.accessChanges).toEqual({ hasMore: true, hidden: false });
  const path = `/iam/v2/identities/${uid}?validateOnly=true`;
  const deleted = await callRest(path, { method: "DELETE", token });
  const { changes, hasMore } = deleted.body.accessChanges;
  expect([changes.length, hasMore]).toEqual([200, true]);
  expect(changes[0]).toMatchObject({ lost: ["CAP_REPO_LIST"], group: { name: "g0" } });
  for (const { headers } of [updated, deleted]) {
    expect(costOf({ headers }).roundTrips).toBeLessThanOrEqual(4);
    expect(costOf({ headers }).rowsRead).toBeLessThan(5000);
  }
});

test("a caller who cannot list role bindings or identity providers sees that changes are hidden, and none of them", async () => {
  const role = await newRole(["CAP_REPO_LIST"]);
  await bindMany(role.uid, 2);
  const provider = await newIdentityProvider(organization);
  await createResource(`/iam/v2/externalGroupRoleMappings/${provider.uid}`, token, {
    ...{ externalGroupId: "developers", roleUid: role.uid, scope: organization.uid },
  });
  const needed = [
    Capability.CAP_IAM_ROLES_UPDATE,
    Capability.CAP_REPO_LIST,
    Capability.CAP_TAG_LIST,
  ];
  const list = Capability.CAP_IAM_ROLE_BINDINGS_LIST;
  const providers = Capability.CAP_IAM_IDENTITY_PROVIDERS_LIST;
  const seenWith = async (more: number[]) => {
    const caller = await newContractCaller(organization.uid, [...needed, ...more]);
    const capabilities = ["CAP_REPO_LIST", "CAP_TAG_LIST"];
    const { status, body } = await patch(role.uid, { capabilities }, caller.token);
    const { changes = [], hidden } = body.accessChanges;
    const kinds = changes.map((one: object) => ("identity" in one ? "identity" : "externalGroup"));
    return [status, hidden, kinds];
  };
  expect(await seenWith([])).toEqual([200, true, []]);
  expect(await seenWith([providers])).toEqual([200, true, []]);
  expect(await seenWith([list])).toEqual([200, true, ["identity", "identity"]]);
  const all = ["identity", "identity", "externalGroup"];
  expect(await seenWith([list, providers])).toEqual([200, false, all]);
});

test("a binding for a person from outside grants nothing until the person accepts it", async () => {
  const stranger = (await newOrganization()).owner;
  const role = await newRole(["CAP_REPO_LIST"]);
  const path = `/iam/v2/roleBindings/${organization.uid}`;
  const body = { identityUid: stranger.uid, roleUid: role.uid };
  const answer = await callRest(`${path}?validate_only=true`, { token, body });
  expect(answer.body).toMatchObject({ pending: true, accessChanges: { hidden: false } });
  expect(answer.body.accessChanges.changes).toBeUndefined();
});

test("roles in other organizations are neither shown nor considered", async () => {
  const elsewhere = await newOrganization();
  const { owner } = elsewhere;
  const role = await newRole(["CAP_REPO_LIST"]);
  // The person is a member here, and the owner of the other organization.
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     values (?, ?, ?, 1, 1)`,
    ...[`${organization.uid}/${hexOf(1)}`, owner.uid, role.uid],
  );
  const other = await createResource(`/iam/v2/roles/${organization.uid}`, token, {
    ...{ name: "other", capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
  });
  const answer = await callRest(`/iam/v2/roleBindings/${organization.uid}?validate_only=true`, {
    token,
    body: { identityUid: owner.uid, roleUid: other.uid },
  });
  expect(answer.body.accessChanges.changes).toMatchObject([
    { identity: { uid: owner.uid }, group: { uid: organization.uid }, gained: ["CAP_TAG_LIST"] },
  ]);
});
