/** Tokens with the platform's own signature and wrong contents. */
import { randomUid } from "../../world/personas.ts";
import { audience, issuer, registryAudience } from "../../world/platform.ts";
import { ecdsa, type Forgery, foreignKeys, forged, now } from "./forge.ts";

const stranger = ecdsa(foreignKeys.p256.privateKey);
const wrongSignature = /signature of the token is wrong/;
const notIssued = /no identity matches|has no issuer|the registry accepts only tokens from/;
const noIdentity = /is not the uid of an identity|no longer exists/;
const notAcceptable = (claim: string) => new RegExp(`claim ${claim} is not valid`);

export const claims: Forgery[] = [
  ["our issuer with a slash behind it", (by) => by.saying({ iss: `${issuer}/` }), notIssued],
  ["our issuer in capitals", (by) => by.saying({ iss: issuer.toUpperCase() }), notIssued],
  ["our issuer at another port", (by) => by.saying({ iss: "http://localhost:8788" }), notIssued],
  [
    "our issuer with a name behind it",
    (by) => by.saying({ iss: `${issuer}.evil.example` }),
    notIssued,
  ],
  ["our issuer as user name", (by) => by.saying({ iss: `${issuer}@evil.example` }), notIssued],
  ["our issuer with a space before it", (by) => by.saying({ iss: ` ${issuer}` }), notIssued],
  ["our issuer over https", (by) => by.saying({ iss: issuer.replace("http", "https") }), notIssued],
  [
    "our issuer in a list",
    (by) => by.saying({ iss: [issuer] }),
    /claim iss is not valid: it must be/,
  ],
  ["no issuer", (by) => by.saying({ iss: undefined }), notIssued],
  [
    "two issuers, the last another",
    (by) => by.signed(by.twice("iss", issuer, "https://evil.example")),
    notIssued,
  ],
  [
    "two issuers, the first another, of a stranger",
    (by) => forged(by.header, by.twice("iss", "https://evil.example", issuer), stranger),
    wrongSignature,
  ],
  [
    "another audience",
    (by) => by.saying({ aud: "https://elsewhere.example" }),
    /not for the audience/,
  ],
  [
    "our audience with a slash behind it",
    (by) => by.saying({ aud: `${audience}/` }),
    /not for the audience/,
  ],
  [
    "our audience in capitals",
    (by) => by.saying({ aud: audience.toUpperCase() }),
    /not for the audience/,
  ],
  [
    "our audience and more in one text",
    (by) => by.saying({ aud: `${audience} ${registryAudience}` }),
    /not for the audience/,
  ],
  [
    "our audience in a list in a list",
    (by) => by.saying({ aud: [[audience, registryAudience]] }),
    /claim aud is not valid: it must be/,
  ],
  ["an empty audience", (by) => by.saying({ aud: [] }), /not for the audience/],
  ["no audience", (by) => by.saying({ aud: undefined }), notAcceptable("aud")],
  ["no subject", (by) => by.saying({ sub: undefined }), notAcceptable("sub")],
  ["an empty subject", (by) => by.saying({ sub: "" }), /claim sub is not valid: it must be/],
  ["an unknown subject", (by) => by.saying({ sub: randomUid() }), noIdentity],
  ["the root group's uid as subject", (by) => by.saying({ sub: "0".repeat(40) }), noIdentity],
  [
    "a subject in capitals",
    (by) => by.saying({ sub: `${"A".repeat(8)}${by.identity.slice(8)}` }),
    noIdentity,
  ],
  ["a subject with a slash behind it", (by) => by.saying({ sub: `${by.identity}/` }), noIdentity],
  [
    "a subject with a line end behind it",
    (by) => by.saying({ sub: `${by.identity}\n` }),
    noIdentity,
  ],
  [
    "a subject of digits of another alphabet",
    (by) => by.saying({ sub: by.identity.replace(/\d/g, "٣") }),
    noIdentity,
  ],
  [
    "two subjects, the last unknown",
    (by) => by.signed(by.twice("sub", by.identity, randomUid())),
    noIdentity,
  ],
  ["no expiry", (by) => by.saying({ exp: undefined }), notAcceptable("exp")],
  ["an expiry that is text", (by) => by.saying({ exp: "9999999999" }), notAcceptable("exp")],
  ["an expiry that is null", (by) => by.saying({ exp: null }), notAcceptable("exp")],
  ["an expiry that is true", (by) => by.saying({ exp: true }), notAcceptable("exp")],
  ["an expiry in the past", (by) => by.saying({ exp: now - 60 }), /is expired/],
  ["an expiry of two seconds ago", (by) => by.saying({ exp: now - 2 }), /is expired/],
  ["an expiry below zero", (by) => by.saying({ exp: -now }), /claim exp is not valid: it must be/],
  [
    "two expiries, the last in the past",
    (by) => by.signed(by.twice("exp", now + 600, now - 60)),
    /is expired/,
  ],
  ["a beginning in the future", (by) => by.saying({ nbf: now + 600 }), /not valid yet/],
  ["a beginning that is text", (by) => by.saying({ nbf: "0" }), /not valid yet|claim nbf/],
  ["a time of issue that is text", (by) => by.saying({ iat: "0" }), notAcceptable("iat")],
];
