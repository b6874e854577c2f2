/** An organization with one resource of each kind, which all writes of the races use. */
import { createHash, generateKeyPairSync } from "node:crypto";
import { restCall } from "../contract/callers.ts";
import { allCapabilities, standardServices, step } from "../contract/fixtures.ts";
import { creation } from "../contract/standard.ts";
import { randomUid } from "../world/personas.ts";
import { tokenFor } from "../world/platform.ts";
import {
  makeRegistryFixtures,
  makeVulnerabilityFixtures,
  type RegistryFixtures,
  type VulnerabilityFixtures,
} from "./fixtures.ts";
import { builtInRoles, insert, type Maker, makerOf } from "./maker.ts";
import { makePeopleFixtures, type PeopleFixtures, type RaceTree } from "./people.ts";
import type { Columns } from "./protocol.ts";
import { type RaceStage, startStage } from "./stage.ts";
import { newUpstream, type Upstream } from "./upstream.ts";

/** The lifetime of tokens in seconds: as long as the races can take. */
const life = 4 * 3600;

export type RaceWorld = RaceTree &
  RegistryFixtures &
  VulnerabilityFixtures &
  PeopleFixtures & { stage: RaceStage; columns: Columns; upstream: Upstream };

async function newUser({ stage }: Maker, name: string) {
  const uid = randomUid();
  const times = { last_seen_time: 1, create_time: stage.time, update_time: stage.time };
  await insert(stage, "identities", { uid, name, ...times });
  return { uid, token: await tokenFor(uid, {}, life) };
}

/** An identity of the group with every capability there. */
async function newCaller({ stage }: Maker, group: string, name: string) {
  const [uid, role] = [`${group}/${step()}`, `${group}/${step()}`];
  const times = { create_time: stage.time, update_time: stage.time };
  await insert(stage, "identities", { uid, name, last_seen_time: stage.time, ...times });
  const capabilities = JSON.stringify(allCapabilities);
  await insert(stage, "roles", { uid: role, name, capabilities, ...times });
  const binding = { uid: `${group}/${step()}`, identity_uid: uid, role_uid: role };
  await insert(stage, "role_bindings", { ...binding, ...times });
  const token = await tokenFor(uid, {}, life);
  return { token, held: { identity: uid, role, binding: binding.uid } };
}

async function makeGroups(maker: Maker) {
  const owner = await newUser(maker, "owner");
  const { token } = owner;
  const domain = "corp.example";
  const { uid: organization } = await maker.make("/iam/v2/groups", token, { name: domain });
  await maker.stage.sql("update groups set verified = 1 where uid = ?", organization);
  const group = async (at: string, name: string) =>
    (await maker.make(`/iam/v2/groups/${at}`, token, { name })).uid;
  const leaf = await group(organization, "leaf");
  const branch = await group(organization, "branch");
  return { owner: token, domain, organization, leaf, branch, twig: await group(branch, "twig") };
}

/** A session at an identity provider that no longer exists. */
async function newSession({ stage }: Maker, organization: string, person: string) {
  const uid = `${organization}/5e55000000000001/5e55000000000001`;
  const times = { create_time: stage.time, last_used_time: stage.time };
  const about = { identity_uid: person, kind: 1, client: "", user_agent: "" };
  await insert(stage, "sessions", {
    uid,
    ...about,
    ...times,
    expire_time: stage.time + life * 1000,
  });
  return uid;
}

async function makeAccess(maker: Maker, organization: string, leaf: string, token: string) {
  const { make } = maker;
  const roles = await builtInRoles(maker.stage);
  const newRole = async (name: string) =>
    (await make(`/iam/v2/roles/${organization}`, token, { name, capabilities: ["CAP_REPO_LIST"] }))
      .uid;
  const newBot = async (name: string) =>
    (await make(`/iam/v2/identities/${organization}`, token, { name })).uid;
  const bind = async (group: string, identityUid: string, roleUid: string) =>
    (await make(`/iam/v2/roleBindings/${group}`, token, { identityUid, roleUid })).uid;
  const newKey = async (identity: string) =>
    (await make(`/iam/v2/keys/${identity}`, token, { name: "ci" })).uid;
  const [role, usedRole] = [await newRole("role"), await newRole("used")];
  const [bot, spare] = [await newBot("bot"), await newBot("spare")];
  const [second, guest] = [await newUser(maker, "second owner"), await newUser(maker, "guest")];
  const secondOwner = await bind(organization, second.uid, roles.owner);
  await make("/iam/v2/groupInvites:accept", second.token, { code: secondOwner });
  return {
    ...{ roles, role, usedRole, bot, spare, botToken: await tokenFor(bot, {}, life) },
    ...{ guest: guest.uid, guestToken: guest.token, secondOwner },
    pending: await bind(organization, guest.uid, role),
    binding: await bind(organization, bot, usedRole),
    bindingAtLeaf: await bind(leaf, bot, roles.viewer),
    botKey: await newKey(bot),
    spareKey: await newKey(spare),
    session: await newSession(maker, organization, guest.uid),
  };
}

async function makeInvites({ make }: Maker, organization: string, token: string, role: string) {
  const at = `/iam/v2/groupInvites/${organization}`;
  const many = await make(at, token, { roleUid: role, ttl: "36000s" });
  const single = await make(at, token, { roleUid: role, ttl: "36000s", singleUse: true });
  return {
    ...{ invite: many.uid, inviteCode: many.code ?? "" },
    ...{ single: single.uid, singleCode: single.code ?? "" },
  };
}

const newKey = () => generateKeyPairSync("x25519").publicKey.export({ format: "jwk" }).x ?? "";

async function makeWaiting({ stage }: Maker) {
  const [waiting, headless] = [newKey(), newKey()];
  await insert(stage, "headless_sessions", {
    code: waiting,
    ecdh_public_key: newKey(),
    encrypted_idtoken: createHash("sha256").update(waiting).digest("base64"),
    expire_time: stage.time + life * 1000,
  });
  return { waiting, headless };
}

/** Starts a platform and creates the world in it. */
export async function startWorld(): Promise<RaceWorld> {
  const upstream = await newUpstream();
  const stage = await startStage({
    TRUSTED_EMAIL_ISSUERS: upstream.url,
    REGISTRATION_ISSUERS: upstream.url,
    DNS_URL: "",
  });
  await stage.serve(upstream.pages);
  const maker = makerOf(stage);
  const groups = await makeGroups(maker);
  const { organization, leaf, branch, owner } = groups;
  const access = await makeAccess(maker, organization, leaf, owner);
  const invites = await makeInvites(maker, organization, owner, access.role);
  const amazon = { account: "123456789012" };
  await maker.make(`/iam/v2/accountAssociations/${branch}`, owner, { name: "clouds", amazon });
  const sink = "https://hooks.example/events";
  const { uid: subscription } = await maker.make(
    `/events/v2/subscriptions/${organization}`,
    owner,
    { sink },
  );
  const delivery = `${subscription}/${"d".repeat(16)}`;
  const standard: Record<string, string> = {};
  for (const service of standardServices) {
    const [rpc, request] = creation(service, organization, { name: "one" });
    const { path, asked } = restCall(rpc, request);
    standard[service] = (await maker.make(path, owner, asked.body)).uid;
  }
  const one = await newCaller(maker, organization, "one");
  const two = await newCaller(maker, organization, "two");
  const tree: RaceTree = {
    ...{ ...groups, ...access, ...invites, subscription, delivery, standard },
    ...(await makeWaiting(maker)),
    callers: [one.token, two.token],
    held: { [one.token]: one.held, [two.token]: two.held },
  };
  const images = await makeRegistryFixtures(maker, tree);
  const knowledge = await makeVulnerabilityFixtures(maker, tree);
  const people = await makePeopleFixtures(maker, tree, upstream);
  await stage.serve(upstream.pages);
  await stage.sql("delete from events");
  await stage.sql(
    `insert into deliveries (uid, event_seq, pool, partition, create_time, end_time, state)
     values ('${delivery}', 0, 'pool', 'partition', 1, 1, 'delivered')`,
  );
  // The first call of a day records the use of its identity and role bindings after the response.
  for (const table of ["identities", "role_bindings"])
    await stage.sql(`update ${table} set last_used_time = ${stage.time}`);
  const columns = await stage.snapshot();
  return { ...tree, ...images, ...knowledge, ...people, ...{ stage, columns, upstream } };
}
