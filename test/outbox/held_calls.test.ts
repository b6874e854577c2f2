/**
 * Calls that fetch an issuer's keys between their reads and their writes. The issuer delays its keys, so that
 * another call always comes in between.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Capability } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { personUid } from "../../src/auth/person.ts";
import { newContractCaller } from "../contract/fixtures.ts";
import { exchange, newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { newProvider } from "../issuer/login/logins.ts";
import { callRegister, newInviteCode, rowsOfIdentity } from "../issuer/registration_call.ts";
import { newOrganization, type Organization, roleUid } from "../world/personas.ts";
import { type Answer, callRest } from "../world/platform.ts";

let organization: Organization;
const issuers: ForeignIssuer[] = [];
beforeAll(async () => {
  organization = await newOrganization();
});
afterAll(() => {
  for (const issuer of issuers) issuer.close();
});

async function newIssuer() {
  const issuer = await startIssuer();
  issuers.push(issuer);
  return issuer;
}

/**
 * Starts a call that fetches the issuer's keys, makes another one in the meantime, and returns both
 * responses.
 */
async function meanwhile(
  { pages }: ForeignIssuer,
  start: () => Promise<Answer>,
  act: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  const keys = pages["/keys"];
  if (!keys) throw new Error("the issuer shows no keys");
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  pages["/keys"] = (response) => {
    asked.resolve();
    void held.promise.then(() => keys(response));
  };
  const call = start();
  await asked.promise;
  const acted = await act();
  held.resolve();
  return [await call, acted];
}

const rolesOf = async (identity: string) =>
  (await rowsOfIdentity(identity)).bindings.map(({ role_uid }) => role_uid);

test("a sign-in is rejected if its provider changes to another client meanwhile", async () => {
  const issuer = await newIssuer();
  const idp = await newProvider(organization.uid, { issuer: issuer.url });
  const token = await issuer.sign({ aud: "public", sub: "ada" });
  const change = { oidc: { clientId: "another" }, defaultRole: await roleUid("editor") };
  const [signedIn, changed] = await meanwhile(
    issuer,
    () => exchange(token, { identity_provider: idp }),
    () =>
      callRest(`/iam/v2/identityProviders/${idp}?updateMask=oidc.client_id,default_role`, {
        method: "PATCH",
        token: organization.owner.token,
        body: change,
      }),
  );
  expect([signedIn.status, changed.status]).toEqual([403, 200]);
  const ada = await rowsOfIdentity(await personUid(issuer.url, "ada"));
  expect(ada).toMatchObject({ identities: [], bindings: [], events: [] });
});

test("an identity that is changed to another subject meanwhile does not join as an owner", async () => {
  const issuer = await newIssuer();
  const claimMatch = (subject: string) => ({ claimMatch: { issuer: issuer.url, subject } });
  const robot = await newIdentityWithMatchers(organization, claimMatch("robot"));
  const { code } = await newInviteCode(organization, { roleUid: await roleUid("owner") });
  const agent = await newContractCaller(organization.uid, [
    Capability.CAP_IAM_IDENTITY_UPDATE,
    Capability.CAP_IAM_IDENTITY_LIST,
  ]);
  const token = await issuer.sign({ sub: "robot" });
  const [joined, moved] = await meanwhile(
    issuer,
    () => callRegister(token, { identity_id: robot, code }),
    () =>
      callRest(`/iam/v2/identities/${robot}?updateMask=claim_match`, {
        method: "PATCH",
        token: agent.token,
        body: claimMatch("mallory"),
      }),
  );
  expect([joined.status, moved.status]).toEqual([403, 200]);
  expect(await rolesOf(robot)).toEqual([]);
});

test("an exchange that fails because of its scope does not log anyone in", async () => {
  const issuer = await newIssuer();
  const idp = await newProvider(organization.uid, { issuer: issuer.url });
  const token = await issuer.sign({ aud: "public", sub: "eve" });
  const elsewhere = await newOrganization();
  const { status } = await exchange(token, { identity_provider: idp, scope: elsewhere.uid });
  expect(status).toBe(403);
  const eve = await rowsOfIdentity(await personUid(issuer.url, "eve"));
  expect(eve).toMatchObject({ identities: [], bindings: [], events: [] });
});
