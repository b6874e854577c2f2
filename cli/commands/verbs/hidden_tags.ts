/** The tags that a list leaves out, because they end in a date or an epoch: how many there are, and how to see them. */
import type { JsonObject } from "../../resources/flags.ts";
import type { ListedRows, PlatformClient } from "../../resources/platform.ts";
import { countText } from "../answer.ts";

const dated = { includeDates: true, includeEpochs: true };

/** Whether a request leaves tags out, and its response counts them. */
const leavesOut = (request: JsonObject) =>
  !(request.includeDates && request.includeEpochs) && request.namePrefix === undefined;

/**
 * Reads the tags of a list. If all that match end in a date or an epoch, the list has them. Otherwise `note` says how
 * many were left out.
 */
export async function readTags(
  platform: PlatformClient,
  rpc: string,
  request: JsonObject,
  limit: number,
): Promise<ListedRows & { note?: string }> {
  const listed = await platform.list(rpc, request, limit);
  const { total } = listed;
  if (!leavesOut(request) || total === undefined) return listed;
  const whole = { ...request, ...dated };
  if (total === 0) return platform.list(rpc, whole, limit);
  const { total: all = total } = await platform.list(rpc, { ...whole, pageSize: 1 }, 1);
  if (all <= total) return listed;
  const text = `${countText(all - total, "tag")} that ${all - total === 1 ? "ends" : "end"} in a date or in -rN`;
  return {
    ...listed,
    note: `Left out: ${text}. To see them, add --include-dates --include-epochs.`,
  };
}
