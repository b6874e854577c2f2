/** Signatures as someone pushes them who may push, and wants to gain or to take away trust. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKeySigner } from "../../signatures/signed_forms.ts";
import { expectLog } from "../../world/logs.ts";
import { pushImage } from "../client.ts";
import { payloadOf, pushCosign } from "./signed_images.ts";
import { newTrustedPlace, type TrustedPlace } from "./trusted_repo.ts";

let place: TrustedPlace;
beforeAll(async () => {
  place = await newTrustedPlace();
});
afterAll(() => place.registry.stop());

test("a signature keeps its verdict when its manifest also gets the tag of another image", async () => {
  await place.begin();
  await place.newPolicy({ publicKeys: [place.key.pem] });
  const layers = [await place.keyLayer()];
  const other = await pushImage(place.target, "other");
  const manifest = await pushCosign(place.target, place.image.digest, layers);
  expect(await pushCosign(place.target, other.digest, layers)).toBe(manifest);
  expect([await place.signersOf(), await place.signersOf(other.digest)]).toEqual([
    [place.key.keyId],
    [],
  ]);
  await place.newPolicy({ publicKeys: [place.key.pem] });
  await place.registry.runSchedule();
  expect(await place.signersOf()).toEqual([place.key.keyId, place.key.keyId]);
});

test("a signature that first got the tag of another image counts once it has the right one", async () => {
  await place.begin();
  await place.newPolicy({ publicKeys: [place.key.pem] });
  const layers = [await place.keyLayer()];
  const other = await pushImage(place.target, "other");
  await pushCosign(place.target, other.digest, layers);
  expect(await place.signersOf()).toEqual([]);
  await pushCosign(place.target, place.image.digest, layers);
  expect(await place.signersOf()).toEqual([place.key.keyId]);
  expect(await place.signersOf(other.digest)).toEqual([]);
});

test("a manifest without a subject is about the image of its first signature, also when it is verified again", async () => {
  await place.begin();
  const added = await newKeySigner();
  const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
  const other = await pushImage(place.target, "other");
  await pushCosign(place.target, "", [
    await place.keyLayer(place.key, payloadOf(other.digest)),
    await place.keyLayer(),
  ]);
  const verdicts = async () => [await place.signersOf(other.digest), await place.signersOf()];
  expect(await verdicts()).toEqual([[place.key.keyId], []]);
  await place.changePolicy(policy, { publicKeys: [place.key.pem, added.pem] });
  await place.registry.runSchedule();
  expect(await verdicts()).toEqual([[place.key.keyId], []]);
});

test("a stored signature that cannot be read any more has a fault", async () => {
  await place.begin();
  const manifest = await place.pushSigned();
  await place.registry.run(
    "update blobs set content = ? where digest = unhex(?)",
    "{}",
    manifest.slice(7),
  );
  await place.newPolicy({ publicKeys: [place.key.pem] });
  await place.registry.runSchedule();
  expect(await place.faultsOf()).toEqual(["its bytes cannot be read"]);
});

test("a repository whose policies cannot be read holds up no other, and is verified once they can", async () => {
  await place.begin();
  const [broken, first] = [place.repo, place.image.digest];
  await place.pushSigned();
  const policy = await place.newPolicy({ publicKeys: [place.key.pem] });
  const [stored] = await place.registry.run<{ identities: string }>(
    "select identities from trust_policies where uid = ?",
    policy,
  );
  const write = (identities: string) =>
    place.registry.run(
      "update trust_policies set identities = ? where uid = ?",
      identities,
      policy,
    );
  await write("{");
  const key = place.key.keyId;
  await place.begin();
  await place.pushSigned();
  await place.newPolicy({ publicKeys: [place.key.pem] });
  const logged = await expectLog("SyntaxError: a text cannot be read");
  await place.registry.runSchedule().catch(() => {});
  await logged();
  expect([await place.signersOf(), await place.signersOf(first)]).toEqual([[place.key.keyId], []]);
  expect(await place.registry.run("select uid from trust_changes")).toEqual([{ uid: broken }]);
  await write(stored?.identities ?? "");
  await place.registry.runSchedule();
  expect(await place.signersOf(first)).toEqual([key]);
});
