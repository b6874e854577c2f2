/** Finds problems in the way SQLite runs a statement, from its plan (EXPLAIN QUERY PLAN). */
import type { CostCase } from "./case.ts";

/** A line of a plan that would be a fault, and the reason why it is not one in these calls. */
interface Allowance {
  calls: RegExp;
  line: RegExp;
  why: string;
}

const sorts = /^USE TEMP B-TREE FOR (LAST TERM OF )?(ORDER BY|GROUP BY)$/;

export const allowances: Allowance[] = [
  {
    calls: /^List\w+ of .* with (?!all classes|updated_since by|name_prefix)/,
    line: sorts,
    why: "what a filter names is found by its index, and sorted then",
  },
  {
    calls: /^(registry |UpdateRoleBinding|ListVulnerabilityMetadata with ids)/,
    line: sorts,
    why: "as many as the request names: groups of a path, uids, ids",
  },
  {
    calls:
      /^(CreateTag|UpdateTagRule|CheckTag|DeleteManifest|PreviewTagRule|registry (PUT|GET|HEAD) manifest)/,
    line: /^USE TEMP B-TREE FOR (ORDER BY|GROUP BY|DISTINCT)$/,
    why: "the rules about one tag, its newest moves, the tags of one index, the signers and findings of one image",
  },
  {
    calls: /^List(TagRules|TrustPolicies) of a parent by uid/,
    line: sorts,
    why: "there are at most 200 rules and 10 policies, so the index of their names is enough",
  },
  {
    calls: /^ListTermsAcceptances/,
    line: sorts,
    why: "a group accepts each document once, and there are few",
  },
  {
    calls: /^GetArtifactCount/,
    line: sorts,
    why: "a row of `counts` for each ecosystem and grant",
  },
  {
    calls: /^v1 (Registry\/GetRepoTagsSummary|Vulnerabilities\/ListVulnReports)/,
    line: sorts,
    why: "version 1 answers all of one repo",
  },
  {
    calls: /^UpdateRole that only validates/,
    line: /^USE TEMP B-TREE FOR DISTINCT$/,
    why: "the holders in the first 200 bindings and mappings of the role",
  },
];

/** Whether the name is an alias of a subquery in the statement, and not a table. */
const isDerived = (sql: string, name: string) =>
  new RegExp(
    `\\)\\s*(as\\s+)?"?${name}"?\\b|"?\\b${name}"?\\s*(\\([^)]*\\))?\\s+as\\s+(materialized\\s+)?\\(`,
    "i",
  ).test(sql);

/** Rows that are not in a table: parameters by `json_each`, constants, subqueries. */
function isAtHand(sql: string, line: string): boolean {
  if (/ VIRTUAL TABLE INDEX /.test(line)) return true;
  const [, name = ""] = /^(?:SCAN|SEARCH) (\S+)/.exec(line) ?? [];
  return (
    /^SCAN (\d+ )?(CONSTANT ROWS?|\d+-ROW VALUES)/.test(line) ||
    name.startsWith("(") ||
    isDerived(sql, name)
  );
}

/**
 * The lines of a plan that read a whole table or index, or that sort. Reading all of it costs more with every
 * row on the platform. Lines in {@link allowances} are left out and added to `used`.
 */
export function scanFaults(
  { name }: CostCase,
  sql: string,
  plan: string[],
  used: Set<Allowance>,
): string[] {
  return plan.filter((line) => {
    // An automatic index is made for the statement, of all rows of its table.
    const isScan = /^SCAN | USING AUTOMATIC /.test(line) && !isAtHand(sql, line);
    if (!isScan && !line.startsWith("USE TEMP B-TREE")) return false;
    const allowance = allowances.find((one) => one.calls.test(name) && one.line.test(line));
    if (allowance) used.add(allowance);
    return !allowance;
  });
}
