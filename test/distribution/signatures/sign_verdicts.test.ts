/** Verdicts that the platform signs: when they are there, what they say, and when they go. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readBundle } from "../../../src/signatures/bundle.ts";
import { readTrust } from "../../../src/signatures/trust.ts";
import { verdictOf } from "../../../src/signatures/verdict.ts";
import { newKeySigner } from "../../signatures/signed_forms.ts";
import { tokenFor } from "../../world/platform.ts";
import { pushImage, putManifest, send } from "../client.ts";
import { newTrustedPlace, type TrustedPlace } from "./trusted_repo.ts";

let place: TrustedPlace;
beforeAll(async () => {
  place = await newTrustedPlace();
});
afterAll(() => place.registry.stop());

const summaryType = "https://slsa.dev/verification_summary/v1";

interface Referrer {
  digest: string;
  artifactType: string;
  annotations: Record<string, string>;
}

/** The signed verdicts among the referrers of an image. */
async function summariesOf(digest = place.image.digest): Promise<Referrer[]> {
  const answer = await send(place.target, `referrers/${digest}`);
  const { manifests } = (await answer.json()) as { manifests: Referrer[] };
  return manifests.filter(
    ({ annotations }) => annotations?.["dev.sigstore.bundle.predicateType"] === summaryType,
  );
}

const digestsOf = async (digest?: string) => (await summariesOf(digest)).map((one) => one.digest);
const settle = () => place.registry.runSchedule();
/** Lets the schedule look at all verdicts of the repository in its next run. */
const makeDue = () =>
  place.registry.run("update signed_verdicts set due_time = 0 where parent = ?", place.repo);
const rowsOf = () =>
  place.registry.run("select * from signed_verdicts where parent = ?", place.repo);

/** A repository with a policy that has its verdicts signed, and a signed image. */
async function beginSigned(): Promise<string> {
  await place.begin();
  const policy = await place.newPolicy({ publicKeys: [place.key.pem], signVerdicts: true });
  await place.pushSigned();
  await settle();
  return policy;
}

describe("a signed verdict", () => {
  test("is a referrer that the key of the platform signed, and says which policy it is about", async () => {
    const policy = await beginSigned();
    const [summary, ...others] = await summariesOf();
    expect(others).toEqual([]);
    expect(summary?.artifactType).toBe("application/vnd.dev.sigstore.bundle.v0.3+json");
    const manifest = await (await send(place.target, `manifests/${summary?.digest}`)).json();
    const { layers, config } = manifest as { layers: Referrer[]; config: Referrer };
    expect(await (await send(place.target, `blobs/${config.digest}`)).text()).toBe("{}");
    const blob = await send(place.target, `blobs/${layers[0]?.digest}`);
    const signature = readBundle(new Uint8Array(await blob.arrayBuffer()));
    const pem = await (await fetch(`${place.registry.origin}/.well-known/jwks.pem`)).text();
    const nothing = { identities: [], fulcioCertificates: "", rekorKeys: "" };
    const trust = await readTrust({
      ...{ ...nothing, notationCertificates: "", notationSubjects: [] },
      publicKeys: [pem],
    });
    const { signed, payload } = signature;
    if (!signed || !payload) throw new Error("the bundle has no envelope");
    const received = { signature, signed, receivedTime: Date.now() };
    expect(await verdictOf(received, trust)).toHaveProperty("keyId", [...trust.keys.keys()][0]);
    expect([signature.digests, signature.predicateType]).toEqual([
      [place.image.digest],
      summaryType,
    ]);
    expect(JSON.parse(new TextDecoder().decode(payload)).predicate).toMatchObject({
      verifier: { id: expect.stringMatching(/^http/) },
      timeVerified: expect.stringMatching(/Z$/),
      resourceUri: expect.stringContaining(place.repo),
      policy: { uri: expect.stringContaining(`/registry/v2/trustPolicies/${policy}`) },
      verificationResult: "PASSED",
    });
  });

  test("stays the same in later runs, and after the same signature and another one", async () => {
    const policy = await beginSigned();
    const first = await digestsOf();
    expect(first).toHaveLength(1);
    await makeDue();
    await settle();
    await place.pushSigned();
    await settle();
    const added = await newKeySigner();
    await place.changePolicy(policy, { publicKeys: [place.key.pem, added.pem] });
    await place.pushSigned(added);
    await settle();
    expect(await digestsOf()).toEqual(first);
  });

  test("comes when the policy begins to sign, one for each policy", async () => {
    await place.begin();
    const one = await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.newPolicy({ publicKeys: [place.key.pem], signVerdicts: true });
    await place.pushSigned();
    await settle();
    expect(await digestsOf()).toHaveLength(1);
    await place.changePolicy(one, { signVerdicts: true });
    await settle();
    expect(await digestsOf()).toHaveLength(2);
  });

  test("comes after its image, if the signature was there first", async () => {
    await place.begin();
    await place.newPolicy({ publicKeys: [place.key.pem], signVerdicts: true });
    await send(place.target, `manifests/${place.image.digest}`, { method: "DELETE" });
    await place.pushSigned();
    await settle();
    expect(await digestsOf()).toEqual([]);
    await putManifest(place.target, "latest", place.image.text);
    await makeDue();
    await settle();
    expect(await digestsOf()).toHaveLength(1);
  });

  test("is signed again with another key, and when someone has deleted it", async () => {
    await beginSigned();
    const [first = ""] = await digestsOf();
    await place.registry.run(
      "update signed_verdicts set key_id = 'older', due_time = 0 where parent = ?",
      place.repo,
    );
    await settle();
    const [second = "", ...others] = await digestsOf();
    expect([others, second !== first]).toEqual([[], true]);
    expect((await send(place.target, `manifests/${first}`)).status).toBe(404);
    await send(place.target, `manifests/${second}`, { method: "DELETE" });
    await makeDue();
    await settle();
    expect(await digestsOf()).toHaveLength(1);
  });
});

describe("there is no signed verdict", () => {
  test("without the setting, by another key, and for an attestation alone", async () => {
    await place.begin();
    await place.newPolicy({ publicKeys: [place.key.pem] });
    await place.newPolicy(place.keyless({ signVerdicts: true }));
    await place.newPolicy({ publicKeys: [(await newKeySigner()).pem], signVerdicts: true });
    await place.pushSigned();
    await place.pushAttestation("https://slsa.dev/provenance/v1");
    await settle();
    expect([await digestsOf(), await rowsOf()]).toEqual([[], []]);
  });

  test.for([
    ["the key is removed", (policy: string) => place.changePolicy(policy, { publicKeys: [other] })],
    ["the policy is deleted", (policy: string) => place.deletePolicy(policy)],
    [
      "the policy no longer signs",
      (policy: string) => place.changePolicy(policy, { signVerdicts: false }),
    ],
    [
      "the signature is deleted",
      () =>
        send(place.target, `manifests/${place.image.digest.replace(":", "-")}.sig`).then(
          async (answer) =>
            send(place.target, `manifests/${answer.headers.get("docker-content-digest")}`, {
              method: "DELETE",
            }),
        ),
    ],
    [
      "the image is deleted",
      () => send(place.target, `manifests/${place.image.digest}`, { method: "DELETE" }),
    ],
    [
      "the signature has expired",
      async () => {
        const query = "update verified_signatures set expire_time = 1 where parent = ?";
        await place.registry.run(query, place.repo);
        await makeDue();
      },
    ],
  ] as [string, (policy: string) => Promise<unknown>][])("after %s", async ([, change]) => {
    const policy = await beginSigned();
    const [before = ""] = await digestsOf();
    expect(before).not.toBe("");
    await change(policy);
    await settle();
    expect([await digestsOf(), await rowsOf()]).toEqual([[], []]);
    expect((await send(place.target, `manifests/${before}`)).status).toBe(404);
  });

  test("over the limit of the organization, until there is room", async () => {
    await place.begin();
    await place.newPolicy({ publicKeys: [place.key.pem], signVerdicts: true });
    await place.pushSigned();
    const limit = (bytes: number | null) =>
      place.registry.run("update organization_storage set byte_limit = ?", bytes);
    await limit(1);
    await settle();
    expect(await digestsOf()).toEqual([]);
    await limit(null);
    await makeDue();
    await settle();
    expect(await digestsOf()).toHaveLength(1);
  });
});

const other = (await newKeySigner()).pem;

test("more verdicts than one turn has are all signed", async () => {
  await place.begin();
  await place.newPolicy({ publicKeys: [place.key.pem], signVerdicts: true });
  const images: string[] = [];
  for (let count = 0; count < 9; count += 1) {
    place.image = await pushImage(place.target, `tag-${count}`);
    await place.pushSigned();
    images.push(place.image.digest);
  }
  await settle();
  for (const image of images) expect(await digestsOf(image)).toHaveLength(1);
});

test("signed verdicts go with their repository", async () => {
  await beginSigned();
  const token = await tokenFor(place.registry.owner, {});
  const path = `${place.registry.origin}/registry/v2/repos/${place.repo}`;
  const init = { method: "DELETE", headers: { authorization: `Bearer ${token}` } };
  expect((await fetch(path, init)).status).toBe(200);
  expect(await rowsOf()).toEqual([]);
});
