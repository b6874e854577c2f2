/** Keyless signatures that are pushed: which the platform records, and which it does not. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  algorithms,
  defaultIssuer,
  defaultSubject,
  type LeafSetting,
  newAuthority,
  newExtension,
} from "../../signatures/authority.ts";
import { type Image, newImageOf, pushImage, send, type Target } from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import {
  cosignLayer,
  envelopeBundle,
  messageBundle,
  payloadOf,
  pushBundle,
  pushCosign,
  statementOf,
} from "./signed_images.ts";

let authority: Awaited<ReturnType<typeof newAuthority>>;
let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
let image: Image;
beforeAll(async () => {
  authority = await newAuthority();
  registry = await startOwnRegistry({ bindings: { SIGNATURE_ROOTS: authority.pem } });
  target = await registry.newTarget();
});
afterAll(() => registry.stop());

/** Pushes a new image, so that each test looks at signatures of its own. */
const newImage = async () => {
  image = await pushImage(target, `tag-${Math.random()}`);
  return image;
};

const recordedOf = (digest = image.digest) =>
  registry.run<{ issuer: string; subject: string }>(
    "select issuer, subject from image_signatures where digest = ? order by issuer, subject",
    digest,
  );
const signer = (subject = defaultSubject, issuer = defaultIssuer) => ({ issuer, subject });

/** Pushes a signature of cosign, and returns the digest of its manifest. */
const pushSigned = async (setting: LeafSetting = {}, payload = payloadOf(image.digest)) =>
  pushCosign(target, image.digest, [
    await cosignLayer(await authority.newSigner(setting), payload),
  ]);

describe("a signature of cosign is recorded", () => {
  test.for(Object.keys(algorithms) as (keyof typeof algorithms)[])("with %s", async (name) => {
    await newImage();
    await pushSigned({ algorithm: algorithms[name] });
    expect(await recordedOf()).toEqual([signer()]);
  });

  test("with P-384 and SHA-256, as older clients sign", async () => {
    await newImage();
    const { certificate, sign } = await authority.newSigner({ algorithm: algorithms["P-384"] });
    const older = { certificate, sign: (bytes: Uint8Array) => sign(bytes, "SHA-256") };
    await pushCosign(target, image.digest, [await cosignLayer(older, payloadOf(image.digest))]);
    expect(await recordedOf()).toEqual([signer()]);
  });

  test("with an email address, and with the issuer in an older certificate", async () => {
    await newImage();
    await pushSigned({ subject: "ana@example.com", isOlder: true });
    expect(await recordedOf()).toEqual([signer("ana@example.com")]);
  });

  test("before its image, and once however often it is pushed", async () => {
    image = newImageOf();
    const layers = [await cosignLayer(await authority.newSigner(), payloadOf(image.digest))];
    await pushCosign(target, image.digest, layers);
    await pushImage(target, "late", image);
    await pushCosign(target, image.digest, layers);
    expect(await recordedOf()).toEqual([signer()]);
  });

  test("with each of its signers", async () => {
    await newImage();
    const signers = [
      await authority.newSigner(),
      await authority.newSigner({ subject: "b@x.org" }),
    ];
    const payload = payloadOf(image.digest);
    const layers = await Promise.all(signers.map((one) => cosignLayer(one, payload)));
    await pushCosign(target, image.digest, layers);
    expect(await recordedOf()).toEqual([signer("b@x.org"), signer()]);
  });
});

describe("a Sigstore bundle is recorded", () => {
  test.for(["0.1", "0.2", "0.3"])("of version %s, with a statement", async (version) => {
    await newImage();
    const statement = statementOf(image.digest);
    const bundle = await envelopeBundle(await authority.newSigner(), statement, { version });
    await pushBundle(target, image, bundle);
    expect(await recordedOf()).toEqual([signer()]);
  });

  test("with a signature over the manifest, if that is there", async () => {
    await newImage();
    const bundle = await messageBundle(await authority.newSigner(), image.text);
    await pushBundle(target, image, bundle);
    expect(await recordedOf()).toEqual([signer()]);
    image = newImageOf();
    await pushBundle(target, image, await messageBundle(await authority.newSigner(), image.text));
    await pushImage(target, "late", image);
    expect(await recordedOf()).toEqual([]);
  });
});

describe("a signature is stored and not recorded", () => {
  const unknown = newExtension(new Uint8Array([5, 0]), true);
  test.for([
    ["has expired", { begin: -20, end: -10 }],
    ["is not valid yet", { begin: 5 }],
    ["may not sign code", { usages: ["1.3.6.1.5.5.7.3.1"] }],
    ["has no usage", { usages: [] }],
    ["is that of an authority", { isAuthority: true }],
    ["has a critical extension that is not known", { more: [unknown] }],
    ["has a subject that is not printable", { subject: "ana @example.com" }],
    ["has no issuer", { issuer: "" }],
    ["names two subjects", { others: ["ben@example.com"] }],
  ] as [string, LeafSetting][])("if the certificate %s", async ([, setting]) => {
    await newImage();
    const digest = await pushSigned(setting);
    expect((await send(target, `manifests/${digest}`)).status).toBe(200);
    expect(await recordedOf()).toEqual([]);
  });

  test("if another authority issued the certificate, even with the same name", async () => {
    await newImage();
    for (const name of ["authority", "stranger"]) {
      const stranger = await newAuthority(name);
      const layer = await cosignLayer(await stranger.newSigner(), payloadOf(image.digest));
      await pushCosign(target, image.digest, [layer]);
      const bundle = await envelopeBundle(await stranger.newSigner(), statementOf(image.digest));
      await pushBundle(target, image, bundle);
    }
    expect(await recordedOf()).toEqual([]);
  });

  test("if it is about another image than its tag or its subject", async () => {
    const other = (await newImage()).digest;
    await newImage();
    await pushSigned({}, payloadOf(other));
    const one = await authority.newSigner();
    await pushBundle(target, image, await envelopeBundle(one, statementOf(other)));
    await pushBundle(target, image, await messageBundle(one, newImageOf().text));
    expect([await recordedOf(), await recordedOf(other)]).toEqual([[], []]);
  });

  test("if other bytes were signed", async () => {
    const other = (await newImage()).digest;
    await newImage();
    const one = await authority.newSigner();
    const layer = await cosignLayer(one, payloadOf(image.digest), payloadOf(other));
    await pushCosign(target, image.digest, [layer]);
    const signed = statementOf(other);
    await pushBundle(
      target,
      image,
      await envelopeBundle(one, statementOf(image.digest), { signed }),
    );
    await pushBundle(target, image, await messageBundle(one, image.text, `${image.text} `));
    expect(await recordedOf()).toEqual([]);
  });

  test("if it is a statement about something else than a signature", async () => {
    await newImage();
    const statement = statementOf(image.digest, "https://spdx.dev/Document");
    await pushBundle(target, image, await envelopeBundle(await authority.newSigner(), statement));
    expect(await recordedOf()).toEqual([]);
  });

  test("if the envelope has two signatures", async () => {
    await newImage();
    const bundle = await envelopeBundle(await authority.newSigner(), statementOf(image.digest));
    bundle.dsseEnvelope.signatures.push({ sig: "" });
    await pushBundle(target, image, bundle);
    expect(await recordedOf()).toEqual([]);
  });

  test("if it has too many bytes", async () => {
    await newImage();
    const long = "x".repeat(64 * 1024);
    await pushSigned({}, payloadOf(image.digest, { optional: long }));
    const bundle = await envelopeBundle(await authority.newSigner(), statementOf(image.digest));
    await pushBundle(target, image, bundle, 128 * 1024);
    const more = [newExtension(new Uint8Array(8 * 1024), false)];
    await pushSigned({ more });
    expect(await recordedOf()).toEqual([]);
  });

  test("if 32 others follow it in the manifest", async () => {
    await newImage();
    const payload = payloadOf(image.digest);
    const first = await cosignLayer(await authority.newSigner({ subject: "a@x.org" }), payload);
    const last = await cosignLayer(await authority.newSigner({ subject: "b@x.org" }), payload);
    await pushCosign(target, image.digest, [first, ...Array.from({ length: 32 }, () => last)]);
    expect(await recordedOf()).toEqual([signer("b@x.org")]);
  });

  test.for([
    ["no certificate", { "dev.sigstore.cosign/certificate": "" }],
    ["a damaged certificate", { "dev.sigstore.cosign/certificate": pem("MAAwAA==") }],
    ["a certificate that is not base64", { "dev.sigstore.cosign/certificate": pem("?") }],
    ["a damaged signature", { "dev.cosignproject.cosign/signature": "MAYCAQECAQE=" }],
    ["no signature", { "dev.cosignproject.cosign/signature": "" }],
  ])("if it has %s", async ([, annotations]) => {
    await newImage();
    const layer = await cosignLayer(await authority.newSigner(), payloadOf(image.digest));
    Object.assign(layer.annotations, annotations);
    await pushCosign(target, image.digest, [layer]);
    expect(await recordedOf()).toEqual([]);
  });
});

function pem(body: string) {
  return `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----`;
}

test("an expired signature counts with a signer who is recorded, so that it outlives its first manifest", async () => {
  await newImage();
  const payload = payloadOf(image.digest);
  const first = await pushSigned();
  const expired = { begin: -20, end: -10 };
  const layers = [
    await cosignLayer(await authority.newSigner(expired), payload),
    await cosignLayer(await authority.newSigner({ ...expired, subject: "b@x.org" }), payload),
  ];
  const second = await pushCosign(target, image.digest, layers);
  await send(target, `manifests/${first}`, { method: "DELETE" });
  expect(await recordedOf()).toEqual([signer()]);
  await send(target, `manifests/${second}`, { method: "DELETE" });
  expect(await recordedOf()).toEqual([]);
});

test("a signature is forgotten with its image", async () => {
  await newImage();
  await pushSigned();
  expect(await recordedOf()).toEqual([signer()]);
  await send(target, `manifests/${image.digest}`, { method: "DELETE" });
  expect(await recordedOf()).toEqual([]);
});

test("a repository knows only its own signatures", async () => {
  await newImage();
  await pushSigned();
  const other = await registry.newTarget("other");
  await pushImage(other, "latest", image);
  const rows = await registry.run<{ name: string }>(
    "select repos.name from image_signatures join repos on repos.uid = image_signatures.parent where digest = ?",
    image.digest,
  );
  expect(rows).toEqual([{ name: "image" }]);
});

test("nothing is recorded without certificates of the operator", async () => {
  const own = await startOwnRegistry();
  try {
    const there = await own.newTarget();
    const pushed = await pushImage(there, "latest");
    const one = await authority.newSigner();
    await pushCosign(there, pushed.digest, [await cosignLayer(one, payloadOf(pushed.digest))]);
    await pushBundle(there, pushed, await envelopeBundle(one, statementOf(pushed.digest)));
    expect(await own.run("select * from image_signatures")).toEqual([]);
  } finally {
    await own.stop();
  }
});
