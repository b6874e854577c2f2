/** ours.ts SBOM_FOLDER OUT.json: matches the packages of SBOMs with the records of data/*.jsonl by src/packages of the clone. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const root = process.env.CLONE ?? "/work/m45c";
const { affectedRanges } = await import(`${root}/src/packages/affected_ranges.ts`);
const { verdictOf } = await import(`${root}/test/packages/verdict.ts`);
const { readPackage } = await import(`${root}/src/registry/findings/read_package.ts`);
const { readSbom } = await import(`${root}/src/registry/sboms/read_sbom.ts`);
const [folder = "", out = ""] = process.argv.slice(2);
const data = process.env.DATA ?? "/work/compare/data";
const byKey = new Map<string, { id: string; range: any }[]>();
for (const file of readdirSync(data).filter((name) => name.endsWith(".jsonl")))
  for (const line of readFileSync(`${data}/${file}`, "utf8").split("\n").filter(Boolean)) {
    const record = JSON.parse(line);
    for (const range of affectedRanges(record)) {
      const list = byKey.get(range.packageKey) ?? [];
      list.push({ id: record.id, range });
      byKey.set(range.packageKey, list);
    }
  }
const result: Record<string, unknown> = {};
for (const file of readdirSync(folder)) {
  const bytes = readFileSync(`${folder}/${file}`);
  let sbom: any;
  try { sbom = readSbom(bytes); } catch { console.log("skipped", file, bytes.length); continue; }
  const pairs = new Map<string, string>();
  const seen = new Set<string>();
  for (const node of sbom.nodes) {
    if (node.kind !== "package") continue;
    const row = readPackage(node, sbom.operatingSystem);
    if (row.matchKey === "") continue;
    seen.add(`${row.type}|${row.name}|${row.version}`);
    for (const { id, range } of byKey.get(row.matchKey) ?? []) {
      const verdict = verdictOf(range, row);
      if (!verdict) continue;
      const key = `${row.type}|${row.namespace && ["npm", "golang", "maven"].includes(row.type) ? `${row.namespace}/` : ""}${row.name}|${id}`;
      if (pairs.get(key) !== "AFFECTED") pairs.set(key, verdict);
    }
  }
  result[file.replace(/\..*$/, "")] = { pairs: Object.fromEntries(pairs), packages: seen.size };
}
writeFileSync(out, JSON.stringify(result));
