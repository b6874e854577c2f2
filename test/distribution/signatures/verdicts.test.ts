/** Verdicts in manifests, events and tag rules. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  newKeySigner,
  newNotationAuthority,
  notationJws,
  notationPayload,
} from "../../signatures/signed_forms.ts";
import { pushImage, putManifest } from "../client.ts";
import { cosignLayer, payloadOf, pushCosign } from "./signed_images.ts";
import { newTrustedPlace, type TrustedPlace } from "./trusted_repo.ts";

let place: TrustedPlace;
beforeAll(async () => {
  place = await newTrustedPlace();
});
afterAll(() => place.registry.stop());

describe("the verdict is shown", () => {
  test("with its policy, its signer and its times, and why a signature does not count", async () => {
    await place.begin();
    const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.pushSigned(await newKeySigner());
    const before = await place.shownManifest();
    expect([before.verdicts, before.signatureFault]).toEqual([
      undefined,
      "no key of a trust policy made it",
    ]);
    await place.pushSigned();
    const { verdicts, signatureFault, signatureCount } = await place.shownManifest();
    expect([signatureFault, signatureCount]).toEqual([undefined, 1]);
    expect(verdicts).toEqual([
      {
        ...{ trustPolicyUid: policy, trustPolicy: expect.stringMatching(/^policy-/) },
        ...{ keyId: place.key.keyId, receiveTime: expect.stringMatching(/Z$/) },
      },
    ]);
  });

  test("until the time that the signer gave", async () => {
    await place.begin();
    const notation = await newNotationAuthority();
    await place.newPolicy({ notationCertificates: notation.pem, notationSubjects: ["*"] });
    const expiry = Math.floor(Date.now() / 1000) + 3600;
    const payload = notationPayload(place.image.digest);
    const signed = await notationJws(await notation.newSigner(), payload, { expiry });
    await place.pushNotation(signed, "application/jose+json");
    const [shown] = (await place.shownManifest()).verdicts ?? [];
    expect(Date.parse(shown?.expireTime ?? "")).toBe(expiry * 1000);
    await place.registry.run(
      "update verified_signatures set expire_time = 1 where parent = ?",
      place.repo,
    );
    expect((await place.shownManifest()).verdicts).toBeUndefined();
  });
});

test("an event says when a signature begins to count, and when it no longer does, each once", async () => {
  await place.begin();
  const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
  const layers = [await place.keyLayer()];
  await pushCosign(place.target, place.image.digest, layers);
  await pushCosign(place.target, place.image.digest, layers);
  await place.changePolicy(policy, { publicKeys: [(await newKeySigner()).pem] });
  await place.registry.runSchedule();
  await place.registry.run(
    "insert into trust_changes (uid, change_time) values (?, 1)",
    place.repo,
  );
  await place.registry.runSchedule();
  const events = await place.registry.run<{ type: string; digest: string }>(
    "select type, digest from events where repo_uid = ? and type like '%verified%' order by seq",
    place.repo,
  );
  expect(events.map(({ type, digest }) => [type.split(".").at(-2), digest])).toEqual([
    ["verified", place.image.digest],
    ["unverified", place.image.digest],
  ]);
});

describe("a tag rule that needs a signature by a trust policy", () => {
  const ruled = (signedBy: object) =>
    place.call(`tagRules/${place.repo}`, {
      ...{ name: "signed", includeTags: ["prod"], keep: { requirement: { signedBy } } },
    });
  const tagIt = async () => (await putManifest(place.target, "prod", place.image.text)).status;

  test("lets the tag move once the image is signed, and not after the policy is gone", async () => {
    await place.begin();
    const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
    expect((await ruled({ trustPolicyUid: policy })).status).toBe(200);
    expect(await tagIt()).toBe(403);
    await place.pushSigned();
    expect(await tagIt()).toBe(201);
    place.image = await pushImage(place.target, "second");
    expect(await tagIt()).toBe(403);
    await place.pushSigned();
    await place.deletePolicy(policy);
    expect(await tagIt()).toBe(403);
  });

  test("with a predicate type needs an attestation of it, and a signature is not enough", async () => {
    await place.begin();
    const policy = await place.newPolicy(place.keyless());
    const predicateType = "https://slsa.dev/provenance/v1";
    await ruled({ trustPolicyUid: policy, predicateType });
    const signer = await place.authority.newSigner();
    await pushCosign(place.target, place.image.digest, [
      await cosignLayer(signer, payloadOf(place.image.digest)),
    ]);
    await place.pushAttestation("https://spdx.dev/Document");
    expect(await tagIt()).toBe(403);
    await place.pushAttestation(predicateType);
    expect(await tagIt()).toBe(201);
  });

  test("must name a policy of its scope, or of a group above it", async () => {
    await place.begin();
    const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.begin();
    const { status, body } = await ruled({ trustPolicyUid: policy });
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining("keep.requirement.signed_by.trust_policy_uid"),
    ]);
  });
});
