import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seedSampleData } from "../../cli/seed.ts";
import { bindPerson, newOrganization } from "../world/personas.ts";
import { baseUrl, callRest } from "../world/platform.ts";
import { root, stateOf } from "./command.ts";

const bytesOf = (name: string) => readFileSync(join(root, "cli/demo", name));
const digestOf = (name: string) =>
  `sha256:${createHash("sha256").update(bytesOf(name)).digest("hex")}`;
const linesOf = (name: string) => bytesOf(name).toString().trimEnd().split("\n");

test("the index of the sample image names its manifests, byte for byte", () => {
  const { manifests } = JSON.parse(bytesOf("manifests/hello.json").toString());
  for (const { digest, size, platform } of manifests) {
    const file = `manifests/hello-${platform.architecture}.json`;
    expect({ digest, size }).toEqual({ digest: digestOf(file), size: bytesOf(file).length });
  }
});

test("the sample moves are in the order of time, without duplicates", () => {
  const moves = linesOf("tag-moves.jsonl").map((line) => JSON.parse(line));
  const times = moves.map((move) => move.updateTimestamp);
  expect(times).toEqual([...times].sort());
  expect(new Set(linesOf("tag-moves.jsonl")).size).toBe(moves.length);
});

test("a second run of the seed changes nothing, and every domain then has data", async () => {
  const organization = await newOrganization();
  const free = await newOrganization();
  const token = organization.owner.token;
  const state = stateOf(organization);
  // The owner of one organization seeds both, so the second one lets them in.
  await bindPerson({ uid: free.uid, token: free.owner.token }, organization.owner.uid, "owner");
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
    return { tags: tags.tags, repos: repos.repos, freeRepos: freeRepos.repos, advisories };
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
  expect(once.tags).toHaveLength(21);
  expect(once.tags.filter((tag: { deprecated?: boolean }) => tag.deprecated)).toHaveLength(9);
  expect(once.advisories.totalCount).toBe("9");
  const repo = once.repos.find(({ name }: { name: string }) => name === "hello-world").uid;
  const image = `${baseUrl()}/registry/v2/repos/${repo}/digests/${digestOf("manifests/hello.json")}`;
  const headers = { authorization: `Bearer ${token}` };
  const shown = await (await fetch(`${image}/architectures`, { headers })).json();
  expect(shown).toEqual({ architectures: ["amd64", "arm64"] });
});
