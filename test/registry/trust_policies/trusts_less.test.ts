/** The changes of a policy that take its verdicts back, and those that do not. */
import { expect, test } from "vitest";
import { trustsLess } from "../../../src/registry/trust_policies/trusts_less.ts";
import type { WrittenTrust } from "../../../src/signatures/trust.ts";

const pem = (name: string) => `-----BEGIN PUBLIC KEY-----\n${name}\n-----END PUBLIC KEY-----\n`;
const one = { issuer: "https://issuer.example.com", subject: "a@example.com" };
const policy: WrittenTrust = {
  publicKeys: [pem("A"), pem("B")],
  identities: [one],
  fulcioCertificates: pem("C") + pem("D"),
  rekorKeys: pem("E"),
  notationCertificates: pem("F"),
  notationSubjects: ["C=US"],
};

test.for([
  ["nothing", {}, false],
  ["the order of keys", { publicKeys: [pem("B"), pem("A")] }, false],
  ["the white space of a key", { publicKeys: [` ${pem("A")}\n`, pem("B")] }, false],
  ["one key less", { publicKeys: [pem("A")] }, true],
  ["one key more", { publicKeys: [pem("A"), pem("B"), pem("C")] }, false],
  ["another issuer", { identities: [{ ...one, issuer: "https://b.example.com" }] }, true],
  ["another subject", { identities: [{ ...one, subject: "b@example.com" }] }, true],
  ["one identity more", { identities: [one, { ...one, subject: "b@example.com" }] }, false],
  ["one certificate of Fulcio less", { fulcioCertificates: pem("C") }, true],
  ["another log", { rekorKeys: pem("X") }, true],
  ["one log more", { rekorKeys: pem("E") + pem("X") }, false],
  ["one certificate of Notation less", { notationCertificates: "" }, true],
  ["another subject of Notation", { notationSubjects: ["C=DE"] }, true],
] as [string, Partial<WrittenTrust>, boolean][])(
  "a change of %s takes verdicts back: %o",
  ([, change, isLess]) => {
    expect(trustsLess(policy, { ...policy, ...change })).toBe(isLess);
  },
);

test("the first log of a policy takes its verdicts back, because signatures then need an entry", () => {
  expect(trustsLess({ ...policy, rekorKeys: "" }, policy)).toBe(true);
});
