import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import {
  DeleteManifestRequestSchema,
  type Manifest,
  ManifestSchema,
  ManifestsService,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { TagsService } from "../../../schema/gen/platform/registry/v2/tags_pb.js";
import { type IndexEntry, manifests } from "../../../schema/tables/registry/manifests.ts";
import { tags } from "../../../schema/tables/registry/tags.ts";
import { failedPrecondition, invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { sha256 } from "../../aip/sha256.ts";
import { retryStale, updateAsRead } from "../../aip/stale.ts";
import { readJson } from "../../aip/text.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { commit, nextTime, onlyIf, onlyIfChanged, type Statement } from "../../outbox/commit.ts";
import { insertEvent, insertEvents } from "../../outbox/outbox.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { type TagRow, tagColumns, tagDeletion } from "../tags/tags.ts";
import { readImageConfig, type StoredConfig } from "./image_config.ts";
import { canonicalArchitecture, toArchitecture } from "./platforms.ts";

type Row = typeof manifests.$inferSelect;

/** The media types of lists of manifests. */
export const indexTypes = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
];
/** The media types of a single manifest. */
const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];

interface Descriptor {
  mediaType?: unknown;
  digest?: unknown;
  size?: unknown;
  platform?: { os?: unknown; architecture?: unknown; variant?: unknown };
}

interface Content {
  mediaType?: unknown;
  manifests?: (Descriptor | null)[];
  config?: Descriptor | null;
  layers?: (Descriptor | null)[];
}

const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** The stored part of an OCI document. */
export interface ManifestContent {
  /** The manifests of an index. Empty for a manifest. */
  entries: IndexEntry[];
  /** The bytes of the layers and the config of a manifest. 0 for an index. */
  size: number;
  /** The config that a manifest names. */
  config?: Descriptor;
}

/** Reads the stored part of an OCI document. Throws INVALID_ARGUMENT. */
export function readContent(given: Pick<Manifest, "content" | "mediaType">): ManifestContent {
  const content = readJson(given.content, (path, what) =>
    invalidArgument("content", path === "" ? `content ${what}` : `content: ${path} ${what}`),
  ) as Content;
  if (typeof content !== "object" || content === null)
    throw invalidArgument("content", "content must be a JSON object");
  if (content.mediaType !== undefined && content.mediaType !== given.mediaType) {
    throw invalidArgument(
      "media_type",
      `media_type must be that of the content, ${quoted(String(content.mediaType))}`,
    );
  }
  if (indexTypes.includes(given.mediaType)) return { entries: readEntries(content), size: 0 };
  if (manifestTypes.includes(given.mediaType)) {
    return { entries: [], size: readSize(content), config: content.config ?? {} };
  }
  throw invalidArgument(
    "media_type",
    `media_type must be one of ${[...indexTypes, ...manifestTypes].join(", ")}; you sent ${quoted(given.mediaType)}`,
  );
}

/** Attestations are entries of an index with the platform unknown/unknown, which is not an architecture. */
function readEntries({ manifests: given }: Content): IndexEntry[] {
  if (!Array.isArray(given))
    throw invalidArgument("content", "content must have a list of manifests");
  return given.flatMap((descriptor, index) => {
    const { digest, platform } = descriptor ?? {};
    if (typeof digest !== "string" || !digestPattern.test(digest)) {
      throw invalidArgument(
        "content",
        `content: manifests[${index}] must have a sha256 or sha512 digest`,
      );
    }
    const { architecture, variant } = platform ?? {};
    if (typeof architecture !== "string" || architecture === "unknown") return [];
    const name = toArchitecture(architecture, typeof variant === "string" ? variant : "");
    return [{ digest, architecture: name }];
  });
}

function readSize({ config, layers }: Content): number {
  if (!config || !Array.isArray(layers))
    throw invalidArgument("content", "content must have a config and a list of layers");
  const sum = [config, ...layers].reduce((total, descriptor) => {
    const size = descriptor?.size;
    if (!Number.isSafeInteger(size) || (size as number) < 0) {
      throw invalidArgument("content", "content: the config and each layer must have a size");
    }
    return total + (size as number);
  }, 0);
  if (!Number.isSafeInteger(sum))
    throw invalidArgument(
      "content",
      "content: the sizes of the config and the layers are too large together",
    );
  return sum;
}

/** Checks the configuration against the manifest that names it, and reads it. */
async function readConfig(
  { config: bytes }: Manifest,
  descriptor: Descriptor | undefined,
): Promise<StoredConfig | undefined> {
  if (bytes.byteLength === 0) return undefined;
  if (!descriptor) throw invalidArgument("config", "config must be empty for an image index");
  const digest = `sha256:${await sha256(bytes)}`;
  if (descriptor.digest !== digest) {
    throw invalidArgument(
      "config",
      `config must have the digest that the content names; its digest is ${digest}`,
    );
  }
  return readImageConfig(bytes, descriptor.mediaType);
}

export type StoredManifest = Omit<Row, "parent" | `ancestor${number}`>;

/** The statement that reads a manifest of a repository. */
export const selectManifest = ({ db }: Pick<Call, "db">, repo: string | SQL, digest: string) =>
  db
    .select()
    .from(manifests)
    .where(and(eq(manifests.parent, repo), eq(manifests.digest, digest)));

const toManifest = (row: StoredManifest) =>
  create(ManifestSchema, {
    uid: row.uid,
    digest: row.digest,
    mediaType: row.mediaType,
    architectures: [...row.entries.map((entry) => entry.architecture), row.architecture]
      .filter((name) => name !== "")
      .map(canonicalArchitecture),
    size: BigInt(row.size),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

/** The statement that stores a manifest, or adds the configuration to the stored one. */
function writeManifest({ db }: Call, stored: Row | undefined, row: StoredManifest) {
  if (!stored) return db.insert(manifests).values(row).onConflictDoNothing();
  const { architecture, config, updateTime } = row;
  return updateAsRead(db, manifests, stored, { architecture, config, updateTime });
}

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
  { digest, mediaType, content: { entries, size }, image }: NewManifest,
  stored: Row | undefined,
): { message: Manifest; statements: Statement[] } {
  if (stored && (!image || stored.config !== null)) {
    return { message: toManifest(stored), statements: [] };
  }
  const [, hash = ""] = digest.split(":");
  const row: StoredManifest = {
    uid: `${parent}/${hash.slice(0, 16)}`,
    ...{ digest, mediaType, entries, size },
    architecture: image?.architecture ?? "",
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

export const manifestsService = service(ManifestsService, {
  /** If the same bytes are sent again, nothing changes and the stored manifest is returned. */
  async createManifest({ parent, manifest: given }, call) {
    const manifest = given ?? create(ManifestSchema);
    const content = readContent(manifest);
    const image = await readConfig(manifest, content.config);
    const digest = `sha256:${await sha256(manifest.content)}`;
    const { mediaType } = manifest;
    return retryStale(async () => {
      const { caller, also } = await find(call, parentRepo, parent, {
        also: [selectManifest(call, parent, digest)],
      });
      const [[stored]] = also;
      const one = { digest, mediaType, content, image };
      const { message, statements } = storeManifest(call, caller, parent, one, stored);
      const [first, ...rest] = statements;
      if (first) await commit(call, [first, ...rest]);
      return message;
    });
  },

  /** Its tags are deleted too. */
  async deleteManifest({ uid }, call) {
    const select = (db: Database, at: string) =>
      db.select(keyColumns).from(manifests).where(eq(manifests.uid, at));
    const tagsOf = call.db
      .select(tagColumns)
      .from(tags)
      .innerJoin(
        manifests,
        and(eq(manifests.parent, tags.parent), eq(manifests.digest, tags.digest)),
      )
      .where(eq(manifests.uid, uid))
      .limit(maxDeletedTags + 1);
    const { caller, row, also } = await find(call, { type: "registry/Manifest", select }, uid, {
      also: [tagsOf],
    });
    await commit(call, manifestDeletion(call, caller, row, also[0]));
    return {};
  },
});

/** The most tags that are deleted with their manifest. */
export const maxDeletedTags = 500;

const keyColumns = { uid: manifests.uid, parent: manifests.parent, digest: manifests.digest };

/**
 * The statements that delete a manifest with the tags that point to it, and write the events. They abort the
 * whole batch if one of the rows has changed. Throws FAILED_PRECONDITION if there are too many tags.
 */
export function manifestDeletion(
  call: Call,
  caller: Caller,
  { uid, parent, digest }: Pick<Row, "uid" | "parent" | "digest">,
  pointing: TagRow[],
): [Statement, ...Statement[]] {
  if (pointing.length > maxDeletedTags) {
    throw failedPrecondition(
      "TOO_MANY_TAGS",
      `more than ${maxDeletedTags} tags point to the manifest; delete some of them first`,
    );
  }
  const { db } = call;
  const deletedTags = pointing.map(tagDeletion);
  const uids = JSON.stringify(pointing.map((row) => row.uid));
  return [
    db.delete(manifests).where(eq(manifests.uid, uid)),
    onlyIfChanged(db),
    insertEvent(call, caller, {
      ...{ subject: uid, group: parentOf(parent), image: { repo: parent, digest } },
      body: { desc: DeleteManifestRequestSchema, message: { uid } },
    }),
    ...(pointing.length === 0
      ? []
      : [
          db.delete(tags).where(inArray(tags.uid, sql`(select value from json_each(${uids}))`)),
          ...insertEvents(call, caller, TagsService.method.deleteTag, deletedTags),
        ]),
    // A tag that has just been moved to the manifest would point nowhere.
    onlyIf(
      db,
      sql`not exists (select 1 from ${tags} where ${and(eq(tags.parent, parent), eq(tags.digest, digest))})
        and (select count(*) from ${tags} where ${tags.uid} in (select value from json_each(${uids}))) = 0`,
    ),
  ];
}
