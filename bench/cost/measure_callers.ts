/** Measures calls about the caller: logins, exchanges, accepted invites and the registry host. */
import { createHash, randomBytes } from "node:crypto";
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import type { ForeignIssuer } from "../foreign_issuer.ts";
import type { BenchPlatform } from "../stage.ts";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures, holderIn } from "./fixtures.ts";

/** The domain that a verified organization is named after. */
const domain = "corp.example";

/** The issuer that vouches for the e-mail address of a person of that domain. */
export const trustedIssuer = "https://trusted.example";

const sqlOf = (platform: BenchPlatform, query: string, ...values: unknown[]) =>
  platform.db
    .prepare(query)
    .bind(...values)
    .all();

/** Creates a person without an organization and without roles. */
async function newPerson(platform: BenchPlatform, digit: string): Promise<string> {
  const uid = digit.repeat(40);
  const query =
    "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, ?, 1, 1, 1)";
  await sqlOf(platform, query, uid, `person ${digit}`);
  return uid;
}

async function measureAddresses(platform: BenchPlatform, caller: MeasuringCaller): Promise<void> {
  const [group, person] = ["d".repeat(40), await newPerson(platform, "3")];
  const query =
    "insert into groups (uid, name, verified, create_time, update_time) values (?, ?, 1, 1, 1)";
  await sqlOf(platform, query, group, domain);
  const claims = {
    email: `ann@${domain}`,
    email_verified: true,
    act: { iss: trustedIssuer, sub: "ann", aud: "sample" },
  };
  const token = await platform.tokenFor(person, platform.audience, claims);
  for (const service of ["iam.v2.GroupsService", "iam.Groups"]) {
    await caller.get(`${service}/CheckEligibility`, {}, "", token);
    await caller.get(`${service}/LookupGroup`, {}, "", token);
  }
  await caller.write("iam.v2.GroupsService/RequestGroupAccess", { groupUid: group }, "", token);
  await sqlOf(platform, "delete from group_access_requests");
  await caller.write("iam.Groups/RequestGroupAccess", { groupId: group }, "", token);
}

async function measureInvites(
  platform: BenchPlatform,
  caller: MeasuringCaller,
  issuer: ForeignIssuer,
): Promise<void> {
  const newCode = async () => {
    const groupInvite = { roleUid: OWNER_ROLE, ttl: "3600s" };
    const request = { parent: fixtures.group, groupInvite };
    const { body } = await caller.ask("iam.v2.GroupInvitesService/CreateGroupInvite", request);
    return body?.code;
  };
  const person = await newPerson(platform, "4");
  const token = await platform.tokenFor(person);
  const accept = { code: await newCode() };
  await caller.write("iam.v2.GroupInvitesService/AcceptGroupInvite", accept, "", token);
  const { body: founded } = await caller.write(
    "iam.GroupInvites/CreateWithGroup",
    { group: "founded", ttl: "3600s" },
    "",
    token,
  );
  // The last owner of an organization cannot be deleted.
  const nextOwner = await platform.tokenFor(await newPerson(platform, "6"));
  await caller.ask(
    "iam.v2.GroupInvitesService/AcceptGroupInvite",
    { code: founded.code },
    nextOwner,
  );
  await caller.write("auth.Auth/Delete", { id: person }, "with two bindings", token);

  const claimMatch = { issuer: issuer.url, subject: "build" };
  const identity = { name: "build", claimMatch };
  const made = await caller.ask("iam.v2.IdentitiesService/CreateIdentity", {
    parent: fixtures.group,
    identity,
  });
  const theirs = await issuer.tokenFor("build");
  const identityId = made.body?.uid;
  await caller.write(
    "auth.Auth/Register",
    { code: await newCode(), identityId },
    "an invite",
    theirs,
  );
  const exchange = { aud: [platform.audience], identity: identityId };
  const name = "a token of a different issuer";
  await caller.write("oidc.SecurityTokenService/Exchange", exchange, name, theirs);
  // The list is read twice. The first call also fetches the keys of the issuer, which needs a D1 round trip to check
  // that an identity names the issuer.
  const uidp = { descendantsOf: fixtures.group };
  await caller.ask("registry.v2.TagsService/ListTags", { uidp }, theirs);
  const listed = await caller.ask("registry.v2.ReposService/ListRepos", { uidp }, theirs);
  const [repo] = (listed.body?.repos ?? []) as { uid: string }[];
  await caller.get("registry.v2.ReposService/GetRepo", { uid: repo?.uid }, name, theirs);
}

async function measureTokens(platform: BenchPlatform, caller: MeasuringCaller): Promise<void> {
  await caller.measure("auth.Auth/Validate", { name: "", kind: "open get" }, {});
  const exchange = { aud: [platform.audience] };
  await caller.write("oidc.SecurityTokenService/Exchange", exchange, "our own token");
  const code = randomBytes(32).toString("base64url");
  await sqlOf(
    platform,
    "insert into headless_sessions (code, ecdh_public_key, encrypted_idtoken, expire_time) values (?, ?, ?, ?)",
    ...[code, randomBytes(32).toString("base64url"), "AAAA", Date.now() + 60_000],
  );
  await caller.get("auth.Auth/GetHeadlessSession", { code }, "", "");
  const refresh = await newRefreshToken(platform, await newPerson(platform, "5"));
  await caller.write("oidc.SecurityTokenService/ExchangeRefreshToken", exchange, "", refresh);
}

/** Creates a refresh token in the form that a login through the organization's provider leaves behind. */
async function newRefreshToken(platform: BenchPlatform, person: string): Promise<string> {
  const provider = holderIn(fixtures.root);
  const secret = randomBytes(32).toString("base64url");
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const { results } = await platform.db
    .prepare("select issuer, client_id as aud from identity_providers where uid = ?")
    .bind(provider)
    .all<{ issuer: string; aud: string }>();
  const [{ issuer: iss, aud } = { issuer: "", aud: "" }] = results;
  const claims = {
    sub: person,
    idp: provider,
    groups: [],
    act: { iss, sub: "ada", aud },
    scopes: [fixtures.root],
  };
  await sqlOf(
    platform,
    "insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time) values (?, ?, ?, ?, ?, 1, ?)",
    createHash("sha256").update(secret).digest("hex"),
    ...["family", person, provider, JSON.stringify(claims), expires * 1000],
  );
  return Buffer.from(JSON.stringify({ exp: expires, secret })).toString("base64");
}

/** Measures the registry host: a token for one image, and the history of a tag with a hundred records. */
async function measureRegistryHost(
  platform: BenchPlatform,
  caller: MeasuringCaller,
): Promise<void> {
  const token = await platform.tokenFor(fixtures.owner, platform.registryAudience);
  const image = `${fixtures.root}/images`;
  await caller.path("GET /token", "one image", `/token?scope=repository:${image}:pull`, token);
  await caller.path(
    "GET /v2/{image}/_{vendor}/history/{tag}",
    "up to a hundred records",
    `/v2/${image}/_vendor/history/tag-0`,
    token,
  );
}

/** Measures all calls about the caller. */
export async function measureCallers(
  platform: BenchPlatform,
  caller: MeasuringCaller,
  issuer: ForeignIssuer,
): Promise<void> {
  await measureAddresses(platform, caller);
  await measureInvites(platform, caller, issuer);
  await measureTokens(platform, caller);
  await measureRegistryHost(platform, caller);
}
