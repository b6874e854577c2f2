/**
 * Scores of CVSS 4.0 (FIRST, specification document, section 8). A vector belongs to a class by its exploitability,
 * complexity, impact, further impact and threat. The score of the class is lowered by the distance from its worst vector.
 */

/**
 * The scores of the classes in tenths (cvss_lookup in section 8.3). A line is for the levels of exploitability, complexity
 * and {@link impacts}, in this order. In a line, further impact comes before threat.
 */
const scores = [
  "100 98 95 100 93 91 93 89 81",
  "99 95 92 96 87 81 90 80 68",
  "98 95 90 93 89 81 88 78 69",
  "95 92 84 92 81 65 80 70 48",
  "92 82 72 79 69 50 69 55 27",
  "99 95 92 95 90 84 92 82 72",
  "97 92 85 91 83 71 81 71 53",
  "95 92 85 92 80 70 84 71 50",
  "93 85 73 82 72 59 70 52 30",
  "86 75 52 71 52 29 63 29 17",
  "98 94 91 94 86 77 87 74 63",
  "95 87 81 89 74 64 75 63 49",
  "94 88 76 86 74 59 72 57 52",
  "89 77 67 76 58 50 57 52 25",
  "83 70 54 65 58 26 53 21 13",
  "95 88 76 90 75 61 77 68 52",
  "90 76 70 77 62 53 66 59 30",
  "89 76 62 74 57 47 61 57 24",
  "78 67 58 59 57 23 52 29 16",
  "71 59 30 58 26 15 23 13 6",
  "93 86 75 86 74 56 70 52 40",
  "87 72 58 74 61 34 54 40 22",
  "85 74 62 72 55 46 53 34 19",
  "75 55 51 57 41 19 36 19 8",
  "64 51 20 47 21 11 24 9 4",
  "88 73 60 73 59 41 54 45 20",
  "75 53 50 55 40 20 43 22 11",
  "75 58 40 61 48 20 46 17 8",
  "55 45 21 51 18 9 18 7 2",
  "53 24 14 24 12 5 10 3 1",
].map((line) => line.split(" ").map(Number));

type Metrics = ReadonlyMap<string, string>;

/** The levels of vulnerable impact and requirements, as one, with those of the next lower classes. */
const impacts = ["00", "01", "10", "11", "21"];
const lowerImpacts: Record<string, string[]> = {
  "00": ["01", "10"],
  "01": ["11"],
  "10": ["11"],
  "11": ["21"],
};

/** The values of metrics, the worst first. */
const severities: Record<string, string> = {
  AV: "NALP",
  PR: "NLH",
  UI: "NPA",
  AC: "LH",
  AT: "NP",
  VC: "HLN",
  VI: "HLN",
  VA: "HLN",
  SC: "SHLN",
  SI: "SHLN",
  SA: "SHLN",
  CR: "HML",
  IR: "HML",
  AR: "HML",
};

/** The worst vectors of the levels, as values in the order of the metrics, and the depths of the levels (section 8.2). */
interface Group {
  metrics: string[];
  worst: Record<string, string[]>;
  depth: Record<string, number>;
}

const exploitability: Group = {
  metrics: ["AV", "PR", "UI"],
  worst: { 0: ["NNN"], 1: ["ANN", "NLN", "NNP"], 2: ["PNN", "ALP"] },
  depth: { 0: 1, 1: 4, 2: 5 },
};
const complexity: Group = {
  metrics: ["AC", "AT"],
  worst: { 0: ["LN"], 1: ["HN", "LP"] },
  depth: { 0: 1, 1: 2 },
};
const impact: Group = {
  metrics: ["VC", "VI", "VA", "CR", "IR", "AR"],
  worst: {
    "00": ["HHHHHH"],
    "01": ["HHLMMH", "HHHMMM"],
    "10": ["LHHHHH", "HLHHHH"],
    "11": ["LHLHMH", "LHHHMM", "HLHMHM", "HLLMHH", "LLHHHM"],
    "21": ["LLLHHH"],
  },
  depth: { "00": 7, "01": 6, "10": 8, "11": 8, "21": 10 },
};
const furtherImpact: Group = {
  metrics: ["SC", "SI", "SA"],
  worst: { 0: ["HSS"], 1: ["HHH"], 2: ["LLL"] },
  depth: { 0: 6, 1: 5, 2: 4 },
};

/** The metrics with which a vector is scored: the modified ones, and the defaults of those that are not defined. */
function effective(vector: string): Metrics {
  const given = new Map(vector.split("/").map((metric) => metric.split(":") as [string, string]));
  const defined = [...given].filter(([, value]) => value !== "X");
  const modified = defined
    .filter(([name]) => /^M[A-Z]{2}$/.test(name))
    .map(([name, value]): [string, string] => [name.slice(1), value]);
  return new Map([["E", "A"], ["CR", "H"], ["IR", "H"], ["AR", "H"], ...defined, ...modified]);
}

/** The levels of a vector (section 8.1), where 0 is the worst. */
interface Levels {
  exploitability: number;
  complexity: number;
  impact: string;
  furtherImpact: number;
  threat: number;
}

function levelsOf(metrics: Metrics): Levels {
  const are = (values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => metrics.get(name) === value);
  const all = (values: Record<string, string>) => are(values).every(Boolean);
  const some = (values: Record<string, string>) => are(values).some(Boolean);
  const open = { AV: "N", PR: "N", UI: "N" };
  const isRemote = some(open) && metrics.get("AV") !== "P";
  const high = { VC: "H", VI: "H", VA: "H" };
  const requirement = ["C", "I", "A"].some((of) => all({ [`V${of}`]: "H", [`${of}R`]: "H" }));
  const vulnerable = all({ VC: "H", VI: "H" }) ? 0 : some(high) ? 1 : 2;
  return {
    exploitability: all(open) ? 0 : isRemote ? 1 : 2,
    complexity: all({ AC: "L", AT: "N" }) ? 0 : 1,
    impact: `${vulnerable}${requirement ? 0 : 1}`,
    furtherImpact: some({ SI: "S", SA: "S" }) ? 0 : some({ SC: "H", SI: "H", SA: "H" }) ? 1 : 2,
    threat: "APU".indexOf(metrics.get("E") ?? ""),
  };
}

/** The score of a class in tenths. Undefined if there is no such class. */
function scoreOf({ exploitability, complexity, impact, furtherImpact, threat }: Levels) {
  if (complexity > 1 || furtherImpact > 2 || threat > 2) return undefined;
  const line = (exploitability * 2 + complexity) * impacts.length + impacts.indexOf(impact);
  return scores[line]?.[furtherImpact * 3 + threat];
}

/** How far a vector is from the worst of its level, as a part of the depth of the level. */
function distance(
  metrics: Metrics,
  { metrics: names, worst, depth }: Group,
  level: string,
): number {
  const rank = (name: string, value: string) => (severities[name] ?? "").indexOf(value);
  for (const values of worst[level] ?? []) {
    const steps = names.map(
      (name, at) => rank(name, metrics.get(name) ?? "") - rank(name, values[at] ?? ""),
    );
    if (steps.every((step) => step >= 0))
      return steps.reduce((sum, step) => sum + step, 0) / (depth[level] ?? 1);
  }
  return Number.NaN;
}

/** The score of a vector of CVSS 4.0. NaN for an incomplete vector. */
export function score4(vector: string): number {
  const metrics = effective(vector);
  const names = Object.keys(severities);
  if (!names.every((name) => metrics.has(name))) return Number.NaN;
  if (["VC", "VI", "VA", "SC", "SI", "SA"].every((name) => metrics.get(name) === "N")) return 0;
  const levels = levelsOf(metrics);
  const score = scoreOf(levels);
  if (score === undefined) return Number.NaN;
  const {
    exploitability: attack,
    complexity: difficulty,
    impact: harm,
    furtherImpact: spread,
  } = levels;
  const lowered: [Levels[], Group | undefined, string][] = [
    [[{ ...levels, exploitability: attack + 1 }], exploitability, String(attack)],
    [[{ ...levels, complexity: difficulty + 1 }], complexity, String(difficulty)],
    [(lowerImpacts[harm] ?? []).map((next) => ({ ...levels, impact: next })), impact, harm],
    [[{ ...levels, furtherImpact: spread + 1 }], furtherImpact, String(spread)],
    // A level of threat has one vector.
    [[{ ...levels, threat: levels.threat + 1 }], undefined, ""],
  ];
  const losses = lowered.flatMap(([next, group, level]) => {
    const below = next.flatMap((one) => scoreOf(one) ?? []);
    if (below.length === 0) return [];
    return [group ? (score - Math.max(...below)) * distance(metrics, group, level) : 0];
  });
  const mean = losses.reduce((sum, loss) => sum + loss, 0) / (losses.length || 1);
  // The small number makes up for errors of floating point.
  return Math.round(Math.max(score - mean, 0) + 1e-5) / 10;
}
