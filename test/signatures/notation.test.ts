/** Signatures of Notation, as signers make them and as an attacker changes them: which count by a trust policy. */
import { describe, expect, test } from "vitest";
import { readNotation } from "../../src/signatures/notation.ts";
import type { Bytes } from "../../src/signatures/signature.ts";
import type { WrittenTrust } from "../../src/signatures/trust.ts";
import { digest, judged, other, trustOf } from "./judged.ts";
import {
  type EnvelopeSetting,
  type NotationAlgorithm,
  type NotationSetting,
  newNotationAuthority,
  notationAlgorithms,
  notationCose,
  notationJws,
  notationPayload,
  utf8,
} from "./signed_forms.ts";

const notation = await newNotationAuthority();

const byNotation = (more: Partial<WrittenTrust> = {}) =>
  trustOf({ notationCertificates: notation.pem, notationSubjects: ["C=US, O=Example"], ...more });

const forms = {
  JWS: async (
    setting: NotationSetting,
    envelope?: EnvelopeSetting,
    payload = notationPayload(digest),
    signed = payload,
  ) => {
    const text = await notationJws(await notation.newSigner(setting), payload, envelope, signed);
    return () => readNotation(utf8(text) as Bytes, "application/jose+json");
  },
  COSE: async (
    setting: NotationSetting,
    envelope?: EnvelopeSetting,
    payload = notationPayload(digest),
    signed = payload,
  ) => {
    const bytes = await notationCose(await notation.newSigner(setting), payload, envelope, signed);
    return () => readNotation(bytes, "application/cose");
  },
};
type Form = keyof typeof forms;
const both = Object.keys(forms) as Form[];
const release = "CN=release,O=Example,C=US of ";

describe.for(both)("a signature of Notation in %s", (form) => {
  test.for(Object.keys(notationAlgorithms) as NotationAlgorithm[])(
    "counts with %s",
    async (algorithm) => {
      expect(await judged(await forms[form]({ algorithm }), await byNotation())).toBe(release);
    },
  );

  test("counts with every subject, and with its own certificate in the policy", async () => {
    const signer = await notation.newSigner();
    const everyone = await byNotation({ notationSubjects: ["*"] });
    expect(await judged(await forms[form]({}), everyone)).toBe(release);
    const [leaf] = signer.chain;
    const trust = await byNotation({ notationCertificates: leaf?.toString("pem") ?? "" });
    const bytes = await notationCose(signer, notationPayload(digest));
    expect(await judged(() => readNotation(bytes, "application/cose"), trust)).toBe(release);
    expect(await judged(await forms[form]({}), trust)).toMatch("no Notation certificate");
  });

  test.for([
    ["its certificate has expired", { begin: -20, end: -10 }, {}, "had expired"],
    ["its certificate is not valid yet", { begin: 5 }, {}, "not valid yet"],
    ["its certificate is for servers", { usages: ["1.3.6.1.5.5.7.3.1"] }, {}, "not for signing"],
    ["its certificate is that of an authority", { isAuthority: true }, {}, "not for signing"],
    [
      "its subject is another one",
      { name: "CN=release,O=Other,C=US" },
      {},
      "no trust policy names",
    ],
    [
      "its subject lacks an attribute",
      { name: "CN=release,O=Example" },
      {},
      "no trust policy names",
    ],
    ["its subject has an attribute twice", { name: "O=Example,O=Other,C=US" }, {}, "O twice"],
    ["it has expired itself", {}, { expiry: 1000 }, "it had expired"],
    ["its scheme is another one", {}, { scheme: "notary.x509.signingAuthority" }, "signing scheme"],
    ["its scheme is not critical", {}, { critical: [] }, "not a critical header"],
    [
      "a critical header is not known",
      {},
      { critical: ["io.cncf.notary.signingScheme", "io.cncf.notary.verificationPlugin"] },
      "critical header that is not known",
    ],
    ["its payload is of another type", {}, { contentType: "text/plain" }, "another type"],
    [
      "its algorithm is not the one of the key",
      {},
      { algorithm: "ES384" },
      "not those of its certificate",
    ],
    ["its algorithm is not known", {}, { algorithm: "none" }, ""],
  ] as [string, NotationSetting, EnvelopeSetting, string][])(
    "does not count if %s",
    async ([, setting, envelope, why]) => {
      const result = await judged(await forms[form](setting, envelope), await byNotation());
      expect(result).not.toBe(release);
      expect(result).toContain(why);
    },
  );

  test("does not count if the payload was altered, is about another image, or has a member twice", async () => {
    const trust = await byNotation();
    const [own, foreign] = [notationPayload(digest), notationPayload(other)];
    expect(await judged(await forms[form]({}, {}, own, foreign), trust)).toMatch(
      "not those of its",
    );
    expect(await judged(await forms[form]({}, {}, foreign), trust)).toBe("another image");
    const twice = own.replace("{", `{"targetArtifact":{"digest":"${other}"},`);
    expect(await judged(await forms[form]({}, {}, twice), trust)).toMatch("twice");
  });

  test("keeps the time until which its signer wants it to count", async () => {
    const expiry = Math.floor(Date.now() / 1000) + 3600;
    expect((await forms[form]({}, { expiry }))().expireTime).toBe(expiry * 1000);
  });
});

test("a signature of Notation does not count by keys", async () => {
  expect(await judged(await forms.JWS({}), await trustOf({}))).toMatch(
    "no trust policy has Notation",
  );
});
