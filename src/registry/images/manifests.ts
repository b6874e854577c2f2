import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import {
  type Manifest,
  ManifestSchema,
  ManifestsService,
} from "../../../schema/gen/platform/registry/v2/manifests_pb.js";
import { blobs } from "../../../schema/tables/distribution/blobs.ts";
import { digestBytes, digestText } from "../../../schema/tables/distribution/digest_column.ts";
import { referrers } from "../../../schema/tables/distribution/referrers.ts";
import { repoStorage } from "../../../schema/tables/distribution/storage.ts";
import { isPathBelow, rowColumns } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { manifests } from "../../../schema/tables/registry/manifests.ts";
import { TagClass } from "../../../schema/tables/registry/tag_class.ts";
import { isInRepo, pointsTo, tags } from "../../../schema/tables/registry/tags.ts";
import { invalidArgument, notFound } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { retryStale } from "../../aip/stale.ts";
import { parentOf } from "../../aip/uid_path.ts";
import type { Call, Database } from "../../auth/call.ts";
import { commit } from "../../outbox/commit.ts";
import { listAt } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { find } from "../../resource/find.ts";
import type { Readable } from "../../resource/resource.ts";
import { service } from "../../rpc/service.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { permitManifestDeletion, selectHolders } from "../tag_rules/held_tags.ts";
import { selectRules } from "../tag_rules/stored_rules.ts";
import { tagColumns } from "../tags/tag_rows.ts";
import { readImageConfig, type StoredConfig } from "./image_config.ts";
import { type Descriptor, readContent } from "./manifest_content.ts";
import { manifestDeletion, maxDeletedTags } from "./manifest_deletion.ts";
import { selectSignedVerdicts, toSignedVerdict } from "./signed_verdicts.ts";
import { selectManifest, storeManifest, toManifest } from "./stored_manifests.ts";
import { signatureFaultSql, toVerdicts, verdictsSql } from "./verdicts.ts";

type Row = typeof manifests.$inferSelect;

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

/** The most tags and referrers of a manifest that are read. */
const maxRead = { tags: 100, referrers: 1000 };

/** SQL: the names of the tags that point to a manifest of a repository, as JSON. */
const tagNamesSql = (repo: string) => sql<string>`(select json_group_array(name) from (
  select tag.name from ${tags} as tag
    where ${pointsTo(repo, sql`${manifests}.digest`, "tag")} limit ${maxRead.tags}))`;

/** SQL: the number of signatures in the referrers of a manifest. A repository without referrers costs nothing. */
function referringSignatures(repo: string) {
  const repoId = sql`(select id from ${repoStorage} where uid = ${repo})`;
  const hasReferrers = sql`(select exists (select 1 from ${referrers} where repo_id = ${repoId}))`;
  return sql<number>`iif(${hasReferrers}, (select coalesce(sum(signing.signatures), 0) from (
    select blob.digest from ${referrers} as referrer cross join ${blobs} as blob
      where referrer.repo_id = ${repoId} and referrer.subject = ${digestBytes(sql`${manifests}.digest`)}
        and blob.id = referrer.manifest_id limit ${maxRead.referrers}) as referring
    cross join ${manifests} as signing where signing.parent = ${repo}
      and signing.digest = ${digestText(sql`referring.digest`)}), 0)`;
}

/** SQL: the number of signatures below the tag that older versions of cosign use, if the repository has such tags. */
function taggedSignatures(repo: string) {
  const hasTags = sql`(select exists (select 1 from ${tags} as tag
    where tag.class = ${sql.raw(String(TagClass.referrer))} and ${isPathBelow(sql`tag.path`, repo)}))`;
  return sql<number>`iif(${hasTags}, coalesce((select signing.signatures
    from ${tags} as tag cross join ${manifests} as signing
    where ${isInRepo(repo, "tag")} and tag.name = replace(${manifests}.digest, ':', '-') || '.sig'
      and signing.parent = ${repo} and signing.digest = tag.digest), 0), 0)`;
}

const { config: _config, ...listedColumns } = rowColumns(manifests);

/** Manifests of a repository, without the configuration, which can be long. */
const selectListed = (db: Database, repo: string) =>
  db
    .select({
      ...listedColumns,
      tagNames: tagNamesSql(repo).as("tag_names"),
      signatureCount: sql<number>`${referringSignatures(repo)} + ${taggedSignatures(repo)}`.as(
        "signature_count",
      ),
      verdicts: verdictsSql(repo, sql`${manifests.digest}`).as("verdicts"),
      fault: signatureFaultSql(repo, sql`${manifests.digest}`).as("signature_fault"),
    })
    .from(manifests);

type ListedRow = Awaited<ReturnType<typeof selectListed>>[number];

function toListedManifest({ tagNames, signatureCount, verdicts: json, fault, ...row }: ListedRow) {
  const verdicts = toVerdicts(json);
  return create(ManifestSchema, {
    ...toManifest(row),
    tags: (JSON.parse(tagNames) as string[]).sort(),
    signatureCount,
    verdicts,
    signatureFault: verdicts.length > 0 ? "" : fault,
  });
}

const isStored = (uid: string) => and(eq(manifests.uid, uid), isPresent(manifests.parent));

const manifest: Readable<ListedRow> = {
  type: "registry/Manifest",
  select: (db, uid) => selectListed(db, parentOf(uid)).where(isStored(uid)),
};

/** The statement that reads the labels of a manifest, as JSON. */
const selectLabels = ({ db }: Call, uid: string) =>
  db
    .select({ labels: sql<string | null>`${manifests.config} -> '$.labels'` })
    .from(manifests)
    .where(eq(manifests.uid, uid));

const listingOf = (repo: string) =>
  defineListing({
    table: manifests,
    select: (db) => selectListed(db, repo),
    orders: { create_time: "createTime", digest: "digest" },
    defaultOrder: "create_time desc",
  });

export const manifestsService = service(ManifestsService, {
  async getManifest({ uid }, call) {
    const { row, extraReads } = await find(call, manifest, uid, {
      extraReads: [selectLabels(call, uid), selectSignedVerdicts(call.db, uid)],
    });
    const [[labeled], signed] = extraReads;
    const labels = JSON.parse(labeled?.labels ?? "{}");
    const signedVerdicts = signed.map(toSignedVerdict);
    return create(ManifestSchema, { ...toListedManifest(row), labels, signedVerdicts });
  },

  async listManifests(request, call) {
    const { repoUid } = request;
    const scope = { at: "childrenOf", uid: repoUid } as const;
    const page = await listAt(call, request, listingOf(repoUid), scope, {
      holder: repoUid,
      exists: parentRepo.select(call.db, repoUid),
      absent: () => notFound(parentRepo.type, repoUid),
    });
    return { manifests: page.rows.map(toListedManifest), ...page.envelope };
  },

  /** If the same bytes are sent again, nothing changes and the stored manifest is returned. */
  async createManifest({ parent, manifest: sentManifest }, call) {
    const manifest = sentManifest ?? create(ManifestSchema);
    const content = readContent(manifest);
    const image = await readConfig(manifest, content.config);
    const digest = `sha256:${await sha256(manifest.content)}`;
    const { mediaType } = manifest;
    return retryStale(async () => {
      const { caller, extraReads } = await find(call, parentRepo, parent, {
        extraReads: [selectManifest(call, parent, digest)],
      });
      const [[stored]] = extraReads;
      const contents = { digest, mediaType, content, image };
      const { message, statements } = storeManifest(call, caller, parent, contents, stored);
      const [first, ...rest] = statements;
      if (first) await commit(call, [first, ...rest]);
      return message;
    });
  },

  /** Its tags are deleted too. */
  async deleteManifest({ uid, overrideReason }, call) {
    const repo = parentOf(uid);
    const select = (db: Database, manifestUid: string) =>
      db.select(keyColumns).from(manifests).where(isStored(manifestUid));
    const digestOf = call.db
      .select({ digest: manifests.digest })
      .from(manifests)
      .where(eq(manifests.uid, uid));
    const tagsOf = call.db
      .select(tagColumns)
      .from(tags)
      .where(pointsTo(repo, sql`(${digestOf})`))
      .limit(maxDeletedTags + 1);
    const { caller, row, extraReads } = await find(
      call,
      { type: "registry/Manifest", select, table: manifests, toMessage: toVersion },
      uid,
      {
        extraReads: [
          tagsOf,
          selectRules(call.db, repo),
          selectHolders(call.db, repo, sql`(${digestOf})`),
        ],
      },
    );
    const [pointing, rules, holders] = extraReads;
    const about = { repo, rules, overrideReason };
    const permit = await permitManifestDeletion(call, caller, about, row.digest, pointing, holders);
    await commit(call, manifestDeletion(call, caller, row, pointing, permit));
    return {};
  },
});

const keyColumns = {
  uid: manifests.uid,
  parent: manifests.parent,
  digest: manifests.digest,
  updateTime: manifests.updateTime,
};

/** The fields of a manifest that make up its etag. */
const toVersion = ({ uid, updateTime }: Pick<Row, "uid" | "updateTime">) =>
  create(ManifestSchema, { uid, updateTime: timestampFromMs(updateTime) });
