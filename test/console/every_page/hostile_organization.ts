/** An organization in which a stranger or a member has chosen every text as badly as the API accepts it. */
import { startOpenidProvider } from "../../iam/identity_providers/openid_provider.ts";
import {
  bindPerson,
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql, tokenFor } from "../../world/platform.ts";
import { hostileText } from "../hostile_texts.ts";
import { publicKeys } from "../identities/keys.ts";

/** The longest name that the contract accepts. Names have no other letters. */
export const longName = "w".repeat(255);
/** The longest description. */
export const description = hostileText(512);
/** The longest email address that a login stores. */
export const email = hostileText(320);

/** The claims of a token whose person has hostile ones. The event log contains them. */
export const claims = {
  email,
  act: { iss: "https://login.example", sub: hostileText(255), email },
};

/** Creates a resource as the owner. */
type Create = (path: string, body: object) => Promise<{ uid: string } & Record<string, unknown>>;

/** The uids of the resources that have pages. */
export interface HostileOrganization {
  organization: Organization;
  create: Create;
  /** The deepest group. */
  group: string;
  role: string;
  /** An identity with the role in the organization, and its token. */
  bot: string;
  /** Further identities, one of each kind. */
  identities: string[];
  person: string;
  provider: string;
  subscription: string;
  /** The id of a call of the bot that was refused. */
  decision: string;
}

export async function newHostileOrganization(): Promise<HostileOrganization> {
  const organization = await newOrganization("w".repeat(242));
  const { uid, owner } = organization;
  owner.token = await tokenFor(owner.uid, claims);
  const create: Create = (path, body) => createResource(path, owner.token, body);
  await sql("update groups set description = ? where uid = ?", description, uid);
  await sql("update identities set name = ?, email = ? where uid = ?", longName, email, owner.uid);
  const role = await create(`/iam/v2/roles/${uid}`, {
    ...{ name: longName, description, capabilities: ["CAP_REPO_LIST", "CAP_TAG_LIST"] },
  });
  const group = await newDeepGroup(uid, create);
  const [bot = "", ...identities] = await newIdentities(uid, create);
  await create(`/iam/v2/roleBindings/${uid}`, { identityUid: bot, roleUid: role.uid });
  const [person, provider, subscription] = await Promise.all([
    newPeople(organization, role.uid),
    newProvider(uid, role.uid, create),
    newSubscriptions(uid, create),
    newInvite(uid, role.uid, create),
    newAssociation(uid, create),
  ]);
  await create(`/iam/v2/keys/${bot}`, { name: longName, networks: ["2001:db8::/32"] });
  await sql(
    `insert into sessions (uid, identity_uid, kind, client, user_agent, create_time, last_used_time, expire_time)
     values (?, ?, 2, ?, ?, 1, 1, ?)`,
    ...[`${provider}/0000000000000001`, person, hostileText(64), hostileText(200), 9e12],
  );
  return {
    ...{ organization, create, group, role: role.uid, bot, identities, person, provider },
    ...{ subscription, decision: await refusedCall(group, bot) },
  };
}

/** Groups below each other, as many as there can be. Some have a name that is only a space. */
async function newDeepGroup(root: string, create: Create): Promise<string> {
  await create(`/iam/v2/groups/${root}`, { name: " ", description });
  let uid = root;
  for (let level = 1; level <= 4; level += 1)
    ({ uid } = await create(`/iam/v2/groups/${uid}`, { name: longName, description }));
  return uid;
}

async function newIdentities(group: string, create: Create): Promise<string[]> {
  const text = hostileText(2_048);
  const kinds = [
    {
      claimMatch: {
        ...{ issuer: "https://login.example", subject: text, audience: text },
        claims: { [hostileText(255)]: hostileText(4_096) },
        claimPatterns: { [`1${hostileText(254)}`]: ".*" },
      },
    },
    { claimMatch: { issuer: "https://gitlab.com", subjectPattern: ".*", audience: text } },
    {
      staticKeys: {
        ...{ issuer: text, subject: text, issuerKeys: publicKeys, audiences: [text] },
        expirationTime: new Date(Date.now() + 12 * 86_400_000).toISOString(),
      },
    },
    { awsIdentity: { awsAccount: "123456789012", arn: text, userId: hostileText(255) } },
    {},
  ];
  const made: string[] = [];
  for (const [at, kind] of kinds.entries()) {
    const name = at === 4 ? " " : longName;
    const body = { name, description, company: hostileText(255), ...kind };
    made.push((await create(`/iam/v2/identities/${group}`, body)).uid);
  }
  return made;
}

/** A person with the role, and one who asks for access. */
async function newPeople(organization: Organization, role: string): Promise<string> {
  const { uid, owner } = organization;
  const [member, stranger] = [await newUser(), await newUser()];
  for (const one of [member, stranger])
    await sql(
      "update identities set name = ?, email = ?, issuer = ?, subject = ? where uid = ?",
      ...[longName, email, "https://login.example", hostileText(255), one.uid],
    );
  await bindPerson({ uid, token: owner.token }, member.uid, "viewer");
  await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, {
    ...{ identityUid: (await newUser()).uid, roleUid: role },
  });
  await askForAccess(organization, stranger.uid);
  return member.uid;
}

/** Only the domain of a verified organization lets a stranger ask, and the part before it can be anything. */
async function askForAccess({ uid, name }: Organization, stranger: string): Promise<void> {
  const rename = "update groups set name = ?, verified = ? where uid = ?";
  const domain = `${randomName("corp")}.example`;
  await sql(rename, domain, 1, uid);
  const token = await tokenFor(stranger, {
    ...{ email: `${hostileText(250)}@${domain}`, email_verified: true },
    act: { ...claims.act, iss: "https://trusted.example" },
  });
  const path = `/iam/v2/groups/${uid}:requestGroupAccess`;
  const asked = await callRest(path, { token, body: {} });
  if (asked.status !== 200) throw new Error(JSON.stringify(asked.body));
  await sql(rename, name, 0, uid);
}

/** A provider whose every text is long, with mapped groups. */
async function newProvider(group: string, role: string, create: Create): Promise<string> {
  const openid = await startOpenidProvider();
  const issuer = `${openid.url}/${"w".repeat(1_900)}`;
  openid.document.issuer = issuer;
  const oidc = {
    ...{ issuer, clientId: hostileText(1_024), clientSecret: "secret" },
    ...{ groupsClaim: hostileText(255), additionalScopes: ["email", "w".repeat(128)] },
  };
  const { uid } = await create(`/iam/v2/identityProviders/${group}`, {
    ...{ name: longName, description, defaultRole: role, oidc },
  });
  await create(`/iam/v2/externalGroupRoleMappings/${uid}`, {
    ...{ externalGroupId: hostileText(255), roleUid: role, scope: group },
  });
  return uid;
}

const newInvite = (group: string, role: string, create: Create) =>
  create(`/iam/v2/groupInvites/${group}`, {
    ...{ roleUid: role, ttl: "3600s" },
    email: `'*{}$&!#|~${"w".repeat(50)}@${`${"w".repeat(60)}.`.repeat(3)}example`,
  });

async function newAssociation(group: string, create: Create): Promise<void> {
  const some = "12345678-1234-1234-1234-123456789abc";
  await create(`/iam/v2/accountAssociations/${group}`, {
    ...{ name: longName, description, amazon: { account: "123456789012" } },
    google: { projectId: hostileText(64), projectNumber: "1".repeat(20) },
    azure: { tenantId: some, clientIds: { [hostileText(64)]: some } },
    github: {
      appInstallations: { 7: { installations: [{ installationId: "9", name: hostileText(255) }] } },
    },
  });
}

/** A subscription whose sink fails and answers with hostile texts. */
async function newSubscriptions(group: string, create: Create): Promise<string> {
  const { uid } = await create(`/events/v2/subscriptions/${group}`, {
    sink: `http://127.0.0.1:1/${"w".repeat(1_900)}?a=';$(b)&<c>`.replace("<c>", "%3Cc%3E"),
    ...{ tagPattern: "w".repeat(50), disabled: true },
  });
  return uid;
}

/** Inserts what the sink responded to the newest events. The test platform sends no events. */
export async function insertDeliveries({ organization, subscription }: HostileOrganization) {
  const attempt = { time: Date.now() - 60_000, latency: 12 };
  const attempts = [
    { ...attempt, status: 503, error: "", response: hostileText(1_024) },
    { ...attempt, status: 0, error: hostileText(1_024), response: "" },
  ];
  await sql(
    `insert into deliveries (uid, create_time, event_seq, pool, partition, state, failures, attempts, end_time)
     select ? || substr(uid, -17), time, seq, pool, partition, 'failed', 2, ?, time from events
     where ancestor0 = ? or parent = ? order by seq desc limit 50`,
    ...[subscription, JSON.stringify(attempts), organization.uid, organization.uid],
  );
}

async function refusedCall(group: string, bot: string): Promise<string> {
  const token = await tokenFor(bot, claims);
  const { body } = await callRest(`/iam/v2/groups/${group}`, { method: "DELETE", token });
  return body.details[0].metadata.decision_id;
}
