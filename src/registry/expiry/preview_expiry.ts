/** The effect of a rule of the kind expire that does not exist yet, on some tags of a repository. */
import { and, type SQL, sql } from "drizzle-orm";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { tagPulls } from "../../../schema/tables/registry/tag_pulls.ts";
import { tagRepos } from "../../../schema/tables/registry/tag_records.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { endOfDay, moveTimeSql } from "./read_repo.ts";
import type { RepoState, TagState } from "./repo_state.ts";
import { type Expiring, judgeTags } from "./tag_verdicts.ts";

/** The most tags of a repository among which the newest ones are looked for. */
const maxTags = 20_000;

/** A tag of the page. */
interface Asked {
  uid: string;
  name: string;
  digest: string;
}

/**
 * Whether the tags stay, and why, by their uids. Other rules do not count. Throws FAILED_PRECONDITION `REPO_TOO_LARGE` for a
 * rule that compares more tags than are read: a plan compares them all.
 */
export async function previewExpiry(
  { db, now }: Call,
  rule: Expiring,
  asked: Asked[],
  repoNames: ReadonlyMap<string, string>,
): Promise<Map<string, { stays: boolean; reason: string }>> {
  const verdicts = new Map<string, { stays: boolean; reason: string }>();
  if (rule.expire.untaggedDays > 0) {
    const reason = "the rule is about images without a tag";
    return new Map(asked.map(({ uid }) => [uid, { stays: true, reason }]));
  }
  for (const [repo, ofRepo] of Map.groupBy(asked, ({ uid }) => parentOf(uid))) {
    const shown = await readShown(db, repo, ofRepo);
    const others = rule.expire.beyondNewest ? await readOthers(db, repo, shown) : [];
    const all = [...shown.values(), ...others];
    const judged = judgeTags(stateOf(repoNames.get(repo) ?? "", now, rule, all), new Map());
    for (const { uid, name, subject } of shown.values()) {
      const verdict = judged.get(name);
      verdicts.set(uid, {
        stays: subject !== undefined || !verdict?.goes,
        reason: subject === undefined ? (verdict?.reason ?? "") : "it stays or goes with its image",
      });
    }
  }
  return verdicts;
}

const stateOf = (name: string, now: number, rule: Expiring, all: TagState[]): RepoState => ({
  ...{ name, now, rules: [rule], ruleRows: [], onlyDaily: false },
  tags: all.filter(({ subject }) => subject === undefined),
  ...{ manifests: new Map(), blobSizes: new Map(), protectedDigests: new Map() },
});

/** SQL: the id of a repository in `tag_repos`. */
const historyOf = (repo: string): SQL =>
  sql`(select "of"."id" from ${tagRepos} as "of" where "of"."repo_uid" = ${repo})`;

const columns = (repo: string) => ({
  uid: tags.uid,
  name: tags.name,
  digest: tags.digest,
  class: tags.class,
  createTime: tags.createTime,
  updateTime: tags.updateTime,
  moveTime: moveTimeSql(historyOf(repo)).as("move_time"),
});

interface Row extends Asked {
  class: number;
  createTime: number;
  updateTime: number;
  moveTime: number | null;
}

const toState = ({ class: tagClass, createTime, ...row }: Row, pullTime: number): TagState => ({
  ...row,
  moveTime: row.moveTime ?? createTime,
  pullTime,
  ...(tagClass === TagClass.referrer ? { subject: "" } : {}),
});

/** The tags of the page, by name. */
async function readShown(
  db: Database,
  repo: string,
  asked: Asked[],
): Promise<Map<string, TagState>> {
  const names = JSON.stringify(asked.map(({ name }) => name));
  const pulls = sql<number | null>`(select max("pull"."time") from ${repoStorage} as "storage"
    cross join ${tagPulls} as "pull" where "storage"."uid" = ${repo} and "pull"."repo_id" = "storage"."id"
      and "pull"."reference" in (${tags.name}, ${tags.digest}))`;
  const rows = await db
    .select({ ...columns(repo), pullTime: pulls.as("pull_time") })
    .from(tags)
    .where(and(isInRepo(repo), sql`${tags.name} in (select "value" from json_each(${names}))`));
  return new Map(
    rows.map(({ pullTime, ...row }) => [
      row.name,
      toState(row, pullTime === null ? 0 : endOfDay(pullTime)),
    ]),
  );
}

/** The other tags of the repository. Only their order is looked at, so their pulls are not read. */
async function readOthers(
  db: Database,
  repo: string,
  shown: ReadonlyMap<string, TagState>,
): Promise<TagState[]> {
  const rows = await db
    .select(columns(repo))
    .from(tags)
    .where(isInRepo(repo))
    .limit(maxTags + 1);
  if (rows.length > maxTags) {
    const text = `the repository has more than ${maxTags} tags, too many to preview; create the rule and make a plan`;
    throw failedPrecondition("REPO_TOO_LARGE", text, repo);
  }
  return rows.filter(({ name }) => !shown.has(name)).map((row) => toState(row, 0));
}
