import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq } from "drizzle-orm";
import {
  type Manifest,
  ManifestSchema,
  ManifestsService,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { type IndexEntry, manifests } from "../../../schema/tables/registry/manifests.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { quoted } from "../../aip/quoted.ts";
import { sha256 } from "../../aip/sha256.ts";
import { retryStale, updateAsRead } from "../../aip/stale.ts";
import { readJson } from "../../aip/text.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call } from "../../auth/call.ts";
import { commitIfChanged, nextTime } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
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

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** The stored part of an OCI document: the entries of an index, or the size and the config of a manifest. */
function readContent(given: Manifest): {
  entries: IndexEntry[];
  size: number;
  config?: Descriptor;
} {
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
      throw invalidArgument("content", `content: manifests[${index}] must have a sha256 digest`);
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

type StoredManifest = Omit<Row, "parent" | `ancestor${number}`>;

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

export const manifestsService = service(ManifestsService, {
  /** If the same bytes are sent again, nothing changes and the stored manifest is returned. */
  async createManifest({ parent, manifest: given }, call) {
    const manifest = given ?? create(ManifestSchema);
    const { config: descriptor, ...read } = readContent(manifest);
    const image = await readConfig(manifest, descriptor);
    const hash = await sha256(manifest.content);
    const digest = `sha256:${hash}`;
    return retryStale(async () => {
      const same = call.db
        .select()
        .from(manifests)
        .where(and(eq(manifests.parent, parent), eq(manifests.digest, digest)));
      const { caller, also } = await find(call, parentRepo, parent, { also: [same] });
      const [[stored]] = also;
      if (stored && (!image || stored.config !== null)) return toManifest(stored);
      const row: StoredManifest = {
        uid: `${parent}/${hash.slice(0, 16)}`,
        digest,
        mediaType: manifest.mediaType,
        ...read,
        architecture: image?.architecture ?? "",
        config: image?.config ?? null,
        createTime: stored?.createTime ?? call.now,
        updateTime: stored ? nextTime(call, stored.updateTime) : call.now,
      };
      const message = toManifest(row);
      await commitIfChanged(call, [
        writeManifest(call, stored, row),
        insertEvent(call, caller, {
          subject: row.uid,
          group: parentOf(parent),
          image: { repo: parent, digest },
          body: { desc: ManifestSchema, message },
        }),
      ]);
      return message;
    });
  },
});
