/** The events about blobs whose bytes in R2 are missing or wrong. */
import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { RegistryDamageSchema } from "../../schema/gen/platform/events/v2/registry_traffic_pb.js";
import { blobLinks, blobs } from "../../schema/tables/distribution/blobs.ts";
import { repoStorage } from "../../schema/tables/distribution/storage.ts";
import { StaleError } from "../aip/stale.ts";
import { rootOf } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import { isWritable } from "../auth/databases.ts";
import type { Config } from "../config.ts";
import { commitIfChanged, type Statement } from "../outbox/commit.ts";
import { insertCompleteEvents } from "../outbox/outbox.ts";

/** That a repository with the blob is moving to another database. Its event is then written later. */
const isMoving = sql`exists (select 1 from ${blobLinks} join ${repoStorage} on ${repoStorage.id} = ${blobLinks.repo}
  where ${blobLinks.blob} = ${blobs.id} and not (${isWritable(sql`${repoStorage.uid}`)}))`;

/** The blobs of one step, and the repositories of a blob that get an event. */
const most = { blobs: 20, repositories: 1000 };

/**
 * Writes one event for each repository that has a damaged blob. Each fault is announced once. Returns the number of
 * blobs.
 */
export async function announceFaults(config: Config, db: Database, now: number): Promise<number> {
  const damaged = await db
    .select({ id: blobs.id, digest: blobs.digest, fault: blobs.fault })
    .from(blobs)
    .where(and(isNotNull(blobs.fault), isNull(blobs.faultTime), sql`not ${isMoving}`))
    .limit(most.blobs);
  for (const { id, digest, fault } of damaged) {
    const holders = await db
      .selectDistinct({ repo: repoStorage.uid })
      .from(blobLinks)
      .innerJoin(repoStorage, eq(repoStorage.id, blobLinks.repo))
      .where(eq(blobLinks.blob, id))
      .orderBy(asc(repoStorage.uid))
      .limit(most.repositories);
    const isSame = and(eq(blobs.id, id), isNotNull(blobs.fault), isNull(blobs.faultTime));
    try {
      await commitIfChanged({ db }, [
        db.update(blobs).set({ faultTime: now }).where(isSame),
        ...eventsOf(config, db, now, { holders, digest, fault: fault ?? "" }),
      ]);
    } catch (thrown) {
      // A push has just brought the bytes again.
      if (!(thrown instanceof StaleError)) throw thrown;
    }
  }
  return damaged.length;
}

function eventsOf(
  config: Config,
  db: Database,
  now: number,
  { holders, digest, fault }: { holders: { repo: string }[]; digest: string; fault: string },
): Statement[] {
  const events = holders.map(({ repo }) => ({
    type: "registry.damage.v1",
    path: "",
    source: config.registryUrl,
    audience: "customer" as const,
    subject: repo,
    group: rootOf(repo),
    image: { repo, digest },
    actor: { identity: "", act: {} },
    body: { desc: RegistryDamageSchema, message: { repoId: repo, digest, fault } },
  }));
  return insertCompleteEvents({ config, db, now, headers: new Headers() }, events);
}
