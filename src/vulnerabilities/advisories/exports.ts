import type { JsonObject } from "@bufbuild/protobuf";
import { and, desc, eq, sql } from "drizzle-orm";
import { AdvisoryExportsService } from "../../../schema/gen/platform/vulnerabilities/v2/advisory_exports_pb.js";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { osvRecords } from "../../../schema/tables/vulnerabilities/osv_records.ts";
import { vexSubjects } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { vulnerabilityMetadata } from "../../../schema/tables/vulnerabilities/vulnerability_metadata.ts";
import { parentOf } from "../../aip/uid_path.ts";
import { toWellFormed } from "../../aip/well_formed.ts";
import type { Call } from "../../auth/call.ts";
import { find } from "../../resource/find.ts";
import { service } from "../../rpc/service.ts";
import { toOsv } from "../osv/export.ts";
import { toCsaf } from "../vex/csaf_export.ts";
import { toOpenVex } from "../vex/openvex_export.ts";
import { advisory, toAdvisory } from "./advisories.ts";
import { mediaTypes } from "./formats.ts";
import type { KnownAdvisory } from "./state.ts";

/** The data that the group publishes about the vulnerability, under its id or one of its aliases. */
function selectPublished(call: Call, uid: string) {
  const { summary, details, references, vulnerabilityId, parent } = vulnerabilityMetadata;
  const ids = sql`(select ${advisories.advisoryId} from ${advisories} where ${advisories.uid} = ${uid}
    union select "alias"."value" from ${advisories}, json_each(${advisories.aliases}) as "alias"
      where ${advisories.uid} = ${uid})`;
  return call.db
    .select({ summary, details, references })
    .from(vulnerabilityMetadata)
    .where(and(eq(parent, parentOf(uid)), sql`${vulnerabilityId} in ${ids}`))
    .orderBy(desc(sql`${vulnerabilityId} like 'CVE-%'`), vulnerabilityId)
    .limit(1);
}

const encoder = new TextEncoder();

/** JSON as it was stored, unless it can contain half of a surrogate pair as an escape. */
const wellFormedJson = (json: string) =>
  /\\u[dD][89a-fA-F]/.test(json) ? JSON.stringify(toWellFormed(JSON.parse(json))) : json;

const toExport = (contentType: string, json: JsonObject | string) => ({
  contentType,
  data: encoder.encode(
    typeof json === "string" ? wellFormedJson(json) : JSON.stringify(toWellFormed(json)),
  ),
});

export const advisoryExportsService = service(AdvisoryExportsService, {
  async exportAdvisory({ uid, format }, call) {
    const { row, extraReads } = await find(call, advisory, uid, {
      extraReads: [
        call.db.select().from(vexSubjects).where(eq(vexSubjects.uid, uid)),
        selectPublished(call, uid),
        call.db.select().from(osvRecords).where(eq(osvRecords.uid, uid)),
      ],
    });
    const [[subject], [published], [source]] = extraReads;
    // If someone has replaced the fields, the documents no longer describe the advisory.
    const isEdited = row.editTime !== null;
    const isChanged =
      isEdited || row.removeTime !== null || row.events.some((event) => event.byHand);
    const exportedSubject = isEdited ? undefined : subject;
    const known: KnownAdvisory = { advisory: toAdvisory(row), subject: exportedSubject, published };
    if (format === "openvex") {
      return toExport(mediaTypes.openvex, toOpenVex(known, call.config.baseUrl));
    }
    if (format === "csaf") return toExport(mediaTypes.csaf, toCsaf(known, call.config.baseUrl));
    return toExport(mediaTypes.osv, (!isChanged && source?.record) || toOsv(known));
  },
});
