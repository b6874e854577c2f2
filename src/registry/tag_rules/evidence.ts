/**
 * Reads what is known of images and tags, for the rules that need it. It takes a round trip of its own, because D1 takes
 * milliseconds to compile the statement, which calls without such a rule would have too.
 */
import { type SQL, sql } from "drizzle-orm";
import { ForwardOrder } from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { type IndexEntry, manifests } from "../../../schema/tables/registry/manifests.ts";
import {
  digestText,
  tagNames,
  tagRecords,
  tagRepos,
} from "../../../schema/tables/registry/tag_records.ts";
import { pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { isAtOrAbove } from "../../aip/uid_path.ts";
import type { Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { type Facts, type Image, maxImages, type Rule, type Stay } from "./decide.ts";
import { maxGlob } from "./patterns.ts";
import {
  type ImageConfig,
  type KnownOfImage,
  knownOfConfig,
  knownSql,
  type RequirementName,
  readKnown,
  settingsOf,
} from "./requirements.ts";

/** A digest that is asked about. A push, which the database may not have yet, has the entries of its index, or none. */
export interface AskedImage {
  digest: string;
  entries?: readonly IndexEntry[];
}

/** The names of tags from which images are promoted, in all rules together. */
const maxSources = 1_000;

/** The tags with versions that point to one image. With more, its version counts as not known. */
const maxTags = 1_000;

const of = sql`"asked"."value" ->> 'digest'`;
const part = sql`"part"."value" ->> 'digest'`;

/**
 * SQL: the images of the asked digests, as JSON that {@link readImages} reads. `asked` is JSON of {@link AskedImage}, and
 * `known` is a list of what is needed of them. An index has those that it names. A digest that the repository does not
 * have has none, unless it is pushed now: then it has entries.
 */
const imagesSql = (
  repo: string,
  asked: string,
  known: Needs["known"],
) => sql`select json_group_array(json_object(
    'of', "asked"."value" ->> 'digest', 'digest', ${part}, 'imageTime', "image"."image_time",
    'known', ${knownSql({ repo: sql`${repo}`, digest: part, of }, known)}))
  from json_each(${asked}) as "asked"
  left join ${manifests} as "named" on "named"."parent" = ${repo} and "named"."digest" = "asked"."value" ->> 'digest'
  join json_each(iif(
    coalesce("asked"."value" -> 'entries', "named"."entries") = '[]',
    json_array(json_object('digest', "asked"."value" ->> 'digest')),
    coalesce("asked"."value" -> 'entries', "named"."entries", '[]'))) as "part" on "part"."key" <= ${maxImages}
  left join ${manifests} as "image" on "image"."parent" = ${repo} and "image"."digest" = ${part}`;

const tagsSql = (
  repo: string,
  asked: string,
) => sql`select json_group_array(json_array("digest", "name")) from (
  select "digest", "name" from (
    select "asked"."digest" as "digest", "tag"."name" as "name",
      row_number() over (partition by "asked"."digest") as "rank"
    from (select distinct "value" ->> 'digest' as "digest" from json_each(${asked})) as "asked" cross join ${tags} as "tag"
    where ${pointsTo(repo, sql`"asked"."digest"`, "tag")} and "tag"."line" <> '')
  where "rank" <= ${maxTags + 1})`;

/** For how long each source of a promotion has pointed to a digest, in milliseconds. */
const staysSql = (
  repo: string,
  asked: string,
  patterns: readonly string[],
  now: number,
) => sql`select json_group_array(json_array(
    "source"."tag", ${sql.raw(digestText('"record"."digest"'))},
    coalesce((select min("next"."update_time") from ${tagRecords} as "next"
      where "next"."tag_id" = "record"."tag_id" and "next"."update_time" > "record"."update_time"), ${now})
      - "record"."update_time"))
  from (select distinct "name"."id", "name"."tag" from (
      select "value" as "pattern" from json_each(${JSON.stringify(patterns)})) as "rule"
    cross join ${tagRepos} as "history" on "history"."repo_uid" = ${repo}
    cross join ${tagNames} as "name" on "name"."repo_id" = "history"."id" and case
        when length("rule"."pattern") <= ${maxGlob} then "name"."tag" glob "rule"."pattern" else true end
      and "name"."tag" >= ${literalStart} and "name"."tag" < ${literalStart} || char(1114111)
    limit ${maxSources}) as "source"
  cross join ${tagRecords} as "record" on "record"."tag_id" = "source"."id"
  where ${sql.raw(digestText('"record"."digest"'))} in (select "value" ->> 'digest' from json_each(${asked}))`;

/** SQL: the text in a pattern before the first `*`. */
const literalStart = sql`substr("rule"."pattern", 1, instr("rule"."pattern" || '*', '*') - 1)`;

/** The needs of rules. */
export interface Needs {
  images: boolean;
  /** The requirements that are about the images. */
  known: ReadonlySet<RequirementName>;
  tags: boolean;
  /** The patterns of the tags to promote from. */
  from: readonly string[];
}

/** The needs of some rules. Undefined if they need nothing. */
export function needsOf(rules: readonly Pick<Rule, "keep" | "serve">[]): Needs | undefined {
  const all = rules.map(({ keep, serve }) => (keep ?? serve)?.condition);
  const orders = all.map((one) => (one?.case === "forward" ? one.value : undefined));
  const required = all.flatMap((one) => (one?.case === "requirement" ? [one.value] : []));
  const from = all.flatMap((one) => (one?.case === "promotion" ? [one.value.from] : []));
  const images = required.length > 0 || orders.includes(ForwardOrder.IMAGE_TIME);
  const tags = orders.includes(ForwardOrder.VERSION);
  if (!images && !tags && from.length === 0) return undefined;
  const known = new Set(required.flatMap(settingsOf).map(([name]) => name));
  return { images, known, tags, from };
}

/**
 * The statement that reads what is needed of some digests in a repository: one row, which {@link readFacts} reads. `now` is
 * in milliseconds.
 */
export function selectEvidence(
  db: Database,
  repo: string,
  images: readonly AskedImage[],
  now: number,
  needs: Needs,
) {
  const asked = JSON.stringify(images);
  const when = (isNeeded: boolean, read: SQL) =>
    isNeeded ? sql<string | null>`(${read})` : sql<string | null>`null`;
  return db
    .select({
      images: when(needs.images, imagesSql(repo, asked, needs.known)).as("images"),
      tags: when(needs.tags, tagsSql(repo, asked)).as("tag_names"),
      stays: when(needs.from.length > 0, staysSql(repo, asked, needs.from, now)).as("stays"),
    })
    .from(sql`(select 1) as "once"`);
}

export type EvidenceRow = Awaited<ReturnType<typeof selectEvidence>>[number];

type ImageRow = Image & { of: string; digest: string };

/** The roles that a caller has on a repository. */
export const rolesOf = ({ grants }: Pick<Caller, "grants">, repo: string): Set<string> =>
  new Set(grants.filter(({ group }) => isAtOrAbove(group, repo)).map(({ role }) => role));

/** The image of a push, as the push describes it before the database has it. */
export interface PushedImage {
  digest: string;
  /** In milliseconds since 1970. */
  imageTime: number | null;
  config: ImageConfig;
  entries: readonly IndexEntry[];
  /** The tags that the push sets. */
  tags: readonly string[];
}

/** Reads the images in the row of {@link selectEvidence}, by the asked digest. `host` is that of the registry. */
export async function readImages(
  json: string | null | undefined,
  host: string,
  pushed?: PushedImage,
): Promise<Facts["images"]> {
  const read = (JSON.parse(json ?? "[]") as ImageRow[]).map(async ({ known, ...rest }) => {
    const image = { ...rest, known: await readKnown(known as KnownOfImage, host) };
    return pushed?.digest === image.digest ? withPushed(image, pushed) : image;
  });
  return Map.groupBy(await Promise.all(read), ({ of: asked }) => asked);
}

/** Reads the row of {@link selectEvidence}. `host` is that of the registry. */
export async function readFacts(
  row: EvidenceRow | undefined,
  roles: ReadonlySet<string>,
  host: string,
  pushed?: PushedImage,
): Promise<Facts> {
  const names = JSON.parse(row?.tags ?? "[]") as [string, string][];
  const byDigest = Map.groupBy(names, ([digest]) => digest);
  const tooMany = [...byDigest].filter(([, all]) => all.length > maxTags).map(([one]) => one);
  if (pushed) names.push(...pushed.tags.map((name): [string, string] => [pushed.digest, name]));
  const stays = JSON.parse(row?.stays ?? "[]") as [string, string, number][];
  return {
    roles,
    images: await readImages(row?.images, host, pushed),
    tags: new Map(
      [...Map.groupBy(names, ([digest]) => digest)].map(([digest, all]) => [
        digest,
        all.map(([, name]) => name),
      ]),
    ),
    ...(tooMany.length === 0 ? {} : { tooManyTags: new Set(tooMany) }),
    stays: stays.map(([tag, digest, duration]): Stay => ({ tag, digest, duration })),
  };
}

function withPushed(image: ImageRow, { imageTime, config }: PushedImage): ImageRow {
  const stored = Object.entries(image.known).filter(([, value]) => value !== undefined);
  const known = { ...knownOfConfig(config), ...Object.fromEntries(stored) };
  return { ...image, imageTime: image.imageTime ?? imageTime, known };
}
