/** The image that a pull of a tag gets: by table, and for random histories compared with an oracle. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ServeRuleSchema } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import type { Facts, Rule } from "../../../src/registry/tag_rules/decide.ts";
import {
  chooseServed,
  imageIsGone,
  type PastMove,
  type Pull,
  servedText,
} from "../../../src/registry/tag_rules/serve.ts";
import { randomNumbers } from "../../world/random.ts";
import { ruleOf } from "./rule_of.ts";

type Serve = MessageInitShape<typeof ServeRuleSchema>;

const hour = 3_600_000;
const now = 1_000 * hour;

const serveRule = (serve: Serve, more: Partial<Rule> = {}): Rule =>
  ruleOf(
    { case: "writeOnce", value: true },
    { keep: undefined, serve: create(ServeRuleSchema, serve), ...more },
  );
const cooldown = (hours: number, more: Partial<Rule> = {}) =>
  serveRule({ condition: { case: "cooldownHours", value: hours } }, more);
const sbom: Serve = { condition: { case: "requirement", value: { sbom: true } } };

/** Moves from texts such as `a 24`: the digest, and how many hours ago. The newest comes first. */
const movesOf = (texts: string[]): PastMove[] =>
  texts.map((text) => {
    const [digest = "", hours] = text.split(" ");
    return { digest: digest.replace("-", ""), time: now - Number(hours) * hour };
  });
const pullOf = (texts: string[], there = "abc"): Pull => {
  const moves = movesOf(texts);
  return {
    repo: "app",
    tag: "latest",
    digest: moves[0]?.digest ?? "",
    moves,
    there: new Set(there),
    now,
  };
};
const factsOf = (sboms = "", roles: string[] = []): Facts => ({
  roles: new Set(roles),
  images: new Map(
    [..."abc"].map((digest) => [
      digest,
      [{ imageTime: null, known: { sbom: sboms.includes(digest) ? 1 : 0 } }],
    ]),
  ),
  tags: new Map(),
  stays: [],
});

describe("a pull gets", () => {
  test.each<
    [
      string,
      Rule[],
      string[],
      string | undefined,
      { there?: string; sboms?: string; roles?: string[] }?,
    ]
  >([
    ["the tag as it is without rules", [], ["a 1"], "a"],
    [
      "the tag as it is with a rule about another tag",
      [cooldown(5, { includeTags: ["x"] })],
      ["a 1"],
      "a",
    ],
    [
      "the tag as it is with a rule about another repository",
      [cooldown(5, { includeRepos: ["x"] })],
      ["a 1"],
      "a",
    ],
    ["an image at exactly the age", [cooldown(5)], ["a 5"], "a"],
    ["the next one just before that age", [cooldown(5)], ["a 4.999", "b 9"], "b"],
    ["nothing if none is old enough", [cooldown(5)], ["a 1", "b 2"], undefined],
    ["the newest of those that are old enough", [cooldown(5)], ["a 1", "b 6", "c 7"], "b"],
    ["one that was served before at once", [cooldown(5)], ["a 1", "b 6", "a 7"], "a"],
    ["nothing from before a deletion", [cooldown(5)], ["a 1", "- 2", "a 9", "b 10"], undefined],
    ["no image that is gone", [cooldown(5)], ["a 1", "b 6", "c 7"], "c", { there: "ac" }],
    [
      "nothing if that of the tag is gone",
      [cooldown(5)],
      ["a 6", "b 7"],
      undefined,
      { there: "b" },
    ],
    ["one that meets a requirement", [serveRule(sbom)], ["a 1", "b 2"], "b", { sboms: "bc" }],
    ["nothing if none meets it", [serveRule(sbom)], ["a 1", "b 2"], undefined],
    [
      "nothing if nothing is known",
      [serveRule(sbom)],
      ["x 1"],
      undefined,
      { there: "x", sboms: "x" },
    ],
    [
      "one that meets all rules of a scope",
      [serveRule(sbom), cooldown(5)],
      ["a 1", "b 6", "c 7"],
      "c",
      { sboms: "ac" },
    ],
    ["what the nearest scope says", [cooldown(5, { parent: "o" }), cooldown(1)], ["a 2"], "a"],
    [
      "the tag as it is for an exempt role",
      [serveRule({ ...cooldown(5).serve, exemptRoleUid: "r" } as Serve)],
      ["a 1"],
      "a",
      { roles: ["r"] },
    ],
    [
      "an old image with another role",
      [serveRule({ ...cooldown(5).serve, exemptRoleUid: "r" } as Serve)],
      ["a 1", "b 9"],
      "b",
      { roles: ["s"] },
    ],
    [
      "an old image if no role is exempt",
      [cooldown(5)],
      ["a 1", "b 9"],
      "b",
      { roles: [""].slice(1) },
    ],
    ["nothing by a condition that is not known", [serveRule({})], ["a 9"], undefined],
    [
      "the tag as it is with a rule that keeps it",
      [ruleOf({ case: "writeOnce", value: true })],
      ["a 1"],
      "a",
    ],
  ])("%s", (_, rules, moves, digest, { there, sboms, roles } = {}) => {
    const served = chooseServed(rules, pullOf(moves, there), factsOf(sboms, roles));
    expect(served.digest).toBe(digest);
  });
});

test("the reason is that of the newest image", () => {
  const rules = [cooldown(5, { name: "slow" }), serveRule(sbom, { name: "sbom" })];
  const reasonOf = (moves: string[], sboms: string, roles: string[] = []) => {
    const { rule, reason } = chooseServed(rules, pullOf(moves), factsOf(sboms, roles));
    return [rule?.name, reason];
  };
  const until = new Date(now + 4 * hour).toISOString();
  expect(reasonOf(["a 1", "b 6"], "ab")).toEqual([
    "slow",
    `the newest image cools down until ${until}`,
  ]);
  expect(reasonOf(["a 6"], "")).toEqual(["sbom", "the newest image has no SBOM"]);
  expect(reasonOf(["a 6"], "a")).toEqual(["sbom", "the rule allows it"]);
  expect(reasonOf(["x 6"], "a")).toEqual([undefined, imageIsGone]);
  const none = chooseServed([], pullOf(["a 1"]), factsOf());
  expect(none).toEqual({ digest: "a", rule: undefined, reason: "no rule is about it" });
  const exempt = serveRule({ ...sbom, exemptRoleUid: "r" });
  expect(chooseServed([exempt], pullOf(["a 1"]), factsOf("", ["r"]))).toEqual({
    ...{ digest: "a", rule: undefined, reason: "your role gets the tag as it is" },
  });
  expect(servedText("latest", cooldown(5, { name: "slow", scope: "team" }), "why")).toBe(
    'the rule "slow" of team holds latest back: why; see platformctl tag-rules get o/r/1',
  );
});

test("20,000 random histories agree with the oracle", () => {
  const random = randomNumbers(7);
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const seen = { current: 0, older: 0, none: 0 };
  for (let made = 0; made < 20_000; made += 1) {
    const hours = Array.from({ length: 1 + upTo(5) }, () => upTo(12)).sort((a, b) => a - b);
    const moves = hours.map((age) => `${"aabbcc-"[upTo(6)]} ${age}`);
    if (moves[0]?.startsWith("-")) continue;
    const [age, there, sboms] = [
      1 + upTo(8),
      ["abc", "ab", "bc"][upTo(2)] ?? "",
      ["abc", "a", "bc"][upTo(2)] ?? "",
    ];
    const rules = upTo(1) === 0 ? [cooldown(age)] : [cooldown(age), serveRule(sbom)];
    const pull = pullOf(moves, there);
    // The oracle: of the digests since the last deletion, the first that is there, old enough, and has what is asked.
    const ends = pull.moves.findIndex(({ digest }) => digest === "");
    const known = ends < 0 ? pull.moves : pull.moves.slice(0, ends);
    const isServed = ({ digest }: PastMove) =>
      there.includes(digest) &&
      known.some((one) => one.digest === digest && now - one.time >= age * hour) &&
      (rules.length === 1 || sboms.includes(digest));
    const isGone = !there.includes(pull.digest);
    const expected = isGone ? undefined : known.find(isServed)?.digest;
    expect(chooseServed(rules, pull, factsOf(sboms)).digest).toBe(expected);
    seen[expected === undefined ? "none" : expected === pull.digest ? "current" : "older"] += 1;
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(1_000);
});
