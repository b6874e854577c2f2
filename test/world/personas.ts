/** The callers of a test. Every test creates its own organization, so tests share nothing. */
import { randomBytes } from "node:crypto";
import { callRest, sql, tokenFor } from "./platform.ts";

/** An identity and its token. */
export interface Persona {
  uid: string;
  token: string;
}

/** An organization and the user who owns it. */
export interface Organization {
  uid: string;
  name: string;
  owner: Persona;
}

export const randomUid = () => randomBytes(20).toString("hex");
export const randomName = (prefix: string) => `${prefix}-${randomBytes(6).toString("hex")}`;
export const fakeDigest = (text: string) =>
  `sha256:${Buffer.from(text.padEnd(32, "_").slice(0, 32)).toString("hex")}`;

/** A user of the platform without role bindings. */
export async function newUser(): Promise<Persona> {
  const uid = randomUid();
  await sql(
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, ?, 1, 1, 1)",
    uid,
    randomName("user"),
  );
  return { uid, token: await tokenFor(uid) };
}

/** A new organization, created through the API by a new user. */
export async function newOrganization(prefix = "org"): Promise<Organization> {
  const owner = await newUser();
  const name = randomName(prefix);
  const { body, status } = await callRest("/iam/v2/groups", { token: owner.token, body: { name } });
  if (status !== 200) throw new Error(`no organization: ${JSON.stringify(body)}`);
  return { uid: body.uid, name, owner };
}

/** The uid of a built-in role. */
export async function roleUid(name: string): Promise<string> {
  const [row] = await sql<{ uid: string }>(
    "select uid from roles where name = ? and length(uid) = 40",
    name,
  );
  if (!row) throw new Error(`no role ${name}`);
  return row.uid;
}

/** An identity below a group, with a built-in role on a group. The default is its own group. */
export async function newIdentity(
  organization: Organization,
  role: string | undefined,
  { group = organization.uid, bindAt = group }: { group?: string; bindAt?: string } = {},
): Promise<Persona> {
  const { token } = organization.owner;
  const made = await callRest(`/iam/v2/identities/${group}`, {
    token,
    body: { name: randomName("bot") },
  });
  const { uid } = made.body;
  if (role) {
    const body = { identityUid: uid, roleUid: await roleUid(role) };
    const bound = await callRest(`/iam/v2/roleBindings/${bindAt}`, { token, body });
    if (bound.status !== 200) throw new Error(`no binding: ${JSON.stringify(bound.body)}`);
  }
  return { uid, token: await tokenFor(uid) };
}

/** Gives the owner of an organization the role of the operator there. No call of the API can do that. */
export const makeOperator = ({ uid, owner }: Organization) =>
  sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
      select ?, ?, uid, 1, 1 from roles where name = 'operator'`,
    `${uid}/00000000000000aa`,
    owner.uid,
  );

/**
 * Binds a built-in role to a person from outside the organization, who accepts it. Returns the uid of the
 * binding.
 */
export async function bindPerson(
  { uid: group, token }: { uid: string; token: string },
  identityUid: string,
  role: string,
): Promise<string> {
  const body = { identityUid, roleUid: await roleUid(role) };
  const { uid: code } = await createResource(`/iam/v2/roleBindings/${group}`, token, body);
  await createResource("/iam/v2/groupInvites:accept", await tokenFor(identityUid), { code });
  return code;
}

/** A resource created through the API, as the response contains it. */
export async function createResource(
  path: string,
  token: string,
  body: unknown,
): Promise<{ uid: string } & Record<string, unknown>> {
  const answer = await callRest(path, { token, body });
  if (answer.status !== 200) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
