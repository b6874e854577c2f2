/** Plans of repositories that a test writes down: the cases in which clean-ups of registries have lost images. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  ExpireRuleSchema,
  KeepRuleSchema,
  NewestOrder,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { planExpiry } from "../../../src/registry/expiry/plan.ts";
import type {
  ManifestState,
  RepoState,
  TagState,
} from "../../../src/registry/expiry/repo_state.ts";
import type { Rule } from "../../../src/registry/tag_rules/decide.ts";
import { ruleOf } from "../tag_rules/rule_of.ts";

const dayMs = 24 * 3_600_000;
const now = 1_000 * dayMs;
const ago = (days: number) => now - days * dayMs;

const expire = (
  init: MessageInitShape<typeof ExpireRuleSchema>,
  more: Partial<Rule> = {},
): Rule => ({
  ...ruleOf({ case: "writeOnce", value: true }, more),
  keep: undefined,
  expire: create(ExpireRuleSchema, init),
});
const keepTags = (includeTags: string[], more: Partial<Rule> = {}): Rule => ({
  ...expire({}, { includeTags, ...more }),
  expire: undefined,
  keep: create(KeepRuleSchema, { condition: { case: "writeOnce", value: true } }),
});
const tag = (name: string, digest: string, more: Partial<TagState> = {}): TagState => ({
  ...{ uid: name, name, digest, updateTime: ago(100), moveTime: ago(100), pullTime: 0 },
  ...more,
});
const manifest = (digest: string, more: Partial<ManifestState> = {}): ManifestState => ({
  ...{ digest, uid: digest, createTime: ago(100), bytes: 1, children: [], blobs: [] },
  ...{ untaggedTime: ago(100), pullTime: 0 },
  ...more,
});

/** The tags and digests of the plan, in its order. */
function planned(
  rules: Rule[],
  tags: TagState[],
  manifests: ManifestState[],
  more: Partial<RepoState> = {},
): string[] {
  const { items } = planExpiry({
    ...{ name: "app", now, rules, onlyDaily: false, tags, ruleRows: [] },
    manifests: new Map(manifests.map((one) => [one.digest, one])),
    ...{ blobSizes: new Map(), protectedDigests: new Map() },
    ...more,
  });
  return items.map((item) => item.tag?.name ?? `${item.manifest?.digest}`);
}

const untagged = expire({ untaggedDays: 7 });
const unmoved = expire({ unmovedDays: 30 }, { includeTags: ["pr-*"] });

describe("images without a tag", () => {
  test("those of a tagged index stay, at any depth", () => {
    const manifests = [
      manifest("outer", { children: ["inner", "x"] }),
      manifest("inner", { children: ["y"] }),
      ...["x", "y", "alone"].map((digest) => manifest(digest)),
    ];
    expect(planned([untagged], [tag("v1", "outer")], manifests)).toEqual(["alone"]);
  });

  test("a referrer of a tagged image stays, and so does a referrer of it", () => {
    const manifests = [
      manifest("image"),
      manifest("sbom", { subject: "image" }),
      manifest("signature", { subject: "sbom" }),
      manifest("lost", { subject: "gone" }),
    ];
    expect(planned([untagged], [tag("v1", "image")], manifests)).toEqual(["lost"]);
  });

  test("the days count since the last tag left it, not since the image was made", () => {
    const image = (days: number) => manifest(`${days}`, { untaggedTime: ago(days) });
    expect(planned([untagged], [], [image(6.9), image(7), image(8)]).sort()).toEqual(["7", "8"]);
  });

  test("one that has a tag again is not among them", () => {
    const image = manifest("image", { untaggedTime: ago(50) });
    expect(planned([untagged], [tag("v1", "image")], [image])).toEqual([]);
    expect(planned([untagged], [], [image])).toEqual(["image"]);
  });

  test("an index without a tag goes, and an image that a tagged index shares with it stays", () => {
    const manifests = [
      manifest("old", { children: ["shared", "own"] }),
      manifest("new", { children: ["shared"] }),
      ...["shared", "own"].map((digest) => manifest(digest)),
    ];
    expect(planned([untagged], [tag("v1", "new")], manifests)).toEqual(["old", "own"]);
  });

  test("rules about tags of a nearer scope do not hide the rule about them", () => {
    const ofGroup = expire({ untaggedDays: 7 }, { parent: "o" });
    expect(planned([unmoved, ofGroup], [], [manifest("image")])).toEqual(["image"]);
  });
});

describe("several tags of one image", () => {
  const manifests = [manifest("image", { children: ["child"] }), manifest("child")];
  const tags = ["pr-1", "pr-2", "v1"].map((name) => tag(name, "image"));

  test("the image stays as long as one of three stays", () => {
    expect(planned([unmoved], tags, manifests)).toEqual(["pr-1", "pr-2"]);
    const moved = tags.map((one) => (one.name === "v1" ? { ...one, moveTime: ago(1) } : one));
    const all = expire({ unmovedDays: 30 });
    expect(planned([all, untagged], moved, manifests)).toEqual(["pr-1", "pr-2"]);
  });

  test("the image goes with the last of three, after them", () => {
    const all = expire({ unmovedDays: 30 });
    expect(planned([all], tags, manifests)).toEqual(["pr-1", "pr-2", "v1", "image", "child"]);
  });

  test("a keep rule of a farther scope keeps its tag and the image", () => {
    const rules = [expire({ unmovedDays: 30 }), keepTags(["v*"], { parent: "o" })];
    expect(planned(rules, tags, manifests)).toEqual(["pr-1", "pr-2"]);
  });
});

describe("signatures", () => {
  const manifests = ["image", "signature"].map((digest) => manifest(digest));
  const signature = tag("sha256-1.sig", "signature", { subject: "image", moveTime: ago(1) });
  const named = tag("pr-1", "image");

  test("the tag of a signature goes after its image and before the signature, however young it is", () => {
    const order = ["pr-1", "image", "sha256-1.sig", "signature"];
    expect(planned([unmoved], [signature, named], manifests)).toEqual(order);
  });

  test("a rule that keeps the tag of a signature keeps its image", () => {
    expect(planned([unmoved, keepTags(["*.sig"])], [named, signature], manifests)).toEqual([
      "pr-1",
    ]);
  });

  test("they do not count among the newest", () => {
    const newest = expire({ beyondNewest: { count: 1, order: NewestOrder.TIME } });
    expect(planned([newest], [named, signature], manifests)).toEqual([]);
  });
});

describe("what stays for its own sake", () => {
  const manifests = [manifest("index", { children: ["x"] }), manifest("x", { pullTime: ago(5) })];
  const tags = [tag("pr-1", "index")];

  test("an image of an index that was pulled by its digest stays, and the index goes", () => {
    expect(planned([unmoved], tags, manifests)).toEqual(["pr-1", "index"]);
  });

  test("a hold on the index keeps its images too", () => {
    const held = { protectedDigests: new Map([["index", "held"]]) };
    expect(planned([unmoved], tags, manifests, held)).toEqual(["pr-1"]);
  });

  test("a rule without daily lets nothing go by the schedule, and hides the farther ones", () => {
    const daily = { unmovedDays: 30, daily: true };
    const onlyDaily = { onlyDaily: true };
    const farther = expire(daily, { parent: "o" });
    expect(planned([unmoved, farther], tags, manifests, onlyDaily)).toEqual([]);
    expect(planned([farther], tags, manifests, onlyDaily)).toEqual(["pr-1", "index"]);
  });
});

test("a plan without room for everything has no tag without its image, because nothing would delete the image later", () => {
  const names = Array.from({ length: 20 }, (_, n) => `t${n}`);
  const state: RepoState = {
    ...{ name: "app", now, rules: [expire({ unmovedDays: 30 })], onlyDaily: false, ruleRows: [] },
    tags: names.map((name) => tag(name, `of-${name}`)),
    manifests: new Map(names.map((name) => [`of-${name}`, manifest(`of-${name}`)])),
    ...{ blobSizes: new Map(), protectedDigests: new Map() },
  };
  const { items, truncated, all } = planExpiry(state, undefined, 25);
  const tags = items.flatMap((item) => item.tag?.digest ?? []);
  expect([truncated, all.length]).toEqual([true, 40]);
  expect(tags.length).toBeGreaterThan(5);
  expect(items.flatMap((item) => item.manifest?.digest ?? []).sort()).toEqual(tags.sort());
});
