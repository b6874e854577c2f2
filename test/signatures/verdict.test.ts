/** Signatures of each form, as signers make them and as an attacker changes them: which count by a trust policy. */
import { beforeAll, describe, expect, test } from "vitest";
import { readBundle } from "../../src/signatures/bundle.ts";
import { readNotation } from "../../src/signatures/notation.ts";
import { type Bytes, type Signature, SignatureError } from "../../src/signatures/signature.ts";
import { readDsseLayer, readSimpleSigning } from "../../src/signatures/simple_signing.ts";
import { readTrust, type Trust, type WrittenTrust } from "../../src/signatures/trust.ts";
import { counts, type Verdict, verdictOf } from "../../src/signatures/verdict.ts";
import {
  algorithms,
  defaultIssuer,
  defaultSubject,
  type LeafSetting,
  newAuthority,
  type Signer,
} from "./authority.ts";
import {
  base64,
  dsseEntry,
  type EnvelopeSetting,
  hashedRekord,
  intotoEntries,
  type KeySigner,
  type LogContent,
  type NotationAlgorithm,
  type NotationSetting,
  newKeySigner,
  newLog,
  newNotationAuthority,
  notationAlgorithms,
  notationCose,
  notationJws,
  notationPayload,
  utf8,
} from "./signed_forms.ts";

const digest = `sha256:${"a".repeat(64)}`;
const other = `sha256:${"b".repeat(64)}`;
const minute = 60_000;

let authority: Awaited<ReturnType<typeof newAuthority>>;
let log: Awaited<ReturnType<typeof newLog>>;
let notation: Awaited<ReturnType<typeof newNotationAuthority>>;
let key: KeySigner;
beforeAll(async () => {
  authority = await newAuthority();
  log = await newLog();
  notation = await newNotationAuthority();
  key = await newKeySigner();
});

const nothing: WrittenTrust = {
  ...{ publicKeys: [], identities: [], fulcioCertificates: "", rekorKeys: "" },
  ...{ notationCertificates: "", notationSubjects: [] },
};
const trustOf = (written: Partial<WrittenTrust>) => readTrust({ ...nothing, ...written });
const byKeys = (...keys: KeySigner[]) => trustOf({ publicKeys: keys.map(({ pem }) => pem) });
const keyless = (more: Partial<WrittenTrust> = {}) =>
  trustOf({
    identities: [{ issuer: defaultIssuer, subject: "https://git.example.com/app/*" }],
    fulcioCertificates: authority.pem,
    ...more,
  });
const withLog = () => keyless({ rekorKeys: log.pem });
const byNotation = (more: Partial<WrittenTrust> = {}) =>
  trustOf({ notationCertificates: notation.pem, notationSubjects: ["C=US, O=Example"], ...more });

/** The signer of a signature that counts, or why it does not. The image must be the one with `digest`. */
async function judged(
  read: () => Signature,
  trust: Trust,
  { receivedTime = Date.now(), manifest = "" } = {},
): Promise<string | Partial<Verdict>> {
  try {
    const signature = read();
    if (!signature.digests.includes(digest)) return "another image";
    const signed = (signature.signed ?? utf8(manifest)) as Bytes;
    const result = await verdictOf({ signature, signed, receivedTime }, trust);
    if (!counts(result)) return result.fault;
    const { keyId, issuer, subject } = result;
    return keyId === "" ? `${subject} of ${issuer}` : keyId;
  } catch (thrown) {
    if (thrown instanceof SignatureError) return thrown.message;
    throw thrown;
  }
}

const payloadOf = (about = digest, type = "cosign container image signature") =>
  JSON.stringify({ critical: { identity: {}, image: { "docker-manifest-digest": about }, type } });

/** A layer of cosign: its bytes and its annotations. */
interface Layer {
  payload: string;
  annotations: Record<string, string>;
}

const simple =
  ({ payload, annotations }: Layer) =>
  () =>
    readSimpleSigning(utf8(payload) as Bytes, annotations);

const keyLayer = async (payload = payloadOf(), signer = key): Promise<Layer> => ({
  payload,
  annotations: { "dev.cosignproject.cosign/signature": await signer.sign(utf8(payload)) },
});

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

const statementOf = (about = digest, predicateType = "https://slsa.dev/provenance/v1") =>
  JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: "image", digest: { sha256: about.slice(7) } }],
    ...{ predicateType, predicate: {} },
  });
const statementType = "application/vnd.in-toto+json";
const paeOf = (payload: string) =>
  utf8(`DSSEv1 ${statementType.length} ${statementType} ${utf8(payload).length} ${payload}`);

const envelopeOf = async (
  signer: Pick<Signer, "sign">,
  statement = statementOf(),
  signed = statement,
) => ({
  ...{ payload: base64(statement), payloadType: statementType },
  signatures: [{ sig: await signer.sign(paeOf(signed)) }],
});

const bundled = (bundle: object) => () => readBundle(utf8(JSON.stringify(bundle)) as Bytes);

describe("a signature with a key counts", () => {
  test.for(["P-256", "P-384", "P-521", "Ed25519", "RSA"] as const)("of %s", async (name) => {
    const signer = await newKeySigner(algorithms[name]);
    const layer = await keyLayer(payloadOf(), signer);
    expect(await judged(simple(layer), await byKeys(key, signer))).toBe(signer.keyId);
  });

  test("in a bundle, over a statement and over the manifest", async () => {
    const envelope = {
      verificationMaterial: { publicKey: {} },
      dsseEnvelope: await envelopeOf(key),
    };
    expect(await judged(bundled(envelope), await byKeys(key))).toBe(key.keyId);
    const messageDigest = {
      ...{ algorithm: "SHA2_256", digest: base64(Buffer.from(digest.slice(7), "hex")) },
    };
    const signature = await key.sign(utf8("manifest"));
    const message = {
      verificationMaterial: {},
      messageSignature: { messageDigest, signature },
    };
    const manifest = "manifest";
    expect(await judged(bundled(message), await byKeys(key), { manifest })).toBe(key.keyId);
    expect(await judged(bundled(message), await byKeys(key), { manifest: "other" })).toMatch(
      "no key",
    );
  });

  test("with the time of the log, if the log is trusted", async () => {
    const layer = await keyLayer();
    const signature = layer.annotations["dev.cosignproject.cosign/signature"] ?? "";
    const time = Date.UTC(2026, 0, 2, 3, 4, 5);
    layer.annotations["dev.sigstore.cosign/bundle"] = await log.annotation(
      hashedRekord(layer.payload, signature, key.pem),
      time,
    );
    const trusts = [
      await byKeys(key),
      await trustOf({ publicKeys: [key.pem], rekorKeys: log.pem }),
    ];
    const verdicts = trusts.map((trust) =>
      verdictOf(
        { signature: simple(layer)(), signed: utf8(layer.payload) as Bytes, receivedTime: 1 },
        trust,
      ),
    );
    const { keyId } = key;
    expect(await Promise.all(verdicts)).toEqual([
      expect.objectContaining({ keyId, logTime: undefined, logIndex: undefined, logId: "" }),
      expect.objectContaining({ keyId, logTime: time, logIndex: 7, logId: log.logId }),
    ]);
  });
});

describe("a signature with a key does not count", () => {
  test("if another key made it, or the payload was altered", async () => {
    const layer = await keyLayer();
    expect(await judged(simple(layer), await byKeys(await newKeySigner()))).toMatch("no key");
    const altered = { ...layer, payload: layer.payload.replace("{}", '{"a":1}') };
    expect(await judged(simple(altered), await byKeys(key))).toMatch("no key");
  });

  test("if it is about another image", async () => {
    expect(await judged(simple(await keyLayer(payloadOf(other))), await byKeys(key))).toBe(
      "another image",
    );
  });

  test.for([
    [
      "a member twice",
      `{"critical":{"image":{"docker-manifest-digest":"${other}","docker-manifest-digest":"${digest}"},"type":"cosign container image signature"}}`,
      "twice",
    ],
    [
      "a member twice, once with an escape",
      `{"critical":{"type":"cosign container image signature","image":{"docker-manifest-digest":"${other}","docker\\u002dmanifest-digest":"${digest}"}}}`,
      "twice",
    ],
    [
      "a member twice at the top",
      `{"critical":{},"critical":${JSON.stringify(JSON.parse(payloadOf()).critical)}}`,
      "twice",
    ],
    [
      "two members that differ in case",
      `{"critical":{"type":"cosign container image signature","image":{"docker-manifest-digest":"${digest}"},"Image":{"docker-manifest-digest":"${other}"}}}`,
      "differ only in case",
    ],
    [
      "two members that differ in the form of a letter",
      `{"critical":{"type":"cosign container image signature","image":{"docker-manifest-digest":"${digest}","doc\u212aer-manifest-digest":"${other}"}}}`,
      "differ only in case",
    ],
    ["another type", payloadOf(digest, "atomic container signature"), "not a signature of cosign"],
    ["a digest of SHA-1", payloadOf(`sha1:${"a".repeat(40)}`), "names no digest"],
    ["no JSON", "critical", "not JSON"],
    ["bytes after the JSON", `${payloadOf()}x`, "not JSON"],
    ["a list", "[]", "not a JSON object"],
  ] as [string, string, string][])("if the payload has %s", async ([, payload, why]) => {
    expect(await judged(simple(await keyLayer(payload)), await byKeys(key))).toContain(why);
  });
});

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

test("a signature of Notation does not count by identities, and a keyless one not by certificates of Notation", async () => {
  expect(await judged(await forms.JWS({}), await keyless())).toMatch(
    "no trust policy has Notation",
  );
  expect(await judged(simple(await keylessLayer()), await byNotation())).toMatch(
    "names identities",
  );
});
