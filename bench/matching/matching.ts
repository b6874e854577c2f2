/** Measures how fast records find the images that contain their packages. */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { type BenchOrganization, fillOrganization } from "../organization.ts";
import type { BenchSetup, Cell, Findings, Goal } from "../report/findings.ts";
import { type BenchPlatform, makeDatabase, removeFolder, startBenchPlatform } from "../stage.ts";

/** The packages of each image, and the names of packages. */
const packagesOfImage = 300;
const names = 3_000;

/** The records of the import, each about a package that no image has in an affected version. */
const records = 2_000;
/** The records of one call. */
const recordsOfCall = 100;

/** The share of the images that a new record matches. */
const share = 0.01;

/** In milliseconds. */
const bounds = { record: 2_000, export: 600_000 };

/** The records of a whole ecosystem. */
const wholeExport = 60_000;

const text = `An organization has SBOMs of images with ${packagesOfImage} packages each, of ${names} names. A record is imported
that matches one image in ${1 / share}, and the time ends when nothing is left to match. Then ${records} records are imported, in
calls of ${recordsOfCall}, about the packages of the images in versions that none has. From their time follows that of
${wholeExport} records. The sizes of a run are the packages of all images (\`--rows\`).`;

/** Measures both for each size. */
export async function measureMatching({
  bundle,
  folder,
  sizes,
  say,
}: BenchSetup): Promise<Findings> {
  const rows: Cell[][] = [];
  const goals: Goal[] = [];
  for (const size of sizes) {
    const images = Math.max(1, Math.round(size / packagesOfImage));
    const workFolder = join(folder, `matching-${size}`);
    say(`matching: filling ${images} images with ${packagesOfImage} packages each`);
    const file = await makeDatabase(workFolder);
    const organization = fillOrganization(file, 1_000);
    const bytes = fillImages(file, organization.repo, images);
    const platform = await startBenchPlatform(bundle, workFolder, { meter: false });
    try {
      const measured = await measure(platform, organization, say);
      rows.push([
        images,
        images * packagesOfImage,
        bytes,
        measured.matches,
        measured.record,
        measured.export,
      ]);
      goals.push(...goalsOf(images, measured));
    } finally {
      await platform.stop();
      await removeFolder(workFolder);
    }
  }
  const head = [
    "images",
    "packages",
    "bytes of a package",
    "matches",
    "new record, ms",
    `${wholeExport} records, s`,
  ];
  return {
    title: "Matching",
    text,
    tables: [{ title: "Records and SBOMs", head, rows }],
    goals,
    charts: [],
  };
}

interface Measured {
  matches: number;
  /** In milliseconds. */
  record: number;
  /** In seconds, for a whole export. */
  export: number;
}

const goalsOf = (images: number, { record, export: whole }: Measured): Goal[] => [
  {
    what: `a new record is matched with ${images} images`,
    bound: `at most ${bounds.record} ms`,
    measured: `${record} ms`,
    kept: record <= bounds.record,
  },
  {
    what: `an export of ${wholeExport} records is matched with ${images} images`,
    bound: `at most ${bounds.export / 1_000} s`,
    measured: `${whole} s`,
    kept: whole * 1_000 <= bounds.export,
  },
];

/** Stores the SBOMs, and returns the bytes that a package takes with its indexes. */
function fillImages(file: string, repo: string, images: number): number {
  const db = new DatabaseSync(file);
  db.exec("pragma synchronous = off; pragma cache_size = -400000");
  const before = bytesOf(db);
  const numbers = (name: string, n: number) =>
    `${name} (${name}) as (select 1 union all select ${name} + 1 from ${name} where ${name} < ${n})`;
  const sbom = `'${repo}/' || printf('%016x', i)`;
  const digest = "'sha256:' || printf('%064x', i)";
  db.exec(`begin;
    with recursive ${numbers("i", images)} insert into sboms (uid, digest, format, spec_version, name, package_count, size,
      content_digest, packages_length, packages, content, create_time, update_time)
      select ${sbom}, ${digest}, 1, '', '', 1, 1, '', 1, '', '', 1, 1 from i;
    with recursive ${numbers("i", images)} insert into indexed_sboms (uid, packages_version, package_count)
      select ${sbom}, 2, ${packagesOfImage} from i;
    with recursive ${numbers("i", images)} insert into examined_images (uid, digest, sbom_uid, findings_version, create_time,
      update_time) select ${sbom}, ${digest}, ${sbom}, 2, 1, 1 from i;
    with recursive ${numbers("i", images)}, ${numbers("j", packagesOfImage)} insert into sbom_packages (uid, sbom_uid, name,
      namespace, version, type, purl, package_key, version_order, sort_key, license, match_key, release, match_order,
      match_sort_key)
      select '${repo}/' || printf('%08x%08x', i, j), ${sbom}, ${nameSql}, '', ${versionSql}, 'npm',
        'pkg:npm/' || ${nameSql} || '@' || ${versionSql}, 'pkg:npm/' || ${nameSql}, 'semver', '', 'MIT',
        'pkg:npm/' || ${nameSql}, '', 'semver', ${keySql} from i cross join j;
    commit`);
  const bytes = Math.round((bytesOf(db) - before) / (images * packagesOfImage));
  db.close();
  return bytes;
}

/** A package of each image has the same name, and others repeat in every tenth image. */
const nameSql = `'p' || iif(j = 1, 0, 1 + (i % ${Math.round(names / packagesOfImage)}) * ${packagesOfImage} + j)`;
/** One image in a hundred has the version 1.0.0 of that package, and all others 2.0.0. */
const isOld = `j = 1 and i % ${1 / share} = 0`;
const versionSql = `iif(${isOld}, '1.0.0', '2.0.0')`;
const keySql = `iif(${isOld}, 'a1a0a01', 'a2a0a01')`;

const bytesOf = (db: DatabaseSync) =>
  Number(
    db.prepare("select page_count * page_size as n from pragma_page_count, pragma_page_size").get()
      ?.n,
  );

async function measure(
  platform: BenchPlatform,
  { root, owner }: BenchOrganization,
  say: BenchSetup["say"],
): Promise<Measured> {
  const token = await platform.tokenFor(owner);
  const load = (all: object[]) =>
    platform.call(token, `/vulnerabilities/v2/osvRecords/${root}:import`, {
      method: "POST",
      body: { records: all },
    });
  const timed = async (work: () => Promise<unknown>) => {
    const start = performance.now();
    await work();
    await untilMatched(platform);
    return Math.round(performance.now() - start);
  };
  say("matching: a new record");
  const record = await timed(() => load([recordOf("BENCH-NEW", "p0", "1.5.0")]));
  const { results } = await platform.db
    .prepare("select count(*) as n from findings")
    .all<{ n: number }>();
  say(`matching: ${records} records`);
  const calls = Array.from({ length: records / recordsOfCall }, (_, call) =>
    Array.from({ length: recordsOfCall }, (_, at) => {
      const n = call * recordsOfCall + at;
      return recordOf(`BENCH-${n}`, `p${1 + (n % names)}`, "0.5.0");
    }),
  );
  const time = await timed(async () => {
    for (const call of calls) await load(call);
  });
  const whole = Math.round((time * wholeExport) / records / 1_000);
  return { matches: results[0]?.n ?? 0, record, export: whole };
}

const recordOf = (id: string, name: string, fixed: string) => ({
  ...{ id, aliases: [`CVE-${id}`], modified: "2026-01-01T00:00:00Z" },
  affected: [
    {
      package: { ecosystem: "npm", name },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed }] }],
    },
  ],
});

/** Waits until no mark is left. The schedule does what a run after a response leaves. */
async function untilMatched({ db, url }: BenchPlatform): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    const { results } = await db.prepare("select 1 from match_marks limit 1").all();
    if (results.length === 0) return;
    await pause(5);
    if (turn % 2_000 === 0) await fetch(`${url}/cdn-cgi/handler/scheduled?cron=*+*+*+*+*`);
  }
}
