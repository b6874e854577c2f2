import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { and, eq, sql } from "drizzle-orm";
import {
  type ComponentGraph_NodeSchema,
  Sbom2_Source,
} from "../../../schema/gen/platform/tenant/sboms_pb.js";
import { isPresent } from "../../../schema/tables/platform/deletions.ts";
import { sboms } from "../../../schema/tables/registry/sboms.ts";
import { invalidArgument } from "../../aip/errors.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { decompressStored } from "../compressed.ts";
import { checkImageName } from "../images/images.v1.ts";
import type { RegistryHandlers } from "../registry_methods.v1.ts";
import { readStoredSbom } from "./read_sbom.ts";
import type { SbomEdge, SbomFile, SbomPackage } from "./sbom.ts";
import { sbomUidSql } from "./sboms.ts";

/** The SBOM of an image with its uncompressed document. Undefined if there is none. */
async function findSbom(call: Call, image: { repoId: string; digest: string; arch: string }) {
  checkImageName(image);
  const { repoId, digest, arch } = image;
  const { rows } = await authorizeAndRead(call, repoId, [
    call.db
      .select({
        uid: sboms.uid,
        digest: sboms.digest,
        updateTime: sboms.updateTime,
        content: sboms.content,
      })
      .from(sboms)
      .where(
        and(
          eq(sboms.uid, sbomUidSql(repoId, sql`${digest}`, sql`${arch}`)),
          isPresent(sboms.parent),
        ),
      ),
  ]);
  const [[row]] = rows;
  return row && { ...row, content: await decompressStored(row.content) };
}

const toNode = (
  node: SbomPackage | SbomFile,
): MessageInitShape<typeof ComponentGraph_NodeSchema> =>
  node.kind === "package"
    ? { typedNode: { case: "package", value: node } }
    : { typedNode: { case: "file", value: node } };

const toEdge = ({ subject, object, type }: SbomEdge) => ({
  subjectId: subject,
  predicateId: object,
  type,
});

export const sbomsV1 = {
  async getSbom({ repoId, digest, arch }, call) {
    const row = await findSbom(call, { repoId, digest, arch });
    if (!row) return {};
    const sbom = readStoredSbom(row.content);
    return {
      id: row.uid,
      rawSbom: row.content,
      graph: { nodes: sbom.nodes.map(toNode), edges: sbom.edges.map(toEdge) },
      lastSeen: timestampFromMs(row.updateTime),
      tool: sbom.tool,
      format: sbom.format,
      ...(sbom.generatedTime === undefined
        ? {}
        : { generatedAt: timestampFromMs(sbom.generatedTime) }),
      authors: sbom.authors,
      source: Sbom2_Source.INGESTED,
      name: sbom.name,
      description: sbom.description,
      digest: row.digest,
    };
  },

  async getRawSbom({ repoId, digest, reference, arch }, call) {
    checkImageName({ repoId, digest, arch });
    if (reference !== "" && reference !== digest && !reference.endsWith(`@${digest}`)) {
      throw invalidArgument(
        "reference",
        "reference must be empty, the digest, or end in @ and the digest",
      );
    }
    const row = await findSbom(call, { repoId, digest, arch });
    if (!row) return {};
    return {
      rawSbom: new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(row.content),
    };
  },
} satisfies RegistryHandlers;
