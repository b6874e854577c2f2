/** What is about the caller: logins, exchanges, invites that are accepted, the registry host. */
import { createHash, randomBytes } from "node:crypto";
import { OWNER_ROLE } from "../../schema/tables/roles.ts";
import type { ForeignIssuer } from "../foreign_issuer.ts";
import type { Stage } from "../stage.ts";
import type { Caller } from "./caller.ts";
import { estate, firstStep } from "./estate.ts";

/** A domain that a verified organization is named after. */
const domain = "corp.example";

/** Who vouches for the address of a person of that domain. */
export const trustedIssuer = "https://trusted.example";

const sqlOf = (stage: Stage, query: string, ...values: unknown[]) =>
  stage.db
    .prepare(query)
    .bind(...values)
    .all();

/** A person of no organization, who holds nothing. */
async function newPerson(stage: Stage, digit: string): Promise<string> {
  const uid = digit.repeat(40);
  const query =
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, ?, 1, 1, 1)";
  await sqlOf(stage, query, uid, `person ${digit}`);
  return uid;
}

async function visitAddresses(stage: Stage, on: Caller): Promise<void> {
  const [group, person] = ["d".repeat(40), await newPerson(stage, "3")];
  const query =
    "insert into groups (uid, name, verified, create_time, update_time) values (?, ?, 1, 1, 1)";
  await sqlOf(stage, query, group, domain);
  const claims = {
    ...{ email: `ann@${domain}`, email_verified: true },
    act: { iss: trustedIssuer, sub: "ann", aud: "sample" },
  };
  const token = await stage.tokenFor(person, stage.audience, claims);
  for (const service of ["iam.v2.GroupsService", "iam.Groups"]) {
    await on.get(`${service}/CheckEligibility`, {}, "", token);
    await on.get(`${service}/LookupGroup`, {}, "", token);
  }
  await on.write("iam.v2.GroupsService/RequestGroupAccess", { groupUid: group }, "", token);
  await sqlOf(stage, "delete from group_access_requests");
  await on.write("iam.Groups/RequestGroupAccess", { groupId: group }, "", token);
}

async function visitInvites(stage: Stage, on: Caller, issuer: ForeignIssuer): Promise<void> {
  const newCode = async () => {
    const groupInvite = { roleUid: OWNER_ROLE, ttl: "3600s" };
    const request = { parent: estate.group, groupInvite };
    const { body } = await on.ask("iam.v2.GroupInvitesService/CreateGroupInvite", request);
    return body?.code;
  };
  const person = await newPerson(stage, "4");
  const token = await stage.tokenFor(person);
  const accept = { code: await newCode() };
  await on.write("iam.v2.GroupInvitesService/AcceptGroupInvite", accept, "", token);
  await on.write("iam.GroupInvites/CreateWithGroup", { group: "founded", ttl: "3600s" }, "", token);
  await on.write("auth.Auth/Delete", { id: person }, "with two bindings", token);

  const claimMatch = { issuer: issuer.url, subject: "build" };
  const identity = { name: "build", claimMatch };
  const made = await on.ask("iam.v2.IdentitiesService/CreateIdentity", {
    parent: estate.group,
    identity,
  });
  const theirs = await issuer.tokenFor("build");
  const identityId = made.body?.uid;
  await on.write("auth.Auth/Register", { code: await newCode(), identityId }, "an invite", theirs);
  const exchange = { aud: [stage.audience], identity: identityId };
  const name = "a token of another issuer";
  await on.write("oidc.SecurityTokenService/Exchange", exchange, name, theirs);
  // Read twice: the first call also fetches the issuer's keys, which takes a round trip for whom they are.
  const uidp = { descendantsOf: estate.group };
  await on.ask("registry.v2.TagsService/ListTags", { uidp }, theirs);
  const found = await on.ask("registry.v2.ReposService/ListRepos", { uidp }, theirs);
  const [repo] = (found.body?.repos ?? []) as { uid: string }[];
  await on.get("registry.v2.ReposService/GetRepo", { uid: repo?.uid }, name, theirs);
}

async function visitTokens(stage: Stage, on: Caller): Promise<void> {
  await on.measure("auth.Auth/Validate", { name: "", kind: "open get" }, {});
  const exchange = { aud: [stage.audience] };
  await on.write("oidc.SecurityTokenService/Exchange", exchange, "a token of ours");
  const code = randomBytes(32).toString("base64url");
  await sqlOf(
    stage,
    "insert into headless_sessions (code, ecdh_public_key, encrypted_idtoken, expire_time) values (?, ?, ?, ?)",
    ...[code, randomBytes(32).toString("base64url"), "AAAA", Date.now() + 60_000],
  );
  await on.get("auth.Auth/GetHeadlessSession", { code }, "", "");
  const refresh = await newRefreshToken(stage, await newPerson(stage, "5"));
  await on.write("oidc.SecurityTokenService/ExchangeRefreshToken", exchange, "", refresh);
}

/** A refresh token as a login through the organization's provider leaves it. */
async function newRefreshToken(stage: Stage, person: string): Promise<string> {
  const provider = `${estate.root}/${firstStep}`;
  const secret = randomBytes(32).toString("base64url");
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const { results } = await stage.db
    .prepare("select issuer, client_id as aud from identity_providers where uid = ?")
    .bind(provider)
    .all<{ issuer: string; aud: string }>();
  const [{ issuer: iss, aud } = { issuer: "", aud: "" }] = results;
  const claims = {
    sub: person,
    idp: provider,
    groups: [],
    act: { iss, sub: "ada", aud },
    scopes: [estate.root],
  };
  await sqlOf(
    stage,
    "insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time) values (?, ?, ?, ?, ?, 1, ?)",
    createHash("sha256").update(secret).digest("hex"),
    ...["family", person, provider, JSON.stringify(claims), expires * 1000],
  );
  return Buffer.from(JSON.stringify({ exp: expires, secret })).toString("base64");
}

/** The registry host: a token for one image, and the history of a tag of a hundred records. */
async function visitRegistryHost(stage: Stage, on: Caller): Promise<void> {
  const token = await stage.tokenFor(estate.owner, stage.registryAudience);
  const image = `${estate.root}/images`;
  await on.path("GET /token", "one image", `/token?scope=repository:${image}:pull`, token);
  await on.path(
    "GET /v2/{image}/_{vendor}/history/{tag}",
    "up to a hundred records",
    `/v2/${image}/_vendor/history/tag-0`,
    token,
  );
}

/** All that is about who calls. */
export async function visitCallers(stage: Stage, on: Caller, issuer: ForeignIssuer): Promise<void> {
  await visitAddresses(stage, on);
  await visitInvites(stage, on, issuer);
  await visitTokens(stage, on);
  await visitRegistryHost(stage, on);
}
