/** Successful calls of the RPCs that are about their caller, or that need more than fixtures. */
import { randomBytes } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { logIn, newProvider, tokensOf } from "../issuer/login/logins.ts";
import { startProvider } from "../issuer/login/openid_provider.ts";
import { newOrganization, newUser, randomName } from "../world/personas.ts";
import { audience, sql, tokenFor } from "../world/platform.ts";
import { allCapabilities, type Fixtures, newContractCaller } from "./fixtures.ts";

/** A request, and its token if only one caller can make it. */
export interface OwnCall {
  request: JsonObject;
  token?: string;
}

/** A caller whose address belongs to the domain that a verified organization is named after. */
async function newMember(): Promise<{ token: string; group: string }> {
  const { uid } = await newOrganization("corp");
  const domain = `${randomName("corp")}.example`;
  await sql("update groups set name = ?, verified = 1 where uid = ?", domain, uid);
  const person = await newContractCaller(uid, allCapabilities);
  const act = { iss: "https://trusted.example", sub: "ann", aud: "x" };
  const claims = { email: `ann@${domain}`, email_verified: true, act };
  return { token: await tokenFor(person.uid, claims), group: uid };
}

const ofMember = async (): Promise<OwnCall> => ({ request: {}, token: (await newMember()).token });

const ofPerson = () => ({ request: { issuer: "https://sample.example", subject: "ann" } });

/** The refresh token of a login. */
async function newRefreshToken({ organization }: Fixtures): Promise<string> {
  const people = await startProvider();
  try {
    const provider = await newProvider(organization.uid, { issuer: people.url });
    const asked = { idp_id: provider, create_refresh_token: "true" };
    return tokensOf(await logIn(randomName("ada"), asked)).refreshToken ?? "";
  } finally {
    await people.close();
  }
}

async function newHeadlessCode(): Promise<string> {
  const code = randomBytes(32).toString("base64url");
  await sql(
    "insert into headless_sessions (code, ecdh_public_key, encrypted_idtoken, expire_time) values (?, ?, ?, ?)",
    code,
    randomBytes(32).toString("base64url"),
    randomBytes(64).toString("base64"),
    Date.now() + 60_000,
  );
  return code;
}

/** By the name of the RPC. */
export const ownCalls: Record<string, (fixtures: Fixtures) => OwnCall | Promise<OwnCall>> = {
  "AccountAssociationsService/CheckAccountAssociation": ({ accountAssociation: uid }) => ({
    request: { uid, providerType: "ACCOUNT_PROVIDER_TYPE_AZURE" },
  }),
  "iam.GroupAccountAssociations/Check": ({ accountAssociation: group }) => ({
    request: { group, accountType: "AZURE" },
  }),
  "GroupsService/CheckEligibility": ofMember,
  "GroupsService/LookupGroup": ofMember,
  "iam.Groups/CheckEligibility": ofMember,
  "iam.Groups/LookupGroup": ofMember,
  "iam.Groups/RequestGroupAccess": async () => {
    const { token, group } = await newMember();
    return { request: { groupId: group }, token };
  },
  "IdentitiesService/LookupIdentity": ofPerson,
  "iam.Identities/Lookup": ofPerson,
  "SecurityTokenService/Exchange": async ({ token }) => ({ request: { aud: [audience] }, token }),
  "SecurityTokenService/ExchangeRefreshToken": async (fixtures) => ({
    request: { aud: [audience] },
    token: await newRefreshToken(fixtures),
  }),
  "auth.Auth/GetHeadlessSession": async () => ({ request: { code: await newHeadlessCode() } }),
  "auth.Auth/Delete": async () => {
    const { uid, token } = await newUser();
    return { request: { id: uid }, token };
  },
};
