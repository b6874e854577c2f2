/** Signatures that are pushed below trust policies: which the platform records, and which have a fault. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultSubject } from "../../signatures/authority.ts";
import {
  hashedRekord,
  newKeySigner,
  newNotationAuthority,
  notationCose,
  notationJws,
  notationPayload,
} from "../../signatures/signed_forms.ts";
import { descriptorOf, newImageOf, pushBlob, pushImage, putManifest, send } from "../client.ts";
import {
  type CosignLayer,
  cosignLayer,
  envelopeBundle,
  messageBundle,
  payloadOf,
  pushBundle,
  pushCosign,
  statementOf,
} from "./signed_images.ts";
import { newTrustedPlace, type TrustedPlace } from "./trusted_repo.ts";

let place: TrustedPlace;
beforeAll(async () => {
  place = await newTrustedPlace();
});
afterAll(() => place.registry.stop());

describe("a push records", () => {
  test("a signature by a key of the repository, and of each group above it", async () => {
    await place.begin();
    const policies = [await place.newPolicy({ publicKeys: [place.key.pem] })];
    policies.push(
      await place.newPolicy({ publicKeys: [place.key.pem] }, place.registry.organization),
    );
    await place.pushSigned();
    expect((await place.verdictsOf()).map(({ policy, signer }) => [policy, signer])).toEqual(
      policies.sort().map((policy) => [policy, place.key.keyId]),
    );
    expect(await place.faultsOf()).toEqual([""]);
    await place.deletePolicy(policies.find((uid) => !uid.startsWith(place.repo)) ?? "");
  });

  test("a keyless signature with its time in the log, after its certificate has expired", async () => {
    await place.begin();
    await place.newPolicy(place.keyless({ rekorKeys: place.log.pem }));
    const time = Math.floor(Date.now() / 1000) * 1000 - 15 * 60_000;
    const signer = await place.authority.newSigner({ begin: -20, end: -10 });
    const layer = await cosignLayer(signer, payloadOf(place.image.digest));
    const signature = layer.annotations["dev.cosignproject.cosign/signature"] ?? "";
    const entry = hashedRekord(layer.payload, signature, signer.certificate.toString("pem"));
    layer.annotations["dev.sigstore.cosign/bundle"] = await place.log.annotation(entry, time);
    await pushCosign(place.target, place.image.digest, [layer]);
    expect(await place.verdictsOf()).toMatchObject([{ signer: defaultSubject, logTime: time }]);
  });

  test("bundles over the manifest and over statements, each with its predicate type", async () => {
    await place.begin();
    await place.newPolicy(place.keyless());
    await pushBundle(
      place.target,
      place.image,
      await messageBundle(await place.authority.newSigner(), place.image.text),
    );
    await place.pushAttestation("https://slsa.dev/provenance/v1");
    await place.pushAttestation("https://spdx.dev/Document");
    expect((await place.verdictsOf()).map(({ predicate }) => predicate)).toEqual([
      "",
      "https://slsa.dev/provenance/v1",
      "https://spdx.dev/Document",
    ]);
  });

  test("signatures of Notation in JWS and COSE", async () => {
    await place.begin();
    const notation = await newNotationAuthority();
    await place.newPolicy({ notationCertificates: notation.pem, notationSubjects: ["O=Example"] });
    const payload = notationPayload(place.image.digest);
    await place.pushNotation(
      await notationJws(await notation.newSigner(), payload),
      "application/jose+json",
    );
    const named = await notation.newSigner({ name: "CN=other,O=Example" });
    await place.pushNotation(await notationCose(named, payload), "application/cose");
    expect(await place.signersOf()).toEqual(["CN=other,O=Example", "CN=release,O=Example,C=US"]);
  });
});

describe("a push records a fault and no verdict", () => {
  test("without a policy, by a policy of another repository, and by another key", async () => {
    await place.begin();
    await place.newPolicy({ publicKeys: [place.key.pem] });
    const stranger = place.key;
    await place.begin();
    await place.pushSigned(stranger);
    expect([await place.signersOf(), await place.faultsOf()]).toEqual([
      [],
      ["no trust policy applies to the repository"],
    ]);
    await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.pushSigned(stranger);
    expect([await place.signersOf(), await place.faultsOf()]).toEqual([
      [],
      ["no key of a trust policy made it", "no trust policy applies to the repository"],
    ]);
  });

  test("for the signature of another image that was moved over", async () => {
    await place.begin();
    await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.newPolicy(place.keyless());
    const layer = await place.keyLayer();
    const bundle = await envelopeBundle(
      await place.authority.newSigner(),
      statementOf(place.image.digest),
    );
    const first = place.image;
    place.image = await pushImage(place.target, "other");
    await pushCosign(place.target, place.image.digest, [layer]);
    await pushBundle(place.target, place.image, bundle);
    const moved = "it is about another image";
    expect([await place.signersOf(), await place.faultsOf()]).toEqual([[], [moved, moved]]);
    expect(await place.signersOf(first.digest)).toEqual([]);
  });

  test("for an expired certificate without a log", async () => {
    await place.begin();
    await place.newPolicy(place.keyless());
    const signer = await place.authority.newSigner({ begin: -20, end: -10 });
    await pushCosign(place.target, place.image.digest, [
      await cosignLayer(signer, payloadOf(place.image.digest)),
    ]);
    expect([await place.signersOf(), await place.faultsOf()]).toEqual([
      [],
      ["its certificate had expired when the registry got it"],
    ]);
  });
});

describe("with many signatures", () => {
  test("the last 32 of a manifest with 1,000 count, and the push succeeds", async () => {
    await place.begin();
    const stranger = await newKeySigner();
    await place.newPolicy({ publicKeys: [place.key.pem] });
    const [own, other] = [await place.keyLayer(), await place.keyLayer(stranger)];
    const others = Array.from({ length: 999 }, () => other);
    await pushCosignOnce([own, ...others]);
    expect([await place.signersOf(), await place.faultsOf()]).toEqual([
      [],
      ["no key of a trust policy made it"],
    ]);
    await pushCosignOnce([...others, own]);
    expect(await place.signersOf()).toEqual([place.key.keyId]);
  });

  test("the newest five of a signer stay, and those of another signer too", async () => {
    await place.begin();
    const other = await newKeySigner();
    await place.newPolicy({ publicKeys: [place.key.pem, other.pem] });
    await place.pushSigned(other);
    for (let count = 0; count < 8; count += 1) {
      const payload = payloadOf(place.image.digest, { optional: { count } });
      await pushCosign(place.target, place.image.digest, [
        await place.keyLayer(place.key, payload),
      ]);
    }
    const signers = await place.signersOf();
    expect(signers.filter((one) => one === place.key.keyId)).toHaveLength(5);
    expect(signers.filter((one) => one === other.keyId)).toHaveLength(1);
  });
});

test("verdicts go with the signature, and with the image", async () => {
  await place.begin();
  await place.newPolicy({ publicKeys: [place.key.pem] });
  const first = await place.pushSigned();
  await send(place.target, `manifests/${first}`, { method: "DELETE" });
  expect([await place.signersOf(), await place.faultsOf()]).toEqual([[], []]);
  await place.pushSigned();
  await send(place.target, `manifests/${place.image.digest}`, { method: "DELETE" });
  expect([await place.signersOf(), await place.faultsOf()]).toEqual([[], []]);
});

test("a signature that is pushed again keeps the time of its first push", async () => {
  await place.begin();
  await place.newPolicy(place.keyless());
  const layers = [
    await cosignLayer(await place.authority.newSigner(), payloadOf(place.image.digest)),
  ];
  await pushCosign(place.target, place.image.digest, layers);
  await place.registry.run(
    "update pushed_signatures set create_time = 1000 where parent = ?",
    place.repo,
  );
  await pushCosign(place.target, place.image.digest, layers);
  expect(
    await place.registry.run(
      "select create_time from pushed_signatures where parent = ?",
      place.repo,
    ),
  ).toEqual([{ create_time: 1000 }]);
  // The certificate was not valid then.
  expect(await place.faultsOf()).toEqual([
    "its certificate was not valid yet when the registry got it",
  ]);
});

/** Pushes many layers with the same payload, whose bytes are sent once. */
async function pushCosignOnce(layers: CosignLayer[]): Promise<void> {
  const [{ payload } = { payload: "" }] = layers;
  await pushBlob(place.target, payload);
  await pushBlob(place.target, "{}");
  const { text } = newImageOf({
    config: descriptorOf("{}", "application/vnd.oci.image.config.v1+json"),
    layers: layers.map(({ annotations }) => ({
      ...descriptorOf(payload, "application/vnd.dev.cosign.simplesigning.v1+json"),
      annotations,
    })),
  });
  const answer = await putManifest(
    place.target,
    `${place.image.digest.replace(":", "-")}.sig`,
    text,
  );
  expect(answer.status).toBe(201);
}
