/**
 * Fields that have the vendor's name on the wire (platform.annotations.v1.vendor_named). Handlers use the names
 * of the protos. Incoming JSON and masks are translated to those; answers, events and refusals are translated
 * to the vendor's name.
 */
import type { DescMessage, JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type BadRequest, BadRequestSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { isVendorNamed } from "../../schema/options.ts";
import { invalidArgument, invalidArguments } from "./errors.ts";
import { isObject } from "./json.ts";

const vendorField = ({ fields }: DescMessage) => fields.find(isVendorNamed);

const hasVendorNameCache = new Map<DescMessage, boolean>();

/** Whether a message has such a field, or holds messages that have one. They stand no deeper. */
export function hasVendorName(desc: DescMessage): boolean {
  const known = hasVendorNameCache.get(desc);
  if (known !== undefined) return known;
  const has = [desc, ...desc.fields.map(({ message }) => message)].some(
    (one) => one && vendorField(one),
  );
  hasVendorNameCache.set(desc, has);
  return has;
}

/**
 * JSON that came in, with the names of the protos. Throws INVALID_ARGUMENT where a field is given by both
 * its names.
 */
export const plainJson = (desc: DescMessage, json: JsonValue, vendor: string): JsonValue =>
  hasVendorName(desc) ? renameFields(desc, json, vendor, false) : json;

/** JSON of ours, with the vendor's name. */
export const wireJson = (desc: DescMessage, json: JsonValue, vendor: string): JsonValue =>
  hasVendorName(desc) ? renameFields(desc, json, vendor, true) : json;

/** What is replaced in a message, and by what. */
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
  // A list holds no lists: what is nested any deeper is left as it is for others to refuse.
  if (Array.isArray(json)) {
    return json.map((one) => (isObject(one) ? renameFields(desc, one, vendor, isToWire) : one));
  }
  if (!isObject(json)) return json;
  const [from, to = ""] = namesOf(desc, vendor, isToWire);
  const members = Object.entries(json).map(([key, value]): [string, JsonValue] => {
    const inner = messageOfField(desc, key);
    if (key === from && Object.hasOwn(json, to)) {
      throw invalidArgument(vendor, `${vendor} is given in both its spellings`);
    }
    return [key === from ? to : key, inner ? renameFields(inner, value, vendor, isToWire) : value];
  });
  // A member may be called __proto__.
  return Object.fromEntries(members);
}

function renamePath(desc: DescMessage, path: string, vendor: string, isToWire: boolean): string {
  const [, step = "", mark = "", rest = ""] = /^([\w-]*)([^\w-]?)(.*)$/s.exec(path) ?? [];
  const [from, to] = namesOf(desc, vendor, isToWire);
  if (step === from) return `${to}${mark}${rest}`;
  const inner = mark === "." ? messageOfField(desc, step) : undefined;
  return inner ? `${step}.${renamePath(inner, rest, vendor, isToWire)}` : path;
}

/** A path of a mask with the names of the proto: `acme.service_bindings` as `vendor.service_bindings`. */
export const plainMaskPath = (desc: DescMessage, path: string, vendor: string): string =>
  hasVendorName(desc) ? renamePath(desc, path, vendor, false) : path;

/**
 * The refusal with the vendor's name in its fields and in the words about them. The fields are paths into one of
 * these messages; so is what a mask names, which stands last.
 */
export function errorWithVendorNames(
  error: ConnectError,
  descs: DescMessage[],
  vendor: string,
): ConnectError {
  if (!descs.some(hasVendorName)) return error;
  const renameInPath = (path: string) =>
    descs.map((desc) => renamePath(desc, path, vendor, true)).find((one) => one !== path) ?? path;
  for (const detail of error.details) {
    if (!("desc" in detail) || detail.desc.typeName !== BadRequestSchema.typeName) continue;
    const { fieldViolations } = detail.value as BadRequest;
    const violations = fieldViolations.map(({ field, description }) => ({
      field: renameInPath(field),
      description:
        field === "update_mask"
          ? description.replace(/\S+$/, renameInPath)
          : description.replace(field, () => renameInPath(field)),
    }));
    return invalidArguments(violations);
  }
  return error;
}
