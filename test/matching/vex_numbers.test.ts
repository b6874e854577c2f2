import { expect, test } from "vitest";
import {
  EventTypeFilter,
  ReviewState,
} from "../../schema/gen/platform/vulnerabilities/v2/advisories_pb.js";
import { APPROVED, EVENT_TYPE } from "../../schema/tables/vulnerabilities/advisories.ts";

test("the numbers that matching compares are those of the proto", () => {
  expect(APPROVED).toBe(ReviewState.APPROVED);
  expect(EVENT_TYPE).toEqual({
    truePositive: EventTypeFilter.TRUE_POSITIVE_DETERMINATION,
    fixed: EventTypeFilter.FIXED,
    falsePositive: EventTypeFilter.FALSE_POSITIVE_DETERMINATION,
    fixNotPlanned: EventTypeFilter.FIX_NOT_PLANNED,
    pendingUpstreamFix: EventTypeFilter.PENDING_UPSTREAM_FIX,
    patched: EventTypeFilter.PATCHED,
  });
});
