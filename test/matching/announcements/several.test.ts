/** Many vulnerabilities of one image make few events, and a tag that moves repeats nothing. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { expectLog } from "../../world/logs.ts";
import { fakeDigest } from "../../world/personas.ts";
import { npm, recordOf } from "../matches.ts";
import { expectAlternating, matchIn, newScene, type Registry, type Scene } from "./scene.ts";

let registry: Registry;
let scene: Scene;
beforeAll(async () => {
  registry = await startOwnRegistry();
});
afterAll(() => registry.stop());
beforeEach(async () => {
  scene = await newScene(registry);
});

const ids = (count: number, from = 100) =>
  Array.from({ length: count }, (_, n) => `CVE-${from + n}`);
const matches = (all: string[]) => all.map((id) => matchIn(id));
const typesAndCounts = async () =>
  (await scene.announced()).map(({ type, body }) => [type, body.vulnerabilities?.length ?? 1]);

describe("vulnerabilities that begin or end at once", () => {
  test("have an event each up to 10, and one event above that", async () => {
    await scene.tag("1.0", "ten");
    await scene.tag("1.1", "eleven");
    await scene.scan("ten", matches(ids(10)));
    await scene.scan("eleven", matches(ids(11)));
    const begun = [...ids(10).map(() => ["affected.v1", 1]), ["affected.summary.v1", 11]];
    expect((await typesAndCounts()).sort()).toEqual(begun.sort());
    await scene.scan("ten", [], 2);
    await scene.scan("eleven", [], 2);
    expect((await typesAndCounts()).slice(11).sort()).toEqual([
      ...[["no_longer_affected.summary.v1", 11]],
      ...ids(10).map(() => ["no_longer_affected.v1", 1]),
    ]);
    expect(expectAlternating(await scene.announced()).size).toBe(0);
  });

  test("are together also in the last piece of an image, which has a few, and alone if it is one", async () => {
    await scene.tag("1.0", "one");
    await scene.scan("one", matches(ids(205)));
    expect(await typesAndCounts()).toEqual([
      ["affected.summary.v1", 200],
      ["affected.summary.v1", 5],
    ]);
    await scene.tag("1.1", "two");
    await scene.scan("two", matches(ids(201)));
    expect((await typesAndCounts()).slice(2)).toEqual([
      ["affected.summary.v1", 200],
      ["affected.v1", 1],
    ]);
  });

  test("are listed in one event, the most severe first, with the image and its use", async () => {
    await scene.tag("1.0", "one");
    const critical = (id: string) =>
      ["a", "b", "c", "d"].map((name) =>
        matchOf(id, "Critical", {
          artifact: { name, version: "1.0.0", purl: npm("1.0.0", name) },
          fix: { versions: ["2.0.0"], state: "fixed" },
        }),
      );
    await scene.scan("one", [...matches(ids(150)), ...critical("CVE-999")]);
    const [first, ...others] = await scene.announced();
    expect(others).toEqual([]);
    const { vulnerabilities = [], ...image } = first?.body ?? {};
    expect(image).toEqual({
      ...{ repoUid: scene.repo, repoName: expect.any(String), digest: fakeDigest("one") },
      ...{ tags: ["1.0"], tagCount: 1, pullerCount: 0, severity: "FINDING_SEVERITY_CRITICAL" },
    });
    expect([first?.severity, vulnerabilities.length]).toEqual(["critical", 151]);
    expect(vulnerabilities[0]).toMatchObject({
      ...{ vulnerabilityId: "CVE-999", severity: "FINDING_SEVERITY_CRITICAL", packageCount: 4 },
    });
    expect(vulnerabilities[0]?.packages).toHaveLength(3);
    expect(vulnerabilities[0]?.packages?.[0]).toMatchObject({
      name: "a",
      fixedVersions: ["2.0.0"],
    });
    expect(vulnerabilities[1]).toMatchObject({ vulnerabilityId: "CVE-100", packageCount: 1 });
  });

  test("of unknown severity come after the critical ones, and name the severity of the event without one", async () => {
    await scene.tag("1.0", "one");
    await scene.scan("one", [
      ...matches(ids(11)),
      ...["High", "Unknown"].map((severity) =>
        matchOf(`CVE-${severity}`, severity, {
          artifact: { name: "left", version: "1.0.0", purl: npm("1.0.0") },
          related: [],
        }),
      ),
    ]);
    const [event] = await scene.announced();
    expect(event?.severity).toBe("unknown");
    expect(event?.body.vulnerabilities?.slice(0, 2)).toMatchObject([
      { vulnerabilityId: "CVE-Unknown" },
      { vulnerabilityId: "CVE-High" },
    ]);
  });
});

describe("a tag that moves to an image with the same vulnerabilities", () => {
  /** Two images, of which the first is tagged and announced. */
  async function newImages(old: string[], newer: string[]) {
    await scene.tag("1.0", "old");
    await scene.scan("old", matches(old));
    await scene.scan("newer", matches(newer));
    return (await scene.announced()).length;
  }

  test("makes one event about what both have, and events about the difference", async () => {
    const before = await newImages(["CVE-1", "CVE-2", ...ids(200)], ["CVE-3", ...ids(200)]);
    await scene.tag("1.0", "newer");
    const events = (await scene.announced()).slice(before);
    const [still, ...others] = events;
    expect(still).toMatchObject({
      type: "still_affected.v1",
      body: { digest: fakeDigest("newer"), previousDigest: fakeDigest("old"), tags: ["1.0"] },
    });
    expect(still?.body.vulnerabilities).toHaveLength(200);
    expect(
      others.map(({ type, body }) => [type, body.vulnerabilityId, body.digest]).sort(),
    ).toEqual([
      ["affected.v1", "CVE-3", fakeDigest("newer")],
      ["no_longer_affected.v1", "CVE-1", fakeDigest("old")],
      ["no_longer_affected.v1", "CVE-2", fakeDigest("old")],
    ]);
    await scene.scan("newer", [], 2);
    expect(expectAlternating(await scene.announced()).size).toBe(0);
  });

  test("and back makes an event each time", async () => {
    const before = await newImages(["CVE-1"], ["CVE-1"]);
    await scene.tag("1.0", "newer");
    expect((await scene.short()).slice(before)).toEqual(["still_affected CVE-1"]);
    await scene.tag("1.0", "old");
    expect((await scene.short()).slice(before)).toEqual([
      ...["still_affected CVE-1", "still_affected CVE-1"],
    ]);
    const open = [...expectAlternating(await scene.announced())];
    expect(open).toEqual([`${(await scene.announced())[0]?.subject} CVE-1`]);
  });

  test("passes nothing on while another tag keeps the old image, and ends what the new one had already", async () => {
    await scene.tag("stable", "old");
    const before = await newImages(["CVE-1"], ["CVE-1"]);
    await scene.tag("1.0", "newer");
    expect((await scene.short()).slice(before)).toEqual(["affected CVE-1"]);
    await scene.tag("stable", "newer");
    expect((await scene.short()).slice(before + 1)).toEqual(["no_longer_affected CVE-1 UNTAGGED"]);
  });

  test("is another thing than a tag that moves elsewhere while another image gets one", async () => {
    const before = await newImages(["CVE-1"], ["CVE-1"]);
    await scene.tag("2.0", "newer");
    await scene.tag("1.0", "third");
    expect((await scene.short()).slice(before).sort()).toEqual([
      ...["affected CVE-1", "no_longer_affected CVE-1 UNTAGGED"],
    ]);
  });

  test("ends and begins them if the new image is examined later", async () => {
    await scene.tag("1.0", "old");
    await scene.scan("old", matches(["CVE-1"]));
    await scene.tag("1.0", "newer");
    expect(await scene.short()).toEqual(["affected CVE-1", "no_longer_affected CVE-1 UNTAGGED"]);
    await scene.scan("newer", matches(["CVE-1"]));
    expect((await scene.short()).slice(2)).toEqual(["affected CVE-1"]);
  });

  test("keeps the id that was announced, also if the new image knows it as an alias", async () => {
    const before = await newImages(["GHSA-1"], []);
    await scene.store("newer", npm("1.0.0"));
    await scene.load(recordOf("CVE-5", { aliases: ["GHSA-1"], modified: "2026-01-01T00:00:00Z" }));
    await scene.tag("1.0", "newer");
    expect((await scene.short()).slice(before)).toEqual(["still_affected GHSA-1"]);
    await scene.withdraw("CVE-5", { aliases: ["GHSA-1"] });
    expect((await scene.short()).slice(before + 1)).toEqual([
      "no_longer_affected GHSA-1 NOT_FOUND",
    ]);
  });

  test("of an index passes the images of the old index to those of the new one", async () => {
    const mediaType = "application/vnd.oci.image.index.v1+json";
    const tagIndex = async (images: string[]) => {
      const platform = (n: number) => ({ os: "linux", architecture: n === 0 ? "amd64" : "arm64" });
      const manifests = images.map((image, n) => ({
        ...{ digest: fakeDigest(image), platform: platform(n) },
      }));
      const content = Buffer.from(JSON.stringify({ mediaType, manifests })).toString("base64");
      const index = await scene.post(`/registry/v2/manifests/${scene.repo}`, {
        mediaType,
        content,
      });
      await scene.post(`/registry/v2/tags/${scene.repo}`, { name: "1.0", digest: index.digest });
    };
    for (const image of ["a1", "a2", "b1", "b2"]) await scene.scan(image, matches(["CVE-1"]));
    await tagIndex(["a1", "a2"]);
    expect(await scene.short()).toEqual(["affected CVE-1", "affected CVE-1"]);
    await tagIndex(["b1", "b2"]);
    expect((await scene.short()).slice(2)).toEqual([
      "still_affected CVE-1",
      "still_affected CVE-1",
    ]);
    expect(new Set((await scene.announced()).map(({ subject }) => subject)).size).toBe(4);
  });

  test("is announced once by runs at once, and after a run that is cut off", async () => {
    await expectLog("this run is cut off");
    const before = await newImages(ids(30), ids(30));
    await registry.run(`create trigger failing before insert on events when new.type glob '*affected*'
      begin select raise(abort, 'this run is cut off'); end`);
    await scene.tag("1.0", "newer");
    await registry.runSchedule().catch(() => {});
    const rows = () =>
      registry.run<{ image: string; count: number }>(
        `select image_uid as image, count(*) as count from announced_vulnerabilities
          where image_uid > ? and image_uid < ? group by 1`,
        ...[`${scene.repo}/`, `${scene.repo}0`],
      );
    const [old] = await rows();
    expect(old?.count).toBe(30);
    await registry.run("drop trigger failing");
    await Promise.all([registry.runSchedule(), registry.runSchedule(), registry.runSchedule()]);
    expect((await typesAndCounts()).slice(before)).toEqual([["still_affected.v1", 30]]);
    const now = await rows();
    expect(now).toEqual([{ image: expect.any(String), count: 30 }]);
    expect(now[0]?.image).not.toBe(old?.image);
  });
});
