/** Reads what is needed to choose the image of a pull, in the statement that reads the tag. */
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { ServeRuleSchema } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { blobLinks, blobs, ContentKind } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes } from "../../../schema/tables/distribution/digest_column.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { tagRules } from "../../../schema/tables/registry/tag_rules.ts";
import { isInRepo, tags } from "../../../schema/tables/registry/tags.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import type { Database } from "../../auth/call.ts";
import { isAbout, type Rule } from "./decide.ts";
import { needsOf, readFacts, selectEvidence } from "./evidence.ts";
import { chooseServed, type Serving } from "./serve.ts";
import { isAboutRepo, repoNameSql, scopeName } from "./stored_rules.ts";

/** The moves of the tag that are looked at, and the different digests among them. */
const maxMoves = 100;
const maxDigests = 20;

type Text = string | Placeholder;

const movesSql = (repo: SQL, tag: Text) => sql`select m.digest as "digest", m.update_time as "time"
  from ${tagMoves} as m where m.repo_uid = ${repo} and m.tag = ${tag} order by m.update_time desc limit ${maxMoves}`;

/** SQL: the different digests of the moves. */
const digestsSql = (repo: SQL, tag: Text) => sql`select "digest" from (${movesSql(repo, tag)})
  where "digest" <> '' group by "digest" order by max("time") desc limit ${maxDigests}`;

/** SQL: whether the registry has the bytes of a manifest. One that only the API has created has none. */
export const isStored = (
  repo: SQL,
  digest: SQL,
) => sql<number>`exists (select 1 from ${repoStorage} as "storage"
  cross join ${blobs} as "stored" cross join ${blobLinks} as "link"
  where "storage"."uid" = ${repo} and "stored"."digest" = ${digestBytes(digest)} and "link"."repo_id" = "storage"."id"
    and "link"."kind" = ${ContentKind.manifest} and "link"."blob_id" = "stored"."id")`;

/** The moves before the end of a cooldown that are looked at, if the tag has moved more often since. */
const maxPast = 10;

const hour = 3_600_000;

/**
 * SQL: the newest moves that a rule with a cooldown lets pass, since the tag was created. A tag can move so often that none
 * is among its newest moves.
 */
const pastSql = (repo: SQL, tag: Text) => sql`select m.digest as "digest", m.update_time as "time"
  from ${tagMoves} as m where m.repo_uid = ${repo} and m.tag = ${tag} and m.digest <> ''
    and m.update_time <= unixepoch('subsec') * 1000 - ${hour} * (${tagRules.serve} ->> '$.cooldownHours')
    and m.update_time >= (select "made"."create_time" from ${tags} as "made"
      where ${isInRepo(repo, "made")} and "made"."name" = ${tag})
  order by m.update_time desc limit ${maxPast}`;

const rulesSql = (
  repo: SQL,
  tag: Text,
) => sql`json_object('uid', ${tagRules.uid}, 'name', ${tagRules.name},
  'parent', ${tagRules.parent}, 'scope', ${scopeName}, 'role', '', 'updateTime', ${tagRules.updateTime},
  'includeRepos', json(${tagRules.includeRepos}), 'excludeRepos', json(${tagRules.excludeRepos}),
  'includeTags', json(${tagRules.includeTags}), 'excludeTags', json(${tagRules.excludeTags}),
  'serve', json(${tagRules.serve}), 'past', json((select json_group_array(json_array("digest", "time"))
    from (${pastSql(repo, tag)}))))`;

const isServing = (repo: SQL) => sql`${isAboutRepo(repo)} and ${tagRules.serve} is not null`;

/** SQL: whether a rule of the repository chooses images. It is much shorter than {@link servingSql}. */
export const isServed = (repo: SQL) =>
  sql<number>`exists (select 1 from ${tagRules} where ${isServing(repo)})`;

/** Reads what {@link servingSql} returns, in a round trip of its own. */
export async function readServing(db: Database, repo: string, tag: string): Promise<string | null> {
  const [row] = await db
    .select({ serving: servingSql(sql`"asked"."uid"`, tag).as("serving") })
    .from(sql`(select ${repo} as "uid") as "asked"`);
  return row?.serving ?? null;
}

/**
 * SQL: what the choice for a tag depends on, as JSON that {@link chooseForPull} reads. Null if no rule of the repository
 * chooses images. `repo` is the uid of the repository.
 */
export function servingSql(repo: SQL, tag: Text): SQL<string | null> {
  return sql<string | null>`(select iif("serving"."rules" = '[]', null, json_object(
    'repo', ${repoNameSql(repo)}, 'rules', json("serving"."rules"),
    'moves', json((select json_group_array(json_array("digest", "time")) from (${movesSql(repo, tag)}))),
    'there', json((select json_group_array("past"."digest") from (
      select * from (${digestsSql(repo, tag)})
      union select "move"."value" ->> 0 from json_each("serving"."rules") as "rule"
        cross join json_each("rule"."value" -> 'past') as "move") as "past"
      where ${isStored(repo, sql`"past"."digest"`)}))))
    from (select json_group_array(${rulesSql(repo, tag)}) as "rules" from ${tagRules} where ${isServing(repo)}) as "serving")`;
}

/** A pull of a tag, without what {@link servingSql} reads. */
export interface AskedPull {
  /** The uid of the repository. */
  repo: string;
  tag: string;
  /** The digest that the tag points to. */
  digest: string;
  /** In milliseconds since 1970. */
  now: number;
  /** The uids of the roles that the caller has on the repository. */
  roles: ReadonlySet<string>;
  /** The host of the registry. */
  host: string;
}

/** A digest, and the time of the move to it. */
type StoredMove = [string, number];

interface Stored {
  repo: string;
  rules: (Omit<Rule, "serve"> & { serve: JsonValue; past: StoredMove[] })[];
  moves: StoredMove[];
  there: string[];
}

/**
 * Chooses the image of a pull, from the result of {@link servingSql}. If a rule about the tag has a requirement, it takes
 * one more round trip.
 */
export async function chooseForPull(
  db: Database,
  json: string | null,
  { repo, tag, digest, now, roles, host }: AskedPull,
): Promise<Serving> {
  // A cast, because only `servingSql` writes this JSON.
  const stored = json === null ? noRules : (JSON.parse(json) as Stored);
  const rules = stored.rules.map(({ serve, past: _, ...rule }) => ({
    ...rule,
    serve: fromJson(ServeRuleSchema, serve, { ignoreUnknownFields: true }),
  }));
  const about = rules.filter((rule) => isAbout(rule, { repo: stored.repo, tag }));
  const needs = needsOf(about);
  const asked = stored.there.map((one) => ({ digest: one }));
  const [row] = needs ? await selectEvidence(db, repo, asked, now, needs) : [];
  const all = new Map(
    [...stored.rules.flatMap(({ past }) => past), ...stored.moves].map(([to, time]) => [time, to]),
  );
  const moves = [...all]
    .map(([time, to]) => ({ digest: to, time }))
    .sort((a, b) => b.time - a.time);
  const pull = { repo: stored.repo, tag, digest, now, moves, there: new Set(stored.there) };
  return chooseServed(about, pull, await readFacts(row, roles, host));
}

const noRules: Stored = { repo: "", rules: [], moves: [], there: [] };
