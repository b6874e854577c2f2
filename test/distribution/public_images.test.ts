/** Public images: anyone can pull `latest`, `latest-dev` and what refers to them, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { costOf } from "../world/platform.ts";
import {
  descriptorOf,
  digestOf,
  type Image,
  indexType,
  manifestType,
  newImageOf,
  outcome,
  pullImage,
  pushBlob,
  pushImage,
  putManifest,
  send,
  someBytes,
  type Target,
} from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
beforeAll(async () => {
  registry = await startOwnRegistry();
  await registry.run("update groups set name = 'public' where uid = ?", registry.organization);
});
afterAll(() => registry.stop());

/** A public image, as its owner and as anyone see it. */
async function newPublic(name: string): Promise<{ owner: Target; anyone: Target }> {
  const { token, origin } = await registry.newTarget();
  const owner = { name: `public/${name}`, token, ...(origin ? { origin } : {}) };
  const asked = await fetch(`${origin}/token?scope=repository:public/${name}:pull`);
  const { token: open } = (await asked.json()) as { token: string };
  return { owner, anyone: { ...owner, token: open } };
}

/** The cache forgets some paths, as if half a minute had passed (public_cache.test.ts). */
const forgetCached = ({ name }: Target, paths: string[]) =>
  registry.forgetCached(paths.map((path) => `http://localhost:8787/_cache/rows/${name}/${path}`));

test("anyone can pull latest and latest-dev, and other tags are unknown to them", async () => {
  const { owner, anyone } = await newPublic("nginx");
  const latest = await pushImage(owner, "latest");
  const dev = await pushImage(owner, "latest-dev");
  const secret = await pushImage(owner, "1.0");
  expect(await pullImage(anyone, "latest")).toEqual(latest);
  expect(await pullImage(anyone, "latest-dev")).toEqual(dev);
  const unknown = [404, "MANIFEST_UNKNOWN"];
  expect(await outcome(send(anyone, "manifests/1.0"))).toEqual(unknown);
  expect(await outcome(send(anyone, `manifests/${secret.digest}`))).toEqual(unknown);
  expect(await outcome(send(anyone, `_vendor/images/${secret.digest}`))).toEqual(unknown);
  expect(await outcome(send(anyone, `_vendor/images/${latest.digest}`))).toEqual([200]);
  expect(await outcome(send(anyone, `blobs/${digestOf(secret.layer)}`))).toEqual([
    404,
    "BLOB_UNKNOWN",
  ]);
  const listed = (await (await send(anyone, "tags/list")).json()) as { tags: string[] };
  expect(listed.tags).toEqual(["latest", "latest-dev"]);
  expect(await pullImage(owner, "1.0")).toEqual(secret);
});

test("anyone gets the image that a rule serves, and does not see the rule", async () => {
  const { owner, anyone } = await newPublic("cooling");
  await pushImage(owner, "latest");
  const repo = `(select uid from repos where name = 'cooling' and parent = '${registry.organization}')`;
  await registry.run(
    `insert into tag_rules (uid, name, serve, create_time, update_time)
      select ${repo} || '/0123456789abcdef', 'hush', '{"requirement":{"label":{"name":"a","value":"b"}}}', 1, 1`,
  );
  const held = async (target: Target) => (await send(target, "manifests/latest")).text();
  expect(await held(owner)).toMatch(/hush.* of cooling holds latest back/);
  expect(await held(anyone)).toMatch(/MANIFEST_UNKNOWN.*a rule holds latest back/);
  expect(await held(anyone)).not.toMatch(/hush|cooling/);
  const good = await pushImage(owner, "latest", newImageOf({ labels: { a: "b" } }));
  const newest = await pushImage(owner, "latest");
  expect(await pullImage(anyone, "latest")).toEqual(good);
  expect(await pullImage(anyone, newest.digest)).toEqual(newest);
});

test("anyone can pull what latest leads to: the manifests of an index and their blobs", async () => {
  const { owner, anyone } = await newPublic("index");
  const image = await pushImage(owner, "part");
  const manifests = [
    { ...descriptorOf(image.text, manifestType), platform: { os: "linux", architecture: "amd64" } },
  ];
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  expect(await outcome(send(anyone, `manifests/${image.digest}`))).toEqual([
    404,
    "MANIFEST_UNKNOWN",
  ]);
  await putManifest(owner, "latest", index, indexType);
  expect((await send(anyone, "manifests/latest")).status).toBe(200);
  expect(await pullImage(anyone, image.digest)).toEqual(image);
});

test("anyone can pull what latest leads to, also if it is pushed after its index", async () => {
  const { owner, anyone } = await newPublic("late");
  const [image, other] = [newImageOf(), newImageOf()];
  const manifests = [image, other].map(({ text }) => descriptorOf(text, manifestType));
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  expect(await outcome(putManifest(owner, "latest", index, indexType))).toEqual([201]);
  await pushImage(owner, image.digest, image);
  expect(await pullImage(anyone, image.digest)).toEqual(image);
  const alone = await pushImage(owner, "1.0");
  expect(await outcome(send(anyone, `manifests/${alone.digest}`))).toEqual([
    404,
    "MANIFEST_UNKNOWN",
  ]);
});

test("a digest that latest pointed to can still be pulled, because builds pin it", async () => {
  const { owner, anyone } = await newPublic("pinned");
  const before = await pushImage(owner, "latest");
  await pushImage(owner, "latest");
  expect(await pullImage(anyone, before.digest)).toEqual(before);
});

test("without a login, nothing can be pushed, deleted or mounted", async () => {
  const { owner, anyone } = await newPublic("closed");
  const { layer, text } = await pushImage(owner, "latest");
  for (const [method, path] of [
    ["POST", "blobs/uploads/"],
    ["POST", `blobs/uploads/?mount=${digestOf(layer)}&from=public/nginx`],
    ["PUT", "manifests/latest"],
    ["DELETE", "manifests/latest"],
    ["DELETE", `blobs/${digestOf(layer)}`],
  ] as const) {
    const body = method === "PUT" ? { body: text } : {};
    expect(await outcome(send(anyone, path, { method, ...body }))).toEqual([401, "UNAUTHORIZED"]);
  }
  expect((await send(anyone, "manifests/latest")).status).toBe(200);
});

/** Pushes an artifact about a manifest. It has a layer of its own. Without `subject`, only its tag can say what it is about. */
function pushAbout(
  owner: Target,
  { text }: { text: string },
  { tag = "", hasSubject = true, more = {} as object } = {},
): Promise<Image> {
  const image = newImageOf({
    artifactType: "application/vnd.example.signature",
    ...(hasSubject ? { subject: descriptorOf(text, manifestType) } : {}),
    ...more,
  });
  return pushImage(owner, tag === "" ? image.digest : tag, image);
}

const tagOf = ({ digest }: Image, end = "") => `${digest.replace(":", "-")}${end}`;

async function referrersOf(target: Target, digest: string): Promise<string[]> {
  const answer = await send(target, `referrers/${digest}`);
  expect(answer.status).toBe(200);
  const { manifests } = (await answer.json()) as { manifests: { digest: string }[] };
  return manifests.map((one) => one.digest);
}

const pathsOf = ({ digest, layer, config }: Image) => [
  `manifests/${digest}`,
  `blobs/${digestOf(layer)}`,
  `blobs/${digestOf(config)}`,
];

/** The statuses of a manifest and of its blobs. */
const statusesOf = (target: Target, image: Image) =>
  Promise.all(pathsOf(image).map(async (path) => (await outcome(send(target, path)))[0]));

const open = [200, 200, 200];
const closed = [404, 404, 404];

describe("what refers to a public image is public, with its blobs:", () => {
  let owner: Target;
  let anyone: Target;
  let image: Image;
  beforeAll(async () => {
    ({ owner, anyone } = await newPublic("signed"));
    image = await pushImage(owner, "latest");
  });

  test("its referrers, and the referrers of those", async () => {
    const sbom = await pushAbout(owner, image);
    const signature = await pushAbout(owner, sbom);
    expect(await referrersOf(anyone, image.digest)).toEqual(await referrersOf(owner, image.digest));
    expect(await referrersOf(anyone, image.digest)).toContain(sbom.digest);
    expect(await referrersOf(anyone, sbom.digest)).toEqual([signature.digest]);
    for (const one of [sbom, signature]) {
      expect(await statusesOf(anyone, one)).toEqual(open);
      expect(await pullImage(anyone, one.digest)).toEqual(one);
    }
  });

  test.for(["", ".sig", ".att", ".sbom"])("the tag of its digest with the end %j", async (end) => {
    const artifact = await pushAbout(owner, image, { tag: tagOf(image, end), hasSubject: false });
    expect(await pullImage(anyone, tagOf(image, end))).toEqual(artifact);
    expect(await statusesOf(anyone, artifact)).toEqual(open);
    const ofArtifact = tagOf(artifact, ".sig");
    const signature = await pushAbout(owner, artifact, { tag: ofArtifact, hasSubject: false });
    expect(await pullImage(anyone, ofArtifact)).toEqual(signature);
  });

  test("the index of its referrers, for clients without the referrers API", async () => {
    const { owner, anyone } = await newPublic("fallback");
    const image = await pushImage(owner, "latest");
    const sbom = await pushAbout(owner, { text: "another" });
    const manifests = [descriptorOf(sbom.text, manifestType)];
    const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
    expect(await statusesOf(anyone, sbom)).toEqual(closed);
    await putManifest(owner, tagOf(image), index, indexType);
    expect(await (await send(anyone, `manifests/${tagOf(image)}`)).text()).toBe(index);
    expect(await statusesOf(anyone, sbom)).toEqual(open);
  });

  test("the referrers of the manifests in its index, and of an image that latest pointed to", async () => {
    const { owner, anyone } = await newPublic("earlier");
    const part = await pushImage(owner, "part");
    const manifests = [descriptorOf(part.text, manifestType)];
    const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
    const signature = await pushAbout(owner, part);
    expect(await referrersOf(anyone, part.digest)).toEqual([]);
    await putManifest(owner, "latest", index, indexType);
    await pushImage(owner, "latest");
    expect(await referrersOf(anyone, part.digest)).toEqual([signature.digest]);
    expect(await statusesOf(anyone, signature)).toEqual(open);
  });

  test("it takes one round trip, which reads no more rows if others have more content", async () => {
    const { digest, layer } = await pushAbout(owner, image);
    const paths = [`referrers/${image.digest}`, `manifests/${digest}`, `blobs/${digestOf(layer)}`];
    const costs = () =>
      Promise.all(
        paths.map(async (path) => {
          const answer = await send(anyone, path);
          await answer.arrayBuffer();
          expect(answer.status).toBe(200);
          return costOf(answer);
        }),
      );
    const before = await costs();
    await forgetCached(anyone, paths);
    expect(before.map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 1]);
    const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)";
    await registry.run(`insert into blobs (digest) ${numbers} select randomblob(32) from n`);
    expect((await costs()).map(({ rowsRead }) => rowsRead)).toEqual(
      before.map(({ rowsRead }) => rowsRead),
    );
  });
});

describe("what refers to a private image of a public repository is private:", () => {
  let owner: Target;
  let anyone: Target;
  let latest: Image;
  let secret: Image;
  beforeAll(async () => {
    ({ owner, anyone } = await newPublic("half"));
    latest = await pushImage(owner, "latest");
    secret = await pushImage(owner, "1.0");
  });
  const isHidden = async (one: Image, tag?: string) => {
    const unknown = [404, "MANIFEST_UNKNOWN"];
    expect(await outcome(send(anyone, `manifests/${one.digest}`))).toEqual(unknown);
    expect(await outcome(send(anyone, `_vendor/images/${one.digest}`))).toEqual(unknown);
    if (tag) expect(await outcome(send(anyone, `manifests/${tag}`))).toEqual(unknown);
    expect((await send(owner, `manifests/${tag ?? one.digest}`)).status).toBe(200);
  };

  test("its referrers", async () => {
    const signature = await pushAbout(owner, secret);
    expect(await referrersOf(owner, secret.digest)).toContain(signature.digest);
    expect(await referrersOf(anyone, secret.digest)).toEqual([]);
    expect(await statusesOf(anyone, signature)).toEqual(closed);
    await isHidden(signature);
  });

  test("a referrer that shares blobs with a public one, apart from these blobs", async () => {
    const shared = await pushAbout(owner, latest);
    const { layers } = JSON.parse(shared.text) as { layers: unknown[] };
    const own = someBytes(50);
    await pushBlob(owner, own);
    const more = { layers: [...layers, descriptorOf(own, "application/octet-stream")] };
    const hidden = await pushAbout(owner, secret, { more });
    await isHidden(hidden);
    const status = async (bytes: Uint8Array) =>
      (await outcome(send(anyone, `blobs/${digestOf(bytes)}`)))[0];
    expect([await status(own), await status(shared.layer)]).toEqual([404, 200]);
  });

  test.for([
    ["the tags of its digest", (image: Image) => tagOf(image, ".sig"), "secret"],
    ["the tag of clients without the referrers API", (image: Image) => tagOf(image), "secret"],
    ["a tag with another end", (image: Image) => tagOf(image, ".other"), "latest"],
    ["a tag with a longer end", (image: Image) => tagOf(image, ".sig.x"), "latest"],
    ["a tag with something before", (image: Image) => `x${tagOf(image, ".sig")}`, "latest"],
    ["a tag with capitals", (image: Image) => tagOf(image, ".SIG"), "latest"],
    [
      "a tag with a digest in capitals",
      ({ digest }: Image) => `sha256-${digest.slice(7).toUpperCase()}`,
      "latest",
    ],
    ["a tag with a part of a digest", (image: Image) => tagOf(image).slice(0, -1), "latest"],
    ["a tag with no digest", () => `sha256-${"g".repeat(64)}`, "latest"],
  ] as const)("%s", async ([, tagFor, about]) => {
    const tag = tagFor(about === "latest" ? latest : secret);
    const artifact = await pushAbout(owner, secret, { tag, hasSubject: false });
    await isHidden(artifact, tag);
    expect(await statusesOf(anyone, artifact)).toEqual(closed);
  });

  test("an artifact that the tag of a public image has left", async () => {
    const tag = tagOf(latest, ".att");
    const before = await pushAbout(owner, latest, { tag, hasSubject: false });
    expect(await statusesOf(anyone, before)).toEqual(open);
    await pushAbout(owner, latest, { tag, hasSubject: false });
    await forgetCached(anyone, pathsOf(before));
    expect(await statusesOf(anyone, before)).toEqual(closed);
  });

  test("an image that shares its layer with a public image, apart from the layer", async () => {
    const twin = newImageOf({ layer: latest.layer, labels: { secret: "yes" } });
    await pushImage(owner, "twin", twin);
    expect(await statusesOf(anyone, twin)).toEqual([404, 200, 404]);
    const signature = await pushAbout(owner, twin);
    expect(await statusesOf(anyone, signature)).toEqual(closed);
  });

  test("the tags of signatures are not in the list of tags", async () => {
    await pushAbout(owner, latest, { tag: tagOf(latest, ".sig"), hasSubject: false });
    const { tags } = (await (await send(anyone, "tags/list")).json()) as { tags: string[] };
    expect(tags).toEqual(["latest"]);
  });
});

test("an artifact in another repository makes nothing public there", async () => {
  const { owner, anyone } = await newPublic("one");
  const latest = await pushImage(owner, "latest");
  const other = { ...owner, name: "public/two" };
  const tag = tagOf(latest, ".sig");
  const signature = await pushAbout(other, latest, { tag });
  const reader = { ...anyone, name: other.name };
  const asked = await fetch(`${owner.origin}/token?scope=repository:${other.name}:pull`);
  reader.token = ((await asked.json()) as { token: string }).token;
  expect(await referrersOf(reader, latest.digest)).toEqual([]);
  expect(await statusesOf(reader, signature)).toEqual(closed);
  expect((await send(reader, `manifests/${tag}`)).status).toBe(404);
  expect((await send(other, `manifests/${tag}`)).status).toBe(200);
});
