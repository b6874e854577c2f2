import { create } from "@bufbuild/protobuf";
import { eq } from "drizzle-orm";
import {
  type AdvisoryEvent,
  type AdvisoryEventFilter,
  AdvisoryEventSchema,
  type CreateAdvisoryEventRequest,
} from "../../../schema/gen/platform/vulnerabilities/v1/advisories_pb.js";
import { advisories } from "../../../schema/tables/vulnerabilities/advisories.ts";
import { failedPrecondition, invalidArgument, notFound } from "../../aip/errors.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import { authorizeAndRead } from "../../auth/access.ts";
import type { Call } from "../../auth/call.ts";
import { type StoredAdvisoryEvent, selectAdvisories, toAdvisory } from "./advisories.ts";
import { toEventV1 } from "./message.v1.ts";
import { checkEventsSize, isReviewClosed, isSameEvent, reviewedEvent } from "./review.v1.ts";
import { checkNotDeletedRow, type FoundAdvisory, findAdvisory, writeChange } from "./rows.v1.ts";

/** The event in the form of version 1. */
function toShownEvent({ row }: FoundAdvisory, event: StoredAdvisoryEvent): AdvisoryEvent {
  const [only] = toAdvisory({ ...row, events: [event] }).events;
  return only ? toEventV1(only) : create(AdvisoryEventSchema);
}

/** Writes an event, new or changed, with the update time of its advisory. */
async function writeEvent(
  call: Call,
  foundAdvisory: FoundAdvisory,
  event: StoredAdvisoryEvent,
): Promise<AdvisoryEvent> {
  const { uid, events } = foundAdvisory.row;
  checkEventsSize(uid, [...events.filter((other) => other.uid !== event.uid), event]);
  const message = toShownEvent(foundAdvisory, event);
  await writeChange(call, foundAdvisory, {
    values: {},
    event: {
      subject: event.uid,
      group: parentOf(uid),
      body: { desc: AdvisoryEventSchema, message },
    },
    events: [event],
    origins: [foundAdvisory.origin],
  });
  return message;
}

export async function createAdvisoryEvent(
  { parentId, advisoryEvent = create(AdvisoryEventSchema) }: CreateAdvisoryEventRequest,
  call: Call,
) {
  const { foundAdvisory } = await findAdvisory(call, parentId, []);
  checkNotDeletedRow(foundAdvisory);
  const { caller } = foundAdvisory;
  const writing = { call, caller, uid: newUid(parentId), path: "advisory_event." };
  return writeEvent(call, foundAdvisory, reviewedEvent(advisoryEvent, writing));
}

export async function listAdvisoryEvents({ parentId }: AdvisoryEventFilter, call: Call) {
  const advisory = selectAdvisories(call.db).where(eq(advisories.uid, parentId));
  const { rows } = await authorizeAndRead(call, parentId, [advisory]);
  const items = rows[0].flatMap((row) => toAdvisory(row).events.map(toEventV1));
  return { parentId, items };
}

export async function updateAdvisoryEvent(event: AdvisoryEvent, call: Call) {
  const { id } = event;
  if (id === "") throw invalidArgument("id", "id is required");
  const type = "vulnerabilities/AdvisoryEvent";
  const { foundAdvisory } = await findAdvisory(call, parentOf(id), [], { scope: id, type });
  const before = foundAdvisory.row.events.find(({ uid }) => uid === id);
  if (!before) throw notFound(type, id);
  const old = toShownEvent(foundAdvisory, before);
  // A client can send an event back as it was read.
  if (isSameEvent(event, old)) return old;
  checkNotDeletedRow(foundAdvisory);
  if (isReviewClosed(before)) {
    const text = "the event was approved or rejected and cannot change any more";
    throw failedPrecondition("EVENT_REVIEWED", text, id);
  }
  return writeEvent(
    call,
    foundAdvisory,
    reviewedEvent(event, { call, caller: foundAdvisory.caller, uid: id, before, path: "" }),
  );
}
