import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, sql } from "drizzle-orm";
import {
  type ComponentGraph_NodeSchema,
  Sbom2_Source,
} from "../../schema/gen/platform/tenant/sboms_pb.js";
import { sboms } from "../../schema/tables/sboms.ts";
import { invalidArgument } from "../aip/errors.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { fromStored } from "./compressed.ts";
import { checkImage } from "./images.v1.ts";
import type { Part } from "./registry_methods.v1.ts";
import { rereadSbom } from "./sbom/read_sbom.ts";
import type { Edge, File, Package } from "./sbom/sbom.ts";
import { sbomOf } from "./sboms.ts";

/** The SBOM of an image, its document unpacked; undefined where there is none. */
async function find(call: Call, image: { repoId: string; digest: string; arch: string }) {
  checkImage(image);
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
      .where(eq(sboms.uid, sbomOf(repoId, sql`${digest}`, sql`${arch}`))),
  ]);
  const [[row]] = rows;
  return row && { ...row, content: await fromStored(row.content) };
}

const toNode = (node: Package | File): MessageInitShape<typeof ComponentGraph_NodeSchema> =>
  node.kind === "package"
    ? { typedNode: { case: "package", value: node } }
    : { typedNode: { case: "file", value: node } };

const toEdge = ({ subject, object, type }: Edge) => ({
  subjectId: subject,
  predicateId: object,
  type,
});

export const sbomsV1 = {
  async getSbom({ repoId, digest, arch }, call) {
    const row = await find(call, { repoId, digest, arch });
    if (!row) return {};
    const sbom = rereadSbom(row.content);
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
    checkImage({ repoId, digest, arch });
    if (reference !== "" && reference !== digest && !reference.endsWith(`@${digest}`)) {
      throw invalidArgument("reference", "reference is of another digest, or of none");
    }
    const row = await find(call, { repoId, digest, arch });
    if (!row) return {};
    return {
      rawSbom: new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(row.content),
    };
  },
} satisfies Part;
