/** Reads an item of a repeated message field from a query. */
import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { queryForm } from "../../schema/options.ts";
import { invalidArgument } from "../aip/errors.ts";
import { findField } from "../aip/field_mask.ts";
import { isObject } from "../aip/json.ts";
import { quoted } from "../aip/quoted.ts";
import { dropUnknownFields } from "./unknown_fields.ts";

/** A list whose items are messages. */
export type MessageList = DescField & { fieldKind: "list"; listKind: "message" };

/**
 * Reads a text as JSON of the message, or in the form that the proto of the field defines for queries
 * (`platform.annotations.v1.query_form`). `path` is the path of the item, such as `image_refs[2]`. Throws
 * INVALID_ARGUMENT for that path.
 */
export function readQueryMessage(field: MessageList, text: string, path: string): JsonObject {
  const json = text.trimStart().startsWith("{") ? parseJson(text, path) : undefined;
  const read = json ?? readQueryForm(field, text);
  if (read) return dropUnknownFields(field.message, read) as JsonObject;
  const form = queryForm(field);
  const short = form === "" ? "" : ` or a text of the form ${formOf(field)}`;
  const pattern = form === "" ? "" : ` (a text must match "${form}")`;
  const wanted = `${path} must be a JSON object with the fields of ${field.message.name}${short}`;
  throw invalidArgument(path, `${wanted}; you sent ${quoted(text)}${pattern}`);
}

/** The fields in the short form of an item: `repo:tags`. */
const formOf = (field: MessageList) =>
  [...queryForm(field).matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name).join(":");

function parseJson(text: string, path: string): JsonObject | undefined {
  try {
    const json: JsonValue = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch (error) {
    throw invalidArgument(path, `${path} is not JSON: ${(error as Error).message}`);
  }
}

function readQueryForm(field: MessageList, text: string): JsonObject | undefined {
  const form = queryForm(field);
  const groups = form === "" ? undefined : new RegExp(form).exec(text)?.groups;
  if (!groups) return undefined;
  const present = Object.entries(groups).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => {
      const isList = findField(field.message, name)?.fieldKind === "list";
      return [name, isList ? [value] : value];
    }),
  );
}
