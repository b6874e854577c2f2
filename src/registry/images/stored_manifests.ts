/** Stores manifests: with CreateManifest, and with pushes. */
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL } from "drizzle-orm";
import {
  type Manifest,
  ManifestSchema,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { updateAsRead } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { nextTime, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import type { StoredConfig } from "./image_config.ts";
import type { ManifestContent } from "./manifest_content.ts";
import { canonicalArchitecture } from "./platforms.ts";

type Row = typeof manifests.$inferSelect;

export type StoredManifest = Omit<Row, "parent" | `ancestor${number}`>;

/** The statement that reads a manifest of a repository. */
export const selectManifest = ({ db }: Pick<Call, "db">, repo: string | SQL, digest: string) =>
  db
    .select()
    .from(manifests)
    .where(and(eq(manifests.parent, repo), eq(manifests.digest, digest)));

export const toManifest = (row: Omit<StoredManifest, "config">) =>
  create(ManifestSchema, {
    uid: row.uid,
    digest: row.digest,
    mediaType: row.mediaType,
    architectures: [...row.entries.map((entry) => entry.architecture), row.architecture]
      .filter((name) => name !== "")
      .map(canonicalArchitecture),
    size: BigInt(row.size),
    os: row.os,
    ...(row.imageTime === null ? {} : { imageCreateTime: timestampFromMs(row.imageTime) }),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

/** The statement that stores a manifest, or adds the configuration to the stored one. */
function writeManifest({ db }: Call, stored: Row | undefined, row: StoredManifest) {
  if (!stored) return db.insert(manifests).values(row).onConflictDoNothing();
  const { architecture, os, imageTime, config, updateTime } = row;
  const changed = { architecture, os, imageTime, config, updateTime };
  return updateAsRead(db, manifests, stored, changed);
}

/** The uid of the manifest with a digest in a repository. */
export const manifestUid = (repo: string, digest: string): string =>
  `${repo}/${digest.slice(digest.indexOf(":") + 1).slice(0, 16)}`;

/** A manifest to store. */
interface NewManifest {
  digest: string;
  mediaType: string;
  content: ManifestContent;
  /** The configuration of the image. Undefined if it is not known. */
  image: StoredConfig | undefined;
}

/**
 * The manifest as it will be, and the statements that store it with its event, or add the configuration to
 * the stored one. There are none if nothing changes. They abort the whole batch if another call was faster.
 */
export function storeManifest(
  call: Call,
  caller: Caller,
  parent: string,
  { digest, mediaType, content: { entries, size, signatures }, image }: NewManifest,
  stored: Row | undefined,
): { message: Manifest; statements: Statement[] } {
  if (stored && (!image || stored.config !== null)) {
    return { message: toManifest(stored), statements: [] };
  }
  const row: StoredManifest = {
    uid: manifestUid(parent, digest),
    digest,
    mediaType,
    entries,
    size,
    signatures: signatures.length,
    architecture: image?.architecture ?? "",
    os: image?.os ?? "",
    imageTime: image?.imageTime ?? null,
    config: image?.config ?? null,
    createTime: stored?.createTime ?? call.now,
    updateTime: stored ? nextTime(call, stored.updateTime) : call.now,
  };
  const message = toManifest(row);
  const event = insertEvent(call, caller, {
    subject: row.uid,
    group: parentOf(parent),
    image: { repo: parent, digest },
    body: { desc: ManifestSchema, message },
  });
  return {
    message,
    statements: [writeManifest(call, stored, row), onlyIfChanged(call.db), event],
  };
}
