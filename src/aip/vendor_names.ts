/**
 * Translates fields that have the vendor's name on the wire (platform.annotations.v1.vendor_named). Handlers
 * use the names of the protos. JSON and masks from a client are translated to those names. Responses, events
 * and errors are translated to the vendor's name.
 */
import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type BadRequest, BadRequestSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { isVendorNamed } from "../../schema/options.ts";
import { invalidArgument, invalidArguments } from "./errors.ts";
import { isObject } from "./json.ts";
import { withRenamedPath } from "./validation.ts";

const vendorField = ({ fields }: DescMessage) => fields.find(isVendorNamed);

const hasVendorNameCache = new Map<DescMessage, boolean>();

/**
 * Whether a message has such a field, or directly contains a message that has one. No proto nests them
 * deeper.
 */
export function hasVendorName(desc: DescMessage): boolean {
  const known = hasVendorNameCache.get(desc);
  if (known !== undefined) return known;
  const has = [desc, ...desc.fields.map(({ message }) => message)].some(
    (message) => message && vendorField(message),
  );
  hasVendorNameCache.set(desc, has);
  return has;
}

/**
 * Translates JSON from a client to the names of the protos. Throws INVALID_ARGUMENT if a field appears under
 * both of its names.
 */
export const plainJson = (desc: DescMessage, json: JsonValue, vendor: string): JsonValue =>
  hasVendorName(desc) ? renameFields(desc, json, vendor, false) : json;

/** Translates JSON for a client to the vendor's name. */
export const wireJson = (desc: DescMessage, json: JsonValue, vendor: string): JsonValue =>
  hasVendorName(desc) ? renameFields(desc, json, vendor, true) : json;

/** A field of a message and its replacement. */
function namesOf(desc: DescMessage, vendor: string, isToWire: boolean): [string?, string?] {
  const name = vendorField(desc)?.name;
  if (name === undefined || name === vendor) return [];
  return isToWire ? [name, vendor] : [vendor, name];
}

const messageOfField = ({ fields }: DescMessage, key: string) =>
  fields.find(({ name, jsonName }) => name === key || jsonName === key)?.message;

function renameFields(
  desc: DescMessage,
  json: JsonValue,
  vendor: string,
  isToWire: boolean,
): JsonValue {
  // A list does not contain lists. A value that is nested deeper stays unchanged, and other checks refuse it.
  if (Array.isArray(json)) {
    return json.map((item) => (isObject(item) ? renameFields(desc, item, vendor, isToWire) : item));
  }
  if (!isObject(json)) return json;
  const [from, to = ""] = namesOf(desc, vendor, isToWire);
  const members = Object.entries(json).map(([key, value]): [string, JsonValue] => {
    const inner = messageOfField(desc, key);
    if (key === from && Object.hasOwn(json, to)) {
      throw invalidArgument(vendor, `${vendor} is given twice, as ${from} and as ${to}; send one`);
    }
    return [key === from ? to : key, inner ? renameFields(inner, value, vendor, isToWire) : value];
  });
  // A member can be called `__proto__`.
  return Object.fromEntries(members);
}

function renamePath(desc: DescMessage, path: string, vendor: string, isToWire: boolean): string {
  const [, step = "", mark = "", rest = ""] = /^([\w-]*)([^\w-]?)(.*)$/s.exec(path) ?? [];
  const [from, to] = namesOf(desc, vendor, isToWire);
  if (step === from) return `${to}${mark}${rest}`;
  const inner = mark === "." ? messageOfField(desc, step) : undefined;
  return inner ? `${step}.${renamePath(inner, rest, vendor, isToWire)}` : path;
}

/**
 * Translates a path of a mask to the names of the proto: `acme.service_bindings` becomes
 * `vendor.service_bindings`.
 */
export const plainMaskPath = (desc: DescMessage, path: string, vendor: string): string =>
  hasVendorName(desc) ? renamePath(desc, path, vendor, false) : path;

/**
 * Returns the error with the vendor's name in its fields and in its texts. Each field is a path into one of
 * these messages. The path that a mask contains is the last word of its text.
 */
export function errorWithVendorNames(
  error: ConnectError,
  descs: DescMessage[],
  vendor: string,
): ConnectError {
  if (!descs.some(hasVendorName)) return error;
  const renameInPath = (path: string) =>
    descs.map((desc) => renamePath(desc, path, vendor, true)).find((renamed) => renamed !== path) ??
    path;
  for (const detail of error.details) {
    if (!("desc" in detail) || detail.desc.typeName !== BadRequestSchema.typeName) continue;
    const { fieldViolations } = detail.value as BadRequest;
    const violations = fieldViolations.map(({ field, description }) => ({
      field: renameInPath(field),
      description:
        field === "update_mask"
          ? description.replace(/\S+$/, renameInPath)
          : withRenamedPath(description, field, renameInPath(field)),
    }));
    return invalidArguments(violations);
  }
  return error;
}
