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

const malformed = /header of the token is not valid/;
const unknownAlgorithm = /signed with .* are not accepted/;
const wrongSignature = /signature of the token is wrong/;
const noJwt = /is not a JWT|not of the form|neither Bearer nor Basic/;
const unverifiable = /cannot be verified/;
const unknownKey = /unknown key/;

const { p256, p384, k256 } = foreignKeys;
const stranger = ecdsa(p256.privateKey);
const strangerJwk = p256.publicKey.export({ format: "jwk" });

export const algorithms: Forgery[] = [
  ...["none", "None", "NONE", "nOnE"].map(
    (alg): Forgery => [
      `alg ${alg}, no signature`,
      (by) => by.under({ alg }, fixedSignature(Buffer.alloc(0))),
      unknownAlgorithm,
    ],
  ),
  [
    "alg none, our own signature",
    (by) => by.under({ alg: "none" }, ecdsa(own.key)),
    unknownAlgorithm,
  ],
  [
    "HS256 with our public JWK as the secret",
    (by) => by.under({ alg: "HS256" }, hmac(JSON.stringify(own.jwk))),
    unknownAlgorithm,
  ],
  [
    "HS256 with our public key in PEM as the secret",
    (by) => by.under({ alg: "HS256" }, hmac(own.pem)),
    unknownAlgorithm,
  ],
  ["HS256 with an empty secret", (by) => by.under({ alg: "HS256" }, hmac("")), unknownAlgorithm],
  ["HS512", (by) => by.under({ alg: "HS512" }, hmac(own.pem)), unknownAlgorithm],
  ["alg in lower case", (by) => by.under({ alg: "es256" }, ecdsa(own.key)), unknownAlgorithm],
  ["alg with a space", (by) => by.under({ alg: "ES256 " }, ecdsa(own.key)), unknownAlgorithm],
  ["alg a list", (by) => by.under({ alg: ["ES256"] }, ecdsa(own.key)), malformed],
  ["alg null", (by) => by.under({ alg: null }, ecdsa(own.key)), malformed],
  ["no alg", (by) => by.under({ alg: undefined }, ecdsa(own.key)), unknownAlgorithm],
  ["ES256K", (by) => by.under({ alg: "ES256K" }, ecdsa(k256.privateKey)), unknownAlgorithm],
  ["ES256 on the curve P-384", (by) => by.under({}, ecdsa(p384.privateKey)), wrongSignature],
  [
    "ES384 under our key's id",
    (by) => by.under({ alg: "ES384" }, ecdsa(p384.privateKey, "sha384")),
    unknownKey,
  ],
  [
    "RS256 under our key's id",
    (by) => by.under({ alg: "RS256" }, rsa(foreignKeys.rsa.privateKey)),
    unknownKey,
  ],
  [
    "PS256 under our key's id",
    (by) => by.under({ alg: "PS256" }, rsa(foreignKeys.rsa.privateKey)),
    unknownKey,
  ],
  [
    "EdDSA under our key's id",
    (by) => by.under({ alg: "EdDSA" }, ed25519(foreignKeys.ed25519.privateKey)),
    unknownKey,
  ],
  ["another's key under our key's id", (by) => by.under({}, stranger), wrongSignature],
];

export const signatures: Forgery[] = [
  ["a signature of zeros", (by) => by.under({}, fixedSignature(Buffer.alloc(64))), wrongSignature],
  ["a signature in DER", (by) => by.under({}, ecdsa(own.key, "sha256", "der")), wrongSignature],
  ["a signature over SHA-384", (by) => by.under({}, ecdsa(own.key, "sha384")), wrongSignature],
  ["no signature", (by) => `${by.parts().slice(0, 2).join(".")}.`, wrongSignature],
  ["two parts", (by) => by.parts().slice(0, 2).join("."), noJwt],
  [
    "a signature cut by a byte",
    (by) => by.under({}, (it) => ecdsa(own.key)(it).subarray(1)),
    wrongSignature,
  ],
  ["a signature with a byte more", (by) => `${by.signed(by.claims)}AAAA`, wrongSignature],
  [
    "a signature twice",
    (by) => by.under({}, (it) => Buffer.concat([ecdsa(own.key)(it), ecdsa(own.key)(it)])),
    wrongSignature,
  ],
  [
    "the signature of another token",
    (by) => [...by.parts().slice(0, 2), by.saying({ jti: "x" }).split(".")[2]].join("."),
    wrongSignature,
  ],
  [
    "another payload under the signature",
    (by) =>
      [by.parts()[0], by.saying({ exp: 9_999_999_999 }).split(".")[1], by.parts()[2]].join("."),
    wrongSignature,
  ],
  [
    "another header under the signature",
    (by) =>
      [by.signed(by.claims, { ...by.header, x: 1 }).split(".")[0], ...by.parts().slice(1)].join(
        ".",
      ),
    wrongSignature,
  ],
];

export const headers: Forgery[] = [
  [
    "a key of the header's own (jwk)",
    (by) => by.under({ jwk: strangerJwk }, stranger),
    wrongSignature,
  ],
  [
    "such a key without an id",
    (by) => by.under({ jwk: strangerJwk, kid: undefined }, stranger),
    wrongSignature,
  ],
  [
    "an address of keys (jku)",
    (by) => by.under({ jku: "http://127.0.0.1:1/keys", kid: "k" }, stranger),
    unknownKey,
  ],
  [
    "an address of a certificate (x5u)",
    (by) => by.under({ x5u: "http://127.0.0.1:1/c" }, stranger),
    wrongSignature,
  ],
  ["a certificate (x5c)", (by) => by.under({ x5c: ["MIIB"], x5t: "AA" }, stranger), wrongSignature],
  [
    "a kid that is a path",
    (by) => by.under({ kid: "../../../../../dev/null" }, hmac("")),
    unknownKey,
  ],
  ["a kid that is SQL", (by) => by.under({ kid: "' or '1'='1" }, stranger), unknownKey],
  [
    "a kid that is an address",
    (by) => by.under({ kid: "http://127.0.0.1:1/keys" }, stranger),
    unknownKey,
  ],
  ["a kid of a prototype", (by) => by.under({ kid: "__proto__" }, stranger), unknownKey],
  ["our kid with a NUL behind it", (by) => by.under({ kid: `${own.kid}\0` }, stranger), unknownKey],
  ["a kid that is a number", (by) => by.under({ kid: 0 }, stranger), malformed],
  ["a kid that is a list", (by) => by.under({ kid: [own.kid] }, stranger), malformed],
  ["a kid of 20 KB", (by) => by.under({ kid: "k".repeat(20_000) }, stranger), malformed],
  ["an empty crit", (by) => by.under({ crit: [] }, ecdsa(own.key)), unverifiable],
  ["an unknown crit", (by) => by.under({ crit: ["x"], x: 1 }, ecdsa(own.key)), unverifiable],
  [
    "a crit that names a missing member",
    (by) => by.under({ crit: ["exp"] }, ecdsa(own.key)),
    unverifiable,
  ],
  [
    "an unencoded payload (RFC 7797)",
    (by) => by.under({ b64: false, crit: ["b64"] }, ecdsa(own.key)),
    unverifiable,
  ],
  ["a by.header that is a list", (by) => by.signed(by.claims, []), noJwt],
  ["a by.header that is null", (by) => by.signed(by.claims, "null"), noJwt],
  ["a by.header that is not JSON", (by) => by.signed(by.claims, "{"), noJwt],
  [
    "a by.header of two algs, the last none",
    (by) => by.signed(by.claims, `{"alg":"ES256","alg":"none","kid":"${own.kid}"}`),
    unknownAlgorithm,
  ],
  [
    "a by.header of two algs, the first none, of a stranger",
    (by) => forged(`{"alg":"none","alg":"ES256","kid":"${own.kid}"}`, by.claims, stranger),
    wrongSignature,
  ],
];

export const shapes: Forgery[] = [
  ["nothing but dots", () => "..", noJwt],
  ["four parts", (by) => `${by.signed(by.claims)}.x`, noJwt],
  ["our own JWE (five parts)", (by) => encrypted(by), noJwt],
  [
    "a token within a token",
    (by) => by.signed(by.signed(by.claims), { ...by.header, cty: "JWT" }),
    noJwt,
  ],
  [
    "a JWS as JSON",
    (by) =>
      JSON.stringify({
        protected: by.parts()[0],
        payload: by.parts()[1],
        signature: by.parts()[2],
      }),
    noJwt,
  ],
  ["a payload that is a list", (by) => by.signed([by.claims]), noJwt],
  ["a payload that is null", (by) => by.signed("null"), noJwt],
  ["dots of another alphabet", (by) => latin1(by.signed(by.claims).replaceAll(".", "．")), noJwt],
  ["letters of another alphabet", (by) => latin1(by.signed(by.claims).replace("e", "е")), noJwt],
  ["a NUL of percent signs", (by) => `${by.signed(by.claims)}%00`, unverifiable],
  ["a token in quotes", (by) => `"${by.signed(by.claims)}"`, noJwt],
];

const encrypted = ({ claims }: TokenForger) =>
  new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: own.kid })
    .encrypt(randomBytes(32));

/** The bytes of UTF-8, each as a character of the header. */
const latin1 = (text: string) => Buffer.from(text).toString("latin1");
