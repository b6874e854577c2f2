import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digestOfImage, imagesOfMoves } from "../../cli/demo/sample_images.ts";
import { seedSampleData } from "../../cli/seed.ts";
import { bindPerson, newOrganization } from "../world/personas.ts";
import { baseUrl, callRest } from "../world/platform.ts";
import { root, stateOf } from "./command.ts";

const bytesOf = (name: string) => readFileSync(join(root, "cli/demo", name));
const digestOf = (name: string) =>
  `sha256:${createHash("sha256").update(bytesOf(name)).digest("hex")}`;
const linesOf = (name: string) => bytesOf(name).toString().trimEnd().split("\n");

test("the files of the sample image have the names of their digests, and its index names each manifest before it", () => {
  for (const hash of readdirSync(join(root, "cli/demo/image/blobs/sha256")))
    expect(digestOf(`image/blobs/sha256/${hash}`)).toBe(`sha256:${hash}`);
  const { manifests } = JSON.parse(bytesOf("image/index.json").toString());
  const known: string[] = [];
  for (const { digest, size } of manifests) {
    const bytes = bytesOf(`image/blobs/${digest.replace(":", "/")}`);
    expect(bytes.length).toBe(size);
    const { manifests: parts = [], subject } = JSON.parse(bytes.toString());
    for (const one of [...parts, ...(subject ? [subject] : [])])
      expect(known).toContain(one.digest);
    known.push(digest);
  }
});

test("the sample moves are in the order of time, without duplicates", () => {
  const moves = linesOf("tag-moves.jsonl").map((line) => JSON.parse(line));
  const times = moves.map((move) => move.updateTimestamp);
  expect(times).toEqual([...times].sort());
  expect(new Set(linesOf("tag-moves.jsonl")).size).toBe(moves.length);
});

test("the latest move of each sample tag has the digest of a sample image", async () => {
  const images = await imagesOfMoves(linesOf("tag-moves.jsonl").map((line) => JSON.parse(line)));
  for (const [digest, image] of images) expect(digestOfImage(image)).toBe(digest);
});

test("a second run of the seed changes nothing, and every domain then has data", async () => {
  const organization = await newOrganization();
  const free = await newOrganization();
  const token = organization.owner.token;
  const state = stateOf(organization);
  // The owner of one organization seeds both, so the second one lets them in.
  await bindPerson({ uid: free.uid, token: free.owner.token }, organization.owner.uid, "owner");
  state.platform.registryUrl = baseUrl();
  state.platform.public = { uid: free.uid, name: free.name };
  const look = async () => {
    const get = async (path: string) => (await callRest(path, { token })).body;
    const tags = await get(
      `/registry/v2/tags?uidp.descendants_of=${organization.uid}&page_size=200`,
    );
    const repos = await get(
      `/registry/v2/repos?uidp.children_of=${organization.uid}&order_by=name`,
    );
    const freeRepos = await get(`/registry/v2/repos?uidp.children_of=${free.uid}&order_by=name`);
    const advisories = await get(
      `/vulnerabilities/v2/advisories?uidp.descendants_of=${organization.uid}`,
    );
    const of = `uidp.descendants_of=${organization.uid}&page_size=200`;
    const { findings } = await get(`/registry/v2/findings?${of}`);
    const { packages } = await get(`/registry/v2/packages?${of}`);
    const { tags: all } = tags;
    return {
      tags: all,
      repos: repos.repos,
      freeRepos: freeRepos.repos,
      advisories,
      findings,
      packages,
    };
  };
  await seedSampleData({ state });
  const once = await look();
  await seedSampleData({ state });
  expect(await look()).toEqual(once);
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  expect(names(once.repos)).toEqual([
    "alpine",
    "busybox",
    "hello-world",
    "httpd",
    "nginx",
    "python",
  ]);
  expect(names(once.freeRepos)).toEqual(["busybox", "nginx"]);
  expect(once.tags).toHaveLength(22);
  expect(once.tags.filter((tag: { deprecated?: boolean }) => tag.deprecated)).toHaveLength(9);
  expect(once.advisories.totalCount).toBe("9");
  const inRepos = (list: { repoName: string }[]) =>
    Object.fromEntries(
      [...Map.groupBy(list, ({ repoName }) => repoName)].map(([repo, some]) => [repo, some.length]),
    );
  expect(inRepos(once.findings)).toEqual({ "hello-world": 10, python: 6 });
  expect(inRepos(once.packages)).toEqual({ "hello-world": 20, python: 10 });
  const known = once.advisories.advisories.flatMap(({ aliases }: { aliases: string[] }) => aliases);
  const ids = once.findings.flatMap(({ aliases = [] }: { aliases?: string[] }) => aliases);
  expect(ids.filter((id: string) => known.includes(id))).not.toEqual([]);
  // Every tag can be pulled.
  for (const { uid, digest } of once.tags) {
    const repo = uid.slice(0, uid.lastIndexOf("/"));
    const image = `/registry/v2/repos/${repo}/digests/${digest}/architectures`;
    expect((await callRest(image, { token })).body).toEqual({ architectures: ["amd64", "arm64"] });
  }
});
