import { timestampMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  ImportTagMovesResponseSchema,
  type TagMove,
  TagMovesService,
} from "../../schema/gen/platform/registry/v2/tag_moves_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { repos } from "../../schema/tables/repos.ts";
import { tagMoves } from "../../schema/tables/tag_moves.ts";
import { tags } from "../../schema/tables/tags.ts";
import { aborted, notFound } from "../aip/errors.ts";
import { authorized } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { commit } from "../outbox/commit.ts";
import { record } from "../outbox/outbox.ts";
import { service } from "../rpc/service.ts";
import { type Known, type Plan, plan } from "./tag_move_plan.ts";

/** Rows of one JSON parameter: D1 takes strings of at most 2 MB. */
const chunkSize = 4000;

const chunks = <T>(rows: T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / chunkSize) }, (_, index) =>
    rows.slice(index * chunkSize, (index + 1) * chunkSize),
  );

/** The repos the moves name, as far as they exist. */
const selectRepos = (call: Call, parent: string, moves: TagMove[]) =>
  call.db
    .select({ uid: repos.uid, name: repos.name })
    .from(repos)
    .where(
      and(
        eq(repos.parent, parent),
        sql`${repos.name} in (select value from json_each(${JSON.stringify([...new Set(moves.map((one) => one.repo))])}))`,
      ),
    );

/** The tags the moves name: what they point to, and their last recorded move. */
function selectTags(call: Call, parent: string, pairs: [string, string][]) {
  const last = sql`select max(${tagMoves.updateTime}) from ${tagMoves} where ${tagMoves.repoUid} = ${repos.uid} and ${tagMoves.tag} = pair.value ->> 1`;
  return (
    call.db
      .select({
        repo: repos.name,
        repoUid: repos.uid,
        tag: sql<string>`pair.value ->> 1`,
        // Aliases, since D1 answers a batch by column name.
        tagUid: sql<string | null>`${tags.uid}`.as("tag_uid"),
        digest: tags.digest,
        updateTime: tags.updateTime,
        lastTime: sql<number | null>`${tagMoves.updateTime}`.as("last_time"),
        lastDigest: sql<string | null>`${tagMoves.digest}`.as("last_digest"),
      })
      .from(sql`json_each(${JSON.stringify(pairs)}) as pair`)
      // In this order: SQLite would rather read every repo of the group for each pair.
      .crossJoin(repos)
      .leftJoin(tags, and(eq(tags.parent, repos.uid), sql`${tags.name} = pair.value ->> 1`))
      .leftJoin(
        tagMoves,
        and(
          eq(tagMoves.repoUid, repos.uid),
          sql`${tagMoves.tag} = pair.value ->> 1`,
          sql`${tagMoves.updateTime} = (${last})`,
        ),
      )
      .where(and(eq(repos.parent, parent), sql`${repos.name} = pair.value ->> 0`))
  );
}

/** Of the moves, those whose very time history already has, or the record before it. */
function selectRecorded(call: Call, parent: string, rows: [number, string, string, number][]) {
  const earlier = alias(tagMoves, "earlier");
  const time = sql`select max(m.update_time) from ${tagMoves} as m where m.repo_uid = ${repos.uid} and m.tag = move.value ->> 2 and m.update_time < move.value ->> 3`;
  return (
    call.db
      .select({
        index: sql<number>`move.value ->> 0`,
        digest: tagMoves.digest,
        before: sql<string | null>`${earlier.digest}`.as("before"),
        beforeTime: sql<number | null>`${earlier.updateTime}`.as("before_time"),
      })
      .from(sql`json_each(${JSON.stringify(rows)}) as move`)
      // In this order, as above.
      .crossJoin(repos)
      .leftJoin(
        tagMoves,
        and(
          eq(tagMoves.repoUid, repos.uid),
          sql`${tagMoves.tag} = move.value ->> 2`,
          sql`${tagMoves.updateTime} = move.value ->> 3`,
        ),
      )
      .leftJoin(
        earlier,
        and(
          eq(earlier.repoUid, repos.uid),
          sql`${earlier.tag} = move.value ->> 2`,
          sql`${earlier.updateTime} = (${time})`,
        ),
      )
      .where(and(eq(repos.parent, parent), sql`${repos.name} = move.value ->> 1`))
  );
}

async function readKnown(call: Call, parent: string, moves: TagMove[]) {
  const pairs = [
    ...new Map(
      moves.map(({ repo, tag }) => [`${repo}\n${tag}`, [repo, tag] as [string, string]]),
    ).values(),
  ];
  const times = moves.map((move, index): [number, string, string, number] => [
    index,
    move.repo,
    move.tag,
    move.updateTime ? timestampMs(move.updateTime) : 0,
  ]);
  const pairChunks = chunks(pairs);
  const group = call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent));
  const statements = [
    group,
    selectRepos(call, parent, moves),
    ...pairChunks.map((chunk) => selectTags(call, parent, chunk)),
    ...chunks(times).map((chunk) => selectRecorded(call, parent, chunk)),
  ];
  const { caller, rows } = await authorized(call, parent, statements as [typeof group]);
  const [[inGroup], foundRepos = [], ...rest] = rows as unknown as [
    { uid: string }[],
    ...unknown[][],
  ];
  if (!inGroup) throw notFound("iam/Group", parent);
  const known: Known = {
    repos: foundRepos as Known["repos"],
    tags: rest.slice(0, pairChunks.length).flat() as Known["tags"],
    recorded: rest.slice(pairChunks.length).flat() as Known["recorded"],
  };
  return { caller, known };
}

/** The statements of a plan: a few, whatever the number of moves. Columns are in table order. */
function statementsOf(call: Call, { createdRepos, changedTags, moves }: Plan) {
  const { db } = call;
  const each = (rows: unknown[]) => sql`json_each(${JSON.stringify(rows)})`;
  const at = (index: number) => sql`value ->> ${sql.raw(String(index))}`;
  const insertRepos = chunks(createdRepos).map((chunk) =>
    db
      .insert(repos)
      .select(
        sql`select ${at(0)}, ${at(2)}, ${at(2)}, ${at(1)}, '', 0, '[]', '[]', '[]', null, null, '', 0 from ${each(chunk)}`,
      ),
  );
  const upsertTags = chunks(changedTags).map((chunk) =>
    db
      .insert(tags)
      .select(
        sql`select ${at(0)}, ${at(3)}, ${at(4)}, ${at(1)}, 'sha256:' || (${at(2)}), 0, '[]' from ${each(chunk)} where true`,
      )
      .onConflictDoUpdate({
        target: tags.uid,
        set: {
          digest: sql`excluded.digest`,
          updateTime: sql`max(${tags.updateTime}, excluded.update_time)`,
        },
      }),
  );
  const insertMoves = chunks(moves).map((chunk) =>
    db
      .insert(tagMoves)
      .select(
        sql`select ${at(0)}, ${at(1)}, ${at(2)}, 'sha256:' || (${at(3)}) from ${each(chunk)} where true`,
      ),
  );
  return [...insertRepos, ...upsertTags, ...insertMoves];
}

export const tagMovesService = service(TagMovesService, {
  async importTagMoves({ parent, moves }, call) {
    const { caller, known } = await readKnown(call, parent, moves);
    const planned = plan(parent, moves, known, call.now);
    const message = planned.response;
    if (planned.moves.length === 0) return message;
    const body = { desc: ImportTagMovesResponseSchema, message };
    const event = record(call, caller, { subject: parent, group: parent, body });
    await commit(call, [...statementsOf(call, planned), event] as never, () =>
      aborted("another call moves the same tags; send the import again"),
    );
    return message;
  },
});
