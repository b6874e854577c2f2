/** Finds out whether a caller is the operator of the platform. */
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { parentOf } from "../../aip/uid_path.ts";
import { authorizeAndRead, missingCapabilities, readWithGrants } from "../../auth/access.ts";
import { type Call, type CallAnywhere, callAt, callAtCaller } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";

/** The organization where a caller has the role of the operator. Undefined if there is none. */
export const operatedBy = (caller: Caller): string | undefined =>
  caller.grants.find(
    ({ group }) => parentOf(group) === "" && holds(caller, [Capability.CAP_INTERNAL], group),
  )?.group;

/**
 * Checks that the caller is the operator. Returns the call in the database of the organization that says so. It writes
 * only while that is the case. Throws PERMISSION_DENIED.
 */
export async function authorizeOperator(
  asked: CallAnywhere,
): Promise<{ call: Call; caller: Caller }> {
  const { caller } = await readWithGrants(callAtCaller(asked), undefined, []);
  const organization = operatedBy(caller);
  if (organization === undefined) throw missingCapabilities(asked.capabilities, "");
  const call = callAt(asked, organization);
  const found = await authorizeAndRead(call, organization, []);
  return { call, caller: found.caller };
}
