/** How a login names its identity provider. */
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newOrganization, type Organization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { errorOf, logIn, newProvider, tokensOf } from "./logins.ts";
import { type OpenidProvider, startProvider } from "./openid_provider.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp = "";
const subject = randomName("ada");

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(async () => {
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
});

test("a provider is found by the verified name of its organization, which /orgcheck knows", async () => {
  const orgcheck = () => callRest(`/orgcheck?name=${organization.name}`);
  expect((await orgcheck()).body).toBe(false);
  const unverified = await logIn(subject, { idp_id: organization.name });
  expect(errorOf(unverified)).toEqual(["404", "account not found"]);
  await sql("update groups set verified = 1 where uid = ?", organization.uid);
  expect((await orgcheck()).body).toBe(true);
  const { claims } = tokensOf(await logIn(subject, { idp_id: organization.name }));
  expect(claims.idp).toBe(idp);
  await sql("delete from identity_providers where uid = ?", idp);
  expect((await orgcheck()).body).toBe(false);
});

test("a provider is found by the uid of its organization if it is the only one there", async () => {
  expect(tokensOf(await logIn(subject, { idp_id: organization.uid })).claims.idp).toBe(idp);
  await newProvider(organization.uid, { issuer: provider.url });
  expect(errorOf(await logIn(subject, { idp_id: organization.uid }))).toEqual([
    "400",
    "Precondition failed: there are several identity providers; name one of them by its uid",
  ]);
});

test("no provider is found for an unknown name", async () => {
  for (const unknown of [`${organization.uid}/${"0".repeat(16)}`, randomName("nobody")]) {
    expect(errorOf(await logIn(subject, { idp_id: unknown }))).toEqual([
      "404",
      "account not found",
    ]);
  }
});
