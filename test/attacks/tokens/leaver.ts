/**
 * A person who came in through an identity provider with provisioning, with every kind of token, and the
 * changes that end their access.
 */
import { basicHeader, newImage, pullToken } from "../../distribution/stored_images.ts";
import { type Client, newClient } from "../../iam/scim/client.ts";
import { exchangeForToken, newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import { logInWithIdToken, mapGroup, serveTokens, tokensOf } from "../../issuer/login/logins.ts";
import { createResource, newOrganization, randomName, roleUid } from "../../world/personas.ts";
import {
  audience,
  callRest,
  issuer as platform,
  registryAudience,
  sql,
} from "../../world/platform.ts";

/** Shared by all leavers of a file. Each has its own subject. */
export async function newIssuer() {
  const issuer = await startIssuer();
  return { issuer, answers: serveTokens(issuer) };
}

const reads = ["CAP_IAM_GROUPS_LIST", "CAP_REPO_LIST", "CAP_TAG_LIST"];

/** The way in which the person has the role that reads. */
export type GrantWay = "binding" | "mapping";

export async function newLeaver(
  { issuer, answers }: { issuer: ForeignIssuer; answers: { idToken: string } },
  way: GrantWay,
) {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const { token } = owner;
  const role = (name: string, capabilities: string[]) =>
    createResource(`/iam/v2/roles/${uid}`, token, { name: randomName(name), capabilities });
  const reader = (await role("reader", reads)).uid;
  const idle = way === "mapping" ? (await role("idle", ["CAP_IAM_IDENTITY_LIST"])).uid : "";
  const team = await createResource(`/iam/v2/groups/${uid}`, token, { name: randomName("team") });
  const client = await newClient(organization);
  await sql(
    "update identity_providers set issuer = ?, client_id = 'public', pkce_enabled = 1, groups_claim = 'groups', default_role = ? where uid = ?",
    issuer.url,
    way === "binding" ? reader : idle,
    client.idp,
  );
  if (way === "mapping") await mapGroup(client.idp, "readers", reader, uid);
  const subject = randomName("ada");
  const user = await client.create({ userName: subject, externalId: subject });
  const claims = { sub: subject, groups: ["readers"] };
  const done = await logInWithIdToken(issuer, answers, client.idp, claims, {
    create_refresh_token: "true",
  });
  const login = tokensOf(done);
  const person = login.claims.sub ?? "";
  const bound = async (matched: string, by: string) => {
    const claimMatch = { issuer: by, subject: matched };
    const identityUid = await newIdentityWithMatchers(organization, { claimMatch });
    await createResource(`/iam/v2/roleBindings/${uid}`, token, { identityUid, roleUid: reader });
    return identityUid;
  };
  return {
    ...{
      organization,
      token,
      reader,
      team: team.uid,
      client,
      user,
      login,
      person,
    },
    // Resources that only some kinds of tokens need are created only for those.
    image: once(async () => {
      await newImage(organization);
      return `${uid}/image`;
    }),
    robot: once(() => bound(person, platform)),
    workload: once(() => bound(`${subject}-ci`, issuer.url)),
    foreignToken: await issuer.sign({ sub: `${subject}-ci` }),
    registryPassword: await issuer.sign({ sub: `${subject}-ci`, aud: registryAudience }),
    idToken: await issuer.sign({ aud: "public", ...claims }),
  };
}

/** A function that creates the value on the first call, and returns it on every later one. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export type Leaver = Awaited<ReturnType<typeof newLeaver>>;

/** Creates a token of the kind. Returns a function that calls with it repeatedly and returns the status. */
export type TokenMaker = (leaver: Leaver) => Promise<() => Promise<number>>;

const reading =
  (token: string, { team }: Leaver) =>
  async () =>
    (await callRest(`/iam/v2/groups/${team}`, { token })).status;
const ask = async (path: string, token: string) => (await callRest(path, { token })).status;

/** The tokens of the person. */
export const personTokenMakers: Record<string, TokenMaker> = {
  "login token": async (w) => reading(w.login.token, w),
  "exchanged ID token": async (w) => {
    const { token } = await exchangeForToken(w.idToken, { identity_provider: w.client.idp });
    return reading(token, w);
  },
  "token exchanged again": async (w) =>
    reading((await exchangeForToken((await exchangeForToken(w.login.token)).token)).token, w),
  "narrowed token": async (w) =>
    reading(
      (await exchangeForToken(w.login.token, { scopes: w.team, cap: "groups.list" })).token,
      w,
    ),
  "refreshed token": async (w) => {
    const path = `/sts/exchange_refresh_token?aud=${audience}`;
    const { body } = await callRest(path, { method: "POST", token: w.login.refreshToken });
    return reading(body.token.token, w);
  },
  "page token": async (w) => {
    const { token } = w.login;
    const path = `/iam/v2/groups?page_size=1&uidp.descendants_of=${w.organization.uid}`;
    await createResource(`/iam/v2/groups/${w.organization.uid}`, w.token, {
      name: randomName("more"),
    });
    const { body } = await callRest(path, { token });
    return () => ask(`${path}&page_token=${body.nextPageToken}`, token);
  },
  "registry token": async (w) => {
    const { token } = await exchangeForToken(w.login.token, { aud: registryAudience });
    const image = await w.image();
    return () => ask(`/v2/${image}/_vendor/history/latest`, token);
  },
  "image token": async (w) => {
    const { token } = await exchangeForToken(w.login.token, { aud: registryAudience });
    const image = await w.image();
    const pull = await pullToken(image, token);
    return () => ask(`/v2/${image}/_vendor/history/latest`, pull);
  },
};

export const refreshToken: TokenMaker = async (w) => {
  const path = `/sts/exchange_refresh_token?aud=${audience}`;
  let { refreshToken: token } = w.login;
  return async () => {
    const { status, body } = await callRest(path, { method: "POST", token });
    token = body?.refreshToken?.token ?? token;
    return status;
  };
};
export const assumedToken: TokenMaker = async (w) =>
  reading((await exchangeForToken(w.login.token, { identity: await w.robot() })).token, w);
export const foreignToken: TokenMaker = async (w) => {
  await w.workload();
  return reading(w.foreignToken, w);
};
export const exchangedForeignToken: TokenMaker = async (w) => {
  await w.workload();
  return reading((await exchangeForToken(w.foreignToken)).token, w);
};
export const grantedForeignToken: TokenMaker = async (w) => {
  await w.workload();
  const body = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: w.foreignToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  }).toString();
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await callRest("/oauth/token", { body, headers });
  return reading(answer.body.access_token, w);
};
const logInToRegistry = async (w: Leaver) => {
  await w.workload();
  const path = `/token?scope=repository:${await w.image()}:pull`;
  return callRest(path, { headers: basicHeader(w.registryPassword, "oidc") });
};
export const registryPassword: TokenMaker = async (w) => async () =>
  (await logInToRegistry(w)).status;
export const imageTokenOfWorkload: TokenMaker = async (w) => {
  const { token } = (await logInToRegistry(w)).body;
  const image = await w.image();
  return () => ask(`/v2/${image}/_vendor/history/latest`, token);
};
export const scimToken: TokenMaker =
  async ({ client }) =>
  async () =>
    (await client.ask("GET", "/Users")).status;

/** Removes something, through the API if it has a call for that. */
export type AccessRemoval = (leaver: Leaver) => Promise<unknown>;

async function done(path: string, { token }: Leaver, method = "DELETE", body?: unknown) {
  const answer = await callRest(path, { method, token, body });
  if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function unbind(w: Leaver, column: "identity_uid" | "role_uid", value: string) {
  const query = `select uid from role_bindings where ${column} = ?`;
  for (const { uid } of await sql<{ uid: string }>(query, value)) {
    await done(`/iam/v2/roleBindings/${uid}`, w);
  }
}

const scim = async (asked: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await asked;
  if (status >= 300) throw new Error(JSON.stringify(body));
};
const userOf = ({ client, user }: Leaver): [Client, string] => [client, user.id];

export const accessRemovals = {
  binding: (w) => unbind(w, "identity_uid", w.person),
  "the robot's binding": async (w) => unbind(w, "identity_uid", await w.robot()),
  "the workload's binding": async (w) => unbind(w, "identity_uid", await w.workload()),
  "the role's capabilities": (w) =>
    done(`/iam/v2/roles/${w.reader}`, w, "PATCH", { capabilities: ["CAP_IAM_IDENTITY_LIST"] }),
  "the role, all its bindings with it": async (w) => {
    await unbind(w, "role_uid", w.reader);
    await sql(
      "update identity_providers set default_role = ? where uid = ?",
      await roleUid("viewer"),
      w.client.idp,
    );
    await done(`/iam/v2/roles/${w.reader}`, w);
  },
  "the requested group": (w) => done(`/iam/v2/groups/${w.team}`, w),
  mapping: async (w) => {
    const path = `/iam/v2/externalGroupRoleMappings?identity_provider_uid=${w.client.idp}`;
    const { body } = await callRest(path, { token: w.token });
    await done(`/iam/v2/externalGroupRoleMappings/${body.externalGroupRoleMappings[0].uid}`, w);
  },
  "the person, by themselves": (w) =>
    callRest(`/auth/v1/delete/${w.person}`, { method: "DELETE", token: w.login.token }),
  "the robot": async (w) => done(`/iam/v2/identities/${await w.robot()}`, w),
  "the workload": async (w) => done(`/iam/v2/identities/${await w.workload()}`, w),
  "the workload's claim match": async (w) =>
    done(`/iam/v2/identities/${await w.workload()}`, w, "PATCH", {
      claimMatch: { issuer: "https://other.example", subject: "another" },
    }),
  "SCIM deactivation": (w) => {
    const [client, id] = userOf(w);
    return scim(client.patch(id, { op: "replace", path: "active", value: false }));
  },
  "SCIM deletion": (w) => {
    const [client, id] = userOf(w);
    return scim(client.ask("DELETE", `/Users/${id}`));
  },
  "another externalId": (w) => {
    const [client, id] = userOf(w);
    return scim(client.patch(id, { op: "replace", path: "externalId", value: "somebody" }));
  },
  "the identity provider": (w) => done(`/iam/v2/identityProviders/${w.client.idp}`, w),
  "the SCIM token": (w) =>
    done(`/iam/v2/identityProviders/${w.client.idp}:revokeScimToken`, w, "POST", {}),
} satisfies Record<string, AccessRemoval>;
