import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { EventDraft, EventImage } from "../auth/call.ts";
import type { Evented } from "./resource.ts";

/** The event of a create or an update. The message is the resource after the change. */
export function eventOf<Desc extends DescMessage>(
  of: Evented<Desc>,
  uid: string,
  message: MessageShape<Desc>,
): EventDraft {
  const body = of.eventBody ? of.eventBody(message) : { desc: of.schema, message };
  const image = of.imageOf?.(uid, message);
  return { ...eventAbout(of, uid), ...(body ? { body } : {}), ...(image ? { image } : {}) };
}
export function eventAbout(
  {
    groupOf,
    eventExtensions,
    imageOf,
  }: {
    groupOf: (uid: string) => string;
    eventExtensions?: (uid: string) => Record<string, string>;
    imageOf?: (uid: string) => EventImage;
  },
  uid: string,
): EventDraft {
  const extensions = eventExtensions?.(uid);
  const image = imageOf?.(uid);
  return {
    subject: uid,
    group: groupOf(uid),
    ...(extensions ? { extensions } : {}),
    ...(image ? { image } : {}),
  };
}
