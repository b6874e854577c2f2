/** What every case cost, at every size. */
import { join } from "node:path";
import { openForeignIssuer } from "../foreign_issuer.ts";
import type { Ground } from "../report/findings.ts";
import { makeDatabase, openStage, removeFolder } from "../stage.ts";
import { loadByTriggers, loadInBulk, openFile } from "./bulk_load.ts";
import { Caller, type Measured } from "./caller.ts";
import { estate, mostOfOthers } from "./estate.ts";
import { visitLists } from "./lists.ts";
import { estateLoads } from "./loads.ts";
import { trustedIssuer, visitCallers } from "./visit_callers.ts";
import { visitIam } from "./visit_iam.ts";
import { visitRegistry } from "./visit_registry.ts";
import { visitIamV1 } from "./visit_v1_iam.ts";
import { visitRegistryV1 } from "./visit_v1_registry.ts";

/** The organization of the public feeds is the estate's: the name that wrangler.toml gives it. */
const namespace = "public";

/** RPCs whose resource has as many rows as asked for; of the others there are {@link mostOfOthers} at most. */
const isFilledUp = (rpc: string) =>
  /Groups(Service)?\/|Identities(Service)?\/|RoleBindings|ReposService|TagsService|TagMoves|Registry\/\w*(Repo|Tag)|\.Advisor(ies|yExports)|OsvRecords|OpenVex|Csaf|^GET \/token/.test(
    rpc,
  );

/** Calls everything on an estate of that many rows. Throws for an RPC without a case. */
async function measureAt(ground: Ground, rows: number): Promise<Measured[]> {
  const folder = join(ground.folder, `cost-${rows}`);
  ground.say(`cost: ${rows} rows`);
  fillEstate(await makeDatabase(folder), rows, ground.say);
  ground.say("  filled");
  const variables = { TRUSTED_EMAIL_ISSUERS: trustedIssuer };
  const stage = await openStage(ground.bundle, folder, { variables });
  const issuer = await openForeignIssuer(stage.audience);
  try {
    const [owner, member] = await Promise.all([
      stage.tokenFor(estate.owner),
      stage.tokenFor(estate.member),
    ]);
    const on = new Caller(stage, owner, (rpc) =>
      isFilledUp(rpc) ? rows : Math.min(rows, mostOfOthers),
    );
    await visitLists(stage, on, member);
    ground.say("  Lists of version 2");
    await visitIam(on, issuer.url);
    const image = await visitRegistry(on);
    await visitIamV1(on, issuer.url);
    await visitRegistryV1(on, image);
    await visitCallers(stage, on, issuer);
    on.requireAll();
    return on.measured;
  } finally {
    issuer.close();
    await stage.stop();
    await removeFolder(folder);
  }
}

function fillEstate(file: string, rows: number, say: Ground["say"]): void {
  const db = openFile(file);
  loadInBulk(db, estateLoads(db, rows, namespace), say);
  db.close();
}

/** What the triggers keep of an estate, as text. */
function keptOf(file: string): string {
  const db = openFile(file);
  const counts = db.prepare("select * from counts order by ancestor, kind, class").all();
  const aliases = db.prepare("select * from advisory_aliases order by alias, advisory_uid").all();
  db.close();
  return JSON.stringify([counts, aliases]);
}

/** Throws unless what was loaded in bulk is what the triggers would have kept of the same rows. */
async function proveBulk(ground: Ground, rows: number): Promise<void> {
  const kept: string[] = [];
  for (const load of ["bulk", "triggers"]) {
    const folder = join(ground.folder, `load-by-${load}`);
    const file = await makeDatabase(folder);
    const db = openFile(file);
    const loads = estateLoads(db, rows, namespace);
    if (load === "bulk") loadInBulk(db, loads, () => undefined);
    else loadByTriggers(db, loads);
    db.close();
    kept.push(keptOf(file));
    await removeFolder(folder);
  }
  if (kept[0] !== kept[1]) throw new Error("rows loaded in bulk are not counted as triggers count");
}

/** Every case at every size, in the order of the calls. */
export async function ledgerOf(ground: Ground): Promise<Measured[][]> {
  await proveBulk(ground, Math.min(1_000, ...ground.sizes));
  const bySize: Measured[][] = [];
  for (const rows of ground.sizes) bySize.push(await measureAt(ground, rows));
  return bySize;
}
