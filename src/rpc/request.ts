/** Reads the request message of an RPC from a REST request: from its path, its query and its body. */
import {
  create,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { gunzipLimited, readRequestBytes } from "../aip/bounded_body.ts";
import { invalidArgument, invalidArguments, unimplemented } from "../aip/errors.ts";
import { findField } from "../aip/field_mask.ts";
import { isObject } from "../aip/json.ts";
import { quoted } from "../aip/quoted.ts";
import { requireTexts } from "../aip/text.ts";
import { plainJson } from "../aip/vendor_names.ts";
import { queryJson } from "./query.ts";
import { requireKnownKeys } from "./query_keys.ts";
import { urlOf } from "./request_url.ts";
import type { Route } from "./routes.ts";
import { dropUnknownFields, dropUnknownIn } from "./unknown_fields.ts";
import { unreadableJson } from "./unreadable_json.ts";
import { readValidateOnly, takeValidateOnly } from "./validate_only.ts";

/** The largest request body, in bytes. It has room for 1 MiB of bytes in base64, and the JSON around it. */
export const maxBodyBytes = 1536 * 1024;

/** Reads the whole request. Throws INVALID_ARGUMENT for a field that is unreadable. */
export async function readRequest(
  route: Route,
  request: Request,
  params: Record<string, string | undefined>,
  vendor: string,
): Promise<Message> {
  const { input } = route.rpc.method;
  const url = urlOf(request);
  const { pairs: form, raw } = await readForm(route, request);
  requireKnownKeys(route, url.searchParams.keys());
  // With `*`, the query contains no part of the request (google.api.HttpRule).
  const pairs = route.body === "*" ? [] : [...url.searchParams, ...form];
  const query = queryJson(input, pairs, `${url.search}&${raw}`);
  const json: JsonObject = { ...query.json };
  const body = await setBody(route, json, request, vendor);
  route.variables.forEach((path, index) => {
    setField(input, json, path.split("."), decodePathValue(params[`v${index}`] ?? "", path));
  });
  const message = parseMessage(route, json);
  const mask = input.fields.find((field) => field.name === "update_mask");
  if (mask && route.body !== "*") {
    const paths = query.mask ?? maskFromBody(input, route, body);
    reflect(input, message).set(mask, reflect(FieldMaskSchema, create(FieldMaskSchema, { paths })));
  }
  return message;
}

/** The token service reads its parameters from a form as well as from the query. */
async function readForm(route: Route, request: Request) {
  const type = request.headers.get("content-type") ?? "";
  const none = { pairs: [], raw: "" };
  if (route.body !== "" || request.method !== "POST") return none;
  const raw = decodeUtf8(await readBody(request));
  const isForm = type.toLowerCase().startsWith("application/x-www-form-urlencoded");
  return isForm ? { pairs: [...new URLSearchParams(raw)], raw } : none;
}

const tooLarge = () =>
  invalidArgument("body", `body must have at most ${maxBodyBytes} bytes; send less in one call`);

/** Decompresses gzip. Throws INVALID_ARGUMENT if it is damaged, or if it contains more than `limit` bytes. */
export const gunzipBody = (
  bytes: Uint8Array<ArrayBuffer>,
  limit = maxBodyBytes,
  refusal = tooLarge,
): Promise<Uint8Array<ArrayBuffer>> =>
  gunzipLimited(bytes, limit, refusal, () => invalidArgument("body", "body is not valid gzip"));

/**
 * The content coding in a header. Empty if there is none. Throws UNIMPLEMENTED for a coding that is not
 * supported.
 */
export function readCoding(headers: Headers, name: string): "gzip" | "" {
  const coding = (headers.get(name) ?? "").trim().toLowerCase();
  if (coding === "" || coding === "identity") return "";
  // A recipient should treat the two names as equal (RFC 9110, section 8.4.1.3).
  if (coding === "gzip" || coding === "x-gzip") return "gzip";
  throw unimplemented(
    `${name} ${quoted(coding)} is not supported; supported encodings are gzip, identity`,
  );
}

/**
 * Reads a body of at most `limit` bytes, with or without compression (content-encoding, RFC 9110 section
 * 8.4). Throws `refusal()` for a larger body.
 */
export async function readBody(
  request: Request,
  limit = maxBodyBytes,
  refusal = tooLarge,
): Promise<Uint8Array<ArrayBuffer>> {
  const coding = readCoding(request.headers, "content-encoding");
  const bytes = await readRequestBytes(request, limit, refusal);
  // Connect clients can leave an empty body uncompressed.
  return coding === "" || bytes.length === 0 ? bytes : gunzipBody(bytes, limit, refusal);
}

/** The text of a body. Throws INVALID_ARGUMENT if it is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw invalidArgument("body", "body is not UTF-8");
  }
}

const readText = async (request: Request) => decodeUtf8(await readBody(request));

async function readJsonBody(request: Request): Promise<JsonValue | undefined> {
  const text = await readText(request);
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw invalidArgument("body", `body is not JSON: ${(error as Error).message}`);
  }
}

/** Puts the body at the place that its rule names. Returns the body if it is an object. */
async function setBody(
  route: Route,
  json: JsonObject,
  request: Request,
  vendor: string,
): Promise<JsonObject | undefined> {
  if (route.body === "") {
    if (request.method !== "GET") {
      // The rest of the body does not matter, not even whether it is UTF-8.
      const text = new TextDecoder().decode(await readBody(request));
      readValidateOnly(route, json, text);
    }
    return undefined;
  }
  const { input } = route.rpc.method;
  const field = route.body === "*" ? undefined : findField(input, route.body);
  const sent = await readJsonBody(request);
  if (field?.fieldKind === "list") {
    const items = sent === undefined ? [] : sent;
    if (!Array.isArray(items)) throw invalidArgument("body", "body must be a JSON array");
    json[field.jsonName] = dropUnknownIn(field, items);
    return undefined;
  }
  const desc = field ? field.message : input;
  const whole = sent === undefined ? {} : desc ? plainJson(desc, sent, vendor) : sent;
  if (!isObject(whole)) throw invalidArgument("body", "body must be a JSON object");
  const body = desc ? takeValidateOnly(route, desc.fields, json, whole) : whole;
  if (!field) Object.assign(json, dropUnknownFields(input, body));
  else if (field.fieldKind === "message")
    json[field.jsonName] = dropUnknownFields(field.message, body);
  return body;
}

function decodePathValue(text: string, path: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalidArgument(path, `${path} in the path of the URL must be percent-encoded UTF-8`);
  }
}

/** Sets the field with a dotted path, such as `repo.uid`, in the JSON. */
function setField(desc: DescMessage, json: JsonObject, steps: string[], value: string): void {
  const field = findField(desc, steps[0] ?? "");
  if (!field) return;
  if (steps.length === 1 || field.fieldKind !== "message") {
    json[field.jsonName] = value;
    return;
  }
  const inner = (json[field.jsonName] ?? {}) as JsonObject;
  json[field.jsonName] = inner;
  setField(field.message, inner, steps.slice(1), value);
}

function parseMessage({ rpc }: Route, json: JsonObject): Message {
  const desc = rpc.method.input;
  // Without this check protobuf refuses the text, but does not say which text of a list it is.
  requireTexts(desc, json, rpc.resource);
  try {
    return fromJson(desc, json);
  } catch (error) {
    throw invalidArguments([unreadableJson(desc, json, rpc.resource, error as Error)]);
  }
}

/**
 * Returns the keys of the body as the mask, for a request without a mask. An empty key therefore clears its
 * field. Each member of a nested object is a path of its own. A list or map is one path. Throws if a key does
 * not name a field.
 */
function maskFromBody(input: DescMessage, route: Route, body: JsonObject | undefined): string[] {
  const field = findField(input, route.body);
  if (field?.fieldKind !== "message" || !body) return [];
  return leafPaths(field.message, body, "");
}

/** An empty key names no field, so the path ends at the object around it. */
const unknownField = (prefix: string, key: string) =>
  key === ""
    ? invalidArgument(prefix.slice(0, -1) || "body", "a key with an empty name is not a field")
    : invalidArgument(
        `${prefix}${key}`,
        `${prefix}${key} is not a field; remove it, or list the fields to change in update_mask`,
      );

function leafPaths(desc: DescMessage, json: JsonObject, prefix: string): string[] {
  return Object.entries(json).flatMap(([key, value]) => {
    const field = findField(desc, key);
    if (!field) throw unknownField(prefix, key);
    const nested =
      field.fieldKind === "message" &&
      !field.message.typeName.startsWith("google.protobuf.") &&
      typeof value === "object" &&
      value !== null &&
      !Array.isArray(value) &&
      Object.keys(value).length > 0;
    if (!nested) return [`${prefix}${field.name}`];
    return leafPaths(field.message, value as JsonObject, `${prefix}${field.name}.`);
  });
}
