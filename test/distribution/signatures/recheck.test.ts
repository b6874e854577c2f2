/** Changes of trust policies: they take verdicts back, and the schedule verifies signatures again. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultSubject } from "../../signatures/authority.ts";
import { newKeySigner } from "../../signatures/signed_forms.ts";
import { pushImage } from "../client.ts";
import { cosignLayer, payloadOf, pushCosign } from "./signed_images.ts";
import { newTrustedPlace, type TrustedPlace } from "./trusted_repo.ts";

let place: TrustedPlace;
beforeAll(async () => {
  place = await newTrustedPlace();
});
afterAll(() => place.registry.stop());

describe("after a change of a policy", () => {
  test("the schedule verifies what was pushed before, with the time of that push", async () => {
    await place.begin();
    const signer = await place.authority.newSigner({ begin: -20, end: -10 });
    await pushCosign(place.target, place.image.digest, [
      await cosignLayer(signer, payloadOf(place.image.digest)),
    ]);
    await place.registry.run(
      "update pushed_signatures set create_time = create_time - 900000 where parent = ?",
      place.repo,
    );
    await place.pushSigned();
    await place.newPolicy(place.keyless());
    await place.newPolicy({ publicKeys: [place.key.pem] });
    expect(await place.signersOf()).toEqual([]);
    await place.registry.runSchedule();
    expect((await place.signersOf()).sort()).toEqual([place.key.keyId, defaultSubject].sort());
    expect(await place.registry.run("select * from trust_changes")).toEqual([]);
  });

  test("a key that is added leaves the verdicts, and one that is removed takes all back at once", async () => {
    await place.begin();
    const added = await newKeySigner();
    const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.pushSigned();
    await place.pushSigned(added);
    await place.changePolicy(policy, { publicKeys: [place.key.pem, added.pem] });
    expect(await place.signersOf()).toEqual([place.key.keyId]);
    await place.registry.runSchedule();
    expect(await place.signersOf()).toEqual([place.key.keyId, added.keyId].sort());
    await place.changePolicy(policy, { publicKeys: [added.pem] });
    expect(await place.signersOf()).toEqual([]);
    await place.registry.runSchedule();
    expect(await place.signersOf()).toEqual([added.keyId]);
    await place.changePolicy(policy, { description: "Only words" });
    expect(await place.registry.run("select * from trust_changes")).toEqual([]);
    expect(await place.signersOf()).toEqual([added.keyId]);
  });

  test("a deleted policy has no verdicts at once, and no rows after the schedule", async () => {
    await place.begin();
    const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.pushSigned();
    await place.deletePolicy(policy);
    expect(await place.signersOf()).toEqual([]);
    await place.registry.runSchedule();
    expect(
      await place.registry.run("select * from verified_signatures where parent = ?", place.repo),
    ).toEqual([]);
    expect(await place.faultsOf()).toEqual(["no trust policy applies to the repository"]);
  });

  test("more signatures than one piece has are all verified, and a second run changes nothing", async () => {
    await place.begin();
    const images = [];
    for (let count = 0; count < 25; count += 1) {
      place.image = await pushImage(place.target, `tag-${count}`);
      await place.pushSigned();
      images.push(place.image.digest);
    }
    const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.registry.runSchedule();
    const rows =
      "select uid, digest, trust_time, create_time from verified_signatures where policy_uid = ? order by uid";
    const first = await place.registry.run<{ digest: string }>(rows, policy);
    expect(first.map(({ digest }) => digest).sort()).toEqual(images.sort());
    await place.registry.run(
      "insert into trust_changes (uid, change_time) values (?, 1)",
      place.repo,
    );
    await place.registry.runSchedule();
    expect(await place.registry.run(rows, policy)).toEqual(first);
  });

  test("a manifest whose bytes are gone has a fault, and keeps no other from being verified", async () => {
    await place.begin();
    await place.pushSigned();
    const gone = place.image.digest;
    place.image = await pushImage(place.target, "second");
    await place.pushSigned();
    await place.registry.run(
      `update blobs set fault = 'missing' where digest in (select unhex(substr(manifests.digest, 8))
        from pushed_signatures join manifests using (uid) where pushed_signatures.digest = ?)`,
      gone,
    );
    await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.registry.runSchedule();
    expect([await place.signersOf(gone), await place.signersOf()]).toEqual([[], [place.key.keyId]]);
  });
});
