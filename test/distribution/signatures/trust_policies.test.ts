/** Signatures that are pushed below trust policies: which the platform records, and what a change of a policy takes back. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultIssuer, defaultSubject, newAuthority } from "../../signatures/authority.ts";
import {
  hashedRekord,
  type KeySigner,
  newKeySigner,
  newLog,
  newNotationAuthority,
  notationCose,
  notationJws,
  notationPayload,
  utf8,
} from "../../signatures/signed_forms.ts";
import { tokenFor } from "../../world/platform.ts";
import {
  descriptorOf,
  type Image,
  manifestType,
  newImageOf,
  pushBlob,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
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

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let authority: Awaited<ReturnType<typeof newAuthority>>;
let log: Awaited<ReturnType<typeof newLog>>;
let target: Target;
let repo: string;
let image: Image;
let key: KeySigner;
beforeAll(async () => {
  registry = await startOwnRegistry();
  authority = await newAuthority();
  log = await newLog();
});
afterAll(() => registry.stop());

/** Each test has a repository, an image and a key of its own. */
async function begin(): Promise<void> {
  target = await registry.newTarget(`image-${Math.random().toString(36).slice(2)}`);
  image = await pushImage(target, "latest");
  const [row] = await registry.run<{ uid: string }>(
    "select uid from repos where name = ?",
    target.name.split("/").at(-1),
  );
  repo = row?.uid ?? "";
  key = await newKeySigner();
}

async function call(path: string, body?: object, method = body ? "POST" : "GET") {
  const token = await tokenFor(registry.owner, {});
  const answer = await fetch(`${registry.origin}/registry/v2/trustPolicies/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text || "{}") };
}

async function newPolicy(policy: object, parent = repo): Promise<string> {
  const name = `policy-${Math.random().toString(36).slice(2)}`;
  const { status, body } = await call(parent, { name, ...policy });
  expect([status, body.message]).toEqual([200, undefined]);
  return body.uid;
}

const keyless = (more: object = {}) => ({
  identities: [{ issuer: defaultIssuer, subject: "https://git.example.com/app/*" }],
  fulcioCertificates: authority.pem,
  ...more,
});

interface StoredVerdict {
  policy: string;
  signer: string;
  predicate: string;
  logTime: number | null;
}

/** The verdicts that count now. */
const verdictsOf = (digest = image.digest) =>
  registry.run<StoredVerdict>(
    `select policy_uid as policy, key_id || subject as signer, predicate_type as predicate, log_time as logTime
      from verified_signatures join trust_policies on trust_policies.uid = policy_uid
        and trust_policies.trust_time = verified_signatures.trust_time
      where digest = ? order by policy_uid, key_id, subject, predicate_type`,
    digest,
  );
const signersOf = async (digest = image.digest) =>
  (await verdictsOf(digest)).map(({ signer }) => signer);

const faultsOf = async (digest = image.digest) =>
  (
    await registry.run<{ fault: string }>(
      "select fault from pushed_signatures where digest = ? order by fault",
      digest,
    )
  ).map(({ fault }) => fault);

const keyLayer = async (signer = key, payload = payloadOf(image.digest)): Promise<CosignLayer> => ({
  payload,
  annotations: { "dev.cosignproject.cosign/signature": await signer.sign(utf8(payload)) },
});

const pushSigned = async (signer = key) =>
  pushCosign(target, image.digest, [await keyLayer(signer)]);

/** Pushes an attestation of a signer with a certificate. */
const pushAttestation = async (predicateType: string) => {
  const signer = await authority.newSigner();
  const statement = statementOf(image.digest, predicateType);
  await pushBundle(target, image, await envelopeBundle(signer, statement));
};

async function pushNotation(bytes: string | Uint8Array, mediaType: string): Promise<void> {
  await pushBlob(target, bytes);
  await pushBlob(target, "{}");
  const { text, digest } = newImageOf({
    artifactType: "application/vnd.cncf.notary.signature",
    config: descriptorOf("{}", "application/vnd.oci.empty.v1+json"),
    layers: [descriptorOf(bytes as string, mediaType)],
    subject: descriptorOf(image.text, manifestType),
  });
  expect((await putManifest(target, digest, text)).status).toBe(201);
}

describe("a push records", () => {
  test("a signature by a key of the repository, and of each group above it", async () => {
    await begin();
    const policies = [await newPolicy({ publicKeys: [key.pem] })];
    policies.push(await newPolicy({ publicKeys: [key.pem] }, registry.organization));
    await pushSigned();
    expect((await verdictsOf()).map(({ policy, signer }) => [policy, signer])).toEqual(
      policies.sort().map((policy) => [policy, key.keyId]),
    );
    expect(await faultsOf()).toEqual([""]);
    await call(policies.find((uid) => !uid.startsWith(repo)) ?? "", undefined, "DELETE");
  });

  test("a keyless signature with its time in the log, after its certificate has expired", async () => {
    await begin();
    await newPolicy(keyless({ rekorKeys: log.pem }));
    const time = Math.floor(Date.now() / 1000) * 1000 - 15 * 60_000;
    const signer = await authority.newSigner({ begin: -20, end: -10 });
    const layer = await cosignLayer(signer, payloadOf(image.digest));
    const signature = layer.annotations["dev.cosignproject.cosign/signature"] ?? "";
    const entry = hashedRekord(layer.payload, signature, signer.certificate.toString("pem"));
    layer.annotations["dev.sigstore.cosign/bundle"] = await log.annotation(entry, time);
    await pushCosign(target, image.digest, [layer]);
    expect(await verdictsOf()).toMatchObject([{ signer: defaultSubject, logTime: time }]);
  });

  test("bundles over the manifest and over statements, each with its predicate type", async () => {
    await begin();
    await newPolicy(keyless());
    await pushBundle(target, image, await messageBundle(await authority.newSigner(), image.text));
    await pushAttestation("https://slsa.dev/provenance/v1");
    await pushAttestation("https://spdx.dev/Document");
    expect((await verdictsOf()).map(({ predicate }) => predicate)).toEqual([
      "",
      "https://slsa.dev/provenance/v1",
      "https://spdx.dev/Document",
    ]);
  });

  test("signatures of Notation in JWS and COSE", async () => {
    await begin();
    const notation = await newNotationAuthority();
    await newPolicy({ notationCertificates: notation.pem, notationSubjects: ["O=Example"] });
    const payload = notationPayload(image.digest);
    await pushNotation(
      await notationJws(await notation.newSigner(), payload),
      "application/jose+json",
    );
    const named = await notation.newSigner({ name: "CN=other,O=Example" });
    await pushNotation(await notationCose(named, payload), "application/cose");
    expect(await signersOf()).toEqual(["CN=other,O=Example", "CN=release,O=Example,C=US"]);
  });
});

describe("a push records a fault and no verdict", () => {
  test("without a policy, by a policy of another repository, and by another key", async () => {
    await begin();
    await newPolicy({ publicKeys: [key.pem] });
    const stranger = key;
    await begin();
    await pushSigned(stranger);
    expect([await signersOf(), await faultsOf()]).toEqual([
      [],
      ["no trust policy applies to the repository"],
    ]);
    await newPolicy({ publicKeys: [key.pem] });
    await pushSigned(stranger);
    expect([await signersOf(), await faultsOf()]).toEqual([
      [],
      ["no key of a trust policy made it", "no trust policy applies to the repository"],
    ]);
  });

  test("for the signature of another image that was moved over", async () => {
    await begin();
    await newPolicy({ publicKeys: [key.pem] });
    await newPolicy(keyless());
    const layer = await keyLayer();
    const bundle = await envelopeBundle(await authority.newSigner(), statementOf(image.digest));
    const first = image;
    image = await pushImage(target, "other");
    await pushCosign(target, image.digest, [layer]);
    await pushBundle(target, image, bundle);
    const moved = "it is about another image";
    expect([await signersOf(), await faultsOf()]).toEqual([[], [moved, moved]]);
    expect(await signersOf(first.digest)).toEqual([]);
  });

  test("for an expired certificate without a log", async () => {
    await begin();
    await newPolicy(keyless());
    const signer = await authority.newSigner({ begin: -20, end: -10 });
    await pushCosign(target, image.digest, [await cosignLayer(signer, payloadOf(image.digest))]);
    expect([await signersOf(), await faultsOf()]).toEqual([
      [],
      ["its certificate had expired when the registry got it"],
    ]);
  });
});

describe("with many signatures", () => {
  test("the last 32 of a manifest with 1,000 count, and the push succeeds", async () => {
    await begin();
    const stranger = await newKeySigner();
    await newPolicy({ publicKeys: [key.pem] });
    const [own, other] = [await keyLayer(), await keyLayer(stranger)];
    const others = Array.from({ length: 999 }, () => other);
    await pushCosignOnce([own, ...others]);
    expect([await signersOf(), await faultsOf()]).toEqual([
      [],
      ["no key of a trust policy made it"],
    ]);
    await pushCosignOnce([...others, own]);
    expect(await signersOf()).toEqual([key.keyId]);
  });

  test("the newest five of a signer stay, and those of another signer too", async () => {
    await begin();
    const other = await newKeySigner();
    await newPolicy({ publicKeys: [key.pem, other.pem] });
    await pushSigned(other);
    for (let count = 0; count < 8; count += 1) {
      const payload = payloadOf(image.digest, { optional: { count } });
      await pushCosign(target, image.digest, [await keyLayer(key, payload)]);
    }
    const signers = await signersOf();
    expect(signers.filter((one) => one === key.keyId)).toHaveLength(5);
    expect(signers.filter((one) => one === other.keyId)).toHaveLength(1);
  });
});

/** Pushes many layers with the same payload, whose bytes are sent once. */
async function pushCosignOnce(layers: CosignLayer[]): Promise<void> {
  const [{ payload } = { payload: "" }] = layers;
  await pushBlob(target, payload);
  await pushBlob(target, "{}");
  const { text } = newImageOf({
    config: descriptorOf("{}", "application/vnd.oci.image.config.v1+json"),
    layers: layers.map(({ annotations }) => ({
      ...descriptorOf(payload, "application/vnd.dev.cosign.simplesigning.v1+json"),
      annotations,
    })),
  });
  const answer = await putManifest(target, `${image.digest.replace(":", "-")}.sig`, text);
  expect(answer.status).toBe(201);
}

describe("after a change of a policy", () => {
  test("the schedule verifies what was pushed before, with the time of that push", async () => {
    await begin();
    const signer = await authority.newSigner({ begin: -20, end: -10 });
    await pushCosign(target, image.digest, [await cosignLayer(signer, payloadOf(image.digest))]);
    await registry.run(
      "update pushed_signatures set create_time = create_time - 900000 where parent = ?",
      repo,
    );
    await pushSigned();
    await newPolicy(keyless());
    await newPolicy({ publicKeys: [key.pem] });
    expect(await signersOf()).toEqual([]);
    await registry.runSchedule();
    expect((await signersOf()).sort()).toEqual([key.keyId, defaultSubject].sort());
    expect(await registry.run("select * from trust_changes")).toEqual([]);
  });

  test("a key that is added leaves the verdicts, and one that is removed takes all back at once", async () => {
    await begin();
    const added = await newKeySigner();
    const policy = await newPolicy({ publicKeys: [key.pem] });
    await pushSigned();
    await pushSigned(added);
    await call(policy, { publicKeys: [key.pem, added.pem] }, "PATCH");
    expect(await signersOf()).toEqual([key.keyId]);
    await registry.runSchedule();
    expect(await signersOf()).toEqual([key.keyId, added.keyId].sort());
    await call(policy, { publicKeys: [added.pem] }, "PATCH");
    expect(await signersOf()).toEqual([]);
    await registry.runSchedule();
    expect(await signersOf()).toEqual([added.keyId]);
    await call(policy, { description: "Only words" }, "PATCH");
    expect(await registry.run("select * from trust_changes")).toEqual([]);
    expect(await signersOf()).toEqual([added.keyId]);
  });

  test("a deleted policy has no verdicts at once, and no rows after the schedule", async () => {
    await begin();
    const policy = await newPolicy({ publicKeys: [key.pem] });
    await pushSigned();
    await call(policy, undefined, "DELETE");
    expect(await signersOf()).toEqual([]);
    await registry.runSchedule();
    expect(await registry.run("select * from verified_signatures where parent = ?", repo)).toEqual(
      [],
    );
    expect(await faultsOf()).toEqual(["no trust policy applies to the repository"]);
  });

  test("more signatures than one piece has are all verified, and a second run changes nothing", async () => {
    await begin();
    const images = [];
    for (let count = 0; count < 25; count += 1) {
      image = await pushImage(target, `tag-${count}`);
      await pushSigned();
      images.push(image.digest);
    }
    const policy = await newPolicy({ publicKeys: [key.pem] });
    await registry.runSchedule();
    const rows =
      "select uid, digest, trust_time, create_time from verified_signatures where policy_uid = ? order by uid";
    const first = await registry.run<{ digest: string }>(rows, policy);
    expect(first.map(({ digest }) => digest).sort()).toEqual(images.sort());
    await registry.run("insert into trust_changes (uid, change_time) values (?, 1)", repo);
    await registry.runSchedule();
    expect(await registry.run(rows, policy)).toEqual(first);
  });

  test("a manifest whose bytes are gone has a fault, and keeps no other from being verified", async () => {
    await begin();
    await pushSigned();
    const gone = image.digest;
    image = await pushImage(target, "second");
    await pushSigned();
    await registry.run(
      `update blobs set fault = 'missing' where digest in (select unhex(substr(manifests.digest, 8))
        from pushed_signatures join manifests using (uid) where pushed_signatures.digest = ?)`,
      gone,
    );
    await newPolicy({ publicKeys: [key.pem] });
    await registry.runSchedule();
    expect([await signersOf(gone), await signersOf()]).toEqual([[], [key.keyId]]);
  });
});

test("verdicts go with the signature, and with the image", async () => {
  await begin();
  await newPolicy({ publicKeys: [key.pem] });
  const first = await pushSigned();
  await send(target, `manifests/${first}`, { method: "DELETE" });
  expect([await signersOf(), await faultsOf()]).toEqual([[], []]);
  await pushSigned();
  await send(target, `manifests/${image.digest}`, { method: "DELETE" });
  expect([await signersOf(), await faultsOf()]).toEqual([[], []]);
});

test("a signature that is pushed again keeps the time of its first push", async () => {
  await begin();
  await newPolicy(keyless());
  const layers = [await cosignLayer(await authority.newSigner(), payloadOf(image.digest))];
  await pushCosign(target, image.digest, layers);
  await registry.run("update pushed_signatures set create_time = 1000 where parent = ?", repo);
  await pushCosign(target, image.digest, layers);
  expect(
    await registry.run("select create_time from pushed_signatures where parent = ?", repo),
  ).toEqual([{ create_time: 1000 }]);
  // The certificate was not valid then.
  expect(await faultsOf()).toEqual(["its certificate was not valid yet when the registry got it"]);
});

/** The manifest of the image as the API shows it. */
async function shownManifest() {
  const token = await tokenFor(registry.owner, {});
  const url = `${registry.origin}/registry/v2/manifests/${repo}/${image.digest.slice(7, 23)}`;
  return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).json();
}

describe("the verdict is shown", () => {
  test("with its policy, its signer and its times, and why a signature does not count", async () => {
    await begin();
    const policy = await newPolicy({ publicKeys: [key.pem] });
    await pushSigned(await newKeySigner());
    const before = await shownManifest();
    expect([before.verdicts, before.signatureFault]).toEqual([
      undefined,
      "no key of a trust policy made it",
    ]);
    await pushSigned();
    const { verdicts, signatureFault, signatureCount } = await shownManifest();
    expect([signatureFault, signatureCount]).toEqual([undefined, 1]);
    expect(verdicts).toEqual([
      {
        ...{ trustPolicyUid: policy, trustPolicy: expect.stringMatching(/^policy-/) },
        ...{ keyId: key.keyId, receiveTime: expect.stringMatching(/Z$/) },
      },
    ]);
  });

  test("until the time that the signer gave", async () => {
    await begin();
    const notation = await newNotationAuthority();
    await newPolicy({ notationCertificates: notation.pem, notationSubjects: ["*"] });
    const expiry = Math.floor(Date.now() / 1000) + 3600;
    const payload = notationPayload(image.digest);
    const signed = await notationJws(await notation.newSigner(), payload, { expiry });
    await pushNotation(signed, "application/jose+json");
    const [shown] = (await shownManifest()).verdicts;
    expect(Date.parse(shown.expireTime)).toBe(expiry * 1000);
    await registry.run("update verified_signatures set expire_time = 1 where parent = ?", repo);
    expect((await shownManifest()).verdicts).toBeUndefined();
  });
});

test("an event says when a signature begins to count, and when it no longer does, each once", async () => {
  await begin();
  const policy = await newPolicy({ publicKeys: [key.pem] });
  const layers = [await keyLayer()];
  await pushCosign(target, image.digest, layers);
  await pushCosign(target, image.digest, layers);
  await call(policy, { publicKeys: [(await newKeySigner()).pem] }, "PATCH");
  await registry.runSchedule();
  await registry.run("insert into trust_changes (uid, change_time) values (?, 1)", repo);
  await registry.runSchedule();
  const events = await registry.run<{ type: string; digest: string }>(
    "select type, digest from events where repo_uid = ? and type like '%verified%' order by seq",
    repo,
  );
  expect(events.map(({ type, digest }) => [type.split(".").at(-2), digest])).toEqual([
    ["verified", image.digest],
    ["unverified", image.digest],
  ]);
});

describe("a tag rule that needs a signature by a trust policy", () => {
  const ruled = async (signedBy: object) => {
    const token = await tokenFor(registry.owner, {});
    const rule = { name: "signed", includeTags: ["prod"], keep: { requirement: { signedBy } } };
    const answer = await fetch(`${registry.origin}/registry/v2/tagRules/${repo}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(rule),
    });
    return { status: answer.status, body: await answer.json() };
  };
  const tagIt = async () => (await putManifest(target, "prod", image.text)).status;

  test("lets the tag move once the image is signed, and not after the policy is gone", async () => {
    await begin();
    const policy = await newPolicy({ publicKeys: [key.pem] });
    const other = await newPolicy({ publicKeys: [(await newKeySigner()).pem] });
    expect((await ruled({ trustPolicyUid: policy })).status).toBe(200);
    expect(await tagIt()).toBe(403);
    await pushSigned();
    expect(await tagIt()).toBe(201);
    await send(target, `manifests/${image.digest}`);
    image = await pushImage(target, "second");
    expect(await tagIt()).toBe(403);
    await pushSigned();
    await call(policy, undefined, "DELETE");
    expect(await tagIt()).toBe(403);
    expect((await ruled({ trustPolicyUid: other })).body.code).not.toBe(0);
  });

  test("with a predicate type needs an attestation of it, and a signature is not enough", async () => {
    await begin();
    const policy = await newPolicy(keyless());
    const predicateType = "https://slsa.dev/provenance/v1";
    await ruled({ trustPolicyUid: policy, predicateType });
    const signer = await authority.newSigner();
    await pushCosign(target, image.digest, [await cosignLayer(signer, payloadOf(image.digest))]);
    await pushAttestation("https://spdx.dev/Document");
    expect(await tagIt()).toBe(403);
    await pushAttestation(predicateType);
    expect(await tagIt()).toBe(201);
  });

  test("must name a policy of its scope, or of a group above it", async () => {
    await begin();
    const policy = await newPolicy({ publicKeys: [key.pem] });
    await begin();
    const { status, body } = await ruled({ trustPolicyUid: policy });
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining("keep.requirement.signed_by.trust_policy_uid"),
    ]);
  });
});
