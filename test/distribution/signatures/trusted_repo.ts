/** A registry with trust policies for tests: a repository with an image, a key, and what is stored of its signatures. */
import { expect } from "vitest";
import { defaultIssuer, newAuthority } from "../../signatures/authority.ts";
import { newKeySigner, newLog, utf8 } from "../../signatures/signed_forms.ts";
import { tokenFor } from "../../world/platform.ts";
import {
  descriptorOf,
  manifestType,
  newImageOf,
  pushBlob,
  pushImage,
  putManifest,
} from "../client.ts";
import { startOwnRegistry } from "../own_registry.ts";
import {
  type CosignLayer,
  envelopeBundle,
  payloadOf,
  pushBundle,
  pushCosign,
  statementOf,
} from "./signed_images.ts";

/** A verdict that counts now. */
export interface StoredVerdict {
  policy: string;
  signer: string;
  predicate: string;
  logTime: number | null;
}

/** The members of an answer of the API that tests read: of a policy, a manifest or an error. */
interface Answered {
  uid: string;
  message?: string;
  verdicts?: { expireTime: string }[];
  signatureFault?: string;
  signatureCount?: number;
}

export type TrustedPlace = Awaited<ReturnType<typeof newTrustedPlace>>;

/** Starts a registry. `begin` gives each test a repository, an image and a key of its own. */
export async function newTrustedPlace() {
  const registry = await startOwnRegistry();
  const newRepo = async () => {
    const target = await registry.newTarget(`image-${Math.random().toString(36).slice(2)}`);
    const image = await pushImage(target, "latest");
    const [row] = await registry.run<{ uid: string }>(
      "select uid from repos where name = ?",
      target.name.split("/").at(-1),
    );
    return { target, image, repo: row?.uid ?? "", key: await newKeySigner() };
  };
  const place = {
    ...{ registry, authority: await newAuthority(), log: await newLog() },
    ...(await newRepo()),
  };
  /** Calls the API as the owner. `path` begins after the version. */
  const call = async (path: string, body?: object, method = body ? "POST" : "GET") => {
    const token = await tokenFor(registry.owner, {});
    const answer = await fetch(`${registry.origin}/registry/v2/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: JSON.parse((await answer.text()) || "{}") as Answered };
  };
  /** The verdicts that count now. */
  const verdictsOf = (digest = place.image.digest) =>
    registry.run<StoredVerdict>(
      `select policy_uid as policy, key_id || subject as signer, predicate_type as predicate, log_time as logTime
        from verified_signatures join trust_policies on trust_policies.uid = policy_uid
          and trust_policies.trust_time = verified_signatures.trust_time
        where digest = ? order by policy_uid, key_id, subject, predicate_type`,
      digest,
    );
  const keyLayer = async (
    signer = place.key,
    payload = payloadOf(place.image.digest),
  ): Promise<CosignLayer> => ({
    payload,
    annotations: { "dev.cosignproject.cosign/signature": await signer.sign(utf8(payload)) },
  });
  // Tests change the members of `place`, and its functions must see that.
  return Object.assign(place, {
    ...{ call, verdictsOf, keyLayer },
    async begin() {
      Object.assign(place, await newRepo());
    },
    async newPolicy(policy: object, parent = place.repo) {
      const name = `policy-${Math.random().toString(36).slice(2)}`;
      const { status, body } = await call(`trustPolicies/${parent}`, { name, ...policy });
      expect([status, body.message]).toEqual([200, undefined]);
      return body.uid;
    },
    changePolicy: (uid: string, change: object) => call(`trustPolicies/${uid}`, change, "PATCH"),
    deletePolicy: (uid: string) => call(`trustPolicies/${uid}`, undefined, "DELETE"),
    keyless: (more: object = {}) => ({
      identities: [{ issuer: defaultIssuer, subject: "https://git.example.com/app/*" }],
      fulcioCertificates: place.authority.pem,
      ...more,
    }),
    signersOf: async (digest = place.image.digest) =>
      (await verdictsOf(digest)).map(({ signer }) => signer),
    async faultsOf(digest = place.image.digest) {
      const query = "select fault from pushed_signatures where digest = ? order by fault";
      return (await registry.run<{ fault: string }>(query, digest)).map(({ fault }) => fault);
    },
    pushSigned: async (signer = place.key) =>
      pushCosign(place.target, place.image.digest, [await keyLayer(signer)]),
    /** Pushes an attestation of a signer with a certificate. */
    async pushAttestation(predicateType: string) {
      const statement = statementOf(place.image.digest, predicateType);
      const bundle = await envelopeBundle(await place.authority.newSigner(), statement);
      await pushBundle(place.target, place.image, bundle);
    },
    async pushNotation(bytes: string | Uint8Array, mediaType: string) {
      await pushBlob(place.target, bytes);
      await pushBlob(place.target, "{}");
      const { text, digest } = newImageOf({
        artifactType: "application/vnd.cncf.notary.signature",
        config: descriptorOf("{}", "application/vnd.oci.empty.v1+json"),
        layers: [descriptorOf(bytes as string, mediaType)],
        subject: descriptorOf(place.image.text, manifestType),
      });
      expect((await putManifest(place.target, digest, text)).status).toBe(201);
    },
    /** The manifest of the image as the API shows it. */
    shownManifest: async () =>
      (await call(`manifests/${place.repo}/${place.image.digest.slice(7, 23)}`)).body,
  });
}
