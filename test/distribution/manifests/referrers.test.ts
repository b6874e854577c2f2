/** Referrers: signatures, SBOMs and other manifests that name an image as their subject. */
import { expect, test } from "vitest";
import { long } from "../../world/tiers.ts";
import {
  descriptorOf,
  digestOf,
  indexType,
  manifestType,
  newImageOf,
  newTarget,
  outcome,
  pushImage,
  putManifest,
  send,
  type Target,
} from "../client.ts";

interface Referrer {
  digest: string;
  artifactType?: string;
  annotations?: Record<string, string>;
}

async function read(target: Target, path: string) {
  const answer = await send(target, path);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe(indexType);
  const { schemaVersion, mediaType, manifests } = (await answer.json()) as {
    schemaVersion: number;
    mediaType: string;
    manifests: Referrer[];
  };
  expect([schemaVersion, mediaType]).toEqual([2, indexType]);
  const link = /^<(.*)>; rel="next"$/.exec(answer.headers.get("link") ?? "")?.[1];
  return { manifests, link, filters: answer.headers.get("oci-filters-applied") };
}

test("a manifest with a subject is a referrer, with its type and its annotations", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  const subject = descriptorOf(image.text, manifestType);
  const signature = newImageOf({
    subject,
    artifactType: "application/x.signature",
    annotations: { by: "me" },
  });
  const sbom = newImageOf({ subject });
  await pushImage(target, signature.digest, signature);
  const answer = await putManifest(target, "sbom", newImageOf().text);
  expect(answer.status).toBe(404);
  await pushImage(target, "sbom", sbom);
  const all = await read(target, `referrers/${image.digest}`);
  expect(all.manifests).toEqual([
    {
      ...descriptorOf(signature.text, manifestType),
      artifactType: "application/x.signature",
      annotations: { by: "me" },
    },
    {
      ...descriptorOf(sbom.text, manifestType),
      artifactType: "application/vnd.oci.image.config.v1+json",
    },
  ]);
  const some = await read(target, `referrers/${image.digest}?artifactType=application/x.signature`);
  expect(some.manifests.map(({ digest }) => digest)).toEqual([signature.digest]);
  expect([all.filters, some.filters]).toEqual([null, "artifactType"]);
  const put = await putManifest(target, "again", signature.text);
  expect(put.headers.get("oci-subject")).toBe(image.digest);
});

test("a subject need not exist, and an image without referrers has an empty list", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  expect((await read(target, `referrers/${image.digest}`)).manifests).toEqual([]);
  const subject = descriptorOf("missing", manifestType);
  const signature = newImageOf({ subject });
  await pushImage(target, "signature", signature);
  expect((await read(target, `referrers/${subject.digest}`)).manifests).toHaveLength(1);
  const nowhere = { ...target, name: `${target.name}-nowhere` };
  expect((await read(nowhere, `referrers/${image.digest}`)).manifests).toEqual([]);
});

test("a deleted referrer is no longer listed", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  const signature = newImageOf({ subject: descriptorOf(image.text, manifestType) });
  await pushImage(target, "signature", signature);
  await send(target, `manifests/${signature.digest}`, { method: "DELETE" });
  expect((await read(target, `referrers/${image.digest}`)).manifests).toEqual([]);
});

test("120 referrers come page by page, each once", long, async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  const subject = descriptorOf(image.text, manifestType);
  const first = newImageOf({ subject });
  await pushImage(target, "first", first);
  const digests = [first.digest];
  for (let n = 1; n < 120; n += 1) {
    const text = JSON.stringify({ ...JSON.parse(first.text), annotations: { n: String(n) } });
    digests.push(digestOf(text));
    expect((await putManifest(target, digestOf(text), text)).status).toBe(201);
  }
  const found: string[] = [];
  let path: string | undefined = `referrers/${image.digest}`;
  while (path) {
    const page = await read(target, path);
    expect(page.manifests.length).toBeLessThanOrEqual(50);
    found.push(...page.manifests.map(({ digest }) => digest));
    path = page.link;
  }
  expect(found).toEqual(digests);
});

test("the tag of an older client is a tag like any other, and lists leave it out", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  const tag = image.digest.replace(":", "-");
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [] });
  expect(await outcome(putManifest(target, tag, index, indexType))).toEqual([201]);
  expect(await (await send(target, `manifests/${tag}`)).text()).toBe(index);
});

test("a bad digest, a bad page and too many annotations are refused", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "latest");
  expect(await outcome(send(target, "referrers/latest"))).toEqual([400, "DIGEST_INVALID"]);
  const path = `referrers/${image.digest}?last=x`;
  expect(await outcome(send(target, path))).toEqual([400, "QUERY_INVALID"]);
  const subject = descriptorOf(image.text, manifestType);
  const { text } = newImageOf({ subject, annotations: { long: "x".repeat(40_000) }, layers: [] });
  expect(await outcome(putManifest(target, "long", text))).toEqual([400, "MANIFEST_INVALID"]);
});
