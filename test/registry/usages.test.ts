/** How many bytes organizations and repositories have in the registry. */
import { describe, expect, test } from "vitest";
import {
  descriptorOf,
  digestOf,
  layerType,
  manifestType,
  newImageOf,
  newPusher,
  pushBlob,
  pushImage,
  putManifest,
  send,
  someBytes,
  type Target,
} from "../distribution/client.ts";
import { repoOf } from "../distribution/stored_rows.ts";
import { randomName } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

/** The bytes of an image with all that belongs to it. */
const bytesOf = ({ text, layer, config }: ReturnType<typeof newImageOf>) =>
  text.length + layer.length + config.length;

async function world() {
  const { organization, token } = await newPusher();
  const { uid } = organization;
  const read = async (path: string) =>
    (await callRest(`/registry/v2/${path}`, { token: organization.owner.token })).body;
  const target = (): Target => ({ token, name: `${uid}/${randomName("image")}` });
  return {
    organization,
    token,
    read,
    target,
    /** Without the reserved bytes (test/distribution/limits.test.ts), and the quotas, which have a test of their own. */
    usage: async () => {
      const {
        reservedBytes: _,
        undoBytes: __,
        quotas: ___,
        ...content
      } = await read(`usages/${uid}`);
      return content;
    },
    repoUsages: (query = "") => read(`repoUsages?group=${uid}${query}`),
  };
}

const numbers = (bytes: number, sharedBytes: number) => ({
  bytes: String(bytes),
  sharedBytes: String(sharedBytes),
});

test("an organization without content has 0 bytes, and no limit if the operator set none", async () => {
  const { organization, usage, repoUsages } = await world();
  expect(await usage()).toEqual({ uid: organization.uid, ...numbers(0, 0) });
  expect(await repoUsages()).toEqual({ skipped: 0 });
});

test("a blob of three repositories counts once for the organization, and is shared until one is left", async () => {
  const { organization, target, usage, repoUsages } = await world();
  const { uid } = organization;
  const image = newImageOf({ layer: someBytes(5_000) });
  const own = newImageOf({ layer: someBytes(900) });
  const size = bytesOf(image);
  const repos = [target(), target(), target()];
  const usagesNow = async () =>
    Object.fromEntries(
      (
        (await repoUsages()).repoUsages as { name: string; bytes: string; sharedBytes: string }[]
      ).map(({ name, bytes, sharedBytes }) => [`${uid}/${name}`, numbers(+bytes, +sharedBytes)]),
    );
  await pushImage(repos[0] as Target, "latest", image);
  await pushImage(repos[0] as Target, "own", own);
  expect(await usage()).toEqual({ uid, ...numbers(size + bytesOf(own), 0) });
  const [first, second, third] = repos.map(({ name }) => name) as [string, string, string];
  expect(await usagesNow()).toEqual({ [first]: numbers(size + bytesOf(own), 0) });

  for (const repo of repos.slice(1)) await pushImage(repo, "latest", image);
  expect(await usage()).toEqual({ uid, ...numbers(size + bytesOf(own), size) });
  expect(await usagesNow()).toEqual({
    [first]: numbers(size + bytesOf(own), size),
    [second]: numbers(size, size),
    [third]: numbers(size, size),
  });

  const { token } = organization.owner;
  const remove = async (repo: Target) =>
    callRest(`/registry/v2/repos/${await repoOf(repo)}`, { method: "DELETE", token });
  await remove(repos[1] as Target);
  expect(await usage()).toEqual({ uid, ...numbers(size + bytesOf(own), size) });
  await remove(repos[0] as Target);
  expect(await usage()).toEqual({ uid, ...numbers(size, 0) });
  expect(await usagesNow()).toEqual({ [third]: numbers(size, 0) });
  await remove(repos[2] as Target);
  expect(await usage()).toEqual({ uid, ...numbers(0, 0) });
});

test("content that a repository has as a blob and as a manifest counts once", async () => {
  const { organization, target, usage, repoUsages } = await world();
  const repo = target();
  const image = await pushImage(repo, "latest");
  await pushBlob(repo, image.text);
  const all = numbers(bytesOf(image), 0);
  expect(await usage()).toEqual({ uid: organization.uid, ...all });
  expect((await repoUsages()).repoUsages).toMatchObject([all]);
  await send(repo, `manifests/${image.digest}`, { method: "DELETE" });
  expect((await repoUsages()).repoUsages).toMatchObject([all]);
});

test("the usage does not show that another organization has the same content", async () => {
  const image = newImageOf();
  const [one, other] = [await world(), await world()];
  await pushImage(other.target(), "latest", image);
  await pushImage(one.target(), "latest", image);
  expect(await one.usage()).toMatchObject(numbers(bytesOf(image), 0));
});

test("repositories are listed by size, page by page, and those of subgroups too", async () => {
  const { organization, target, token, read, repoUsages } = await world();
  const group = await callRest(`/iam/v2/groups/${organization.uid}`, {
    method: "POST",
    token: organization.owner.token,
    body: { name: "team" },
  });
  const below = { token, name: `${group.body.uid}/${randomName("image")}` };
  for (const [repo, length] of [
    [target(), 300],
    [below, 2_000],
    [target(), 1_000],
  ] as const) {
    await pushBlob(repo, someBytes(length));
  }
  const list = async (query: string) => {
    const body = await repoUsages(query);
    return [body.repoUsages.map((one: { bytes: string }) => +one.bytes), body.nextPageToken];
  };
  expect((await list(""))[0]).toEqual([2_000, 1_000, 300]);
  expect((await list("&order_by=bytes"))[0]).toEqual([300, 1_000, 2_000]);
  const [first, next] = await list("&page_size=2");
  expect(first).toEqual([2_000, 1_000]);
  expect(await list(`&page_size=2&page_token=${next}`)).toEqual([[300], undefined]);
  const uids = (await repoUsages("&order_by=uid")).repoUsages.map(
    (one: { uid: string }) => one.uid,
  );
  expect(uids).toEqual([...uids].sort());
  expect(await repoUsages("&order_by=name")).toMatchObject({ code: 3 });
  const ofGroup = await read(`repoUsages?group=${group.body.uid}`);
  expect(ofGroup.repoUsages).toMatchObject([{ bytes: "2000" }]);
  expect(await read(`usages/${group.body.uid}`)).toMatchObject({
    code: 3,
    message: "Invalid argument: uid: uid must be that of an organization",
  });
});

describe("the limit of the organization", () => {
  test("is part of the usage, and a push beyond it is refused with it", async () => {
    const { organization, target, usage } = await world();
    const { uid } = organization;
    const repo = target();
    await pushBlob(repo, someBytes(700));
    await sql("update organization_storage set byte_limit = 1000 where uid = ?", uid);
    expect(await usage()).toEqual({ uid, ...numbers(700, 0), limitBytes: "1000" });
    const bytes = someBytes(301);
    const path = `blobs/uploads/?digest=${digestOf(bytes)}`;
    const refused = await send(repo, path, { method: "POST", body: bytes });
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain("may store 1000 bytes");
    expect(await usage()).toMatchObject(numbers(700, 0));
    await pushBlob(repo, someBytes(300));
  });
});

describe("a manifest of the API", () => {
  async function manifestsOf(repo: Target, token: string, query = "") {
    const path = `/registry/v2/manifests?repoUid=${await repoOf(repo)}${query}`;
    return (await callRest(path, { token })).body;
  }

  test("has its tags, and counts the signatures of referrers and of the tag .sig", async () => {
    const { organization, target } = await world();
    const { token } = organization.owner;
    const repo = target();
    const image = await pushImage(repo, "latest");
    await putManifest(repo, "stable", image.text);
    const read = async () =>
      (await manifestsOf(repo, token)).manifests.find(
        (one: { digest: string }) => one.digest === image.digest,
      );
    expect(await read()).toMatchObject({ tags: ["latest", "stable"], signatureCount: 0 });
    const signature = async (reference: string, layers: number, more: Record<string, unknown>) => {
      const bytes = someBytes(40);
      await pushBlob(repo, bytes);
      await pushBlob(repo, "{}");
      const text = JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        config: descriptorOf("{}", "application/vnd.oci.empty.v1+json"),
        layers: Array(layers).fill(descriptorOf(bytes, String(more.layerType))),
        ...more,
      });
      const answer = await putManifest(repo, reference === "" ? digestOf(text) : reference, text);
      expect(answer.status).toBe(201);
    };
    const subject = {
      subject: { mediaType: manifestType, digest: image.digest, size: image.text.length },
    };
    await signature(`${image.digest.replace(":", "-")}.sig`, 2, {
      layerType: "application/vnd.dev.cosign.simplesigning.v1+json",
    });
    expect(await read()).toMatchObject({ signatureCount: 2 });
    await signature("", 1, {
      ...subject,
      layerType: "application/jose+json",
      artifactType: "application/vnd.cncf.notary.signature",
    });
    const bundle = "application/vnd.dev.sigstore.bundle.v0.3+json";
    await signature("", 1, {
      ...subject,
      layerType: bundle,
      artifactType: bundle,
      annotations: { "dev.sigstore.bundle.predicateType": "https://sigstore.dev/cosign/sign/v1" },
    });
    expect(await read()).toMatchObject({ signatureCount: 4 });
    // Neither a statement about the image nor any other referrer is a signature.
    await signature("", 1, {
      ...subject,
      layerType: bundle,
      artifactType: bundle,
      annotations: { "dev.sigstore.bundle.predicateType": "https://slsa.dev/provenance/v1" },
    });
    await signature("", 1, { ...subject, layerType, artifactType: "application/example" });
    const { uid } = await read();
    const { body } = await callRest(`/registry/v2/manifests/${uid}`, { token });
    expect(body).toMatchObject({ digest: image.digest, signatureCount: 4 });
  });

  test("has the platform, the time and the labels of a pushed image", async () => {
    const { organization, target } = await world();
    const { token } = organization.owner;
    const repo = target();
    await pushImage(repo, "latest", newImageOf({ labels: { team: "a" } }));
    const [{ uid, ...listed }] = (await manifestsOf(repo, token)).manifests;
    const shown = {
      architectures: ["amd64"],
      os: "linux",
      imageCreateTime: "2026-01-02T03:04:05.000Z",
    };
    expect(listed).toMatchObject(shown);
    expect(listed.labels).toBeUndefined();
    const { body } = await callRest(`/registry/v2/manifests/${uid}`, { token });
    expect(body).toMatchObject({ ...shown, labels: { team: "a" } });
  });

  test("is listed newest first, page by page with a total, or by digest", async () => {
    const { organization, target } = await world();
    const { token } = organization.owner;
    const repo = target();
    const digests: string[] = [];
    for (const tag of ["1", "2", "3"]) {
      digests.unshift((await pushImage(repo, tag)).digest);
    }
    const digestsIn = (body: { manifests: { digest: string }[] }) =>
      body.manifests.map(({ digest }) => digest);
    const page = await manifestsOf(repo, token, "&page_size=2");
    expect(page).toMatchObject({ totalCount: "3" });
    const rest = await manifestsOf(repo, token, `&page_size=2&page_token=${page.nextPageToken}`);
    expect([...digestsIn(page), ...digestsIn(rest)]).toEqual(digests);
    const byDigest = await manifestsOf(repo, token, "&order_by=digest desc");
    expect(digestsIn(byDigest)).toEqual([...digests].sort().reverse());
    const absent = `/registry/v2/manifests?repoUid=${organization.uid}/0123456789abcdef`;
    expect((await callRest(absent, { token })).status).toBe(404);
  });
});

test("the usage shows the quotas of what is in the registry, in the order of their kinds", async () => {
  const { organization, target, read } = await world();
  await pushImage(target(), "latest", newImageOf({ layer: someBytes(100) }));
  const { quotas } = await read(`usages/${organization.uid}`);
  const shown = quotas.map(({ kind, used }: { kind: string; used: string }) => [kind, used]);
  expect(shown.map(([kind]: string[]) => kind?.slice("QUOTA_KIND_".length))).toEqual([
    ...["REPOS", "TAGS", "MANIFESTS", "OPEN_UPLOADS", "REGISTRY_BYTES", "DOCUMENT_BYTES", "SBOMS"],
    "VULN_REPORTS",
  ]);
  expect(shown.slice(0, 4).map(([, used]: string[]) => used)).toEqual(["1", "1", "1", "0"]);
});
