/** Identities that count as owners of an organization, and others that do not. */
import { newProvider } from "../../issuer/login/logins.ts";
import { newOrganization, newUser, randomName, randomUid, roleUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import {
  addOwner,
  awsIdentity,
  bind,
  bindOwner,
  claimMatch,
  insertSignIn,
  newIdentityWithMatcher,
  newLoginPerson,
  newRegisteredPerson,
  staticKeys,
} from "./owners.ts";

/** Creates a person or an identity that can own the organization. Returns the uid to bind. */
export type MakeCandidate = (uid: string) => Promise<void>;

export const owners: Record<string, MakeCandidate> = {
  "a person": async (uid) => void (await addOwner(uid)),
  "a person who has registered": async (uid) =>
    void (await bindOwner(uid, (await newRegisteredPerson()).uid)),
  "an identity that accepts tokens": async (uid) =>
    void (await bindOwner(uid, (await newIdentityWithMatcher(uid, 1, claimMatch())).uid)),
  "an identity with keys": async (uid) =>
    void (await bindOwner(
      uid,
      (
        await newIdentityWithMatcher(uid, 2, staticKeys("2999-01-01T00:00:00Z"))
      ).uid,
    )),
  "an identity of AWS": async (uid) =>
    void (await bindOwner(uid, (await newIdentityWithMatcher(uid, 3, awsIdentity)).uid)),
  "a person who comes in by a provider of the organization": async (uid) => {
    const provider = await newProvider(uid, { issuer: "https://people.example" });
    const person = await newLoginPerson("https://people.example");
    await insertSignIn(provider, person.uid);
    await bindOwner(uid, person.uid);
  },
  "an active user of such a provider": async (uid) => {
    const { person } = await provisioned(uid, true);
    await bindOwner(uid, person.uid);
  },
  "a registered person who is an active user of such a provider": async (uid) => {
    const { person } = await provisioned(uid, true, true);
    await bindOwner(uid, person.uid);
  },
  "a registered person whom a provider of another organization has deactivated": async (uid) => {
    const { uid: elsewhere } = await newOrganization();
    const { person } = await provisioned(elsewhere, false, true);
    await bindOwner(uid, person.uid);
  },
  "a registered person, where the provider has deactivated someone else": async (uid) => {
    await provisioned(uid, false, true);
    await bindOwner(uid, (await newRegisteredPerson()).uid);
  },
};

/** A person whom a provider of the organization provisioned. */
async function provisioned(group: string, isActive: boolean, isRegistered = false) {
  const person = isRegistered
    ? await newRegisteredPerson()
    : await newLoginPerson("https://people.example");
  const issuer = isRegistered ? "https://other.example" : "https://people.example";
  const provider = await newProvider(group, { issuer, scim_enabled: 1 });
  await insertSignIn(provider, person.uid);
  await sql(
    `insert into scim_users (uid, user_name, user_name_key, active, identity_uid, attributes, create_time,
       update_time) values (?1, ?1, ?1, ?2, ?3, '{}', 1, 1)`,
    ...[`${provider}/${randomUid().slice(0, 16)}`, isActive ? 1 : 0, person.uid],
  );
  return { person, provider };
}

export const nonOwners: Record<string, MakeCandidate> = {
  "a person who has not accepted": async (uid) =>
    void (await bindOwner(uid, (await newUser()).uid, false)),
  "a person with less than owner": async (uid) =>
    void (await bind(uid, (await newUser()).uid, await roleUid("editor"))),
  "a deactivated user of the provider": async (uid) => {
    const { person } = await provisioned(uid, false);
    await bindOwner(uid, person.uid);
  },
  "a registered person whom the provider has deactivated": async (uid) => {
    const { person } = await provisioned(uid, false, true);
    await bindOwner(uid, person.uid);
  },
  "a person whose provider is gone": async (uid) =>
    void (await bindOwner(uid, (await newLoginPerson("https://gone.example")).uid)),
  "a person who comes in by a provider of a subgroup": async (uid) => {
    const subgroup = await newSubgroup(uid);
    await newProvider(subgroup, { issuer: "https://people.example" });
    await bindOwner(uid, (await newLoginPerson("https://people.example")).uid);
  },
  "an identity that accepts no tokens": async (uid) =>
    void (await bindOwner(uid, (await newIdentityWithMatcher(uid, 0, null)).uid)),
  "an identity whose keys have expired": async (uid) =>
    void (await bindOwner(
      uid,
      (
        await newIdentityWithMatcher(uid, 2, staticKeys("2020-01-01T00:00:00Z"))
      ).uid,
    )),
  "an identity of a subgroup": async (uid) =>
    void (await bindOwner(
      uid,
      (
        await newIdentityWithMatcher(await newSubgroup(uid), 1, claimMatch())
      ).uid,
    )),
  "an owner of a subgroup": async (uid) =>
    void (await bindOwner(await newSubgroup(uid), (await newUser()).uid)),
};

async function newSubgroup(parent: string): Promise<string> {
  const uid = `${parent}/${randomUid().slice(0, 16)}`;
  await sql(
    "insert into groups (uid, name, create_time, update_time) values (?, ?, 1, 1)",
    ...[uid, randomName("team")],
  );
  return uid;
}
