/** Pushes and pulls of manifests: what they write, and what they refuse. */
import { expect, test } from "vitest";
import { createResource } from "../../world/personas.ts";
import { callRest, costOf, registryAudience, sql } from "../../world/platform.ts";
import {
  configType,
  descriptorOf,
  digestOf,
  indexType,
  manifestType,
  newImageOf,
  newTarget,
  outcome,
  pullImage,
  pushBlob,
  pushImage,
  putManifest,
  send,
} from "../client.ts";
import { eventsOf, repoOf } from "../stored_rows.ts";

test("a pushed image can be pulled by its tag and by its digest, with the same bytes", async () => {
  const target = await newTarget();
  const image = newImageOf();
  await pushBlob(target, image.layer);
  await pushBlob(target, image.config);
  const answer = await putManifest(target, "latest", image.text);
  expect(answer.status).toBe(201);
  expect(answer.headers.get("location")).toBe(`/v2/${target.name}/manifests/${image.digest}`);
  expect(answer.headers.get("docker-content-digest")).toBe(image.digest);
  for (const reference of ["latest", image.digest]) {
    expect(await pullImage(target, reference)).toEqual(image);
    const head = await send(target, `manifests/${reference}`, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(head.headers.get("content-type")).toBe(manifestType);
    expect(head.headers.get("content-length")).toBe(String(image.text.length));
    expect(head.headers.get("docker-content-digest")).toBe(image.digest);
  }
});

test.for([
  ["an index without manifests", indexType, { manifests: null }],
  ["an image without layers", manifestType, { layers: null }],
  [
    "an image with null for all that is optional",
    manifestType,
    { mediaType: null, artifactType: null, subject: null, annotations: null },
  ],
  [
    "a layer with null for all that is optional",
    manifestType,
    { layers: [{ ...descriptorOf("{}", configType), urls: null, annotations: null, data: null }] },
  ],
  [
    "an index whose manifest has null for all that is optional",
    indexType,
    {
      manifests: [
        {
          ...descriptorOf("missing", manifestType),
          ...{ platform: null, artifactType: null, urls: null, annotations: null },
        },
      ],
    },
  ],
] as const)("null is the same as absent or empty: %s", async ([, type, members]) => {
  const target = await newTarget();
  await pushBlob(target, "{}");
  const config = type === manifestType ? { config: descriptorOf("{}", configType) } : {};
  const document = { schemaVersion: 2, mediaType: type, ...config, layers: [], ...members };
  const text = JSON.stringify(document, null, 1);
  expect(await outcome(putManifest(target, "latest", text, type))).toEqual([201]);
  expect(await (await send(target, "manifests/latest")).text()).toBe(text);
});

test("a manifest costs one round trip to D1, and R2 is not read", async () => {
  const target = await newTarget();
  const { digest } = await pushImage(target, "latest");
  for (const method of ["GET", "HEAD"]) {
    for (const reference of ["latest", digest]) {
      const answer = await send(target, `manifests/${reference}`, { method });
      await answer.text();
      expect(costOf(answer).roundTrips).toBe(1);
      expect(costOf(answer).rowsRead).toBeLessThan(60);
      expect(answer.headers.get("server-timing")).toContain("reads=0");
    }
  }
});

test("a manifest of 4 MiB is read from R2 once, and its HEAD does not read R2", async () => {
  const target = await newTarget();
  const image = newImageOf({ annotations: { long: "x".repeat(4 * 1024 * 1024 - 1000) } });
  await pushImage(target, "latest", image);
  const get = await send(target, "manifests/latest");
  expect(digestOf(await get.text())).toBe(image.digest);
  expect(get.headers.get("content-length")).toBe(String(image.text.length));
  expect(get.headers.get("server-timing")).toContain("reads=1");
  const head = await send(target, "manifests/latest", { method: "HEAD" });
  expect(head.headers.get("server-timing")).toContain("reads=0");
});

test("a push writes tag, history and events in one batch, like CreateTag", async () => {
  const target = await newTarget();
  const [one, two] = [newImageOf(), newImageOf()];
  await pushImage(target, "latest", one);
  await pushImage(target, "latest", two);
  await pushImage(target, "latest", two);
  const repo = await repoOf(target);
  const moves = await sql(
    "select tag, digest from tag_moves where repo_uid = ? order by update_time",
    repo,
  );
  expect(moves).toEqual([
    { tag: "latest", digest: one.digest },
    { tag: "latest", digest: two.digest },
  ]);
  const { body } = await callRest(`/registry/v2/tags?uidp.children_of=${repo}`, {
    token: target.organization.owner.token,
  });
  expect(body.tags).toMatchObject([{ name: "latest", digest: two.digest }]);
  expect(body.totalCount).toBe("1");
  const events = await eventsOf(target);
  const told = events.map(({ type, digest, previous }) => [
    type.replace(/^dev\.vendor\./, ""),
    digest,
    previous,
  ]);
  expect(told).toEqual([
    ["api.platform.registry.repo.created.v1", "", ""],
    ["api.platform.registry.manifest.created.v1", one.digest, ""],
    ["api.platform.registry.tag.created.v1", one.digest, ""],
    ["registry.push.v1", one.digest, ""],
    ["api.platform.registry.manifest.created.v1", two.digest, ""],
    ["api.platform.registry.tag.created.v1", two.digest, one.digest],
    ["registry.push.v1", two.digest, one.digest],
    ["registry.push.v1", two.digest, two.digest],
  ]);
});

test("the event of a push names the client, the tag and both digests", async () => {
  const target = await newTarget();
  const before = await pushImage(target, "latest");
  const image = newImageOf();
  await pushBlob(target, image.layer);
  await pushBlob(target, image.config);
  await send(target, "manifests/latest", {
    method: "PUT",
    body: image.text,
    headers: {
      "content-type": manifestType,
      "user-agent": "crane/1.0",
      "cf-connecting-ip": "192.0.2.1",
      "cf-ipcountry": "DE",
    },
  });
  const event = (await eventsOf(target)).at(-1);
  const { body } = JSON.parse(event?.data ?? "{}");
  const { when, ...rest } = body;
  expect(rest).toEqual({
    repository: target.name,
    repo_id: await repoOf(target),
    tag: "latest",
    tag_previous_digest: before.digest,
    digest: image.digest,
    type: "manifest",
    location: "DE",
    remote_address: "192.0.2.1",
    user_agent: "crane/1.0",
  });
  expect(when).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
  const [source] = await sql<{ source: string; subject: string; group: string }>(
    `select source, subject, group_uid as "group" from events where type = 'dev.vendor.registry.push.v1' and repo_uid = ? limit 1`,
    await repoOf(target),
  );
  expect(source).toEqual({
    source: `http://${registryAudience}`,
    subject: await repoOf(target),
    group: target.organization.uid,
  });
});

test("twenty pushes of one tag at the same time end in one order, which the history shows", async () => {
  const target = await newTarget();
  await pushImage(target, "start");
  const images = Array.from({ length: 20 }, () => newImageOf());
  for (const { layer, config } of images) {
    await pushBlob(target, layer);
    await pushBlob(target, config);
  }
  const push = async (text: string): Promise<number> => {
    const { status } = await putManifest(target, "latest", text);
    return status === 201 ? status : push(text);
  };
  await Promise.all(images.map(({ text }) => push(text)));
  const repo = await repoOf(target);
  const moves = await sql<{ digest: string }>(
    "select digest from tag_moves where repo_uid = ? and tag = 'latest' order by update_time",
    repo,
  );
  expect(moves.map(({ digest }) => digest).sort()).toEqual(
    images.map(({ digest }) => digest).sort(),
  );
  const [tag] = await sql("select digest from tags where parent = ? and name = 'latest'", repo);
  expect(tag).toEqual(moves.at(-1));
  const told = await sql<{ digest: string; previous: string }>(
    `select digest, previous_digest as previous from events
     where repo_uid = ? and type = 'dev.vendor.registry.push.v1' and tag = 'latest' order by seq`,
    repo,
  );
  const order = told.map(({ digest }) => digest);
  expect(order).toEqual(moves.map(({ digest }) => digest));
  expect(told.map(({ previous }) => previous)).toEqual(["", ...order.slice(0, -1)]);
});

test("one push by digest sets several tags", async () => {
  const target = await newTarget();
  const image = await pushImage(target, "first");
  const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const query = tags.map((tag) => `tag=${tag}`).join("&");
  const answer = await putManifest(target, `${image.digest}?${query}`, image.text);
  expect(answer.status).toBe(201);
  expect(answer.headers.get("oci-tag")?.split(", ").sort()).toEqual(tags.sort());
  const { tags: listed } = (await (await send(target, "tags/list")).json()) as { tags: string[] };
  expect(listed).toEqual(["first", ...tags].sort());
  const more = await putManifest(target, `${image.digest}?${query}&tag=more`, image.text);
  expect(await outcome(more)).toEqual([400, "TAG_INVALID"]);
});

test("the platform knows the platform, the labels and the size of a pushed image", async () => {
  const target = await newTarget();
  const image = newImageOf({ labels: { "org.example.team": "base" } });
  await pushImage(target, "1.0", image);
  const entry = {
    ...descriptorOf(image.text, manifestType),
    platform: { os: "linux", architecture: "amd64" },
  };
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests: [entry] });
  expect((await putManifest(target, "latest", index, indexType)).status).toBe(201);
  const token = target.organization.owner.token;
  const repo = await repoOf(target);
  const at = `/registry/v2/repos/${repo}/digests/${digestOf(index)}`;
  expect((await callRest(`${at}/architectures`, { token })).body).toEqual({
    architectures: ["amd64"],
  });
  const size = image.layer.length + image.config.length;
  expect((await callRest(`${at}/size`, { token })).body).toMatchObject({ size: String(size) });
  const _config = await callRest(
    `/registry/v1/repos/images/config?repo_id=${repo}&digest=${image.digest}`,
    { token },
  );
  const [stored] = await sql<{ config: string }>(
    "select config from manifests where parent = ? and digest = ?",
    repo,
    image.digest,
  );
  expect(JSON.parse(stored?.config ?? "{}")).toMatchObject({
    user: "nonroot",
    labels: { "org.example.team": "base" },
  });
});

test("a configuration that cannot be read is stored, and the event says why", async () => {
  const target = await newTarget();
  const config = "{}";
  const image = { ...newImageOf({ config: descriptorOf(config, configType) }), config };
  await pushImage(target, "latest", image);
  const event = (await eventsOf(target)).at(-1);
  expect(JSON.parse(event?.data ?? "{}").body.unread).toEqual([
    expect.stringContaining("architecture"),
  ]);
});

test("an index may name manifests that the repository does not have", async () => {
  const target = await newTarget();
  const platform = { os: "linux", architecture: "arm64" };
  const manifests = [{ ...descriptorOf("missing", manifestType), platform }];
  const index = JSON.stringify({ schemaVersion: 2, mediaType: indexType, manifests });
  expect(await outcome(putManifest(target, "latest", index, indexType))).toEqual([201]);
  expect(await (await send(target, "manifests/latest")).text()).toBe(index);
});

test("a manifest of another repository is unknown, although its digest is known", async () => {
  const theirs = await newTarget();
  const image = await pushImage(theirs, "latest");
  const ours = await newTarget();
  await pushImage(ours, "latest");
  expect(await outcome(send(ours, `manifests/${image.digest}`))).toEqual([404, "MANIFEST_UNKNOWN"]);
});

test("metadata that was stored over the API is not a manifest that can be pulled", async () => {
  const target = await newTarget();
  await pushImage(target, "latest");
  const image = newImageOf();
  const content = Buffer.from(image.text).toString("base64");
  const { token } = target.organization.owner;
  await createResource(`/registry/v2/manifests/${await repoOf(target)}`, token, {
    mediaType: manifestType,
    content,
  });
  expect(await outcome(send(target, `manifests/${image.digest}`))).toEqual([
    404,
    "MANIFEST_UNKNOWN",
  ]);
  await pushImage(target, "later", image);
  expect((await send(target, `manifests/${image.digest}`)).status).toBe(200);
});

test("tags are listed in the order of their bytes, page by page", async () => {
  const target = await newTarget();
  const { text } = await pushImage(target, "b");
  for (const tag of ["a", "B", "_x", "10", "9"]) await putManifest(target, tag, text);
  const read = async (path: string) => {
    const answer = await send(target, path);
    const { tags, name } = (await answer.json()) as { tags: string[]; name: string };
    expect(name).toBe(target.name);
    return { tags, link: answer.headers.get("link") };
  };
  expect(await read("tags/list")).toEqual({ tags: ["10", "9", "B", "_x", "a", "b"], link: null });
  const first = await read("tags/list?n=4");
  expect(first.tags).toEqual(["10", "9", "B", "_x"]);
  const next = /^<(.*)>; rel="next"$/.exec(first.link ?? "")?.[1] ?? "";
  expect(await read(next)).toEqual({ tags: ["a", "b"], link: null });
  expect((await read("tags/list?last=_x&n=1")).tags).toEqual(["a"]);
  expect((await read("tags/list?n=0")).tags).toEqual([]);
});

test("any whole number is a page size for tags, and a page has at most 1000", async () => {
  const target = await newTarget();
  const { digest } = await pushImage(target, "a");
  await sql(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)
     insert into tags (uid, name, digest, create_time, update_time)
     select ? || '/' || printf('%016x', i), printf('t%04d', i), ?, 1, 1 from n`,
    await repoOf(target),
    digest,
  );
  for (const n of ["", "?n=1001", "?n=2147483647", `?n=${"9".repeat(400)}`]) {
    const answer = await send(target, `tags/list${n}`);
    expect(((await answer.json()) as { tags: string[] }).tags).toHaveLength(1000);
    const next = `</v2/${target.name}/tags/list?n=1000&last=t0999>; rel="next"`;
    expect(answer.headers.get("link")).toBe(next);
  }
  for (const n of ["-1", "1.5", "1e3", "x"]) {
    expect(await outcome(send(target, `tags/list?n=${n}`))).toEqual([400, "QUERY_INVALID"]);
  }
});
