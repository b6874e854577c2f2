/** The tags that a deletion would break: those of a repository, and those that need a manifest. */
import { and, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { blobs, manifestReferences } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes, digestText } from "../../../schema/tables/distribution/digest_column.ts";
import { indexEntries } from "../../../schema/tables/registry/index_entries.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { isInRepo, pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { failedPrecondition } from "../../aip/errors.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { onlyIf } from "../../outbox/commit.ts";
import { maxGlob } from "./patterns.ts";
import { type Permit, permitChanges, type Question } from "./permits.ts";
import { isAboutRepo } from "./stored_rules.ts";

/** The repository whose tags would go, and its rules. */
type About = Pick<Question, "repo" | "rules" | "overrideReason" | "refuse">;

/** A tag, and the digest that it points to. */
interface Held {
  name: string;
  digest: string;
}

/** The most image indexes that are looked at, and the most tags that point to them. */
const maxIndexes = 1_000;
const maxHolders = 500;

/** SQL: a rule about the repository that keeps tags. The other kinds refuse no deletion, so no tag is looked at for them. */
const isKeeping = (repo: SQL | string) =>
  sql`${isAboutRepo(repo)} and ${tagRules.keep} is not null`;

/**
 * SQL: such a rule matches the tag. Patterns of rules are patterns of GLOB. Those that are too long count
 * as if they kept the tag: the decision looks at each pattern again.
 */
const isKept = (repo: SQL | string) => {
  const [name, tag] = [
    sql`(select "named"."name" from ${repos} as "named" where "named"."uid" = ${repo})`,
    sql`${tags.name}`,
  ];
  const hasMatch = (patterns: SQLiteColumn, text: SQL, ifLong: boolean) =>
    sql`exists (select 1 from json_each(${patterns}) as "pattern" where case
      when length("pattern"."value") <= ${maxGlob} then ${text} glob "pattern"."value"
      else ${sql.raw(String(ifLong))} end)`;
  const matches = (include: SQLiteColumn, exclude: SQLiteColumn, text: SQL) =>
    sql`(${include} = '[]' or ${hasMatch(include, text, true)}) and not ${hasMatch(exclude, text, false)}`;
  return sql`exists (select 1 from ${tagRules} where ${isKeeping(repo)}
    and ${matches(tagRules.includeRepos, tagRules.excludeRepos, name)}
    and ${matches(tagRules.includeTags, tagRules.excludeTags, tag)})`;
};

const hasRules = (repo: SQL | string) =>
  sql`exists (select 1 from ${tagRules} where ${isKeeping(repo)})`;

/**
 * SQL: the tags that a rule matches, and that point to an image index that contains the manifest, at any depth, as JSON. If
 * there are more indexes or tags than are looked at, the first one has no name. Without rules it reads no row.
 */
function holdersSql(repoSql: SQL | string, digestSql: SQL | string): SQL {
  // Named once, because D1 binds at most 100 parameters, and each name of a repository has several.
  const [repo, digest] = [sql`(select "repo" from "target")`, sql`(select "digest" from "target")`];
  const ruled = hasRules(typeof repoSql === "string" ? repoSql : repo);
  return sql`(with recursive "target"("repo", "digest") as materialized (select ${repoSql}, ${digestSql}),
  "held"("digest") as (
    select "digest" from "target"
    union select "entry"."index_digest" from "held" cross join ${indexEntries} as "entry"
      on "entry"."repo_uid" = ${repo} and "entry"."digest" = "held"."digest"
    union select ${digestText(sql`"parent"."digest"`)} from "held"
      cross join ${blobs} as "child" on "child"."digest" = ${digestBytes(sql`"held"."digest"`)}
      cross join ${manifestReferences} as "reference" on "reference"."blob_id" = "child"."id"
      cross join ${blobs} as "parent" on "parent"."id" = "reference"."manifest_id"
      cross join ${manifests} as "index" on "index"."parent" = ${repo}
        and "index"."digest" = ${digestText(sql`"parent"."digest"`)}
    limit ${maxIndexes}),
  "needing" as (
    select ${tags.name} as "name", ${tags.digest} as "digest" from "held" cross join ${tags}
    where "held"."digest" <> ${digest} and ${pointsTo(repo, sql`"held"."digest"`)} and ${isKept(repo)}
    order by ${tags.name} limit ${maxHolders})
  select iif(${ruled}, (select json_group_array(json_array("name", "digest")) from (
    select "name", "digest" from "needing"
    union all select '', '' where (select count(*) from "held") >= ${maxIndexes}
      or (select count(*) from "needing") >= ${maxHolders}
    order by 1)), '[]'))`;
}

/** The statement that reads the tags whose image indexes need a manifest. Without rules it reads none. */
export const selectHolders = (db: Database, repo: SQL | string, digest: SQL | string) =>
  db
    .select({
      name: sql<string>`"holder"."value" ->> 0`.as("name"),
      digest: sql<string>`"holder"."value" ->> 1`.as("digest"),
    })
    .from(sql`json_each(${holdersSql(repo, digest)}) as "holder"`);

/**
 * Decides about the deletion of a manifest, for the tags that point to it and those that need it. Throws the error of a
 * refusal.
 */
export async function permitManifestDeletion(
  call: Call,
  caller: Caller,
  about: About,
  digest: string,
  pointing: Held[],
  holders: Held[],
): Promise<Permit> {
  if (holders[0]?.name === "") throw tooMany();
  const changes = [...pointing, ...holders].map(toDeletion);
  const permit = await permitChanges(call, caller, { ...about, changes });
  if (about.rules.length === 0) return permit;
  const read = JSON.stringify(holders.map(({ name, digest }) => [name, digest]));
  const isSame = sql`${holdersSql(about.repo, digest)} = ${read}`;
  return { ...permit, before: [...permit.before, onlyIf(call.db, isSame)] };
}

/** If not all tags can be looked at, one of those that are left out could be kept. */
const tooMany = () =>
  failedPrecondition(
    "TOO_MANY_TAGS",
    `more than ${maxIndexes} image indexes or ${maxHolders} kept tags need the manifest; delete some of them first`,
  );

const toDeletion = ({ name, digest }: Held) => ({ tag: name, from: digest, to: "" });

/** The tags that are read at a time. */
const tagsOfRead = 500;

/**
 * The statement that reads the first tags of a repository, after a name, that a rule matches. Without rules it reads none.
 */
export const selectKeptTags = (db: Database, repo: string, after = "", condition?: SQL) =>
  db
    .select({ name: tags.name, digest: tags.digest })
    .from(tags)
    .where(and(isInRepo(ifRuled(repo, condition)), sql`${tags.name} > ${after}`, isKept(repo)))
    .orderBy(tags.name)
    .limit(tagsOfRead);

/** Like {@link selectKeptTags}, for a new name of the repository. With its current name, or no name, it reads none. */
export const selectTagsOfRenamed = (db: Database, repo: string, newName: string) =>
  selectKeptTags(
    db,
    repo,
    "",
    sql`${newName} not in ('', (select "old"."name" from ${repos} as "old" where "old"."uid" = ${repo}))`,
  );

/**
 * SQL: the uid of a repository if it has rules and meets the condition, otherwise null, so that no tag is looked at.
 * SQLite would look at each tag before a condition about other tables.
 */
const ifRuled = (repo: string, condition = sql`true`) =>
  sql`(select ${repo} from ${tagRules} where ${condition} and ${isKeeping(repo)} limit 1)`;

/**
 * Decides about the deletion of a repository, or about a new name for it, for each tag that a rule matches. `kept` are the
 * rows of {@link selectKeptTags}; further ones take a round trip for each 500. Throws the error of a refusal.
 */
export async function permitRemoval(
  call: Call,
  caller: Caller,
  about: About,
  kept: Held[],
): Promise<Permit> {
  const { db } = call;
  const { repo } = about;
  let permit = await permitChanges(call, caller, { ...about, changes: kept.map(toDeletion) });
  if (about.rules.length === 0) return permit;
  let [count, page] = [kept.length, kept];
  // An override of the first tags overrides the rules of all.
  while (page.length === tagsOfRead && permit.events.length === 0) {
    page = await selectKeptTags(db, repo, page.at(-1)?.name);
    permit = await permitChanges(call, caller, { ...about, changes: page.map(toDeletion) });
    count += page.length;
  }
  if (permit.events.length > 0) return permit;
  const isSame = sql`${count} = (select count(*) from ${tags} where ${isInRepo(ifRuled(repo))} and ${isKept(repo)})`;
  return { ...permit, before: [...permit.before, onlyIf(db, isSame)] };
}
