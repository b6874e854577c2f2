/** Signatures with keys, as signers make them and as an attacker changes them: which count by a trust policy. */
import { describe, expect, test } from "vitest";
import type { Bytes } from "../../src/signatures/signature.ts";
import { verdictOf } from "../../src/signatures/verdict.ts";
import { algorithms } from "./authority.ts";
import {
  bundled,
  byKeys,
  digest,
  envelopeOf,
  judged,
  type Layer,
  other,
  payloadOf,
  simple,
  trustOf,
} from "./judged.ts";
import { base64, hashedRekord, newKeySigner, newLog, utf8 } from "./signed_forms.ts";

const key = await newKeySigner();
const log = await newLog();

const keyLayer = async (payload = payloadOf(), signer = key): Promise<Layer> => ({
  payload,
  annotations: { "dev.cosignproject.cosign/signature": await signer.sign(utf8(payload)) },
});

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
