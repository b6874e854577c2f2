/** Trust policies, and texts in them that are refused. */
import { expect, test } from "vitest";
import { readTrust, TrustError, type WrittenTrust } from "../../src/signatures/trust.ts";
import { newAuthority } from "./authority.ts";
import { newKeySigner, newNotationAuthority, pemOf } from "./signed_forms.ts";

const nothing: WrittenTrust = {
  ...{ publicKeys: [], identities: [], fulcioCertificates: "", rekorKeys: "" },
  ...{ notationCertificates: "", notationSubjects: [] },
};

const faultOf = async (written: Partial<WrittenTrust>) => {
  try {
    await readTrust({ ...nothing, ...written });
    return "read";
  } catch (thrown) {
    if (thrown instanceof TrustError) return `${thrown.field}: ${thrown.message}`;
    throw thrown;
  }
};

const key = await newKeySigner();
const short = {
  ...{ name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", modulusLength: 1024 },
  publicExponent: new Uint8Array([1, 0, 1]),
};
const authority = await newAuthority();
const leaf = (await authority.newSigner()).certificate.toString("pem");
const notation = await newNotationAuthority();

/** An authority whose key is a point that is not on its curve. */
const damaged = (() => {
  const { rawData, publicKey } = authority.root;
  const bytes = Buffer.from(rawData);
  const end = bytes.indexOf(Buffer.from(publicKey.rawData)) + publicKey.rawData.byteLength;
  bytes.fill(1, end - 8, end);
  return pemOf("CERTIFICATE", bytes);
})();

test.for([
  ["a key", { publicKeys: [key.pem] }, "read"],
  ["two keys in one text", { publicKeys: [key.pem + key.pem.replace("A", "B")] }, "public_keys"],
  ["the same key twice in one text", { publicKeys: [key.pem + key.pem] }, "read"],
  ["no key in a text", { publicKeys: ["x"] }, "public_keys must have PEM blocks"],
  ["an empty text", { publicKeys: [""] }, "must have one key"],
  ["a private key", { publicKeys: [pemOf("PRIVATE KEY", new Uint8Array([48, 0]))] }, "public_keys"],
  [
    "a damaged key",
    { publicKeys: [pemOf("PUBLIC KEY", new Uint8Array([48, 0]))] },
    "cannot be read",
  ],
  ["a block without an end", { publicKeys: ["-----BEGIN PUBLIC KEY-----"] }, "has no end"],
  [
    "a key that is not base64",
    { publicKeys: ["-----BEGIN PUBLIC KEY-----\n?\n-----END PUBLIC KEY-----"] },
    "not base64",
  ],
  ["a short RSA key", { publicKeys: [(await newKeySigner(short)).pem] }, "fewer than 2048 bits"],
  ["an authority", { fulcioCertificates: authority.pem }, "read"],
  ["the certificate of a signer", { fulcioCertificates: leaf }, "may not issue"],
  ["an authority with a damaged key", { fulcioCertificates: damaged }, "key is damaged"],
  ["eleven certificates", { fulcioCertificates: authority.pem.repeat(6) }, "at most 10"],
  ["the key of a log", { rekorKeys: key.pem }, "read"],
  ["a certificate as the key of a log", { rekorKeys: leaf }, "rekor_keys must have PEM blocks"],
  ["an authority of Notation", { notationCertificates: notation.pem }, "read"],
  ["subjects", { notationSubjects: ["*", "C=US, O=Example\\, Inc."] }, "read"],
  ["a subject that is not a name", { notationSubjects: ["Example"] }, "notation_subjects"],
  [
    "a subject with an attribute that is not known",
    { notationSubjects: ["X=1"] },
    "notation_subjects",
  ],
  ["a subject with an attribute twice", { notationSubjects: ["C=US,C=DE"] }, "notation_subjects"],
] as [string, Partial<WrittenTrust>, string][])(
  "a policy with %s is read, or the fault names its field",
  async ([, written, result]) => {
    expect(await faultOf(written)).toContain(result);
  },
);
