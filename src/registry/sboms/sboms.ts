import { create, toJsonString } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { ManifestMetadataSchema } from "../../../schema/gen/platform/registry/manifests_pb.js";
import {
  type CreateSbomRequest,
  type GetSbomRequest,
  type ListSbomsRequest,
  type Sbom,
  SbomFormat,
  SbomSchema,
  SbomsService,
  SbomView,
} from "../../../schema/gen/platform/registry/v2/sboms_pb.js";
import { type RowOf, rowColumns } from "../../../schema/tables/list_indexes.ts";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { sha256 } from "../../aip/sha256.ts";
import { retryStale, updateAsRead } from "../../aip/stale.ts";
import { newUid, parentOf, rootOf } from "../../aip/uid_path.ts";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { Call, CallAnywhere, Database } from "../../auth/call.ts";
import { matchOrganization } from "../../matching/run.ts";
import { commitIfChanged, nextTime } from "../../outbox/commit.ts";
import { insertEvent } from "../../outbox/outbox.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { createdMessage } from "../../resource/create.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { compressToStored, decompressStored, gunzipField, maxStoredLength } from "../compressed.ts";
import { packageRows, packageStatements } from "../findings/index_sbom.ts";
import { imageDigestSql } from "../images/images.ts";
import { parentRepo } from "../repos/parent_repo.ts";
import { packagesOf } from "./packages.ts";
import { readSbom } from "./read_sbom.ts";

/** The largest JSON of an SBOM, in bytes. A Worker holds it and its contents in memory. */
const maxBytes = 8 * 1024 * 1024;

const { content: _content, packages: _packages, ...columns } = rowColumns(sboms);

type Row = Omit<RowOf<typeof sboms>, "parent">;
type ListedSbom = Omit<Row, "content" | "packages">;

/** The stored part of a document, without the image. */
type Document = Omit<Row, "uid" | "digest" | "createTime" | "updateTime">;

/** A document, and the rows of its packages. */
interface ReadDocument {
  document: Document;
  packageRows: Awaited<ReturnType<typeof packageRows>>;
}

const formats = { SPDX: SbomFormat.SPDX, CycloneDX: SbomFormat.CYCLONEDX };

async function readDocument({ content: received, digest }: Sbom): Promise<ReadDocument> {
  const bytes = await gunzipField(received, maxBytes, "content");
  const read = readSbom(bytes);
  const pkgMetadata = await packagesOf(read);
  const metadata = create(ManifestMetadataSchema, { digest, pkgMetadata });
  const metadataJson = toJsonString(ManifestMetadataSchema, metadata);
  const packages = await compressToStored(metadataJson);
  const content = await compressToStored(received);
  if (content.length + packages.length > maxStoredLength) {
    throw invalidArgument("content", "content is too large to store, even after compression");
  }
  const document = {
    format: formats[read.format],
    specVersion: read.specVersion,
    name: read.name,
    packageCount: read.nodes.filter(({ kind }) => kind === "package").length,
    size: bytes.byteLength,
    contentDigest: `sha256:${await sha256(bytes)}`,
    packagesLength: metadataJson.length,
    packages,
    content,
  };
  return { document, packageRows: await packageRows(read) };
}

const toSbom = (row: ListedSbom): Sbom =>
  wholeMessage(SbomSchema, {
    uid: row.uid,
    digest: row.digest,
    format: row.format,
    specVersion: row.specVersion,
    name: row.name,
    packageCount: row.packageCount,
    size: BigInt(row.size),
    contentDigest: row.contentDigest,
    content: new Uint8Array(),
    createTime: timestampFromMs(row.createTime),
    updateTime: timestampFromMs(row.updateTime),
  });

/** The statement that stores the first SBOM of an image, or replaces the one that was read. */
function writeSbom({ db }: Call, stored: ListedSbom | undefined, row: Row) {
  if (!stored) return db.insert(sboms).values(row).onConflictDoNothing();
  return updateAsRead(db, sboms, stored, row);
}

/**
 * SQL: the uid of the SBOM of the image with this digest and architecture in a repository. Without an
 * architecture, an SBOM of the digest itself comes first, because an index can have one.
 */
export const sbomUidSql = (repo: string, digest: SQL, architecture: SQL) =>
  sql`(select ${sboms.uid} from ${sboms} where ${sboms.parent} = ${repo}
    and ${sboms.digest} in (${imageDigestSql(repo, digest, architecture)}, iif(${architecture} = '', ${digest}, null))
    order by ${sboms.digest} = ${digest} desc limit 1)`;

/** If the same bytes are sent again, nothing changes and the stored SBOM is returned. */
export function createSbom(
  { parent, sbom: sentSbom }: CreateSbomRequest,
  call: Call,
): Promise<Sbom> {
  const sbom = sentSbom ?? create(SbomSchema);
  let reading: Promise<ReadDocument> | undefined;
  return retryStale(async () => {
    const ofImage = call.db
      .select(columns)
      .from(sboms)
      .where(and(eq(sboms.parent, parent), eq(sboms.digest, sbom.digest)));
    const { caller, extraReads } = await find(call, parentRepo, parent, { extraReads: [ofImage] });
    const [[stored]] = extraReads;
    reading ??= readDocument(sbom);
    const { document, packageRows } = await reading;
    if (stored?.contentDigest === document.contentDigest) return toSbom(stored);
    const row: Row = {
      uid: stored?.uid ?? newUid(parent),
      digest: sbom.digest,
      ...document,
      createTime: stored?.createTime ?? call.now,
      updateTime: stored ? nextTime(call, stored.updateTime) : call.now,
    };
    const message = toSbom(row);
    await commitIfChanged(call, [
      writeSbom(call, stored, row),
      insertEvent(call, caller, {
        subject: row.uid,
        group: parentOf(parent),
        image: { repo: parent, digest: sbom.digest },
        body: { desc: SbomSchema, message },
      }),
      ...(await packageStatements(
        call.db,
        { ...row, repo: parent, time: row.updateTime },
        packageRows,
      )),
    ]);
    call.after(() => matchOrganization(call, rootOf(parent)), "succeeded");
    return stored ? message : createdMessage(call, message);
  });
}

const type = "registry/Sbom";

const isStored = (uid: string) => and(eq(sboms.uid, uid), isPresent(sboms.parent));

async function getSbom({ uid, view }: GetSbomRequest, call: Call): Promise<Sbom> {
  if (view !== SbomView.FULL) {
    const select = (db: Database, sbomUid: string) =>
      db.select(columns).from(sboms).where(isStored(sbomUid));
    return toSbom((await find(call, { type, select }, uid)).row);
  }
  const select = (db: Database, sbomUid: string) =>
    db
      .select({ ...columns, content: sboms.content })
      .from(sboms)
      .where(isStored(sbomUid));
  const { row } = await find(call, { type, select }, uid);
  return { ...toSbom(row), content: await decompressStored(row.content) };
}

const listing = defineListing({
  table: sboms,
  select: (db, from) => db.select(columns).from(from),
  orders: { uid: "uid", update_time: "updateTime" },
  leafOf: repos,
  mayBeLeft: true,
});

async function listSboms(request: ListSbomsRequest, call: CallAnywhere) {
  const { digest } = request;
  const page = await list(call, request, listing, {
    filters: digest === "" ? [] : [eq(sboms.digest, digest)],
    index: digest === "" ? "order_index" : "filter_index",
  });
  return { sboms: page.rows.map(toSbom), ...page.envelope };
}

export const sbomsService = service(SbomsService, { createSbom, getSbom, listSboms });
