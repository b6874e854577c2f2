/** Keyless signatures, as signers make them and as an attacker changes them: which count by a trust policy. */
import { describe, expect, test } from "vitest";
import type { Bytes } from "../../src/signatures/signature.ts";
import { readDsseLayer } from "../../src/signatures/simple_signing.ts";
import type { WrittenTrust } from "../../src/signatures/trust.ts";
import { defaultIssuer, defaultSubject, type LeafSetting, newAuthority } from "./authority.ts";
import {
  bundled,
  byKeys,
  envelopeOf,
  judged,
  type Layer,
  other,
  payloadOf,
  simple,
  statementOf,
  trustOf,
} from "./judged.ts";
import {
  base64,
  dsseEntry,
  hashedRekord,
  intotoEntries,
  type LogContent,
  newKeySigner,
  newLog,
  newNotationAuthority,
  utf8,
} from "./signed_forms.ts";

const minute = 60_000;
const authority = await newAuthority();
const log = await newLog();
const key = await newKeySigner();

const keyless = (more: Partial<WrittenTrust> = {}) =>
  trustOf({
    identities: [{ issuer: defaultIssuer, subject: "https://git.example.com/app/*" }],
    fulcioCertificates: authority.pem,
    ...more,
  });
const withLog = () => keyless({ rekorKeys: log.pem });
/** A keyless layer. `logged` makes the entry of the log in place of the usual one. */
async function keylessLayer(
  setting: LeafSetting = {},
  logged?: (signature: string, pem: string) => LogContent | undefined,
  time = Date.now(),
  payload = payloadOf(),
): Promise<Layer> {
  const signer = await authority.newSigner(setting);
  const signature = await signer.sign(utf8(payload));
  const pem = signer.certificate.toString("pem");
  const content = logged?.(signature, pem);
  return {
    payload,
    annotations: {
      "dev.cosignproject.cosign/signature": signature,
      "dev.sigstore.cosign/certificate": pem,
      "dev.sigstore.cosign/chain": authority.intermediate.toString("pem"),
      ...(content ? { "dev.sigstore.cosign/bundle": await log.annotation(content, time) } : {}),
    },
  };
}

const usual = (signature: string, pem: string) => hashedRekord(payloadOf(), signature, pem);
const identity = `${defaultSubject} of ${defaultIssuer}`;

describe("a keyless signature counts", () => {
  test("with a certificate that is valid when the registry gets it", async () => {
    expect(await judged(simple(await keylessLayer()), await keyless())).toBe(identity);
  });

  test("through an intermediate certificate that comes with it", async () => {
    const trust = await keyless({ fulcioCertificates: authority.root.toString("pem") });
    expect(await judged(simple(await keylessLayer()), trust)).toBe(identity);
  });

  test("with an expired certificate, if the log recorded it before that", async () => {
    const expired = { begin: -20, end: -10 };
    const time = Date.now() - 15 * minute;
    expect(await judged(simple(await keylessLayer(expired, usual, time)), await withLog())).toBe(
      identity,
    );
  });

  test("in a bundle with an envelope, with the entry of a log", async () => {
    const signer = await authority.newSigner({ begin: -20, end: -10 });
    const dsseEnvelope = await envelopeOf(signer);
    const [{ sig } = { sig: "" }] = dsseEnvelope.signatures;
    const entry = dsseEntry(statementOf(), sig, signer.certificate.toString("pem"));
    const tlogEntries = [await log.bundled(entry, Date.now() - 15 * minute)];
    const certificate = { rawBytes: base64(signer.certificate.rawData) };
    const bundle = { verificationMaterial: { certificate, tlogEntries }, dsseEnvelope };
    expect(await judged(bundled(bundle), await withLog())).toBe(identity);
  });

  test("as an attestation of cosign 2, with each kind of entry", async () => {
    const signer = await authority.newSigner();
    const envelope = await envelopeOf(signer);
    const [{ sig } = { sig: "" }] = envelope.signatures;
    const pem = signer.certificate.toString("pem");
    for (const content of [
      ...intotoEntries(statementOf(), sig, pem),
      dsseEntry(statementOf(), sig, pem),
    ]) {
      const annotations = {
        "dev.sigstore.cosign/certificate": pem,
        "dev.sigstore.cosign/bundle": await log.annotation(content),
      };
      const read = () => readDsseLayer(utf8(JSON.stringify(envelope)) as Bytes, annotations);
      expect(read().predicateType).toBe("https://slsa.dev/provenance/v1");
      expect(await judged(read, await withLog())).toBe(identity);
    }
  });
});

describe("a keyless signature does not count", () => {
  test.for([
    [
      "has expired, without a log",
      { begin: -20, end: -10 },
      "had expired when the registry got it",
    ],
    ["is not valid yet", { begin: 5, end: 10 }, "was not valid yet"],
    ["may not sign code", { usages: ["1.3.6.1.5.5.7.3.1"] }, "not for signing"],
    ["is that of an authority", { isAuthority: true }, "not for signing"],
    [
      "names another subject",
      { subject: "https://git.example.com/other" },
      "no trust policy names",
    ],
    [
      "names a subject that only begins like it",
      { subject: "https://git.example.com.evil/app/x" },
      "no trust policy names",
    ],
    ["names another issuer", { issuer: "https://issuer.example.org" }, "no trust policy names"],
    ["names two subjects", { others: ["b@example.com"] }, "names no signer"],
  ] as [string, LeafSetting, string][])("if the certificate %s", async ([, setting, why]) => {
    expect(await judged(simple(await keylessLayer(setting)), await keyless())).toContain(why);
  });

  test("if another authority issued the certificate, even with the same name", async () => {
    const stranger = await newAuthority();
    const trust = await keyless({ fulcioCertificates: stranger.pem });
    expect(await judged(simple(await keylessLayer()), trust)).toMatch("no Fulcio certificate");
  });

  test("if the root may issue only certificates of signers, and an intermediate one is in between", async () => {
    const short = await newAuthority("short", 0);
    const signer = await short.newSigner();
    const layer = await keylessLayer();
    Object.assign(layer.annotations, {
      "dev.cosignproject.cosign/signature": await signer.sign(utf8(layer.payload)),
      "dev.sigstore.cosign/certificate": signer.certificate.toString("pem"),
      "dev.sigstore.cosign/chain": short.intermediate.toString("pem"),
    });
    const trust = await keyless({ fulcioCertificates: short.root.toString("pem") });
    expect(await judged(simple(layer), trust)).toMatch("no Fulcio certificate");
    const direct = await keyless({ fulcioCertificates: short.pem });
    expect(await judged(simple(layer), direct)).toBe(identity);
  });

  test("if a signer with a certificate of the authority issued the certificate", async () => {
    const layer = await keylessLayer({ isAuthority: false });
    const victim = layer.annotations["dev.sigstore.cosign/certificate"] ?? "";
    const trust = await keyless({ fulcioCertificates: (await newAuthority("other")).pem });
    layer.annotations["dev.sigstore.cosign/chain"] = `${victim}\n${authority.pem}`;
    expect(await judged(simple(layer), trust)).toMatch("no Fulcio certificate");
  });

  test("if other bytes were signed", async () => {
    const layer = await keylessLayer();
    const altered = { ...layer, payload: layer.payload.replace("{}", '{"a":1}') };
    expect(await judged(simple(altered), await keyless())).toMatch("not those of its certificate");
  });

  const expired = { begin: -20, end: -10 };
  const then = () => Date.now() - 15 * minute;
  test.for([
    ["there is no entry", () => undefined, then, "no log entry"],
    ["the entry is later than the certificate", usual, Date.now, "expired at the time of its log"],
    [
      "the entry is earlier than the certificate",
      usual,
      () => then() - 30 * minute,
      "not valid yet at the time",
    ],
    [
      "the entry is about another payload",
      (signature: string, pem: string) => hashedRekord(payloadOf(other), signature, pem),
      then,
      "no log entry",
    ],
    [
      "the entry has another signature",
      (_: string, pem: string) => hashedRekord(payloadOf(), "MAA=", pem),
      then,
      "no log entry",
    ],
    [
      "the entry has another certificate",
      (signature: string) =>
        hashedRekord(payloadOf(), signature, authority.intermediate.toString("pem")),
      then,
      "no log entry",
    ],
    [
      "the entry is of another kind",
      (signature: string, pem: string) => ({ ...usual(signature, pem), kind: "rekord" }),
      then,
      "no log entry",
    ],
    [
      "the hash of the entry is by SHA-1",
      (signature: string, pem: string) => {
        const content = usual(signature, pem);
        const spec = { ...content.spec, data: { hash: { algorithm: "sha1", value: "00" } } };
        return { ...content, spec };
      },
      then,
      "no log entry",
    ],
  ] as [
    string,
    (signature: string, pem: string) => LogContent | undefined,
    () => number,
    string,
  ][])("if the policy has a log and %s", async ([, logged, time, why]) => {
    const layer = await keylessLayer(expired, logged, time());
    expect(await judged(simple(layer), await withLog())).toContain(why);
  });

  test("if another log signed the entry, or the entry was altered", async () => {
    const stranger = await newLog();
    const layer = await keylessLayer(expired, usual, then());
    const trust = await keyless({ rekorKeys: stranger.pem });
    expect(await judged(simple(layer), trust)).toMatch("no log entry");
    const name = "dev.sigstore.cosign/bundle";
    for (const member of ["integratedTime", "logIndex"]) {
      const annotation = JSON.parse(layer.annotations[name] ?? "");
      annotation.Payload[member] += 1;
      const annotations = { ...layer.annotations, [name]: JSON.stringify(annotation) };
      expect(await judged(simple({ ...layer, annotations }), await withLog())).toMatch(
        "no log entry",
      );
    }
  });

  test("if the envelope has two signatures, another type, or a damaged statement", async () => {
    const signer = await authority.newSigner();
    const certificate = { rawBytes: base64(signer.certificate.rawData) };
    const good = await envelopeOf(signer);
    const envelopes: [object, string][] = [
      [{ ...good, signatures: [...good.signatures, ...good.signatures] }, "one signature"],
      [{ ...good, payloadType: "text/plain" }, "one signature"],
      [await envelopeOf(signer, statementOf(other)), "another image"],
      [await envelopeOf(signer, statementOf(), statementOf(other)), "not those of its certificate"],
      [
        await envelopeOf(signer, statementOf().replace("Statement/v1", "Statement/v9")),
        "not an in-toto",
      ],
      [
        await envelopeOf(signer, statementOf().replace('{"_type"', '{"subject":[],"_type"')),
        "twice",
      ],
      [
        await envelopeOf(signer, statementOf().replace('{"_type"', '{"Subject":[],"_type"')),
        "differ only",
      ],
      [await envelopeOf(signer, statementOf().replace("sha256", "sha512")), "another image"],
    ];
    for (const [dsseEnvelope, why] of envelopes) {
      const bundle = { verificationMaterial: { certificate }, dsseEnvelope };
      expect(await judged(bundled(bundle), await keyless())).toContain(why);
    }
  });

  test("if a bundle has a signature over the manifest and another over a statement", async () => {
    const bundle = {
      verificationMaterial: {},
      dsseEnvelope: await envelopeOf(key),
      messageSignature: {},
    };
    expect(await judged(bundled(bundle), await byKeys(key))).toMatch("two signatures");
  });
});

test("a keyless signature does not count by certificates of Notation", async () => {
  const { pem } = await newNotationAuthority();
  const trust = await trustOf({ notationCertificates: pem, notationSubjects: ["*"] });
  expect(await judged(simple(await keylessLayer()), trust)).toMatch("names identities");
});
