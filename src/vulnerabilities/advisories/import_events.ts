/** The events of the advisories that an import writes, besides the event of the import itself. */
import { ImportedAdvisoriesSchema } from "../../../schema/gen/platform/events/v2/occurrences_pb.js";
import { chunksOf } from "../../aip/chunks.ts";
import type { Call } from "../../auth/call.ts";
import type { Caller } from "../../auth/grants.ts";
import { insertCompleteEvents, sourcePath } from "../../outbox/outbox.ts";

/** The most advisories in one event. */
const maxAdvisories = 100;

interface WrittenAdvisory {
  uid: string;
  advisoryId: string;
  created: boolean;
}

/** The statements that write the events. Each event is about up to 100 advisories of the group. */
export function insertImportEvents(
  call: Call,
  caller: Caller,
  parent: string,
  written: WrittenAdvisory[],
) {
  return insertCompleteEvents(
    call,
    chunksOf(written, maxAdvisories).map((advisories) => ({
      type: "api.vulnerabilities.advisory.imported.batch.v1",
      path: sourcePath(call.method),
      audience: "customer" as const,
      actor: caller,
      subject: parent,
      group: parent,
      body: { desc: ImportedAdvisoriesSchema, message: { parent, advisories } },
    })),
  );
}
