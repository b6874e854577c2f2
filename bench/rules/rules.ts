/** Measures the processor time of one decision about a tag with many rules, and what rules cost at the registry. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { FindingSeverity } from "../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import {
  ForwardOrder,
  KeepRuleSchema,
} from "../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { decide, type Facts, type Rule } from "../../src/registry/tag_rules/decide.ts";
import { percentile } from "../percentile.ts";
import type { BenchSetup, Findings } from "../report/findings.ts";
import { expiryText, measureExpiry } from "./expiry.ts";
import { measureRegistry, registryText } from "./registry.ts";

const ruleCount = 100;
const groupCount = 6;
/** The images and tags of each of the two digests, and the stays of all tags. */
const imageCount = 10;
const tagCount = 20;
const stayCount = 100;

const rounds = 200;
const decisionsOfRound = 50;
/** In milliseconds. */
const bound = 1;

const text = `A change of a tag is decided by ${ruleCount} rules on a chain of ${groupCount} groups. Their conditions take turns: forward by
version, forward by time, role, promotion and requirement. All rules match the tag, by the second of two patterns each
for its repository and its name, and all allow the change, so that none ends the decision early. An index of
${imageCount} images replaces another one. ${tagCount} tags point to each of the two, and ${stayCount} stays of other tags are known.

The rules are either spread evenly over the groups, so that only those of the nearest group are asked, or all of one
group, so that each of them is. The figures are the processor time of this process (\`process.cpuUsage\`) in
${rounds} rounds of ${decisionsOfRound} decisions, divided by the decisions. *first* is the first decision of the process for
the first row, before any code is compiled. Reading rules and facts from D1 is not part of it.`;

type Condition = NonNullable<MessageInitShape<typeof KeepRuleSchema>["condition"]>;

const conditions: Condition[] = [
  { case: "forward", value: ForwardOrder.VERSION },
  { case: "forward", value: ForwardOrder.IMAGE_TIME },
  { case: "roleUid", value: "role" },
  { case: "promotion", value: { from: "*-staging-*", hours: 24 } },
  {
    case: "requirement",
    value: {
      sbom: true,
      noFindings: { minSeverity: FindingSeverity.HIGH },
      label: { name: "team", value: "registry" },
    },
  },
];

const uidOfGroup = (depth: number) =>
  Array.from({ length: depth + 1 }, (_, at) => String(at).repeat(16)).join("/");

/** One rule for each of the depths of its group. */
const rulesAt = (depths: number[]): Rule[] =>
  depths.map((depth, at) => ({
    uid: `${uidOfGroup(depth)}/${at}`,
    name: `rule ${at}`,
    parent: uidOfGroup(depth),
    scope: "group",
    updateTime: 0,
    includeRepos: ["other-*", "team-*-app"],
    excludeRepos: ["*-test"],
    includeTags: ["v*", "*-slim"],
    excludeTags: ["*-rc*"],
    keep: create(KeepRuleSchema, {
      condition: conditions[at % conditions.length] ?? { case: undefined },
    }),
    role: "",
  }));

const change = { repo: "team-registry-app", tag: "stable-slim", from: "before", to: "after" };

const numbered = <T>(length: number, one: (at: number) => T): T[] =>
  Array.from({ length }, (_, at) => one(at));

const imagesAt = (time: number) =>
  numbered(imageCount, (at) => ({
    imageTime: time + at,
    known: {
      sbom: 1,
      noFindings: { worst: FindingSeverity.LOW, unread: 0 },
      label: { team: "registry" },
    },
  }));

const facts: Facts = {
  roles: new Set(["role"]),
  images: new Map([
    ["before", imagesAt(0)],
    ["after", imagesAt(1)],
  ]),
  tags: new Map([
    ["before", numbered(tagCount, (at) => `1.2.${at}-slim`)],
    ["after", numbered(tagCount, (at) => `1.3.${at}-slim`)],
  ]),
  // Only the last one counts, so that each rule looks at all.
  stays: numbered(stayCount, (at) => ({
    tag: `x-staging-${at}`,
    digest: "after",
    duration: (at + 1 === stayCount ? 24 : 23) * 3_600_000,
  })),
};

/** Returns the milliseconds of processor time for each of so many decisions. */
function timeOf(rules: Rule[], decisions: number): number {
  const began = process.cpuUsage();
  for (let made = 0; made < decisions; made += 1) {
    const { isAllowed, reason } = decide(rules, change, facts);
    if (!isAllowed) throw new Error(`a rule refuses the change: ${reason}`);
  }
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1_000 / decisions;
}

/** Measures both ways to spread the rules, and the requests of the registry. */
export async function measureRules(setup: BenchSetup): Promise<Findings> {
  const { say } = setup;
  const registry = await measureRegistry(setup);
  const expiry = await measureExpiry(setup);
  say("rules: deciding");
  const cases = [
    {
      title: "spread over the groups",
      rules: rulesAt(numbered(ruleCount, (at) => at % groupCount)),
    },
    { title: "all of one group", rules: rulesAt(numbered(ruleCount, () => groupCount - 1)) },
  ];
  const measured = cases.map(({ title, rules }) => {
    const first = timeOf(rules, 1);
    const times = numbered(rounds, () => timeOf(rules, decisionsOfRound));
    return { title, first, median: percentile(times, 0.5), p99: percentile(times, 0.99) };
  });
  return {
    title: "Rules about tags",
    text: `${text}\n\n${registryText}\n\n${expiryText}`,
    tables: [
      {
        title: `Processor time of a decision by ${ruleCount} rules`,
        head: ["rules", "first, ms", "median, ms", "p99, ms"],
        rows: measured.map(({ title, first, median, p99 }) => [
          title,
          ...[first, median, p99].map((time) => Number(time.toFixed(3))),
        ]),
      },
      registry.table,
      expiry.table,
    ],
    goals: [
      ...measured.map(({ title, p99 }) => ({
        what: `a decision by ${ruleCount} rules on a chain of ${groupCount} groups, ${title}: processor time, p99`,
        bound: `under ${bound} ms`,
        measured: `${p99.toFixed(3)} ms`,
        kept: p99 < bound,
      })),
      ...registry.goals,
      ...expiry.goals,
    ],
    charts: [],
  };
}
