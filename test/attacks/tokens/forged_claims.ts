/** Tokens with the platform's own signature and wrong contents. */
import { randomUid } from "../../world/personas.ts";
import { audience, issuer, registryAudience } from "../../world/platform.ts";
import { ecdsa, type Forgery, foreignKeys, forged, now, type TokenForger } from "./forge.ts";

const stranger = ecdsa(foreignKeys.p256.privateKey);

/** Tokens of the given claims on top of valid ones, which are refused with that text. */
const saying = (
  says: RegExp,
  table: Record<string, (by: TokenForger) => Record<string, unknown>>,
): Forgery[] =>
  Object.entries(table).map(([name, claims]) => [name, (by) => by.saying(claims(by)), says]);

const notAcceptable = (claim: string) => new RegExp(`claim ${claim} is not valid`);

export const claims: Forgery[] = [
  ...saying(/no identity matches|has no issuer|the registry accepts only tokens from/, {
    "our issuer with a slash behind it": () => ({ iss: `${issuer}/` }),
    "our issuer in capitals": () => ({ iss: issuer.toUpperCase() }),
    "our issuer at another port": () => ({ iss: "http://localhost:8788" }),
    "our issuer with a name behind it": () => ({ iss: `${issuer}.evil.example` }),
    "our issuer as user name": () => ({ iss: `${issuer}@evil.example` }),
    "our issuer with a space before it": () => ({ iss: ` ${issuer}` }),
    "our issuer over https": () => ({ iss: issuer.replace("http", "https") }),
    "no issuer": () => ({ iss: undefined }),
  }),
  ...saying(/claim iss is not valid: it must be/, {
    "our issuer in a list": () => ({ iss: [issuer] }),
  }),
  ...saying(/not for the audience/, {
    "another audience": () => ({ aud: "https://elsewhere.example" }),
    "our audience with a slash behind it": () => ({ aud: `${audience}/` }),
    "our audience in capitals": () => ({ aud: audience.toUpperCase() }),
    "our audience and more in one text": () => ({ aud: `${audience} ${registryAudience}` }),
    "an empty audience": () => ({ aud: [] }),
  }),
  ...saying(/claim aud is not valid: it must be/, {
    "our audience in a list in a list": () => ({ aud: [[audience, registryAudience]] }),
  }),
  ...saying(notAcceptable("aud"), { "no audience": () => ({ aud: undefined }) }),
  ...saying(notAcceptable("sub"), { "no subject": () => ({ sub: undefined }) }),
  ...saying(/claim sub is not valid: it must be/, { "an empty subject": () => ({ sub: "" }) }),
  ...saying(/is not the uid of an identity|no longer exists/, {
    "an unknown subject": () => ({ sub: randomUid() }),
    "the root group's uid as subject": () => ({ sub: "0".repeat(40) }),
    "a subject in capitals": ({ identity }) => ({ sub: `${"A".repeat(8)}${identity.slice(8)}` }),
    "a subject with a slash behind it": ({ identity }) => ({ sub: `${identity}/` }),
    "a subject with a line end behind it": ({ identity }) => ({ sub: `${identity}\n` }),
    "a subject of digits of another alphabet": ({ identity }) => ({
      sub: identity.replace(/\d/g, "٣"),
    }),
  }),
  ...saying(notAcceptable("exp"), {
    "no expiry": () => ({ exp: undefined }),
    "an expiry that is text": () => ({ exp: "9999999999" }),
    "an expiry that is null": () => ({ exp: null }),
    "an expiry that is true": () => ({ exp: true }),
  }),
  ...saying(/claim exp is not valid: it must be/, {
    "an expiry below zero": () => ({ exp: -now }),
  }),
  ...saying(/is expired/, {
    "an expiry in the past": () => ({ exp: now - 60 }),
    "an expiry of two seconds ago": () => ({ exp: now - 2 }),
  }),
  ...saying(/not valid yet/, { "a beginning in the future": () => ({ nbf: now + 600 }) }),
  ...saying(/not valid yet|claim nbf/, { "a beginning that is text": () => ({ nbf: "0" }) }),
  ...saying(notAcceptable("iat"), { "a time of issue that is text": () => ({ iat: "0" }) }),
  [
    "two issuers, the last another",
    (by) => by.signed(by.twice("iss", issuer, "https://evil.example")),
    /no identity matches|the registry accepts only tokens from/,
  ],
  [
    "two issuers, the first another, of a stranger",
    (by) => forged(by.header, by.twice("iss", "https://evil.example", issuer), stranger),
    /signature of the token is wrong/,
  ],
  [
    "two subjects, the last unknown",
    (by) => by.signed(by.twice("sub", by.identity, randomUid())),
    /no longer exists/,
  ],
  [
    "two expiries, the last in the past",
    (by) => by.signed(by.twice("exp", now + 600, now - 60)),
    /is expired/,
  ],
];
