/** Reads an event of the platform: CloudEvents 1.0 over HTTP, in binary content mode. */
import { type EventBodies, vendorNamedMembers } from "../gen/events.ts";
import type { JsonObject } from "../operation.ts";
import { WebhookError } from "./error.ts";

/** The type of an event, without its prefix `dev.{vendor}.`. */
export type EventType = keyof EventBodies;

/** The attributes of every event. */
export interface EventAttributes {
  /** The id. The platform can deliver an event more than once, always with the same id. */
  id: string;
  /** The URL of the API whose call caused the event. */
  source: string;
  /** The uid of the resource. */
  subject: string;
  /** When the event happened, as RFC 3339. */
  time: string;
  /** The uid of the group that the event belongs to: the group of the subscription, or one below it. */
  group: string;
  /** The identity that made the change. */
  actor: EventActor;
  /** All other attributes by name, such as `audience`. */
  extensions: Readonly<Record<string, string>>;
}

/** The identity that made a change. */
export interface EventActor {
  /** The uid of an identity. */
  subject: string;
  /** The claims of the token that the identity was assumed with. */
  act?: Readonly<Record<string, string>>;
}

/** An event of one of the types. `bodyType` is the name of the message of the body, because two versions of the API emit it. */
export type EventOf<Type extends EventType> = {
  [Name in Type]: {
    [BodyType in keyof EventBodies[Name]]: EventAttributes & {
      type: Name;
      bodyType: BodyType;
      body: EventBodies[Name][BodyType];
    };
  }[keyof EventBodies[Name]];
}[Type];

/** An event. A newer platform can send types that this union does not have. */
export type WebhookEvent = EventOf<EventType>;

const invalid = (message: string) => new WebhookError(400, "NOT_A_CLOUD_EVENT", message);

/** Returns the event of an authentic request. Throws a WebhookError with status 400 if it is not an event. */
export function readEvent(headers: Headers, body: Uint8Array): WebhookEvent {
  const attributes = readAttributes(headers);
  const take = (name: string) => {
    const value = attributes.get(name);
    attributes.delete(name);
    return value ?? "";
  };
  if (take("specversion") !== "1.0") throw invalid("The header ce-specversion must be 1.0.");
  for (const name of ["id", "type", "source", "time"]) {
    if (!attributes.get(name)) throw invalid(`The request has no header ce-${name}.`);
  }
  const [, vendor = "", type = ""] = /^dev\.([^.]+)\.(.+)$/s.exec(take("type")) ?? [];
  if (type === "") throw invalid("The header ce-type must begin with dev and a vendor.");
  const time = take("time");
  if (!isRfc3339(time)) throw invalid("The header ce-time must be a time as in RFC 3339.");
  const bodyType = withoutVendor(take("bodytype"), vendor);
  const event = {
    id: take("id"),
    type,
    source: take("source"),
    subject: take("subject"),
    time,
    group: take("group"),
    bodyType,
    ...readData(headers, body, bodyType, vendor),
    extensions: Object.fromEntries(attributes),
  };
  // The platform has signed it, and its body is what the platform's protos say.
  return event as unknown as WebhookEvent;
}

function readAttributes(headers: Headers): Map<string, string> {
  const attributes = new Map<string, string>();
  headers.forEach((value, name) => {
    const [, attribute] = /^ce-([a-z0-9]+)$/.exec(name) ?? [];
    if (attribute !== undefined) attributes.set(attribute, decodeHeader(value, name));
  });
  return attributes;
}

/**
 * Decodes a header (CloudEvents HTTP binding section 3.1.3.2). Spaces are encoded there, so a header with a space was
 * sent twice.
 */
function decodeHeader(value: string, name: string): string {
  const [, quoted] = /^"((?:[^"\\]|\\.)*)"$/.exec(value) ?? [];
  const text = quoted?.replace(/\\(.)/g, "$1") ?? value;
  if (quoted === undefined && !/^[!#-~]*$/.test(value)) {
    throw invalid(`The header ${name} must appear once, with percent-encoding.`);
  }
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(`The header ${name} has a percent-encoding that is not UTF-8.`);
  }
}

const isRfc3339 = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
  !Number.isNaN(Date.parse(text.replace(/(\.\d{3})\d+/, "$1")));

const withoutVendor = (typeName: string, vendor: string) =>
  typeName.startsWith(`${vendor}.`) ? typeName.slice(vendor.length + 1) : typeName;

function readData(headers: Headers, bytes: Uint8Array, bodyType: string, vendor: string) {
  const [mediaType = ""] = (headers.get("content-type") ?? "").split(";");
  if (mediaType.trim().toLowerCase() !== "application/json") {
    throw invalid("The header content-type must be application/json.");
  }
  const data = parseJson(bytes);
  const { actor, body } = isObject(data) ? data : {};
  if (!isObject(actor) || typeof actor.subject !== "string" || !isTexts(actor.act ?? {})) {
    throw invalid("The body must be a JSON object with an actor, which has a subject.");
  }
  if (body !== undefined && !isObject(body)) {
    throw invalid("The member body of the body must be a JSON object.");
  }
  return { actor, body: body && withVendorMember(body, bodyType, vendor) };
}

/** A member that the platform names after its operator is named `vendor` in the types of the client. */
function withVendorMember(body: JsonObject, bodyType: string, vendor: string): JsonObject {
  const member = Object.hasOwn(vendorNamedMembers, bodyType) && vendorNamedMembers[bodyType];
  if (!member || !Object.hasOwn(body, vendor)) return body;
  const { [vendor]: named, ...others } = body;
  return { ...others, [member]: named };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("The body must be JSON in UTF-8.");
  }
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && Object.values(value).every((member) => typeof member === "string");
