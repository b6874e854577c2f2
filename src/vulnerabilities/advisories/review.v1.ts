/** Events as somebody writes them: what is put in for what they leave out, and who may review. */
import { equals } from "@bufbuild/protobuf";
import { base64Encode } from "@bufbuild/protobuf/wire";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { Capability } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import {
  type AdvisoryEvent,
  AdvisoryEventSchema,
  ReviewStatus,
} from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { failedPrecondition, invalidArgument } from "../../aip/errors.ts";
import { missingCapabilities } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { nextTime } from "../../outbox/commit.ts";
import type { StoredAdvisoryEvent } from "./advisories.ts";
import { toStoredDetail } from "./message.v1.ts";

/** Whose name stands on what a call writes where it names nobody. */
export function defaultAuthor({ credential }: Call, { name }: Caller): string {
  const { address, isVerified } = credential?.email ?? {};
  return isVerified && address ? address : name;
}

/** More would make a page of advisories too large to answer. */
const maxEvents = 200;
/** Bytes of the events' JSON; 200 advisories make a page. Those of imports may have more. */
const maxEventBytes = 64 * 1024;

/** Throws FAILED_PRECONDITION where an advisory would have more events than can be answered. */
export function checkEventsSize(uid: string, events: StoredAdvisoryEvent[]): void {
  const isTooLong = new TextEncoder().encode(JSON.stringify(events)).length > maxEventBytes;
  if (events.length <= maxEvents && !isTooLong) return;
  const most = isTooLong ? `${maxEventBytes} bytes of events` : `${maxEvents} events`;
  throw failedPrecondition("TOO_MANY_EVENTS", `the advisory would have more than ${most}`, uid);
}

const isVerdict = (status: number) =>
  status !== ReviewStatus.UNKNOWN && status !== ReviewStatus.PENDING;

/** Nothing follows these. */
export const isReviewClosed = ({ reviewState }: StoredAdvisoryEvent) =>
  reviewState === ReviewStatus.APPROVED || reviewState === ReviewStatus.REJECTED;

/** Milliseconds by which the clocks of others may be ahead of ours. */
const maxClockLead = 300_000;

function timeOf(event: AdvisoryEvent, path: string, now: number): number | undefined {
  if (!event.timestamp) return undefined;
  const time = timestampMs(event.timestamp);
  if (time >= 0 && time <= now + maxClockLead) return time;
  const field = `${path}timestamp`;
  throw invalidArgument(field, `${field} must be neither before 1970 nor in the future`);
}

/** Who writes an event, where, and what it was before. */
export interface EventWrite {
  call: Call;
  caller: Caller;
  uid: string;
  before?: StoredAdvisoryEvent;
  /** Where the event stands in the request: empty, or with a dot at the end. */
  path: string;
}

/** What a reviewer looks at: all of an event but the review itself. */
const reviewedContent = ({
  createTime,
  author,
  issue,
  type,
  detail,
  findings,
}: StoredAdvisoryEvent) => JSON.stringify([createTime, author, issue, type, detail, findings]);

/**
 * The row of an event as it is asked for. Of what somebody changes who may not review, the review
 * begins anew. Throws INVALID_ARGUMENT naming its timestamp; PERMISSION_DENIED for a status or a
 * reviewer that only a reviewer sets.
 */
export function reviewedEvent(
  event: AdvisoryEvent,
  { call, caller, uid, before, path }: EventWrite,
) {
  const time = timeOf(event, path, call.now);
  const status = event.status || ReviewStatus.PENDING;
  const isNewVerdict = isVerdict(status) && before?.reviewState !== status;
  const stored = before?.reviewer ?? "";
  const needed = [Capability.CAP_ADVISORIES_APPROVE];
  const mayReview = holds(caller, needed, uid);
  const isNamed = event.reviewer !== "" && event.reviewer !== stored;
  if ((isNewVerdict || isNamed) && !mayReview) throw missingCapabilities(needed);
  const me = defaultAuthor(call, caller);
  const reviewedBy = isNewVerdict ? me : isVerdict(status) ? stored : "";
  const after = {
    uid,
    createTime: time ?? before?.createTime ?? call.now,
    updateTime: before ? nextTime(call, before.updateTime) : call.now,
    author: event.author || before?.author || me,
    reviewer: event.reviewer || reviewedBy,
    reviewState: status,
    issue: event.issue || null,
    ...toStoredDetail(event),
    findings: base64Encode(event.findings),
    byHand: 1,
  } satisfies StoredAdvisoryEvent;
  const isEdit = before !== undefined && reviewedContent(before) !== reviewedContent(after);
  if (mayReview || !isEdit) return after;
  return { ...after, reviewer: "", reviewState: ReviewStatus.PENDING };
}

/** Whether the messages say the same, whichever of them leaves out what it may. */
export const isSameEvent = (one: AdvisoryEvent, other: AdvisoryEvent) =>
  equals(AdvisoryEventSchema, one, other);
