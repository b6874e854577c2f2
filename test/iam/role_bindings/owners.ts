/** Organizations with owners who get access in every possible way, written without the API. */
import {
  newOrganization,
  newUser,
  type Persona,
  randomName,
  randomUid,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { sharedProvider } from "../identity_providers/openid_provider.ts";
import { newClient } from "../scim/client.ts";

const step = () => randomUid().slice(0, 16);

/** Binds a role on a group, accepted by default. Returns the uid of the binding. */
export async function bind(group: string, identity: string, role: string, accepted = true) {
  const uid = `${group}/${step()}`;
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time)
     values (?, ?, ?, ?, 1, 1)`,
    ...[uid, identity, role, accepted ? 1 : 0],
  );
  return uid;
}

export const bindOwner = async (group: string, identity: string, accepted = true) =>
  bind(group, identity, await roleUid("owner"), accepted);

/** An identity with its matchers as they are stored, in a group, or a person without one. */
export async function newIdentityWithMatcher(
  group: string,
  type: number,
  relationship: { case: string; value: object } | null,
  { issuer = null, subject = null }: Record<string, string | null> = {},
): Promise<Persona> {
  const uid = group === "" ? randomUid() : `${group}/${step()}`;
  await sql(
    `insert into identities (uid, name, last_seen_time, create_time, update_time, relationship_type,
       relationship, issuer, subject) values (?, ?, 1, 1, 1, ?, ?, ?, ?)`,
    ...[uid, randomName("owner"), type, relationship && JSON.stringify(relationship)],
    ...[issuer, subject],
  );
  return { uid, token: await tokenFor(uid) };
}

export const claimMatch = (issuer = "https://i.example", subject = randomName("s")) => ({
  case: "claimMatch",
  value: { issuer, subject },
});

const publicKey = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };

export const staticKeys = (expirationTime: string) => ({
  case: "staticKeys",
  value: {
    ...{ issuer: "https://i.example", subject: "s", expirationTime },
    issuerKeys: JSON.stringify({ keys: [publicKey] }),
  },
});

export const awsIdentity = {
  case: "awsIdentity",
  value: { awsAccount: "123456789012", arn: "a", userId: "u" },
};

/** A person who gets access only by logins of an issuer. */
export const newLoginPerson = (issuer: string) => newIdentityWithMatcher("", 1, claimMatch(issuer));

/** A person who has registered, and therefore gets access with their own tokens. */
export function newRegisteredPerson(): Promise<Persona> {
  const relationship = claimMatch();
  return newIdentityWithMatcher("", 1, relationship, relationship.value);
}

export const insertSignIn = (provider: string, person: string) =>
  sql("insert into sign_ins values (?, ?, 1, 1)", provider, person);

/** An organization whose founder has left, with all bindings. */
export async function newOwnerlessOrganization() {
  const organization = await newOrganization();
  await sql("delete from role_bindings where parent = ?", organization.uid);
  return organization;
}

/** An organization whose only owner is a provisioned person who logs in through its provider. */
export async function newProvisionedOwner() {
  const client = await newClient();
  const { uid } = client.organization;
  await sql("delete from role_bindings where parent = ?", uid);
  const person = await newLoginPerson((await sharedProvider()).url);
  await insertSignIn(client.idp, person.uid);
  await bindOwner(uid, person.uid);
  const userName = randomName("ada");
  const user = await client.create({ userName, externalId: userName });
  const link = () =>
    sql(
      "update scim_users set identity_uid = ? where uid = ?",
      person.uid,
      `${client.idp}/${user.id}`,
    );
  await link();
  return { client, person, user, userName };
}

/** Another person with all capabilities of an owner. */
export async function addOwner(group: string): Promise<Persona> {
  const person = await newUser();
  await bindOwner(group, person.uid);
  return person;
}

/** The capabilities of the built-in owner, by name. */
export async function ownerCapabilities(token: string): Promise<string[]> {
  const { body } = await callRest(`/iam/v2/roles/${await roleUid("owner")}`, { token });
  return body.capabilities;
}
