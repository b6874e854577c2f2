import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { eq, inArray } from "drizzle-orm";
import {
  type ListVulnerabilityMetadataRequest,
  type VulnerabilityMetadata,
  VulnerabilityMetadataSchema,
} from "../../schema/gen/platform/advisory/v2/security_advisory_pb.js";
import type { RowOf } from "../../schema/tables/list_indexes.ts";
import { vulnerabilityMetadata } from "../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import { valuesSubselect } from "../aip/any_of.ts";
import type { CallAnywhere } from "../auth/call.ts";
import { listScopes } from "../paging/list.ts";
import { defineListing, times } from "../paging/listing.ts";
import { publicScopes } from "./public_scope.ts";

const columns = {
  uid: vulnerabilityMetadata.uid,
  createTime: vulnerabilityMetadata.createTime,
  updateTime: vulnerabilityMetadata.updateTime,
  vulnerabilityId: vulnerabilityMetadata.vulnerabilityId,
  summary: vulnerabilityMetadata.summary,
  details: vulnerabilityMetadata.details,
  references: vulnerabilityMetadata.references,
  severities: vulnerabilityMetadata.severities,
};

type Row = Pick<RowOf<typeof vulnerabilityMetadata>, keyof typeof columns>;

const listing = defineListing({
  table: vulnerabilityMetadata,
  select: (db, from) => db.select(columns).from(from),
  orders: { id: "vulnerabilityId", uid: "uid", ...times },
  defaultOrder: "id",
});

/** Converts a stored row to a message. */
const toMetadata = ({
  vulnerabilityId,
  createTime,
  updateTime,
  ...row
}: Row): VulnerabilityMetadata =>
  create(VulnerabilityMetadataSchema, {
    ...row,
    id: vulnerabilityId,
    createTime: timestampFromMs(createTime),
    updateTime: timestampFromMs(updateTime),
  });

/** Lists the published metadata of vulnerabilities in the public namespace. It takes two D1 round trips. */
export async function listVulnerabilityMetadata(
  request: ListVulnerabilityMetadataRequest,
  call: CallAnywhere,
) {
  const { id, ids } = request;
  const named = valuesSubselect(ids);
  const page = await listScopes(call, request, listing, await publicScopes(call), {
    filters: [
      id === "" ? undefined : eq(vulnerabilityMetadata.vulnerabilityId, id),
      ids.length === 0 ? undefined : inArray(vulnerabilityMetadata.vulnerabilityId, named),
    ],
    index: id !== "" || ids.length > 0 ? "scope_index" : "order_index",
  });
  return { vulnerabilityMetadata: page.rows.map(toMetadata), ...page.envelope };
}
