/** Writes about people: logins, registrations, refresh tokens, SCIM. */
import { audience } from "../../world/platform.ts";
import type { HttpCall } from "../protocol.ts";
import type { RaceWorld } from "../world.ts";
import { type Write, withToken, writesOf } from "./write.ts";

type Callback = keyof RaceWorld["callbacks"];

const exchange = (
  special: string,
  provider: (world: RaceWorld) => string,
  token: (world: RaceWorld) => string,
): Write => ({
  name: `sign-in ${special}`,
  call(world) {
    const query = new URLSearchParams({ aud: audience, identity_provider: provider(world) });
    return withToken("GET", `/sts/exchange?${query}`, token(world));
  },
});

const callback = (special: string, of: Callback): Write => ({
  name: `login ${special}`,
  call: ({ callbacks }) => callbacks[of],
});

const plain = (world: RaceWorld) => world.plain;

const signIns: Write[] = [
  exchange("of ann", plain, ({ idTokens }) => idTokens.ann),
  exchange("of ann with a mapped group", plain, ({ idTokens }) => idTokens.mapped),
  exchange(
    "of ann where she never was",
    ({ tokened }) => tokened,
    ({ idTokens }) => idTokens.ann,
  ),
  exchange(
    "of a provisioned user",
    (world) => world.provisioning,
    ({ idTokens }) => idTokens.ann,
  ),
  exchange("of somebody new", plain, ({ idTokens }) => idTokens.zed),
  exchange(
    "of a person who is not provisioned",
    (world) => world.provisioning,
    (world) => world.idTokens.zed,
  ),
  callback("with a new name and a refresh token", "refreshing"),
  callback("with an invite for many", "invited"),
  callback("with an invite for one", "single"),
  callback("for a program that waits", "headless"),
  callback("of a new person with an invite for one", "newcomer"),
];

const register = (code: (world: RaceWorld) => string) => (world: RaceWorld) => ({
  code: code(world),
});

const tokens: Write[] = [
  ...writesOf(
    "auth.Auth/Register",
    {
      "of somebody new": () => ({}),
      "of a new person with an invite for many": register(({ inviteCode }) => inviteCode),
      "of a new person with an invite for one": register(({ singleCode }) => singleCode),
    },
    ({ bareZed }) => bareZed,
  ),
  ...writesOf(
    "auth.Auth/Register",
    { "of the device": ({ singleCode: code, device: identityId }) => ({ code, identityId }) },
    ({ deviceToken }) => deviceToken,
  ),
  ...writesOf(
    "auth.Auth/Delete",
    { "of ann": ({ ann: id }) => ({ id }) },
    ({ annToken }) => annToken,
  ),
  ...writesOf("auth.Auth/GetHeadlessSession", {
    "of a login that waits": ({ waiting: code }) => ({ code }),
    "of a login that comes": ({ headless: code }) => ({ code }),
  }),
  ...writesOf("SecurityTokenService/Exchange", {
    "of our own token": () => ({ aud: [audience] }),
  }),
  ...writesOf(
    "SecurityTokenService/ExchangeRefreshToken",
    { plain: () => ({ aud: [audience] }) },
    ({ refresh }) => refresh.plain,
  ),
  ...writesOf(
    "SecurityTokenService/ExchangeRefreshToken",
    { provisioned: () => ({ aud: [audience] }) },
    ({ refresh }) => refresh.provisioning,
  ),
  {
    name: "revocation of a refresh token",
    call: ({ refresh }): HttpCall => ({
      ...{ method: "POST", path: "/oauth/revoke" },
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ token: refresh.plain }).toString(),
    }),
  },
];

const schemas = ["urn:ietf:params:scim:schemas:core:2.0:User"];
const patchSchemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];

const scim = (
  special: string,
  method: string,
  body?: object,
  at: (world: RaceWorld) => string = ({ scimUser }) => `/${scimUser}`,
): Write => ({
  name: `SCIM ${method} ${special}`,
  call(world) {
    const path = `/scim/v2/${world.provisioning}/Users${at(world)}`;
    return withToken(method, path, world.scimToken, body, "application/scim+json");
  },
});

const nowhere = () => "";
const setting = (path: string, value: unknown) => ({
  schemas: patchSchemas,
  Operations: [{ op: "replace", path, value }],
});

const provisioning: Write[] = [
  scim("of somebody new", "POST", { schemas, userName: "zed", externalId: "zed" }, nowhere),
  scim("of a name that is taken", "POST", { schemas, userName: "ANN", externalId: "a" }, nowhere),
  scim("of all", "PUT", { schemas, userName: "ann", externalId: "ann", title: "Boss" }),
  scim("title", "PATCH", setting("title", "Chief")),
  scim("name", "PATCH", setting("userName", "zed")),
  scim("active", "PATCH", setting("active", false)),
  scim("external id", "PATCH", setting("externalId", "zed")),
  scim("of the user", "DELETE"),
];

export const peopleWrites: Write[] = [...signIns, ...tokens, ...provisioning];
