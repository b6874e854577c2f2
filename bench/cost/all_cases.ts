/** Measures the cost of every case at every size. */
import { join } from "node:path";
import { openForeignIssuer } from "../foreign_issuer.ts";
import type { BenchSetup } from "../report/findings.ts";
import { makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";
import { loadByTriggers, loadInBulk, openFile } from "./bulk_load.ts";
import { type MeasuredCase, MeasuringCaller } from "./caller.ts";
import { fixtures, maxOtherRows } from "./fixtures.ts";
import { measureLists } from "./lists.ts";
import { fixtureLoads } from "./loads.ts";
import { measureAccess } from "./measure_access.ts";
import { measureCallers, trustedIssuer } from "./measure_callers.ts";
import { measureExpiryPlans } from "./measure_expiry.ts";
import { measureIam } from "./measure_iam.ts";
import { measureRegistry } from "./measure_registry.ts";
import { measureIamV1 } from "./measure_v1_iam.ts";
import { measureRegistryV1 } from "./measure_v1_registry.ts";

/** The organization of the public feeds is one of the fixtures, with the name that wrangler.toml gives it. */
const namespace = "public";

/** RPCs whose resource has the requested number of rows. The others have at most {@link maxOtherRows}. */
const isFilledUp = (rpc: string) =>
  /Groups(Service)?\/|Identities(Service)?\/|RoleBindings|ReposService|TagsService|TagMoves|Registry\/\w*(Repo|Tag)|\.Advisor(ies|yExports)|OsvRecords|OpenVex|Csaf|^GET \/token/.test(
    rpc,
  );

/** Calls everything on fixtures with that many rows of a resource. Throws an Error for an RPC without a case. */
async function measureAt(setup: BenchSetup, rows: number): Promise<MeasuredCase[]> {
  const folder = join(setup.folder, `cost-${rows}`);
  setup.say(`cost: ${rows} rows`);
  loadFixtures(await makeDatabase(folder), rows, setup.say);
  setup.say("  filled");
  const variables = { TRUSTED_EMAIL_ISSUERS: trustedIssuer };
  const platform = await startBenchPlatform(setup.bundle, folder, { variables });
  const issuer = await openForeignIssuer(platform.audience);
  try {
    const [owner, member] = await Promise.all([
      platform.tokenFor(fixtures.owner),
      platform.tokenFor(fixtures.member),
    ]);
    const on = new MeasuringCaller(platform, owner, (rpc) =>
      isFilledUp(rpc) ? rows : Math.min(rows, maxOtherRows),
    );
    await measureLists(platform, on, member);
    setup.say("  Lists of version 2");
    await measureIam(platform, on, issuer.url);
    await measureAccess(on, member);
    const image = await measureRegistry(on);
    await measureIamV1(on, issuer.url);
    await measureRegistryV1(on, image);
    await measureCallers(platform, on, issuer);
    await measureExpiryPlans(platform, on);
    on.requireAll();
    return on.measured;
  } finally {
    issuer.close();
    await platform.stop();
    await removeFolder(folder);
  }
}

function loadFixtures(file: string, rows: number, say: BenchSetup["say"]): void {
  const db = openFile(file);
  loadInBulk(db, fixtureLoads(db, rows, namespace), say);
  db.close();
}

/** Returns everything that the triggers write in the fixtures, as text. */
function triggerTotals(file: string): string {
  const db = openFile(file);
  const tables = ["counts", "advisory_aliases", "advisory_products", "tag_moves", "tag_bursts"];
  const rows = tables.map((table) => db.prepare(`select * from ${table}`).all());
  db.close();
  return JSON.stringify(rows.map((ofTable) => ofTable.map((row) => JSON.stringify(row)).sort()));
}

/** Throws an Error unless a bulk load produces the same rows as the triggers. */
async function checkBulkLoad(setup: BenchSetup, rows: number): Promise<void> {
  const kept: string[] = [];
  for (const load of ["bulk", "triggers"]) {
    const folder = join(setup.folder, `load-by-${load}`);
    const file = await makeDatabase(folder);
    const db = openFile(file);
    const loads = fixtureLoads(db, rows, namespace);
    if (load === "bulk") loadInBulk(db, loads, () => undefined);
    else loadByTriggers(db, loads);
    db.close();
    kept.push(triggerTotals(file));
    await removeFolder(folder);
  }
  if (kept[0] !== kept[1]) throw new Error("a bulk load and the triggers produce different rows");
}

/** Returns every case at every size, in the order of the calls. */
export async function measureAllCases(setup: BenchSetup): Promise<MeasuredCase[][]> {
  await checkBulkLoad(setup, Math.min(1_000, ...setup.sizes));
  const bySize: MeasuredCase[][] = [];
  for (const rows of setup.sizes) bySize.push(await measureAt(setup, rows));
  return bySize;
}
