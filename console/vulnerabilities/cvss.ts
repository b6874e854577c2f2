/** Base scores of CVSS 3 (https://www.first.org/cvss/v3.1/specification-document, section 7.1). */

const weights: Record<string, Record<string, number>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
};

/** The weights of the privileges that an attack needs depend on its scope: unchanged or changed. */
const privileges: Record<string, Record<string, number>> = {
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
};

/** The smallest number with one decimal that is not below the value. The integers avoid errors of floating point. */
function roundedUp(value: number): number {
  const scaled = Math.round(value * 100_000);
  return scaled % 10_000 === 0 ? scaled / 100_000 : (Math.floor(scaled / 10_000) + 1) / 10;
}

/** Returns the base score of a vector such as `CVSS:3.1/AV:N/…`. Undefined for another version or an incomplete vector. */
export function baseScore(vector: string): number | undefined {
  if (!/^CVSS:3\.[01]\//.test(vector)) return undefined;
  const metrics = new Map(vector.split("/").map((metric) => metric.split(":") as [string, string]));
  const scope = metrics.get("S") ?? "";
  const weightOf = (name: string) => weights[name]?.[metrics.get(name) ?? ""] ?? Number.NaN;
  const privilege = privileges[scope]?.[metrics.get("PR") ?? ""] ?? Number.NaN;
  const missed = (1 - weightOf("C")) * (1 - weightOf("I")) * (1 - weightOf("A"));
  const exploitability = 8.22 * weightOf("AV") * weightOf("AC") * privilege * weightOf("UI");
  const base = 1 - missed;
  const isChanged = scope === "C";
  const impact = isChanged ? 7.52 * (base - 0.029) - 3.25 * (base - 0.02) ** 15 : 6.42 * base;
  const sum = (impact + exploitability) * (isChanged ? 1.08 : 1);
  if (Number.isNaN(sum)) return undefined;
  return impact <= 0 ? 0 : roundedUp(Math.min(sum, 10));
}
