/** `PreviewTagRule`: the effect of a rule that does not exist yet. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { sql } from "drizzle-orm";
import {
  type PreviewedTagSchema,
  type PreviewTagRuleRequest,
  type TagRule,
  TagRuleSchema,
} from "../../../schema/gen/platform/registry/v2/tag_rules_pb.js";
import { UIDPFilterSchema } from "../../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { DAY_MS } from "../../../schema/tables/columns.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { tagMoves } from "../../../schema/views/tag_moves.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { list } from "../../paging/list.ts";
import { find } from "../../resource/find.ts";
import { previewExpiry } from "../expiry/preview_expiry.ts";
import { type Expiring, isExpiring } from "../expiry/tag_verdicts.ts";
import { tagListing } from "../tags/tag_rows.ts";
import { decide, type Facts, isAbout, type Rule } from "./decide.ts";
import { needsOf, readFacts, rolesOf, selectEvidence } from "./evidence.ts";
import { requireSetting, ruleScope, toWritten } from "./rule_checks.ts";
import { chooseServed } from "./serve.ts";
import { isStored } from "./serving.ts";

/** How far back moves are looked at, and how many of each tag. */
const since = 90 * DAY_MS;
const maxMoves = 100;
const maxRefused = 20;

/** A tag of the page, with its moves: time, digest, digest before, identity, and whether the image is there. */
interface TagWithMoves {
  uid: string;
  name: string;
  digest: string;
  repo: string;
  moves: [number, string, string, string, number][];
}

type Preview = MessageInitShape<typeof PreviewedTagSchema>;

export async function previewTagRule(request: PreviewTagRuleRequest, call: Call) {
  const { parent, tagRule: sent = create(TagRuleSchema) } = request;
  requireSetting(sent);
  const { caller } = await find(call, ruleScope, parent);
  const uidp = create(UIDPFilterSchema, { descendantsOf: parent });
  const listed = { ...request, uidp, orderBy: "", skip: 0 };
  const page = await list(call, listed, tagListing, {
    classes: Object.values(TagClass),
    total: "none",
  });
  const { nextPageToken } = page.envelope;
  const rule = toRule(sent, parent);
  const read = await readTags(call, page.rows, beginOf(rule, call.now));
  const tags = read.filter(({ repo, name }) => isAbout(rule, { repo, tag: name }));
  if (isExpiring(rule)) return { tags: await expiryOf(call, rule, tags), nextPageToken };
  const facts = await readAllFacts(call, caller, rule, tags);
  const none = { roles: new Set<string>(), images: new Map(), tags: new Map(), stays: [] };
  return {
    tags: tags.map((tag) => previewOf(rule, tag, facts.get(parentOf(tag.uid)) ?? none, call.now)),
    nextPageToken,
  };
}

/** The time of the first moves that the rule needs: all, those of the last 90 days, or none. */
function beginOf({ serve, expire }: Rule, now: number): number {
  if (serve) return 0;
  return expire ? now : now - since;
}

/** The effect of a rule of the kind expire. */
async function expiryOf(call: Call, rule: Expiring, tags: TagWithMoves[]): Promise<Preview[]> {
  const names = new Map(tags.map(({ uid, repo }) => [parentOf(uid), repo]));
  const verdicts = await previewExpiry(call, rule, tags, names);
  return tags.map(({ uid, name: tag, digest, repo }) => {
    const { stays = true, reason = "it is gone" } = verdicts.get(uid) ?? {};
    return { tagUid: uid, repoUid: parentOf(uid), repo, tag, digest, allowed: stays, reason };
  });
}

/** The rule as one that is stored. */
const toRule = (sent: TagRule, parent: string): Rule => ({
  ...toWritten(sent),
  ...{ uid: "", parent, scope: "", role: "", updateTime: 0 },
});

async function readTags(
  { db }: Call,
  rows: { uid: string; name: string; digest: string }[],
  from: number,
): Promise<TagWithMoves[]> {
  const asked = JSON.stringify(rows.map(({ uid, name }) => [parentOf(uid), name]));
  const [repo, tag] = [sql`"asked"."value" ->> 0`, sql`"asked"."value" ->> 1`];
  const read = await db
    .select({
      repo: sql<string>`(select ${repos.name} from ${repos} where ${repos.uid} = ${repo})`,
      moves: sql<string>`(select json_group_array(json_array("time", "digest", "before", "identity", "is_there")) from (
        select m.update_time as "time", m.digest as "digest", m.previous_digest as "before", m.identity as "identity",
          ${isStored(repo, sql`m.digest`)} as "is_there"
        from ${tagMoves} as m where m.repo_uid = ${repo} and m.tag = ${tag} and m.update_time >= ${from}
        order by m.update_time desc limit ${maxMoves}))`,
    })
    .from(sql`json_each(${asked}) as "asked"`)
    .orderBy(sql`"asked"."key"`);
  return rows.map((row, index) => {
    const { repo: name = "", moves = "[]" } = read[index] ?? {};
    return { ...row, repo: name, moves: JSON.parse(moves) };
  });
}

/** The facts that the rule needs, for each repository of the tags. */
async function readAllFacts(
  call: Call,
  caller: Caller,
  rule: Rule,
  tags: TagWithMoves[],
): Promise<Map<string, Facts>> {
  const byRepo = [...Map.groupBy(tags, ({ uid }) => parentOf(uid))];
  const needs = needsOf([rule]);
  const statements = byRepo.flatMap(([repo, ofRepo]) => {
    if (!needs) return [];
    const digests = ofRepo.flatMap(({ digest, moves }) => [
      digest,
      ...moves.flatMap(([, to, from]) => [to, from]),
    ]);
    const asked = [...new Set(digests)].filter(Boolean).map((digest) => ({ digest }));
    return [selectEvidence(call.db, repo, asked, call.now, needs)];
  });
  const [first, ...rest] = statements;
  const results = first ? await call.db.batch([first, ...rest]) : [];
  const { host } = new URL(call.config.registryUrl);
  const all = byRepo.map(async ([repo], index): Promise<[string, Facts]> => {
    const [row] = results[index] ?? [];
    return [repo, await readFacts(row, rolesOf(caller, repo), host)];
  });
  return new Map(await Promise.all(all));
}

function previewOf(
  rule: Rule,
  { uid, name: tag, digest, repo, moves }: TagWithMoves,
  facts: Facts,
  now: number,
): Preview {
  const shown = { tagUid: uid, repoUid: parentOf(uid), repo, tag, digest };
  if (rule.serve) {
    const past = moves.map(([time, to]) => ({ digest: to, time }));
    const there = new Set(moves.flatMap(([, to, , , isThere]) => (isThere ? [to] : [])));
    const pull = { repo, tag, digest, moves: past, there, now };
    const { digest: servedDigest = "", reason } = chooseServed([rule], pull, facts);
    return { ...shown, allowed: servedDigest !== "", reason, servedDigest };
  }
  const { isAllowed, reason: text } = decide([rule], { repo, tag, from: "", to: digest }, facts);
  const refused = moves.flatMap(([time, to, from, identityUid]) => {
    const { isAllowed, reason } = decide([rule], { repo, tag, from, to }, facts);
    return isAllowed
      ? []
      : [{ updateTime: timestampFromMs(time), digest: to, identityUid, reason }];
  });
  return {
    ...shown,
    allowed: isAllowed,
    reason: text,
    refusedMoves: refused.slice(0, maxRefused),
  };
}
