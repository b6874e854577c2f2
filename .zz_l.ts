import { measureLocal } from "./bench/registry/local.ts"; import { localGoals, localTables } from "./bench/registry/local_findings.ts"; import { programs } from "./bench/peers/distribution.ts"; import { rmSync, mkdirSync } from "node:fs";
rmSync("/tmp/local/bench", { recursive: true, force: true }); mkdirSync("/tmp/local/bench", { recursive: true });
const [p] = (await programs()).filter((x) => x.version);
const r = await measureLocal(p, "/tmp/local/bench", () => {});
for (const t of localTables(r)) { console.log(t.title); console.log(t.head.join(" | ")); for (const row of t.rows) console.log(row.join(" | ")); }
for (const g of localGoals(r)) console.log(g.kept ? "met" : "NOT", g.what, g.bound, g.measured);
process.exit(0);
