/** One real change for every RPC that issues tokens, and for those of version 1 that are about a person. */
import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import { newProvider } from "../../issuer/login/logins.ts";
import { newUser, randomName } from "../../world/personas.ts";
import { audience, sql } from "../../world/platform.ts";
import type { Fixtures } from "../fixtures.ts";
import type { OwnChange, PreparedCall } from "./change.ts";

const exchangeEvent = {
  personal: true,
  bodyType: "platform.events.v2.TokenExchange",
} satisfies OwnChange;

/** A person who logged in through a provider of the organization, with their refresh token. */
async function newRefreshToken({ organization }: Fixtures): Promise<PreparedCall> {
  const issuer = "https://people.example";
  const provider = await newProvider(organization.uid, { issuer });
  const { uid } = await newUser();
  const [secret, name, now] = [
    randomBytes(32).toString("base64url"),
    randomName("ada"),
    Date.now(),
  ];
  const act = { iss: issuer, sub: name, aud: "public" };
  const claims = {
    sub: uid,
    act,
    idp: provider,
    scopes: [organization.uid],
    chain: [{ sub: uid }],
  };
  const expires = Math.floor(now / 1000) + 3600;
  await sql(
    `insert into refresh_tokens (digest, family, identity_uid, identity_provider_uid, claims, create_time, expire_time)
     values (?, ?, ?, ?, ?, ?, ?)`,
    createHash("sha256").update(secret).digest("hex"),
    ...[crypto.randomUUID(), uid, provider, JSON.stringify(claims), now, expires * 1000],
  );
  const token = btoa(JSON.stringify({ exp: expires, secret }));
  return {
    request: { aud: [audience] },
    ...{ subject: uid, group: organization.uid, extensions: { identityprovider: provider } },
    ...{ as: { uid, name, token }, claims: { act } },
    rows: () => sql("select * from refresh_tokens where identity_uid = ? order by digest", uid),
  };
}

export const tokenChanges: Record<string, OwnChange> = {
  "SecurityTokenService/Exchange": {
    ...exchangeEvent,
    prepare: () => ({
      request: { aud: [audience] },
      claims: { act: { iss: "https://issuer.example", sub: "repo:a/b", aud: "x" } },
    }),
    subjectOf: ({ token }) => decodeJwt(token).sub ?? "",
    body: ({ actor, answer: { expiry } }) => ({
      ...{ identityUid: actor, kind: "KIND_ACCESS_TOKEN", audiences: [audience] },
      expireTime: expiry,
    }),
  },
  "SecurityTokenService/ExchangeRefreshToken": {
    ...exchangeEvent,
    prepare: newRefreshToken,
    body: ({ actor, answer: { token } }) => ({
      ...{ identityUid: actor, kind: "KIND_REFRESH_TOKEN", audiences: [audience] },
      identityProviderUid: String(decodeJwt(token.token).idp),
      expireTime: token.expiry,
    }),
  },
  "auth.Auth/Delete": {
    async prepare() {
      const person = await newUser();
      const { uid } = person;
      const rows = async () =>
        (await sql("select * from identities where uid = ?", uid)).map(
          ({ last_used_time: _, idle_since_time: __, ...row }) => row,
        );
      return { request: { id: uid }, subject: uid, group: "/", as: { ...person, name: "" }, rows };
    },
    ...{ type: "api.iam.identity.deleted.v1", audience: "internal", personal: true },
    body: ({ actor }) => ({ uid: actor }),
    bodyType: "platform.iam.v2.DeleteIdentityRequest",
  },
};
