/** Announcements are neither lost nor repeated, whatever crosses them or cuts them off. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startOwnRegistry } from "../../distribution/own_registry.ts";
import { statementOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { expectLog } from "../../world/logs.ts";
import { fakeDigest } from "../../world/personas.ts";
import { affected, npm, recordOf } from "../matches.ts";
import {
  expectAlternating,
  matchIn,
  newScene,
  type Registry,
  type Scene,
  shortOf,
} from "./scene.ts";

let registry: Registry;
let scene: Scene;
beforeAll(async () => {
  await expectLog("this run is cut off");
  registry = await startOwnRegistry({ bindings: { PUBLIC_NAMESPACE: "public-images" } });
});
afterAll(() => registry.stop());
beforeEach(async () => {
  scene = await newScene(registry);
});

const begun = (id: string) => `affected ${id}`;
const ended = (id: string, reason: string) => `no_longer_affected ${id} ${reason}`;

/** Undoes every batch that writes an event of these types. */
const failEvents = (types: string) =>
  registry.run(`create trigger failing before insert on events when new.type glob '${types}'
    begin select raise(abort, 'this run is cut off'); end`);
const repair = () => registry.run("drop trigger failing");

describe("a batch that fails", () => {
  test("leaves neither events nor rows, and the next run does the whole work once", async () => {
    await failEvents("*image.affected.v1");
    await scene.tag("1.0", "one");
    await scene.store("one", npm("1.0.0"));
    await scene.load(recordOf("CVE-1"), recordOf("CVE-2"));
    await registry.runSchedule().catch(() => {});
    const rows = () =>
      registry.run(
        "select vulnerability from announced_vulnerabilities where image_uid > ? and image_uid < ?",
        ...[`${scene.repo}/`, `${scene.repo}0`],
      );
    expect(await rows()).toEqual([]);
    await repair();
    expect(await scene.short()).toEqual([begun("CVE-1"), begun("CVE-2")]);
    expect(await rows()).toHaveLength(2);
    await registry.runSchedule();
    expect(await scene.short()).toHaveLength(2);
  });

  test("holds up no other image of its organization, and is done when it can be", async () => {
    const images = Array.from({ length: 9 }, (_, n) => `image-${n}`);
    for (const [n, image] of images.entries()) {
      await scene.tag(`t${n}`, image);
      await scene.store(image, npm("1.0.0"));
    }
    const bad = ["image-2", "image-5"];
    const digests = bad.map((image) => `'${fakeDigest(image)}'`).join();
    await registry.run(`create trigger failing before insert on events when new.digest in (${digests})
      and new.type glob '*image.affected*' begin select raise(abort, 'this run is cut off'); end`);
    await scene.load(recordOf("CVE-1"));
    await registry.runSchedule().catch(() => {});
    const announced = () =>
      registry.run<{ digest: string }>(
        "select digest from events where repo_uid = ? and type glob '*image.affected.v1'",
        scene.repo,
      );
    const others = images.filter((image) => !bad.includes(image)).map(fakeDigest);
    expect((await announced()).map(({ digest }) => digest).sort()).toEqual(others.sort());
    await repair();
    expect(await scene.short()).toEqual(images.map(() => begun("CVE-1")));
  });

  test("holds up no other organization", async () => {
    const other = await newScene(registry);
    await registry.run(`create trigger failing before insert on events when new.repo_uid = '${scene.repo}'
      and new.type glob '*image.affected.v1' begin select raise(abort, 'this run is cut off'); end`);
    for (const { tag, store, load } of [scene, other]) {
      await tag("1.0", "one");
      await store("one", npm("1.0.0"));
      await load(recordOf("CVE-1"));
    }
    await registry.runSchedule().catch(() => {});
    expect(await other.short()).toEqual([begun("CVE-1")]);
    await repair();
    expect(await scene.short()).toEqual([begun("CVE-1")]);
  });
});

test("two runs at once announce each vulnerability once", async () => {
  await failEvents("*image.*affected*");
  await scene.tag("1.0", "one");
  await scene.store("one", npm("1.0.0"));
  const ids = Array.from({ length: 30 }, (_, n) => `CVE-${n + 10}`);
  await scene.load(...ids.map((id) => recordOf(id)));
  await registry.runSchedule().catch(() => {});
  await repair();
  await Promise.all([registry.runSchedule(), registry.runSchedule(), registry.runSchedule()]);
  expect((await scene.short()).sort()).toEqual(ids.map(begun).sort());
});

test("imports, reports, statements and tags that cross leave each image with the right last event", async () => {
  const images = ["a", "b", "c"];
  const record = (n: number, more: object = {}) =>
    recordOf("CVE-1", { modified: `2026-01-${String(n + 10)}T00:00:00Z`, ...more });
  const tags = await Promise.all(images.map((image) => scene.tag(`tag-${image}`, image)));
  await Promise.all([
    ...images.map((image) => scene.store(image, npm("1.0.0"))),
    scene.load(record(0)),
  ]);
  const withdrawn = "2026-01-12T00:00:00Z";
  await Promise.all([
    scene.load(record(2, { withdrawn })),
    scene.scan("a", [matchIn("CVE-1")]),
    scene.tag("latest", "b"),
    registry.runSchedule(),
  ]);
  await Promise.all([
    scene.load(record(3)),
    scene.untag(String(tags[2]?.uid)),
    scene.scan("b", []),
    registry.runSchedule(),
    registry.runSchedule(),
  ]);
  const events = await scene.announced();
  const open = [...expectAlternating(events)].map((key) => key.split(" ")[1]);
  expect(open).toEqual(["CVE-1", "CVE-1"]);
  const last = new Map(events.map((event) => [event.body.digest, shortOf(event)[0]]));
  expect([...last.values()].filter((text) => text?.startsWith("affected"))).toHaveLength(2);
});

test("an image with more vulnerabilities than one piece has is announced as a whole, each once", async () => {
  const count = 450;
  const matches = Array.from({ length: count }, (_, n) => matchIn(`CVE-${1000 + n}`));
  await scene.tag("1.0", "one");
  await scene.scan("one", matches);
  const events = await scene.announced();
  expect(events.map(({ type, body }) => [type, body.vulnerabilities?.length])).toEqual([
    ...[200, 200, 50].map((part) => ["affected.summary.v1", part]),
  ]);
  expect(expectAlternating(events).size).toBe(count);
  await scene.scan("one", matches.slice(0, 400), 2);
  expect((await scene.short()).slice(count)).toEqual(
    matches.slice(400).map(({ vulnerability }) => ended(vulnerability.id, "NOT_FOUND")),
  );
});

test("a mark that was made again while a piece was done begins from the start", async () => {
  await failEvents("*image.affected.v1");
  await scene.tag("1.0", "one");
  await scene.store("one", npm("1.0.0"));
  await scene.load(recordOf("CVE-1"), recordOf("CVE-2"));
  await repair();
  // As if a piece had announced all until CVE-1, and then something had changed.
  await registry.run(
    `update match_marks set cursor = '{"after":"CVE-1"}' where root = ?`,
    scene.uid,
  );
  await scene.scan("one", [matchIn("CVE-9")]);
  expect((await scene.short()).sort()).toEqual([begun("CVE-1"), begun("CVE-2"), begun("CVE-9")]);
});

test("a record of the public organization is announced to each organization that has an affected image", async () => {
  const other = await newScene(registry);
  await registry.run(
    "update groups set name = 'public-images', verified = 1 where uid = ?",
    other.uid,
  );
  await scene.tag("1.0", "one");
  await scene.store("one", npm("1.0.0", "public-left"));
  const record = recordOf("CVE-77", { affected: [affected("public-left", "2.0.0")] });
  await other.load(record);
  await registry.runSchedule();
  expect(await scene.short()).toEqual([begun("CVE-77")]);
  expect(await other.short()).toEqual([]);
  await other.withdraw("CVE-77", { affected: record.affected });
  await registry.runSchedule();
  expect((await scene.short()).slice(1)).toEqual([ended("CVE-77", "NOT_FOUND")]);
});

test("records of a new public organization match all images after the statement of the operator's guide", async () => {
  const other = await newScene(registry);
  await scene.tag("1.0", "one");
  await scene.store("one", npm("1.0.0", "later-public"));
  await other.load(recordOf("CVE-78", { affected: [affected("later-public", "2.0.0")] }));
  await registry.run("update groups set name = 'former' where name = 'public-images'");
  await registry.run(
    "update groups set name = 'public-images', verified = 1 where uid = ?",
    other.uid,
  );
  await registry.runSchedule();
  expect(await scene.short()).toEqual([]);
  const guide = readFileSync(new URL("../../../docs/DEPLOY.md", import.meta.url), "utf8");
  const [, statement = ""] = /"(INSERT INTO match_marks .*)"/.exec(guide) ?? [];
  await registry.run(statement);
  await registry.run(statement);
  await registry.runSchedule();
  expect(await scene.short()).toEqual([begun("CVE-78")]);
  await registry.run("update groups set verified = 0 where uid = ?", other.uid);
  await registry.run(statement);
  await registry.runSchedule();
  expect((await scene.short()).slice(1)).toEqual([ended("CVE-78", "NOT_FOUND")]);
});

test("a statement marks the images of its vulnerability in pieces, which continue where they ended", async () => {
  await scene.tag("1.0", "one");
  await scene.store("one", npm("1.0.0"));
  await scene.load(recordOf("CVE-1"));
  expect(await scene.short()).toEqual([begun("CVE-1")]);
  const statement = statementOf({
    ...{ vulnerability: { name: "CVE-1" }, products: [{ "@id": "pkg:npm/left" }] },
    ...{ status: "not_affected", justification: "component_not_present" },
  });
  await failEvents("*image.no_longer_affected.v1");
  await scene.state(statement);
  await registry.runSchedule().catch(() => {});
  await repair();
  expect((await scene.short()).slice(1)).toEqual([ended("CVE-1", "NOT_AFFECTED")]);
});
