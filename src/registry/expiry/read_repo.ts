/** Reads a repository for a plan, in pages. A change between two pages is noticed when the plan is carried out. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import {
  blobLinks,
  blobs,
  ContentKind,
  manifestReferences,
} from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import {
  digestText,
  tagNames,
  tagRecords,
  tagRepos,
} from "../../../schema/tables/registry/tag_records.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import type { Database } from "../../auth/call.ts";
import { selectRules, toRules } from "../tag_rules/stored_rules.ts";
import { paced } from "./pace.ts";
import { selectProtected, servedTags } from "./protected_digests.ts";
import type { ManifestState, RepoState, TagState } from "./repo_state.ts";
import { isExpiring } from "./tag_verdicts.ts";

/** The rows of one page. */
const pageSize = 5_000;

/** The most rows of each kind that a plan is made from. An isolate has 128 MB of memory. */
const most = { tags: 120_000, manifests: 60_000, references: 500_000, moves: 2_000_000 };

/** The repository that is read, with its numbers. 0 without content, and without a history. */
interface Target {
  db: Database;
  uid: string;
  storage: number;
  history: number;
}

interface ReadOptions {
  /** In milliseconds since 1970. */
  now: number;
  /** See {@link RepoState}. */
  onlyDaily?: boolean;
  /** Whether to read since when images have no tag, also if no rule is about that. */
  withHistory?: boolean;
}

/** Reads everything. Throws FAILED_PRECONDITION `REPO_TOO_LARGE` if it is too much to plan. */
export async function readRepo(
  db: Database,
  uid: string,
  { now, onlyDaily = false, withHistory = false }: ReadOptions,
): Promise<RepoState> {
  const [rows, [numbers]] = await db.batch([selectRules(db, uid), selectNumbers(db, uid)]);
  const target = { db, uid, storage: numbers?.storage ?? 0, history: numbers?.history ?? 0 };
  const rules = toRules(rows);
  const name = rows[0]?.repoName ?? "";
  const pulls = await readDigestPulls(target);
  const found = await readManifests(target, pulls);
  const blobSizes = await readReferences(target, found.byBlob);
  await readEntries(target, found.manifests);
  await readSubjects(target, found.byBlob);
  const read = await readTags(target, pulls, found.manifests);
  if (withHistory || rules.filter(isExpiring).some(({ expire }) => expire.untaggedDays > 0))
    await readUntagged(target, found.manifests);
  const served = servedTags(rules, name, read);
  const protectedDigests = await selectProtected(db, uid, served, now);
  return {
    ...{ name, now, rules, ruleRows: rows, onlyDaily, tags: read, manifests: found.manifests },
    ...{ blobSizes, protectedDigests },
  };
}

const selectNumbers = (db: Database, uid: string) =>
  db
    .select({
      storage: sql<number>`(select ${repoStorage.id} from ${repoStorage} where ${repoStorage.uid} = "repo"."uid")`,
      history: sql<number>`(select ${tagRepos.id} from ${tagRepos} where ${tagRepos.repoUid} = "repo"."uid")`,
    })
    .from(sql`(select ${uid} as "uid") as "repo"`);

/** Calls `take` for each row of all pages. `read` returns the page after a row. */
async function eachRow<Row>(
  limit: number,
  read: (last: Row | undefined) => PromiseLike<Row[]>,
  take: (row: Row) => void,
): Promise<void> {
  let count = 0;
  let last: Row | undefined;
  for (let isFull = true; isFull; ) {
    const page = await paced(async () => read(last));
    for (const row of page) take(row);
    count += page.length;
    if (count > limit) throw tooLarge();
    isFull = page.length === pageSize;
    last = page.at(-1);
  }
}

const tooLarge = () =>
  failedPrecondition(
    "REPO_TOO_LARGE",
    `a plan reads at most ${most.tags} tags, ${most.manifests} manifests, and ${most.references} references; delete some by hand first`,
  );

/** The end of the day of a pull: only the first pull of a day is recorded. */
export const endOfDay = (time: number) => Math.floor(time / DAY_MS) * DAY_MS + DAY_MS - 1;

/** The last pulls by digest. */
async function readDigestPulls({ db, storage }: Target): Promise<Map<string, number>> {
  const pulls = new Map<string, number>();
  await eachRow(
    most.manifests,
    (last: { reference: string; time: number } | undefined) =>
      db
        .select({ reference: tagPulls.reference, time: sql<number>`max(${tagPulls.time})` })
        .from(tagPulls)
        .where(
          and(
            eq(tagPulls.repo, storage),
            sql`${tagPulls.reference} > ${last?.reference ?? "sha"}`,
            sql`${tagPulls.reference} < 'shb'`,
            sql`${tagPulls.reference} glob 'sha*:*'`,
          ),
        )
        .groupBy(tagPulls.reference)
        .orderBy(tagPulls.reference)
        .limit(pageSize),
    ({ reference, time }) => pulls.set(reference, endOfDay(time)),
  );
  return pulls;
}

/** The manifests, by digest and by the numbers of their bytes. */
async function readManifests({ db, uid }: Target, pulls: Map<string, number>) {
  const found = new Map<string, ManifestState>();
  const byBlob = new Map<number, ManifestState>();
  const columns = {
    uid: manifests.uid,
    digest: manifests.digest,
    createTime: manifests.createTime,
    blob: blobs.id,
    size: blobs.size,
  };
  await eachRow(
    most.manifests,
    (last: { digest: string } | undefined) =>
      db
        .select(columns)
        .from(manifests)
        .leftJoin(blobs, eq(blobs.digest, digestBytes(sql`${manifests.digest}`)))
        .where(and(eq(manifests.parent, uid), sql`${manifests.digest} > ${last?.digest ?? ""}`))
        .orderBy(manifests.digest)
        .limit(pageSize) as PromiseLike<ManifestRow[]>,
    ({ blob, size, ...row }: ManifestRow) => {
      const pullTime = pulls.get(row.digest) ?? 0;
      const own = { bytes: size ?? 0, children: [], blobs: [], untaggedTime: row.createTime };
      const manifest = { ...row, ...own, pullTime };
      found.set(row.digest, manifest);
      if (blob !== null) byBlob.set(blob, manifest);
    },
  );
  return { manifests: found, byBlob };
}

interface ManifestRow {
  uid: string;
  digest: string;
  createTime: number;
  blob: number | null;
  size: number | null;
}

/** Adds what the manifests name. Returns the sizes of the blobs by their numbers. */
async function readReferences(
  { db, storage }: Target,
  byBlob: Map<number, ManifestState>,
): Promise<Map<number, number>> {
  const sizes = new Map<number, number>();
  interface Row {
    manifest: number;
    blob: number;
    size: number | null;
  }
  await eachRow(
    most.references,
    (last: Row | undefined) =>
      db
        .select({
          // D1 returns one of two columns with the same name.
          manifest: sql<number>`${blobLinks.blob}`.as("manifest"),
          blob: sql<number>`${manifestReferences.blob}`.as("named"),
          size: blobs.size,
        })
        .from(blobLinks)
        .crossJoin(manifestReferences)
        .crossJoin(blobs)
        .where(
          and(
            eq(blobLinks.repo, storage),
            eq(blobLinks.kind, ContentKind.manifest),
            after(blobLinks.blob, manifestReferences.blob, last && [last.manifest, last.blob]),
            eq(manifestReferences.manifest, blobLinks.blob),
            eq(blobs.id, manifestReferences.blob),
          ),
        )
        .orderBy(blobLinks.blob, manifestReferences.blob)
        .limit(pageSize),
    ({ manifest, blob, size }) => {
      const parent = byBlob.get(manifest);
      const child = byBlob.get(blob);
      if (child) parent?.children.push(child.digest);
      else parent?.blobs.push(blob);
      sizes.set(blob, size ?? 0);
    },
  );
  return sizes;
}

/** SQL: the rows after a pair. The first term lets SQLite seek in the index. */
const after = (first: SQLiteColumn, second: SQLiteColumn, last: [number, number] | undefined) =>
  last && sql`${first} >= ${last[0]} and not (${first} = ${last[0]} and ${second} <= ${last[1]})`;

/** Adds the images of indexes that only the API has created. */
async function readEntries({ db, uid }: Target, found: Map<string, ManifestState>): Promise<void> {
  interface Row {
    index: string;
    key: number;
    child: string;
  }
  await eachRow(
    most.references,
    (last: Row | undefined) =>
      db
        .select({
          index: manifests.digest,
          key: sql<number>`"entry"."key"`.as("key"),
          child: sql<string>`"entry"."value" ->> 'digest'`.as("child"),
        })
        .from(manifests)
        .crossJoin(sql`json_each(${manifests.entries}) as "entry"`)
        .where(
          and(
            eq(manifests.parent, uid),
            sql`${manifests.entries} <> '[]'`,
            last &&
              sql`${manifests.digest} >= ${last.index}
                and not (${manifests.digest} = ${last.index} and "entry"."key" <= ${last.key})`,
          ),
        )
        .orderBy(manifests.digest, sql`"entry"."key"`)
        .limit(pageSize),
    ({ index, child }) => found.get(index)?.children.push(child),
  );
}

/** Adds the subjects of referrers. */
async function readSubjects(
  { db, storage }: Target,
  byBlob: Map<number, ManifestState>,
): Promise<void> {
  await eachRow(
    most.manifests,
    (last: { manifest: number; subject: string } | undefined) =>
      db
        .select({ manifest: referrers.manifest, subject: referrers.subject })
        .from(referrers)
        .where(
          and(eq(referrers.repo, storage), sql`${referrers.manifest} > ${last?.manifest ?? 0}`),
        )
        .orderBy(referrers.manifest)
        .limit(pageSize),
    ({ manifest, subject }) => {
      const referrer = byBlob.get(manifest);
      if (referrer) referrer.subject = subject;
    },
  );
}

/** SQL: when a tag last moved. Null if it has no history. `history` is the id of the repository in `tag_repos`. */
export const moveTimeSql = (history: number | SQL): SQL<number | null> =>
  sql<number | null>`(select "record"."update_time" from ${tagNames} as "named"
    cross join ${tagRecords} as "record"
    where "named"."repo_id" = ${history} and "named"."tag" = ${tags.name} and "record"."tag_id" = "named"."id"
    order by "record"."update_time" desc limit 1)`;

async function readTags(
  { db, uid, storage, history }: Target,
  pulls: Map<string, number>,
  manifests: Map<string, ManifestState>,
): Promise<TagState[]> {
  const read: TagState[] = [];
  const pullTime = sql<number | null>`(select max("pull"."time") from ${tagPulls} as "pull"
    where "pull"."repo_id" = ${storage} and "pull"."reference" = ${tags.name})`;
  const columns = {
    uid: tags.uid,
    name: tags.name,
    digest: tags.digest,
    class: tags.class,
    createTime: tags.createTime,
    updateTime: tags.updateTime,
    moveTime: moveTimeSql(history).as("move_time"),
    pullTime: pullTime.as("pull_time"),
  };
  await eachRow(
    most.tags,
    (last: { name: string } | undefined) =>
      db
        .select(columns)
        .from(tags)
        .where(and(isInRepo(uid), sql`${tags.name} > ${last?.name ?? ""}`))
        .orderBy(tags.name)
        .limit(pageSize) as PromiseLike<TagRow[]>,
    ({ class: tagClass, createTime, ...row }: TagRow) => {
      const byName = row.pullTime === null ? 0 : endOfDay(row.pullTime);
      const subject = tagClass === TagClass.referrer ? subjectOf(row.name) : undefined;
      read.push({
        ...row,
        // The same text as that of the manifest, so that it is in memory once.
        digest: manifests.get(row.digest)?.digest ?? row.digest,
        moveTime: row.moveTime ?? createTime,
        pullTime: Math.max(byName, pulls.get(row.digest) ?? 0),
        ...(subject === undefined ? {} : { subject }),
      });
    },
  );
  return read;
}

interface TagRow {
  uid: string;
  name: string;
  digest: string;
  class: number;
  createTime: number;
  updateTime: number;
  moveTime: number | null;
  pullTime: number | null;
}

/** The digest in a name such as `sha256-….sig`, or of the fallback tag of OCI 1.1, which has no ending. */
const subjectOf = (name: string): string | undefined => {
  const [, hex] = /^sha256-([0-9a-f]{64})(?:\.[a-z]+)?$/.exec(name) ?? [];
  return hex && `sha256:${hex}`;
};

/** Finds out since when no tag points to each manifest, from the whole history of the repository. */
async function readUntagged(
  { db, history }: Target,
  found: Map<string, ManifestState>,
): Promise<void> {
  const current = new Map<number, string>();
  interface Row {
    time: number;
    tag: number;
    digest: string;
  }
  await eachRow(
    most.moves,
    (last: Row | undefined) =>
      db
        .select({
          time: tagRecords.updateTime,
          tag: tagRecords.tag,
          digest: sql<string>`${sql.raw(digestText('"digest"'))}`.as("text"),
        })
        .from(tagRecords)
        .where(
          and(
            eq(tagRecords.repo, history),
            after(tagRecords.updateTime, tagRecords.tag, last && [last.time, last.tag]),
          ),
        )
        .orderBy(tagRecords.updateTime, tagRecords.tag)
        .limit(pageSize),
    ({ time, tag, digest }) => {
      const left = found.get(current.get(tag) ?? "");
      if (left && left.digest !== digest) left.untaggedTime = Math.max(left.untaggedTime, time);
      current.set(tag, digest);
    },
  );
}
