/**
 * Fields that the wire calls by the vendor's name (platform.annotations.v1.vendor_named). Everything behind
 * the transports knows them by the names of their protos. JSON and masks are made plain when they come in;
 * answers, events and refusals get the vendor's name when they leave.
 */
import type { DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { type BadRequest, BadRequestSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { fieldParts } from "../../schema/lean/descriptor.ts";
import { invalidArgument, invalidArguments } from "./errors.ts";

/** A field and what it is called on the wire. */
interface Named {
  field: DescField;
  word: string;
}

/** The vendor-named field of a message. None where the message has another field of the vendor's name. */
function namedIn({ fields }: DescMessage, vendor: string): Named | undefined {
  const field = fields.find((one) => fieldParts(one).vendorNamed);
  const isTaken = fields.some((one) => one.name === vendor || one.jsonName === vendor);
  return field && !isTaken ? { field, word: vendor } : undefined;
}

const concerned = new Map<DescMessage, boolean>();

/** Whether a message has such a field at any depth. */
export function hasVendorName(desc: DescMessage): boolean {
  const known = concerned.get(desc);
  if (known !== undefined) return known;
  // Until it is known: a message may have fields of its own type.
  concerned.set(desc, false);
  const has = desc.fields.some(
    (field) => fieldParts(field).vendorNamed || (field.message && hasVendorName(field.message)),
  );
  concerned.set(desc, has);
  return has;
}

/**
 * JSON that came in, with the names of the protos. Throws INVALID_ARGUMENT where a field is given by both
 * its names.
 */
export const plainJson = (desc: DescMessage, json: JsonValue, vendor: string): JsonValue =>
  renamed(desc, json, vendor, ({ field, word }, key, members) => {
    if (key !== word) return key;
    if (field.name in members)
      throw invalidArgument(word, `${word} is given in both its spellings`);
    return field.name;
  });

/** JSON of ours, with the vendor's name. */
export const wireJson = (desc: DescMessage, json: JsonValue, vendor: string): JsonValue =>
  renamed(desc, json, vendor, ({ field, word }, key) => (key === field.name ? word : key));

type Rename = (named: Named, key: string, members: JsonObject) => string;

function renamed(desc: DescMessage, json: JsonValue, vendor: string, rename: Rename): JsonValue {
  if (!hasVendorName(desc) || !isObject(json)) return json;
  const named = namedIn(desc, vendor);
  const members = Object.entries(json).map(([key, value]): [string, JsonValue] => {
    const field = desc.fields.find((one) => one.name === key || one.jsonName === key);
    return [named ? rename(named, key, json) : key, within(field, value, vendor, rename)];
  });
  return Object.fromEntries(members);
}

function within(
  field: DescField | undefined,
  value: JsonValue,
  vendor: string,
  rename: Rename,
): JsonValue {
  const message = field?.message;
  if (!message) return value;
  const one = (item: JsonValue) => renamed(message, item, vendor, rename);
  if (field.fieldKind === "list") return Array.isArray(value) ? value.map(one) : value;
  if (field.fieldKind !== "map" || !isObject(value)) return one(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, one(item)]));
}

const isObject = (json: JsonValue): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json);

/** A path into a message, of a mask or a refusal: the step that `from` finds becomes what `to` says. */
function replaced(
  desc: DescMessage | undefined,
  path: string,
  vendor: string,
  isToWire: boolean,
): string {
  const [, step = "", rest = ""] = /^([^.[]*)(.*)$/s.exec(path) ?? [];
  if (!desc || step === "") return path;
  const named = namedIn(desc, vendor);
  const [from, to] = isToWire ? [named?.field.name, named?.word] : [named?.word, named?.field.name];
  const own = step === from ? named?.field : undefined;
  const field = own ?? desc.fields.find((one) => one.name === step || one.jsonName === step);
  // Keys of maps and indices of lists stand in brackets.
  const [, brackets = "", dot = "", inner = ""] = /^((?:\[[^\]]*\])*)(\.?)(.*)$/s.exec(rest) ?? [];
  const behind = replaced(field?.message, inner, vendor, isToWire);
  return `${own ? to : step}${brackets}${dot}${behind}`;
}

/** A path of a mask with the names of the proto: `acme.service_bindings` as `vendor.service_bindings`. */
export const plainMask = (desc: DescMessage, path: string, vendor: string): string =>
  hasVendorName(desc) ? replaced(desc, path, vendor, false) : path;

/**
 * The refusal with the vendor's name in its fields and in the words about them. The fields are paths into one of
 * these messages; so is what a mask names.
 */
export function inVendorsWords(
  error: ConnectError,
  descs: DescMessage[],
  vendor: string,
): ConnectError {
  if (!descs.some(hasVendorName)) return error;
  const told = (path: string) =>
    descs.map((desc) => replaced(desc, path, vendor, true)).find((one) => one !== path) ?? path;
  for (const detail of error.details) {
    if (!("desc" in detail) || detail.desc.typeName !== BadRequestSchema.typeName) continue;
    const { fieldViolations } = detail.value as BadRequest;
    const violations = fieldViolations.map(({ field, description }) => ({
      field: told(field),
      description:
        field === "update_mask"
          ? description.replace(/\S+$/, told)
          : description.replace(field, () => told(field)),
    }));
    const isOther = violations.some(
      ({ field, description }, at) =>
        field !== fieldViolations[at]?.field || description !== fieldViolations[at]?.description,
    );
    if (isOther) return invalidArguments(violations);
  }
  return error;
}
