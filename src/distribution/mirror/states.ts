/** Records what the platform learns of upstreams, and writes one event for each outage. */
import { and, eq, gte, isNull, lt, or, sql } from "drizzle-orm";
import { RegistryUpstreamOutageSchema } from "../../../schema/gen/platform/events/v2/registry_traffic_pb.js";
import { mirroredTags, upstreamStates } from "../../../schema/tables/registry/mirrors.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { insertCompleteEventIfChanged } from "../../outbox/outbox.ts";
import type { RegistryContext } from "../context.ts";
import type { UpstreamFailure } from "./failures.ts";
import type { Limits } from "./requests.ts";
import type { Mirror } from "./setting.ts";

type Context = Pick<RegistryContext, "db" | "config" | "now" | "request">;

/** An answer is recorded at most this often, in milliseconds, unless it says something new. */
const recordEvery = 60_000;

/** An upstream that answers and fails in turns has one outage in this time, in milliseconds. */
const sameOutage = 10 * 60_000;

/** Records that the upstream has answered. */
export async function recordAnswer({ db }: Context, mirror: Mirror, limits: Limits): Promise<void> {
  const { holder, account, failure, answerTime } = mirror;
  const now = Date.now();
  const isNew = failure !== undefined || limits.pullLimit !== undefined;
  if (!isNew && now - answerTime < recordEvery) return;
  const state = {
    ...{ account, checkTime: now, error: "", reason: "", retryTime: 0 },
    pullLimit: limits.pullLimit ?? null,
    pullsRemaining: limits.pullsRemaining ?? null,
  };
  await db
    .insert(upstreamStates)
    .values({ repo: holder.uid, ...state })
    .onConflictDoUpdate({ target: upstreamStates.repo, set: state });
}

/** Records that the upstream has failed. The first failure of an outage writes an event. */
export async function recordFailure(
  { db, config, now, request }: Context,
  { holder, address, account }: Mirror,
  failure: UpstreamFailure,
): Promise<void> {
  const { message: error, retryTime, reason } = failure;
  const errorTime = Date.now();
  const { outageTime, checkTime } = upstreamStates;
  const isOver = and(gte(checkTime, outageTime), lt(outageTime, errorTime - sameOutage));
  const state = { account, error, reason, errorTime, retryTime };
  await db.batch([
    db
      .insert(upstreamStates)
      .values({ repo: holder.uid, ...state })
      .onConflictDoUpdate({ target: upstreamStates.repo, set: state }),
    db
      .update(upstreamStates)
      .set({ outageTime: errorTime })
      .where(and(eq(upstreamStates.repo, holder.uid), or(isNull(outageTime), isOver))),
    insertCompleteEventIfChanged(
      { config, db, now, headers: request.headers },
      {
        ...{ type: "registry.upstream.v1", path: "", source: config.registryUrl },
        ...{ audience: "customer" as const, subject: holder.uid, group: rootOf(holder.uid) },
        image: { repo: holder.uid },
        actor: { identity: "", act: {} },
        body: {
          desc: RegistryUpstreamOutageSchema,
          message: { repoId: holder.uid, upstream: address, reason, error },
        },
      },
    ),
  ]);
}

/** The statement that records when a tag was compared with the upstream, and why it is not where the upstream has it. */
export const noteTag = ({ db }: Pick<Context, "db">, repo: string, tag: string, problem: string) =>
  db
    .insert(mirroredTags)
    .values({ repo, tag, checkTime: Date.now(), problem })
    .onConflictDoUpdate({
      target: [mirroredTags.repo, mirroredTags.tag],
      set: { checkTime: sql`excluded.check_time`, problem: sql`excluded.problem` },
    });
