/** Events that people write: the values for absent fields, and the rules about who may review. */
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

/** The author of a write that names none. */
export function defaultAuthor({ credential }: Call, { name }: Caller): string {
  const { address, isVerified } = credential?.email ?? {};
  return isVerified && address ? address : name;
}

/** More would make a page of advisories too large for a response. */
const maxEvents = 200;
/** The bytes of the events' JSON. A page has 200 advisories. Imported events can have more. */
const maxEventBytes = 64 * 1024;

/** Throws FAILED_PRECONDITION if an advisory would have more events than a response can contain. */
export function checkEventsSize(uid: string, events: StoredAdvisoryEvent[]): void {
  const isTooLong = new TextEncoder().encode(JSON.stringify(events)).length > maxEventBytes;
  if (events.length <= maxEvents && !isTooLong) return;
  const most = isTooLong ? `${maxEventBytes} bytes of events` : `${maxEvents} events`;
  throw failedPrecondition("TOO_MANY_EVENTS", `the advisory can have at most ${most}`, uid);
}

const isVerdict = (status: number) =>
  status !== ReviewStatus.UNKNOWN && status !== ReviewStatus.PENDING;

/** No event follows these types. */
export const isReviewClosed = ({ reviewState }: StoredAdvisoryEvent) =>
  reviewState === ReviewStatus.APPROVED || reviewState === ReviewStatus.REJECTED;

/** How far the clock of a client can be ahead of ours, in milliseconds. */
const maxClockLead = 300_000;

function timeOf(event: AdvisoryEvent, path: string, now: number): number | undefined {
  if (!event.timestamp) return undefined;
  const time = timestampMs(event.timestamp);
  if (time >= 0 && time <= now + maxClockLead) return time;
  const field = `${path}timestamp`;
  throw invalidArgument(field, `${field} must not be before 1970 or in the future`);
}

/** The writer of an event, its place, and its previous state. */
export interface EventWrite {
  call: Call;
  caller: Caller;
  uid: string;
  before?: StoredAdvisoryEvent;
  /** The path of the event in the request: empty, or with a dot at the end. */
  path: string;
}

/** The part of an event that a reviewer examines: everything except the review itself. */
const reviewedContent = ({
  createTime,
  author,
  issue,
  type,
  detail,
  findings,
}: StoredAdvisoryEvent) => JSON.stringify([createTime, author, issue, type, detail, findings]);

/**
 * The row of an event as requested. If a caller who may not review changes an event, its review starts again.
 * Throws INVALID_ARGUMENT for its timestamp. Throws PERMISSION_DENIED for a status or a reviewer that only a
 * reviewer can set.
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
  if ((isNewVerdict || isNamed) && !mayReview) throw missingCapabilities(needed, uid);
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

/** Whether two messages say the same, even if one of them leaves out optional fields. */
export const isSameEvent = (event: AdvisoryEvent, other: AdvisoryEvent) =>
  equals(AdvisoryEventSchema, event, other);
