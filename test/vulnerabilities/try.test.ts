import { readFileSync } from "node:fs";
import { test } from "vitest";
import { Platform } from "./platform_try.ts";
test("try", async () => {
  const p = await Platform.start();
  const out: string[] = [];
  const { group, token } = await p.organization();
  const records = readFileSync("/tmp/osv.jsonl", "utf8").trim().split("\n").map((l) => JSON.parse(l));
  for (const m of ["", "", "2026-01-01T00:00:00.123456Z"]) { if (m) for (const r of records) r.modified = m; const t=performance.now(); out.push(JSON.stringify(await p.call(token, `osvRecords/${group}:import`, { records }))+ (performance.now()-t)); }
  for (const c of ["advisory_id","artifact_name","component_name","origin"]) await p.sql(`create index x_${c} on advisories(${c}, uid)`);
  for (const q of [`page_size=50&uidp.descendants_of=${group}&order_by=artifact_name&artifactNames=django`,`page_size=50&uidp.descendants_of=${group}&artifactNames=django&artifactNames=lxml`, `page_size=50&uidp.children_of=${group}&order_by=update_time&origin=django`, `page_size=50&uidp.descendants_of=${group}&advisoryIds=PYSEC-2021-76`, `page_size=50&uidp.children_of=${group}&advisoryIds=PYSEC-2021-76`, `advisoryIds=PYSEC-2021-76`]) {
    const t = performance.now();
    const a = await p.call(token, `advisories?${q}`);
    out.push([q, a.status, a.roundTrips, a.rowsRead, a.body.totalCount, (a.body.advisories as unknown[])?.length, performance.now() - t, a.status===200?'':a.body].join(" "));
  }
  const deep = (n: number) => { let s: unknown = 1; for (let i=0;i<n;i++) s=[s]; return s; };
  for (const n of [60, 70, 3000]) out.push(JSON.stringify(await p.call(token, `osvRecords/${group}:import`, { records: [{ ...records[0], id: "D-"+n, extra: deep(n) }] })).slice(0,300));
  for (const nested of [200000]) out.push(JSON.stringify(await p.call(token, `osvRecords/${group}:import`, `{"records":[{"id":"x","e":${"[".repeat(nested)}${"]".repeat(nested)}}]}`)).slice(0,300));
  const big = { id: "BIG", modified: "2021-01-01T00:00:00Z", affected: [{ package: { name: "b", ecosystem: "npm" }, ranges: [{ type: "SEMVER", events: Array.from({ length: 1000 }, (_, i) => ({ fixed: `${i}` })) }] }] };
  { const t=performance.now(); out.push(JSON.stringify(await p.call(token, `osvRecords/${group}:import`, { records: Array.from({length: 60}, (_, i) => ({ ...big, id: `BIG-${i}` })) }))+ (performance.now()-t)); }
  out.push(JSON.stringify(await p.sql("select count(*) n from advisory_events")));
  out.push(JSON.stringify(await p.sql("select * from outbox")));
  console.log(out.join("\n"));
  await p.close();
}, 60000);
