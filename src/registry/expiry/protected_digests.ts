/** The digests of a repository that no plan deletes: those of image holds, and those that a pull of a tag can get. */
import { eq, type SQL, sql } from "drizzle-orm";
import { imageHolds } from "../../../schema/tables/registry/image_holds.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { chunksOf } from "../../aip/chunks.ts";
import type { Database } from "../../auth/call.ts";
import { isAbout, type Rule } from "../tag_rules/decide.ts";

/** A tag that a rule of the kind serve is about, with the longest cooldown among such rules, in hours. */
export type ServedTag = [name: string, hours: number];

export function servedTags(
  rules: readonly Rule[],
  repo: string,
  tags: readonly { name: string }[],
): ServedTag[] {
  const serving = rules.filter(({ serve }) => serve);
  if (serving.length === 0) return [];
  return tags.flatMap(({ name }): ServedTag[] => {
    const about = serving.filter((rule) => isAbout(rule, { repo, tag: name }));
    const hours = about.map(({ serve }) =>
      serve?.condition.case === "cooldownHours" ? serve.condition.value : 0,
    );
    return about.length === 0 ? [] : [[name, Math.max(...hours)]];
  });
}

/** The moves of a tag that a pull looks at (`tag_rules/serving.ts`), and those before a cooldown. */
const looked = { moves: 100, past: 10 };

/** The tags of one statement. */
const tagsOfRead = 500;

const hour = 3_600_000;

/** The digests with the reason why they stay. */
export async function selectProtected(
  db: Database,
  repo: string,
  served: ServedTag[],
  now: number,
): Promise<Map<string, string>> {
  const reasons = new Map(await readHolds(db, repo));
  for (const chunk of chunksOf(served, tagsOfRead)) {
    const rows = await db
      .select({ tag: sql<string>`"asked"."value" ->> 0`, digests: digestsSql(repo, now) })
      .from(sql`json_each(${JSON.stringify(chunk)}) as "asked"`);
    for (const { tag, digests } of rows)
      for (const digest of JSON.parse(digests) as string[])
        reasons.set(digest, `a rule can choose it for pulls of the tag ${tag}`);
  }
  return reasons;
}

/** SQL: the digests that a rule can choose for a tag, as JSON. */
const digestsSql = (repo: string, now: number) => {
  const moves = sql`select m.digest as "digest" from ${tagMoves} as m
    where m.repo_uid = ${repo} and m.tag = "asked"."value" ->> 0`;
  return sql<string>`(select json_group_array("digest") from (
    select * from (${moves} order by m.update_time desc limit ${looked.moves})
    union select * from (${moves} and m.update_time <= ${now} - ${hour} * ("asked"."value" ->> 1)
      order by m.update_time desc limit ${looked.past})) where "digest" <> '')`;
};

/** SQL: whether an image hold of the repository names the digest. */
export const isHeld = (repo: string, digest: SQL): SQL =>
  sql`exists (select 1 from ${imageHolds} cross join json_each(${imageHolds.digests}) as "held"
    where ${eq(imageHolds.parent, repo)} and "held"."value" = ${digest})`;

/** The digests that image holds of the repository name, with the reason. */
async function readHolds(db: Database, repo: string): Promise<[string, string][]> {
  const rows = await db
    .select({ name: imageHolds.name, digests: imageHolds.digests })
    .from(imageHolds)
    .where(eq(imageHolds.parent, repo));
  return rows.flatMap(({ name, digests }) =>
    digests.map((digest): [string, string] => [digest, `the image hold ${name} names it`]),
  );
}
