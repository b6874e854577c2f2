/** Converts repositories of version 1 to messages of version 2, and back. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs, timestampMs } from "@bufbuild/protobuf/wkt";
import {
  type ApkoConfig_Accounts,
  type CustomOverlay,
  CustomOverlaySchema,
  type ImageContents,
  type Repo,
  RepoSchema,
  type SyncConfig,
  SyncConfigSchema,
} from "../../../schema/gen/platform/registry/repos_pb.js";
import type {
  CustomOverlay_Accounts as AccountsV2,
  CustomOverlaySchema as CustomOverlayV2Schema,
  CustomOverlay as OverlayV2,
  Repo as RepoV2,
  RepoSchema as RepoV2Schema,
  SyncConfig as SyncConfigV2,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { invalidArgument } from "../../aip/errors.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { V1SyncOptions } from "./sync_config.ts";

/** Fields of version 2 that have another name in version 1, for violations. */
export const repoFieldNames = {
  content: "readme",
  "custom_overlay.accounts.users.username": "custom_overlay.accounts.users.user_name",
  "custom_overlay.accounts.groups.groupname": "custom_overlay.accounts.groups.group_name",
  "sync_config.expiration_time": "sync_config.expiration",
};

/** The tiers of version 1 begin at 4, because it once had others. */
const tierGap = 3;
const notATier = -1;

const tierToV1 = (tier: number) => (tier === 0 ? 0 : tier + tierGap);

function tierToV2(tier: number): number {
  if (tier === 0) return 0;
  return tier > tierGap ? tier - tierGap : notATier;
}

/** The greatest number of a user or group that version 2 can represent. */
const maxId = 2 ** 31 - 1;

function idToV2(id: number, field: string): number {
  if (id <= maxId) return id;
  throw invalidArgument(field, `${field} must be at most ${maxId}; you sent ${id}`);
}

function accountsToV2({ groups, users, runAs }: ApkoConfig_Accounts) {
  const accountsPath = "custom_overlay.accounts";
  return {
    runAs,
    groups: groups.map(({ gid, groupName, members }, index) => ({
      gid: idToV2(gid, `${accountsPath}.groups[${index}].gid`),
      groupname: groupName,
      members,
    })),
    users: users.map(({ uid, userName, gid = 0, groupName, shell, homeDir }, index) => ({
      uid: idToV2(uid, `${accountsPath}.users[${index}].uid`),
      gid: idToV2(gid, `${accountsPath}.users[${index}].gid`),
      username: userName,
      groupName,
      shell,
      homeDir,
    })),
  };
}

const accountsToV1 = ({ groups, users, runAs }: AccountsV2) => ({
  runAs,
  groups: groups.map(({ gid, groupname, members }) => ({ gid, groupName: groupname, members })),
  users: users.map(({ uid, gid, username, groupName, shell, homeDir }) => ({
    userName: username,
    uid,
    gid,
    groupName,
    shell,
    homeDir,
  })),
});

type Certificates = NonNullable<CustomOverlay["certificates"] | OverlayV2["certificates"]>;
type Contents = ImageContents | NonNullable<OverlayV2["contents"]>;

const copyFile = ({ name, content }: { name: string; content: string }) => ({ name, content });

const copyContents = ({ packages, runtimeRepositories, runtimeKeyring }: Contents) => ({
  packages,
  runtimeRepositories,
  runtimeKeyring: runtimeKeyring.map(copyFile),
});

const copyCertificates = ({ additional, providers }: Certificates) => ({
  providers,
  additional: additional.map(copyFile),
});

/** The fields of an overlay that both versions share. */
const copyOverlay = (overlay: CustomOverlay | OverlayV2) => ({
  environment: overlay.environment,
  annotations: overlay.annotations,
  ...(overlay.contents && { contents: copyContents(overlay.contents) }),
  ...(overlay.certificates && { certificates: copyCertificates(overlay.certificates) }),
});

function overlayToV2(overlay: CustomOverlay): MessageInitShape<typeof CustomOverlayV2Schema> {
  const { accounts } = overlay;
  return { ...copyOverlay(overlay), ...(accounts && { accounts: accountsToV2(accounts) }) };
}

function overlayToV1(overlay: OverlayV2): CustomOverlay {
  const { accounts } = overlay;
  const named = accounts && { accounts: accountsToV1(accounts) };
  return create(CustomOverlaySchema, { ...copyOverlay(overlay), ...named });
}

/** Without the fields in {@link v1SyncOptions}, which version 2 would ignore. */
function syncToV2({ source, google, amazon, azure, syncApks }: SyncConfig) {
  if (syncApks) {
    throw invalidArgument(
      "sync_config.sync_apks",
      "sync_config.sync_apks must be false; it is deprecated, because packages are not synced",
    );
  }
  return { source, google, amazon, azure };
}

/** The greatest length of a build configuration, in characters. */
const maxOverlayLength = 65_536;

/** The first and the last second of a google.protobuf.Timestamp: the years 1 to 9999. */
const [firstSecond, lastSecond] = [-62_135_596_800n, 253_402_300_799n];

/**
 * The sync settings that a client can set in version 1, but only the server in version 2. Undefined without
 * sync settings. Times are stored to the millisecond. Throws INVALID_ARGUMENT for an invalid time, and for a
 * build configuration that is too long.
 */
export function v1SyncOptions({ syncConfig }: Repo): V1SyncOptions | undefined {
  if (!syncConfig) return undefined;
  const { uniqueTags, gracePeriod, apkoOverlay, expiration } = syncConfig;
  if (apkoOverlay.length > maxOverlayLength) {
    const field = "sync_config.apko_overlay";
    const text = `${field} must have at most ${maxOverlayLength} characters; you sent ${apkoOverlay.length}`;
    throw invalidArgument(field, text);
  }
  if (!expiration) return { uniqueTags, gracePeriod, apkoOverlay };
  const { seconds, nanos } = expiration;
  if (seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos > 999_999_999) {
    const field = "sync_config.expiration";
    throw invalidArgument(field, `${field} must be a time between the years 1 and 9999`);
  }
  const expirationTime = timestampFromMs(timestampMs(expiration));
  return { uniqueTags, gracePeriod, apkoOverlay, expirationTime };
}

function syncToV1(sync: SyncConfigV2): SyncConfig {
  const { source, google, amazon, azure, uniqueTags, apkoOverlay, gracePeriod } = sync;
  return wholeMessage(SyncConfigSchema, {
    source,
    google,
    amazon,
    azure,
    uniqueTags,
    apkoOverlay,
    gracePeriod,
    expiration: sync.expirationTime,
    syncApks: false,
  });
}

export function repoToV1(repo: RepoV2, readme: string): Repo {
  const { uid: id, name, description, bundles, aliases, activeTags, createTime } = repo;
  return wholeMessage(RepoSchema, {
    id,
    name,
    description,
    bundles,
    aliases,
    activeTags,
    readme,
    catalogTier: tierToV1(repo.catalogTier),
    syncConfig: repo.syncConfig && syncToV1(repo.syncConfig),
    customOverlay: repo.customOverlay && overlayToV1(repo.customOverlay),
    createTime,
  });
}

/**
 * Everything except the readme, which version 2 has no field for. Throws INVALID_ARGUMENT for values that
 * version 2 cannot represent: the syncing of packages, and numbers of users above 2147483647.
 */
export function repoToV2(repo: Repo): MessageInitShape<typeof RepoV2Schema> {
  const { id: uid, name, description, bundles, aliases, activeTags } = repo;
  return {
    uid,
    name,
    description,
    bundles,
    aliases,
    activeTags,
    catalogTier: tierToV2(repo.catalogTier),
    ...(repo.syncConfig && { syncConfig: syncToV2(repo.syncConfig) }),
    ...(repo.customOverlay && { customOverlay: overlayToV2(repo.customOverlay) }),
  };
}

/** The fields that a synced repository has from its source. */
const inherited = {
  catalog_tier: ({ catalogTier }: Repo) => catalogTier === 0,
  bundles: ({ bundles }: Repo) => bundles.length === 0,
  aliases: ({ aliases }: Repo) => aliases.length === 0,
  active_tags: ({ activeTags }: Repo) => activeTags.length === 0,
};

/**
 * The fields that a PUT replaces: everything that a client of version 1 can set. If a synced repository's PUT
 * leaves out a field from the source, the field keeps its value, because a reset would be refused.
 */
export function replacedFields(repo: Repo): string[] {
  const own = ["name", "description", "sync_config", "custom_overlay"];
  const sentFields = Object.entries(inherited).filter(([, isLeftOut]) => {
    return !repo.syncConfig || !isLeftOut(repo);
  });
  return [...own, ...sentFields.map(([field]) => field)];
}
