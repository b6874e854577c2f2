import { readFileSync } from "node:fs";
const { versionSortKey } = await import("/work/m45c/src/packages/version_order.ts");
const D = process.argv[2];
const files: [string, string][] = JSON.parse(process.argv[3] ?? "[]");
for (const [file, order] of files) {
  let pass = 0; const fails: string[] = []; let unread = 0; const unreadable = new Set<string>();
  for (const raw of readFileSync(`${D}/${file}`, "utf8").split("\n")) {
    const line = raw.replace(/#.*$/, "").replace(/\/\/.*$/, "").trim();
    const m = /^(\S+)\s+(<|>|=)\s+(\S+)$/.exec(line);
    if (!m) { if (line) fails.push(`? ${line}`); continue; }
    const [, a = "", sign, b = ""] = m;
    const [x, y] = [versionSortKey(order, a), versionSortKey(order, b)];
    if (x === undefined || y === undefined) { unread++; if (x===undefined) unreadable.add(a); if (y===undefined) unreadable.add(b); continue; }
    const got = x < y ? "<" : x > y ? ">" : "=";
    if (got === sign) pass++; else fails.push(`${a} ${sign} ${b} got ${got}`);
  }
  console.log(file, order, { pass, fails: fails.length, unread }, fails.slice(0, 12), [...unreadable].slice(0, 30));
}
