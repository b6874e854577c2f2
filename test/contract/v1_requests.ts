/** Smallest requests of version 1 that succeed, but for their place: its messages carry no rules. */
import type { JsonObject } from "@bufbuild/protobuf";

export const v1Requests: Record<string, JsonObject> = {
  "iam.Groups/Create": { group: { name: "sample" } },
  "iam.Groups/Update": { name: "sample" },
  "iam.Groups/RequestGroupAccess": { groupId: "0".repeat(40) },
};
