/** Invalid tokens, and the error for each. */
import { Buffer } from "node:buffer";
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from "jose";
import { inject } from "vitest";
import { randomUid } from "../world/personas.ts";
import { audience, issuer, registryAudience, tokenFor } from "../world/platform.ts";

const now = () => Math.floor(Date.now() / 1000);

const claimsOf = (sub: string): JWTPayload => ({
  iss: issuer,
  sub,
  aud: audience,
  iat: now(),
  exp: now() + 600,
});

const ownKid = () => JSON.parse(inject("signingKeys")).keys[0].kid as string;

async function signedByStranger(sub: string, kid: string, claims: JWTPayload = {}) {
  const { privateKey } = await generateKeyPair("ES256");
  return new SignJWT({ ...claimsOf(sub), ...claims })
    .setProtectedHeader({ alg: "ES256", kid })
    .sign(privateKey);
}

/** A valid token with the payload of another identity. */
async function tampered(identity: string) {
  const [header, , signature] = (await tokenFor(identity)).split(".");
  const payload = Buffer.from(JSON.stringify(claimsOf(randomUid()))).toString("base64url");
  return `${header}.${payload}.${signature}`;
}

/** An invalid proof of identity: the token of an existing identity, and the text of the error. */
export interface BadToken {
  make(identity: string): Promise<string | undefined> | string | undefined;
  message: RegExp;
}

export const badTokens: Record<string, BadToken> = {
  "no token": { make: () => undefined, message: /has no Authorization header/ },
  garbage: { make: () => "garbage", message: /is not a JWT/ },
  "garbage of three parts": { make: () => "a.b.c", message: /is not a JWT/ },
  "an expired token": {
    make: (uid) => tokenFor(uid, { iat: now() - 7200, exp: now() - 3600 }),
    message: /is expired/,
  },
  "a token not valid yet": {
    make: (uid) => tokenFor(uid, { nbf: now() + 3600 }),
    message: /is not valid yet/,
  },
  "a token that never expires": {
    make: (uid) => tokenFor(uid, { exp: undefined as never }),
    message: /claim exp is not valid/,
  },
  "a token of another audience": {
    make: (uid) => tokenFor(uid, { aud: registryAudience }),
    message: /is not for the audience/,
  },
  "a token without an audience": {
    make: (uid) => tokenFor(uid, { aud: undefined as never }),
    message: /claim aud is not valid/,
  },
  "a token of an issuer that no identity names": {
    make: (uid) => signedByStranger(uid, "k", { iss: "https://stranger.example" }),
    message: /no identity matches the issuer https:\/\/stranger\.example/,
  },
  "a token without an issuer": {
    make: (uid) => tokenFor(uid, { iss: undefined as never }),
    message: /has no issuer/,
  },
  "an unsigned token": {
    make: (uid) => new UnsecuredJWT(claimsOf(uid)).encode(),
    message: /signed with none are not accepted/,
  },
  "a token signed with HMAC": {
    make: (uid) =>
      new SignJWT(claimsOf(uid))
        .setProtectedHeader({ alg: "HS256", kid: ownKid() })
        .sign(Buffer.from(inject("signingKeys"))),
    message: /signed with HS256 are not accepted/,
  },
  "a token of our key's name signed with another": {
    make: (uid) => signedByStranger(uid, ownKid()),
    message: /signature of the token is wrong/,
  },
  "a token signed with a key we do not have": {
    make: (uid) => signedByStranger(uid, "unknown"),
    message: /signed with an unknown key/,
  },
  "a token whose payload was changed": {
    make: tampered,
    message: /signature of the token is wrong/,
  },
  "a token whose subject is not a uid": {
    make: () => tokenFor("somebody"),
    message: /is not the uid of an identity/,
  },
};
