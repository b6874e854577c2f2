/** Each condition with the changes that it allows and refuses, and the rules that count. */
import { describe, expect, test } from "vitest";
import { ForwardOrder } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import {
  decide,
  type Facts,
  type Image,
  isAbout,
  type Rule,
  type TagChange,
} from "../../../src/registry/tag_rules/decide.ts";
import { type Condition, ruleOf } from "./rule_of.ts";

const hour = 3_600_000;
const noFacts: Facts = { roles: new Set(), images: new Map(), tags: new Map(), stays: [] };
const image = (imageTime: number | null, known: Image["known"] = {}): Image => ({
  imageTime,
  known,
});
const images = (from: Image[], to: Image[]): Partial<Facts> => ({
  images: new Map([
    ["from", from],
    ["to", to],
  ]),
});
const tags = (from: string[], to: string[]): Partial<Facts> => ({
  tags: new Map([
    ["from", from],
    ["to", to],
  ]),
});
const stay = (duration: number, more: Partial<Facts["stays"][number]> = {}): Partial<Facts> => ({
  stays: [{ tag: "staging-1", digest: "to", duration, ...more }],
});

const set = { from: "", to: "to" };
const move = { from: "from", to: "to" };
const remove = { from: "from", to: "" };

const writeOnce: Condition = { case: "writeOnce", value: true };
const byVersion: Condition = { case: "forward", value: ForwardOrder.VERSION };
const byTime: Condition = { case: "forward", value: ForwardOrder.IMAGE_TIME };
const forRole: Condition = { case: "roleUid", value: "o/releasers" };
const promotion: Condition = { case: "promotion", value: { from: "staging-*", hours: 24 } };
const atOnce: Condition = { case: "promotion", value: { from: "staging-*", hours: 0 } };
const withSbom: Condition = { case: "requirement", value: { sbom: true } };

const kept = "it is kept, so it cannot be deleted";
const noTime = "the image does not say when it was built";
const noVersion = "no tag with a version points to the image";
const early = "no tag staging-* has pointed to the image for 24 hours";
const noImage = "the repository does not have the image";

type Row = [Condition, Pick<TagChange, "from" | "to">, Partial<Facts>, refusal: string | undefined];

const rows: Record<string, Row> = {
  "a tag is set once": [writeOnce, set, {}, undefined],
  "a tag is set again": [writeOnce, move, {}, "it can be set only once"],
  "a tag of a write-once rule is deleted": [writeOnce, remove, {}, kept],

  "a first set has no order of versions": [byVersion, set, {}, undefined],
  "a greater version": [byVersion, move, tags(["1.2.9"], ["1.2.10"]), undefined],
  "the same version": [byVersion, move, tags(["1.2.3"], ["1.2.3"]), undefined],
  "a lower version": [
    byVersion,
    move,
    tags(["1.3.0"], ["1.2.9"]),
    "the version 1.2.9 of the image is before the current one, 1.3.0",
  ],
  "the moved tag does not count as the version of the new image": [
    byVersion,
    move,
    tags(["1.2.3"], ["1"]),
    noVersion,
  ],
  "the moved tag does not count as the version of the current image": [
    byVersion,
    move,
    tags(["1"], ["0.9"]),
    undefined,
  ],
  "no tags are known": [byVersion, move, {}, noVersion],
  "a tag that moves by version is deleted": [byVersion, remove, {}, kept],

  "a first set has no order of times": [byTime, set, {}, undefined],
  "a later image": [byTime, move, images([image(1)], [image(2)]), undefined],
  "an image of the same time": [byTime, move, images([image(1)], [image(1)]), undefined],
  "an image of 1970": [byTime, move, images([image(0)], [image(0)]), undefined],
  "an earlier image": [
    byTime,
    move,
    images([image(2)], [image(1)]),
    "the image was built at 1970-01-01T00:00:00.001Z, before the current one (1970-01-01T00:00:00.002Z)",
  ],
  "an index counts as its latest image": [
    byTime,
    move,
    images([image(2), image(1)], [image(0), image(2)]),
    undefined,
  ],
  "an image without a time": [byTime, move, images([image(1)], [image(null)]), noTime],
  "an index with an image without a time": [
    byTime,
    move,
    images([image(1)], [image(2), image(null)]),
    noTime,
  ],
  "an unknown digest has no time": [byTime, move, {}, noTime],
  "a digest without images has no time": [byTime, move, images([], []), noTime],
  "any time comes after an image without one": [
    byTime,
    move,
    images([image(null)], [image(1)]),
    undefined,
  ],
  "any time comes after an unknown digest": [byTime, move, images([], [image(1)]), undefined],
  "a tag that moves by time is deleted": [byTime, remove, {}, kept],

  "a holder of the role moves a tag": [
    forRole,
    move,
    { roles: new Set(["o/releasers"]) },
    undefined,
  ],
  "a holder of the role deletes a tag": [
    forRole,
    remove,
    { roles: new Set(["o/releasers"]) },
    undefined,
  ],
  "a holder of another role sets a tag": [
    forRole,
    set,
    { roles: new Set(["o/readers"]) },
    "only identities with the role releasers may change it",
  ],
  "a caller without roles deletes a tag": [
    forRole,
    remove,
    {},
    "only identities with the role releasers may change it",
  ],

  "exactly 24 hours": [promotion, move, stay(24 * hour), undefined],
  "24 hours less a millisecond": [promotion, move, stay(24 * hour - 1), early],
  "24 hours before a first set": [promotion, set, stay(24 * hour), undefined],
  "a first set without a stay": [promotion, set, {}, early],
  "24 hours of another digest": [promotion, move, stay(24 * hour, { digest: "from" }), early],
  "24 hours of a tag of another name": [promotion, move, stay(24 * hour, { tag: "1.0" }), early],
  "a stay of no time, if no hours are asked": [atOnce, move, stay(0), undefined],
  "no stay, if no hours are asked": [atOnce, move, {}, "no tag staging-* has pointed to the image"],
  "a tag of promoted images is deleted": [promotion, remove, stay(24 * hour), kept],

  "an image with all": [withSbom, set, images([], [image(null, { sbom: 1 })]), undefined],
  "an index of which one image has all": [
    withSbom,
    set,
    images([], [image(1, { sbom: 1 }), image(1, { sbom: 0 })]),
    "the image has no SBOM",
  ],
  "a digest without images": [withSbom, set, images([image(1, { sbom: 1 })], []), noImage],
  "an unknown digest": [withSbom, move, {}, noImage],
  "a tag of required images is deleted": [withSbom, remove, {}, kept],

  "a condition that this version does not know": [
    { case: undefined },
    move,
    {},
    "its condition is not known",
  ],
};

test.for(Object.entries(rows))("%s", ([, [condition, ends, facts, refusal]]) => {
  const rule = ruleOf(condition, { role: "releasers" });
  const change = { repo: "app", tag: "1", ...ends };
  expect(decide([rule], change, { ...noFacts, ...facts })).toEqual(
    refusal === undefined
      ? { isAllowed: true, rule, reason: "the rule allows it" }
      : { isAllowed: false, rule, reason: refusal },
  );
});

test("a tag is not a source of its own promotion", () => {
  const change = { repo: "app", tag: "staging-1", ...move };
  const facts = { ...noFacts, ...stay(24 * hour) };
  expect(decide([ruleOf(promotion)], change, facts)).toMatchObject({ reason: early });
});

test("a role that is gone has the name of its uid", () => {
  const { reason } = decide([ruleOf(forRole)], { repo: "app", tag: "1", ...move }, noFacts);
  expect(reason).toBe("only identities with the role o/releasers may change it");
});

describe("which rules count", () => {
  const holder = { ...noFacts, roles: new Set(["o/releasers"]) };
  const refuses = (parent: string, more: Partial<Rule> = {}) =>
    ruleOf(writeOnce, { name: "refuses", parent, ...more });
  const allows = (parent: string, more: Partial<Rule> = {}) =>
    ruleOf(forRole, { name: "allows", parent, ...more });
  const decided: [string, Rule[], string | undefined, boolean][] = [
    ["no rule", [], undefined, true],
    ["a rule about other tags", [refuses("o", { includeTags: ["v*"] })], undefined, true],
    ["a rule about all other tags", [refuses("o", { excludeTags: ["1*"] })], undefined, true],
    ["a rule about other repositories", [refuses("o", { includeRepos: ["b*"] })], undefined, true],
    ["a rule about all others", [refuses("o", { excludeRepos: ["a*"] })], undefined, true],
    [
      "a rule by both names",
      [refuses("o", { includeRepos: ["a*"], includeTags: ["1*"] })],
      "refuses",
      false,
    ],
    ["the repository is before its group", [refuses("o/g"), allows("o/g/r")], "allows", true],
    ["a group is before the one above", [allows("o"), refuses("o/g")], "refuses", false],
    [
      "a nearer rule about other tags is skipped",
      [refuses("o"), allows("o/g", { includeTags: ["v*"] })],
      "refuses",
      false,
    ],
    ["one that refuses is enough", [allows("o"), refuses("o")], "refuses", false],
    [
      "of several that allow it, the first name",
      [allows("o", { name: "b" }), allows("o", { name: "a" }), allows("o", { name: "c" })],
      "a",
      true,
    ],
    [
      "of several that refuse it, the first name",
      [refuses("o", { name: "b" }), refuses("o", { name: "a" }), refuses("o", { name: "c" })],
      "a",
      false,
    ],
  ];
  test.for(decided)("%s", ([, rules, name, isAllowed]) => {
    const decision = decide(rules, { repo: "app", tag: "1", ...move }, holder);
    expect([decision.rule?.name, decision.isAllowed]).toEqual([name, isAllowed]);
    if (!name) expect(decision.reason).toBe("no rule is about it");
  });
  test("a change to the same digest is allowed without a rule", () => {
    const same = { repo: "app", tag: "1", from: "to", to: "to" };
    const decision = { isAllowed: true, rule: undefined, reason: "it does not move" };
    expect(decide([refuses("o")], same, holder)).toEqual(decision);
    expect(isAbout(refuses("o"), same)).toBe(true);
  });
});
