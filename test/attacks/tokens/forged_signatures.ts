/** Tokens with valid contents, in a form or with a signature that proves nothing. */
import { randomBytes } from "node:crypto";
import { CompactEncrypt } from "jose";
import {
  ecdsa,
  ed25519,
  type Forgery,
  fixedSignature,
  foreignKeys,
  forged,
  hmac,
  own,
  rsa,
  type TokenForger,
} from "./forge.ts";

/** Tokens that are refused with that text. */
const refused = (says: RegExp, table: Record<string, Forgery[1]>): Forgery[] =>
  Object.entries(table).map(([name, make]) => [name, make, says]);

const malformed = /header of the token is not valid/;
const unknownAlgorithm = /signed with .* are not accepted/;
const wrongSignature = /signature of the token is wrong/;
const noJwt = /is not a JWT|not of the form|neither Bearer nor Basic/;
const unverifiable = /cannot be verified/;
const unknownKey = /unknown key/;

const { p256, p384, k256 } = foreignKeys;
const stranger = ecdsa(p256.privateKey);
const jwk = p256.publicKey.export({ format: "jwk" });
const ours = ecdsa(own.key);
const none = fixedSignature(Buffer.alloc(0));

export const algorithms: Forgery[] = [
  ...refused(unknownAlgorithm, {
    "alg none, no signature": (by) => by.under({ alg: "none" }, none),
    "alg None, no signature": (by) => by.under({ alg: "None" }, none),
    "alg NONE, no signature": (by) => by.under({ alg: "NONE" }, none),
    "alg nOnE, no signature": (by) => by.under({ alg: "nOnE" }, none),
    "alg none, our own signature": (by) => by.under({ alg: "none" }, ours),
    "HS256 with our public JWK as the secret": (by) =>
      by.under({ alg: "HS256" }, hmac(JSON.stringify(own.jwk))),
    "HS256 with our public key in PEM as the secret": (by) =>
      by.under({ alg: "HS256" }, hmac(own.pem)),
    "HS256 with an empty secret": (by) => by.under({ alg: "HS256" }, hmac("")),
    HS512: (by) => by.under({ alg: "HS512" }, hmac(own.pem)),
    "alg in lower case": (by) => by.under({ alg: "es256" }, ours),
    "alg with a space": (by) => by.under({ alg: "ES256 " }, ours),
    "alg with half of a surrogate pair": (by) => by.under({ alg: "\ud800" }, ours),
    "no alg": (by) => by.under({ alg: undefined }, ours),
    ES256K: (by) => by.under({ alg: "ES256K" }, ecdsa(k256.privateKey)),
  }),
  ...refused(malformed, {
    "alg a list": (by) => by.under({ alg: ["ES256"] }, ours),
    "alg null": (by) => by.under({ alg: null }, ours),
    "alg a number": (by) => by.under({ alg: 1 }, ours),
    "alg of 9 KB": (by) => by.under({ alg: "a".repeat(9_000) }, ours),
    "alg an object with a text": (by) => by.under({ alg: { toString: 1 } }, ours),
  }),
  ...refused(unknownKey, {
    "ES384 under our key's id": (by) =>
      by.under({ alg: "ES384" }, ecdsa(p384.privateKey, "sha384")),
    "RS256 under our key's id": (by) => by.under({ alg: "RS256" }, rsa(foreignKeys.rsa.privateKey)),
    "PS256 under our key's id": (by) => by.under({ alg: "PS256" }, rsa(foreignKeys.rsa.privateKey)),
    "EdDSA under our key's id": (by) =>
      by.under({ alg: "EdDSA" }, ed25519(foreignKeys.ed25519.privateKey)),
  }),
  ...refused(wrongSignature, {
    "ES256 on the curve P-384": (by) => by.under({}, ecdsa(p384.privateKey)),
    "another's key under our key's id": (by) => by.under({}, stranger),
  }),
];

export const signatures: Forgery[] = [
  ...refused(noJwt, { "two parts": (by) => by.parts().slice(0, 2).join(".") }),
  ...refused(wrongSignature, {
    "a signature of zeros": (by) => by.under({}, fixedSignature(Buffer.alloc(64))),
    "a signature in DER": (by) => by.under({}, ecdsa(own.key, "sha256", "der")),
    "a signature over SHA-384": (by) => by.under({}, ecdsa(own.key, "sha384")),
    "no signature": (by) => `${by.parts().slice(0, 2).join(".")}.`,
    "a signature cut by a byte": (by) => by.under({}, (it) => ours(it).subarray(1)),
    "a signature with a byte more": (by) => `${by.signed(by.claims)}AAAA`,
    "a signature twice": (by) => by.under({}, (it) => Buffer.concat([ours(it), ours(it)])),
    "the signature of another token": (by) =>
      [...by.parts().slice(0, 2), by.saying({ jti: "x" }).split(".")[2]].join("."),
    "another payload under the signature": (by) =>
      [by.parts()[0], by.saying({ exp: 9_999_999_999 }).split(".")[1], by.parts()[2]].join("."),
    "another header under the signature": (by) => {
      const [header] = by.signed(by.claims, { ...by.header, x: 1 }).split(".");
      return [header, ...by.parts().slice(1)].join(".");
    },
  }),
];

export const headers: Forgery[] = [
  ...refused(wrongSignature, {
    "a key of the header's own (jwk)": (by) => by.under({ jwk }, stranger),
    "such a key without an id": (by) => by.under({ jwk, kid: undefined }, stranger),
    "an address of a certificate (x5u)": (by) =>
      by.under({ x5u: "http://127.0.0.1:1/c" }, stranger),
    "a certificate (x5c)": (by) => by.under({ x5c: ["MIIB"], x5t: "AA" }, stranger),
    "a header of two algs, the first none, of a stranger": (by) =>
      forged(`{"alg":"none","alg":"ES256","kid":"${own.kid}"}`, by.claims, stranger),
  }),
  ...refused(unknownKey, {
    "an address of keys (jku)": (by) =>
      by.under({ jku: "http://127.0.0.1:1/keys", kid: "k" }, stranger),
    "a kid that is a path": (by) => by.under({ kid: "../../../../../dev/null" }, hmac("")),
    "a kid that is SQL": (by) => by.under({ kid: "' or '1'='1" }, stranger),
    "a kid that is an address": (by) => by.under({ kid: "http://127.0.0.1:1/keys" }, stranger),
    "a kid of a prototype": (by) => by.under({ kid: "__proto__" }, stranger),
    "our kid with a NUL behind it": (by) => by.under({ kid: `${own.kid}\0` }, stranger),
  }),
  ...refused(malformed, {
    "a kid that is a number": (by) => by.under({ kid: 0 }, stranger),
    "a kid that is a list": (by) => by.under({ kid: [own.kid] }, stranger),
    "a kid that is an object with a text": (by) => by.under({ kid: { toString: 1 } }, stranger),
    "a kid of 20 KB": (by) => by.under({ kid: "k".repeat(20_000) }, stranger),
    "a typ that is a number": (by) => by.under({ typ: 1 }, ours),
    "a typ that is an object with a text": (by) => by.under({ typ: { toString: 1 } }, ours),
  }),
  ...refused(unverifiable, {
    "an empty crit": (by) => by.under({ crit: [] }, ours),
    "an unknown crit": (by) => by.under({ crit: ["x"], x: 1 }, ours),
    "a crit that names a missing member": (by) => by.under({ crit: ["exp"] }, ours),
    "an unencoded payload (RFC 7797)": (by) => by.under({ b64: false, crit: ["b64"] }, ours),
  }),
  ...refused(noJwt, {
    "a header that is a list": (by) => by.signed(by.claims, []),
    "a header that is null": (by) => by.signed(by.claims, "null"),
    "a header that is not JSON": (by) => by.signed(by.claims, "{"),
  }),
  ...refused(unknownAlgorithm, {
    "a header of two algs, the last none": (by) =>
      by.signed(by.claims, `{"alg":"ES256","alg":"none","kid":"${own.kid}"}`),
  }),
];

export const shapes: Forgery[] = [
  ...refused(noJwt, {
    "nothing but dots": () => "..",
    "five parts of one letter": () => "a.b.c.d.e",
    "20 KB of dots": () => ".".repeat(20_000),
    "four parts": (by) => `${by.signed(by.claims)}.x`,
    "our own JWE (five parts)": (by) => encrypted(by),
    "a token within a token": (by) => by.signed(by.signed(by.claims), { ...by.header, cty: "JWT" }),
    "a JWS as JSON": (by) => {
      const [header, payload, signature] = by.parts();
      return JSON.stringify({ protected: header, payload, signature });
    },
    "a payload that is a list": (by) => by.signed([by.claims]),
    "a payload that is null": (by) => by.signed("null"),
    "a payload that is not JSON": (by) => by.signed("{"),
    "a payload that is not UTF-8": (by) => by.signed(Buffer.from([0xff])),
    "no payload": (by) => by.signed(""),
    "dots of another alphabet": (by) => latin1(by.signed(by.claims).replaceAll(".", "．")),
    "letters of another alphabet": (by) => latin1(by.signed(by.claims).replace("e", "е")),
    "a token in quotes": (by) => `"${by.signed(by.claims)}"`,
  }),
  ...refused(unverifiable, { "a NUL of percent signs": (by) => `${by.signed(by.claims)}%00` }),
];

const encrypted = ({ claims }: TokenForger) =>
  new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: own.kid })
    .encrypt(randomBytes(32));

/** The bytes of UTF-8, each as a character of the header. */
const latin1 = (text: string) => Buffer.from(text).toString("latin1");
