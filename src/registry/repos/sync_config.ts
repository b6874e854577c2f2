/**
 * Repositories that are copies of another one: the source, and the fields that they take from it (contract:
 * SyncConfig).
 */
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type Repo,
  type SyncConfig,
  type SyncStatus,
  SyncStatusSchema,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { groups } from "../../../schema/tables/iam/groups.ts";
import { repoSyncs } from "../../../schema/tables/registry/mirrors.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { isUnchanged } from "../../aip/stale.ts";
import { isUid } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Call, Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { onlyIf } from "../../outbox/commit.ts";

/** The time that a repository follows its source, in milliseconds. */
const syncLifetime = 14 * 24 * 3600 * 1000;

/** The capabilities that a pull needs. */
export const pullCapabilities = [Capability.CAP_REPO_LIST, Capability.CAP_TAG_LIST];

/**
 * Settings that only the server sets in version 2, and a client can set in version 1. Absent ones keep their
 * values.
 */
export type V1SyncOptions = Partial<
  Pick<SyncConfig, "uniqueTags" | "gracePeriod" | "apkoOverlay" | "expirationTime">
>;

/** The fields that a synced repository takes from its source. They cannot change while it is synced. */
const inherited = {
  catalogTier: "catalog_tier",
  bundles: "bundles",
  aliases: "aliases",
  activeTags: "active_tags",
} as const;

/**
 * The source in a request: a uid, `<organization>/<repo>`, that path after the host of the registry, or the name of a
 * repository of the public namespace.
 */
function parseSource(call: Call, text: string) {
  if (isUid(text)) return eq(repos.uid, text);
  const host = `${call.config.registryAudience}/`;
  const path = text.startsWith(host) ? text.slice(host.length) : text;
  const slash = path.indexOf("/");
  return and(
    eq(groups.name, slash === -1 ? call.config.publicNamespace : path.slice(0, slash)),
    eq(groups.verified, true),
    eq(repos.name, path.slice(slash + 1)),
  );
}

/**
 * The statement that reads the source, if the request names one: its repository, and whether anyone may pull
 * it.
 */
export const selectSyncSource = (call: Call, text: string | undefined) =>
  text === undefined ? [] : [selectNamed(call, text)];

/** The result of {@link selectSyncSource}. The call then writes only while the source is as it was read. */
export function guardedSource(call: Call, [rows]: SyncSource[][]): SyncSource | undefined {
  const row = rows?.[0];
  if (row) call.guards.set("source", () => onlyIf(call.db, isUnchanged(repos, row)));
  return row;
}

const selectNamed = (call: Call, text: string) =>
  call.db
    .select({
      uid: repos.uid,
      updateTime: repos.updateTime,
      description: repos.description,
      catalogTier: repos.catalogTier,
      bundles: repos.bundles,
      aliases: repos.aliases,
      activeTags: repos.activeTags,
      isPublic:
        sql<number>`${groups.verified} = 1 and ${groups.name} = ${call.config.publicNamespace}`.as(
          "is_public",
        ),
    })
    .from(repos)
    .innerJoin(groups, eq(groups.uid, repos.parent))
    .where(parseSource(call, text))
    .limit(1);

/** A repository that another one copies. */
export type SyncSource = Awaited<ReturnType<typeof selectNamed>>[number];

/**
 * Completes the sync settings of a repository that is written. A new source is replaced by its uid, inherited
 * fields are copied, and `v1` is set. Throws PERMISSION_DENIED if the caller may not pull the source, whether
 * or not it exists. Throws INVALID_ARGUMENT if a synced repository would differ from its source.
 */
export function applySync(
  call: Call,
  caller: Caller,
  before: Repo | undefined,
  after: Repo,
  source: SyncSource | undefined,
  v1: V1SyncOptions = {},
): void {
  applySource(call, caller, before, after, source);
  if (after.syncConfig) Object.assign(after.syncConfig, v1);
}

/** The identity whose access decides about copies: the one that has set the source that the repository has now. */
export function syncIdentityOf(
  { identity }: Caller,
  before: Repo | undefined,
  after: Repo,
  stored: string,
): string {
  if (!after.syncConfig) return "";
  return after.syncConfig.source === before?.syncConfig?.source ? stored : identity;
}

/** The settings of a repository that the platform stores, and that have no effect (contract: SyncConfig). */
const withoutEffect = {
  google: "sync_config.google",
  amazon: "sync_config.amazon",
  azure: "sync_config.azure",
  apkoOverlay: "sync_config.apko_overlay",
  uniqueTags: "sync_config.unique_tags",
  gracePeriod: "sync_config.grace_period",
} as const;

/** Says in the `Warning` header of the response which settings have no effect. */
export function warnOfNoEffect(
  { responseHeaders }: Call,
  { syncConfig, customOverlay }: Repo,
): void {
  const names: string[] = Object.entries(withoutEffect).flatMap(([property, field]) =>
    syncConfig?.[property as keyof typeof withoutEffect] ? [field] : [],
  );
  if (customOverlay) names.push("custom_overlay");
  if (names.length === 0) return;
  const text = `${names.join(", ")}: stored, and without effect on this platform`;
  responseHeaders.set("warning", `299 - "${text}"`);
}

function applySource(
  call: Call,
  caller: Caller,
  before: Repo | undefined,
  after: Repo,
  source: SyncSource | undefined,
): void {
  if (!after.syncConfig) return;
  if (after.syncConfig.source === before?.syncConfig?.source) {
    for (const [property, field] of Object.entries(inherited)) {
      const name = property as keyof typeof inherited;
      if (JSON.stringify(before[name]) !== JSON.stringify(after[name])) {
        throw invalidArgument(
          field,
          `${field} cannot be set on a synced repository, which takes it from its source`,
        );
      }
    }
    return;
  }
  if (!source || !(source.isPublic || holds(caller, pullCapabilities, source.uid))) {
    const text =
      "sync_config.source must be a repository that you can pull: send its uid, <organization>/<repo> if the organization is verified, or the name of a public repository";
    const named = after.syncConfig.source;
    throw accessDenied(text, {
      capabilities: pullCapabilities,
      resource: isUid(named) ? named : "",
    });
  }
  if (source.uid === after.uid) {
    throw invalidArgument(
      "sync_config.source",
      "sync_config.source must not be the repository itself",
    );
  }
  after.syncConfig.source = source.uid;
  after.syncConfig.expirationTime = timestampFromMs(call.now + syncLifetime);
  const { catalogTier, bundles, aliases, activeTags } = source;
  Object.assign(after, { catalogTier, bundles, aliases, activeTags });
  if (after.description === "") after.description = source.description;
}

/** The statement that reads when a repository was last compared with its source. */
export const selectSync = (db: Database, uid: string) =>
  db.select().from(repoSyncs).where(eq(repoSyncs.repo, uid));

/** The message of such a row. Undefined without one. */
export const toSyncStatus = (
  row: Pick<typeof repoSyncs.$inferSelect, "time" | "problem"> | undefined,
): SyncStatus | undefined =>
  row && wholeMessage(SyncStatusSchema, { time: timestampFromMs(row.time), problem: row.problem });
