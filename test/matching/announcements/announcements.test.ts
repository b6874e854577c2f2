/** Each vulnerability of a tagged image is announced once when it begins, and once when it ends. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { nvdRecord } from "../../registry/vuln_reports/grype_reports.ts";
import { statementOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { fakeDigest } from "../../world/personas.ts";
import { affected, npm, recordOf } from "../matches.ts";
import { matchIn, newScene, type Registry, type Scene } from "./scene.ts";

let registry: Registry;
let scene: Scene;
beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());
beforeEach(async () => {
  scene = await newScene(registry);
});

const begun = (id: string) => `affected ${id}`;
const ended = (id: string, reason: string) => `no_longer_affected ${id} ${reason}`;

describe("a record about a tagged image", () => {
  test("is one event with all that a person must know, whichever comes first", async () => {
    const tag = await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"), npm("1.1.0"), npm("2.0.0"));
    await scene.load(recordOf("GHSA-1", { aliases: ["CVE-1"] }));
    const [event, ...others] = await scene.announced();
    expect(others).toEqual([]);
    expect(event).toEqual({
      type: "affected.v1",
      subject: expect.stringMatching(new RegExp(`^${scene.repo}/[0-9a-f]{16}$`)),
      vulnerability: "CVE-1",
      severity: "critical",
      body: {
        vulnerabilityId: "CVE-1",
        aliases: ["GHSA-1"],
        severity: "FINDING_SEVERITY_CRITICAL",
        repoUid: scene.repo,
        repoName: expect.any(String),
        digest: fakeDigest("one"),
        tags: ["1.0"],
        tagCount: 1,
        packages: ["1.0.0", "1.1.0"].map((version) => ({
          ...{ name: "left", version, purl: npm(version) },
          ...{ fixedVersions: ["2.0.0"], foundBy: "FOUND_BY_SBOM" },
        })),
        packageCount: 2,
        pullerCount: 0,
      },
    });
    await scene.store("two", npm("1.0.0"));
    expect(await scene.announced()).toHaveLength(1);
    await scene.tag("2.0", "two");
    expect((await scene.announced()).map(({ body }) => body.digest)).toEqual(
      ["one", "two"].map(fakeDigest),
    );
    await scene.untag(String(tag.uid));
    expect(await scene.short()).toEqual([
      begun("CVE-1"),
      begun("CVE-1"),
      ended("CVE-1", "UNTAGGED"),
    ]);
  });

  test("has one event, also if it comes again, if another tag points there, or if the severity changes", async () => {
    await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"));
    await scene.load(recordOf("CVE-1"));
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.load(recordOf("CVE-1"));
    await scene.tag("latest", "one");
    await scene.load(recordOf("CVE-1", { modified: "2026-01-02T00:00:00Z", severity: [] }));
    await scene.store("one", npm("1.0.0"), npm("1.2.0"));
    expect(await scene.short()).toEqual([begun("CVE-1")]);
  });

  test("ends when it is withdrawn, and begins again when it is published again", async () => {
    await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"));
    await scene.load(recordOf("CVE-1"));
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.withdraw("CVE-1");
    const all = [begun("CVE-1"), ended("CVE-1", "NOT_FOUND")];
    expect(await scene.short()).toEqual(all);
    await scene.load(recordOf("CVE-1", { modified: "2026-02-02T00:00:00Z" }));
    expect(await scene.short()).toEqual([...all, begun("CVE-1")]);
  });

  test("is not announced while it is not known whether the image is affected, and ends when it is not any more", async () => {
    await scene.tag("1.0", "one");
    await scene.store("one", npm("weird"));
    await scene.load(recordOf("CVE-1"));
    expect(await scene.short()).toEqual([]);
    await scene.scan("one", [matchIn("CVE-1", [], "weird")]);
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.scan("one", [], 2);
    expect(await scene.short()).toEqual([begun("CVE-1"), ended("CVE-1", "UNKNOWN")]);
  });

  test("of another organization says nothing about it", async () => {
    const other = await newScene(registry);
    await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"));
    await other.load(recordOf("CVE-1"));
    expect([await other.short(), await scene.short()]).toEqual([[], []]);
  });
});

describe("a scanner and a record", () => {
  test("announce one vulnerability once, and the last one that finds it ends it", async () => {
    await scene.tag("1.0", "one");
    await scene.scan("one", [matchIn("GHSA-1", [nvdRecord("CVE-1", "")])]);
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.store("one", npm("1.0.0"));
    await scene.load(recordOf("CVE-1"));
    await scene.scan("one", [], 2);
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.withdraw("CVE-1");
    expect(await scene.short()).toEqual([begun("CVE-1"), ended("CVE-1", "NOT_FOUND")]);
  });

  test("two vulnerabilities that an alias makes one are not announced again, and each ends once", async () => {
    await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"));
    await scene.load(recordOf("GHSA-1"), recordOf("GHSA-2"));
    const both = [begun("GHSA-1"), begun("GHSA-2")];
    expect(await scene.short()).toEqual(both);
    const joined = { modified: "2026-01-02T00:00:00Z", aliases: ["CVE-1"] };
    await scene.load(recordOf("GHSA-1", joined), recordOf("GHSA-2", joined));
    expect(await scene.short()).toEqual(both);
    const apart = { modified: "2026-01-03T00:00:00Z" };
    await scene.load(recordOf("GHSA-1", apart), recordOf("GHSA-2", apart));
    expect(await scene.short()).toEqual(both);
    await scene.load(recordOf("GHSA-1", { ...joined, modified: "2026-01-04T00:00:00Z" }));
    await scene.load(recordOf("GHSA-2", { ...joined, modified: "2026-01-04T00:00:00Z" }));
    await scene.withdraw("GHSA-1");
    expect(await scene.short()).toEqual(both);
    await scene.withdraw("GHSA-2");
    expect((await scene.short()).slice(2).sort()).toEqual([
      ...[ended("GHSA-1", "NOT_FOUND"), ended("GHSA-2", "NOT_FOUND")],
    ]);
    await scene.load(recordOf("GHSA-2", { ...joined, modified: "2026-03-01T00:00:00Z" }));
    expect((await scene.short()).slice(4)).toEqual([begun("CVE-1")]);
  });
});

describe("a VEX statement", () => {
  const about = (status: string, more: object = {}) =>
    statementOf({
      ...{ vulnerability: { name: "CVE-1" }, products: [{ "@id": "pkg:npm/left" }], status },
      ...(status === "not_affected" ? { justification: "component_not_present" } : {}),
      ...more,
    });
  beforeEach(async () => {
    await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"));
  });

  test.each([
    ["not_affected", "NOT_AFFECTED"],
    ["fixed", "FIXED"],
  ])("%s ends what was announced, and a purge of it begins it again", async (status, reason) => {
    await scene.load(recordOf("GHSA-1", { aliases: ["CVE-1"] }));
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.state(about(status));
    expect(await scene.short()).toEqual([begun("CVE-1"), ended("CVE-1", reason)]);
    await scene.post(`/vulnerabilities/v2/advisories/${scene.uid}:purge`, { force: true });
    await scene.load(recordOf("GHSA-1", { aliases: ["CVE-1"], modified: "2026-05-01T00:00:00Z" }));
    expect((await scene.short()).slice(2)).toEqual([begun("CVE-1")]);
  });

  test("that comes first keeps the vulnerability from being announced, until a newer one says the opposite", async () => {
    await scene.state(about("not_affected"));
    await scene.load(recordOf("CVE-1"));
    expect(await scene.short()).toEqual([]);
    await scene.state(
      about("affected", { timestamp: "2026-06-01T00:00:00Z", action_statement: "update" }),
    );
    expect(await scene.short()).toEqual([begun("CVE-1")]);
  });

  test("about another version changes nothing", async () => {
    await scene.load(recordOf("CVE-1"));
    await scene.state(about("fixed", { products: [{ "@id": npm("9.0.0") }] }));
    expect(await scene.short()).toEqual([begun("CVE-1")]);
  });
});

describe("tags", () => {
  test("an image whose last tag moves away is no longer affected, and is again when a tag comes back", async () => {
    await scene.load(recordOf("CVE-1"));
    await scene.store("one", npm("1.0.0"));
    await scene.store("two", npm("2.0.0"));
    const move = (image: string) => scene.tag("latest", image);
    await move("one");
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await move("two");
    await move("one");
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await move("two");
    expect(await scene.short()).toEqual([begun("CVE-1"), ended("CVE-1", "UNTAGGED")]);
    await move("one");
    expect((await scene.short()).slice(2)).toEqual([begun("CVE-1")]);
  });

  test("a tag of an image index leads to the images in it", async () => {
    await scene.load(recordOf("CVE-1"));
    await scene.store("amd", npm("1.0.0"));
    const content = Buffer.from(
      JSON.stringify({
        mediaType: "application/vnd.oci.image.index.v1+json",
        manifests: [
          { digest: fakeDigest("amd"), platform: { os: "linux", architecture: "amd64" } },
        ],
      }),
    ).toString("base64");
    const index = await scene.post(`/registry/v2/manifests/${scene.repo}`, {
      ...{ mediaType: "application/vnd.oci.image.index.v1+json", content },
    });
    const tag = await scene.post(`/registry/v2/tags/${scene.repo}`, {
      ...{ name: "1.0", digest: index.digest },
    });
    expect(await scene.short()).toEqual([begun("CVE-1")]);
    await scene.untag(String(tag.uid));
    expect(await scene.short()).toEqual([begun("CVE-1"), ended("CVE-1", "UNTAGGED")]);
  });

  test("a move of a tag of images without findings writes no mark", async () => {
    await scene.store("one", npm("2.0.0"));
    await scene.announced();
    await scene.tag("1.0", "one");
    await scene.tag("2.0", "unknown");
    expect(await registry.run("select * from match_marks where root = ?", scene.uid)).toEqual([]);
  });

  test("the event names at most 20 tags, and their number", async () => {
    await scene.load(recordOf("CVE-1"));
    for (let n = 10; n < 35; n += 1) await scene.tag(`t${n}`, "one");
    await scene.store("one", npm("1.0.0"));
    const [event] = await scene.announced();
    expect(event?.body.tags).toEqual(Array.from({ length: 20 }, (_, n) => `t${n + 10}`));
    expect(event?.body.tagCount).toBe(25);
  });
});

describe("the event of an affected image says", () => {
  test("when it was last pulled, and by how many identities, since its tags point there", async () => {
    await scene.load(recordOf("CVE-1"));
    await scene.tag("1.0", "one");
    const [storage] = await registry.run<{ id: number }>(
      "insert into repo_storage (uid, organization_id) values (?, 1) returning id",
      scene.repo,
    );
    const pull = (reference: string, identity: string, time: number) =>
      registry.run(
        "insert into tag_pulls (repo_id, reference, identity, identity_name, time, days) values (?, ?, ?, '', ?, 1)",
        ...[storage?.id, reference, identity, time],
      );
    const later = Date.now() + 60_000;
    await pull("1.0", "a", later);
    await pull("1.0", "early", 1_000);
    await pull(fakeDigest("one"), "a", 2_000);
    await pull(fakeDigest("one"), "b", 2_000);
    await pull(fakeDigest("one"), "", 2_000);
    await pull(fakeDigest("two"), "c", later + 1);
    await scene.store("one", npm("1.0.0"));
    const [event] = await scene.announced();
    expect(event?.body).toMatchObject({
      lastPullTime: new Date(later).toISOString(),
      pullerCount: 2,
    });
  });

  test("which tag has moved on to an image without the vulnerability", async () => {
    await scene.store("clean", npm("2.0.0"));
    await scene.store("worse", npm("1.0.0"), npm("0.1.0", "other"));
    const moved = async (name: string, image: string) => {
      await scene.tag(name, "old");
      await scene.tag(name, image);
    };
    await scene.tag("old", "old");
    await moved("affected", "worse");
    await moved("not-examined", "nothing");
    await scene.load(
      recordOf("CVE-1"),
      recordOf("CVE-2", { affected: [affected("other", "1.0.0")] }),
    );
    await scene.store("old", npm("1.0.0"));
    const ofOld = async () =>
      (await scene.announced()).filter(({ body }) => body.digest === fakeDigest("old"));
    expect((await ofOld()).map(({ body }) => body.cleanImage)).toEqual([undefined]);
    await scene.withdraw("CVE-1");
    await moved("latest", "clean");
    await scene.load(recordOf("CVE-1", { modified: "2026-03-01T00:00:00Z" }));
    expect((await ofOld()).at(-1)?.body.cleanImage).toEqual({
      ...{ tag: "latest", digest: fakeDigest("clean") },
    });
  });
});

test("a deleted repository leaves nothing, and its images have no further events", async () => {
  await scene.load(recordOf("CVE-1"));
  await scene.tag("1.0", "one");
  await scene.store("one", npm("1.0.0"));
  expect(await scene.short()).toEqual([begun("CVE-1")]);
  await scene.call("DELETE", `/registry/v2/repos/${scene.repo}`);
  expect(await scene.short()).toEqual([begun("CVE-1")]);
  const left = "select * from announced_vulnerabilities where image_uid > ? and image_uid < ?";
  expect(await registry.run(left, `${scene.repo}/`, `${scene.repo}0`)).toEqual([]);
});
