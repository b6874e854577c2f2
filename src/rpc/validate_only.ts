/**
 * Finds `validate_only` in the body of a REST call. Its place is the query. In a body it would be dropped as an unknown
 * field of the resource, and the call would write although the caller asked it not to.
 */
import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { invalidArgument } from "../aip/errors.ts";
import { isObject } from "../aip/json.ts";
import type { Route } from "./routes.ts";

const fieldName = "validate_only";
const spellings = [fieldName, "validateOnly"];

const findValidateOnly = (fields: readonly DescField[]) =>
  fields.find(({ name }) => name === fieldName);

/** Version 1 ignores unknown fields (contract: body). */
const isV2 = ({ template }: Route) => /^\/[a-z]+\/v2\//.test(template);

/**
 * Moves `validate_only` from the body to the request, and returns the rest of the body. `fields` are those that the
 * body itself has. Throws INVALID_ARGUMENT if the query has it too, and if the RPC of version 2 does not support it.
 */
export function takeValidateOnly(
  route: Route,
  fields: readonly DescField[],
  json: JsonObject,
  body: JsonObject,
): JsonObject {
  const { rpc } = route;
  const sentNames = spellings.filter((key) => Object.hasOwn(body, key));
  const [first, second] = sentNames;
  if (first === undefined || findValidateOnly(fields)) return body;
  const field = findValidateOnly(rpc.method.input.fields);
  if (!field) {
    if (!isV2(route)) return body;
    throw invalidArgument(
      fieldName,
      `${rpc.method.name} does not support validate_only; remove it`,
    );
  }
  if (second !== undefined || field.jsonName in json) {
    throw invalidArgument(
      fieldName,
      "validate_only is given more than once; send it once, in the query",
    );
  }
  json[field.jsonName] = body[first] ?? null;
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== first));
}

/**
 * Like {@link takeValidateOnly}, for an RPC whose body is otherwise ignored. `text` is the body. Throws
 * INVALID_ARGUMENT also for a body that names the field and is not JSON.
 */
export function readValidateOnly(route: Route, json: JsonObject, text: string): void {
  let body: JsonValue;
  try {
    body = JSON.parse(text) as JsonValue;
  } catch {
    if (isV2(route) && spellings.some((spelling) => text.includes(spelling)))
      throw invalidArgument("body", "body is not JSON; send validate_only in the query");
    return;
  }
  if (isObject(body)) takeValidateOnly(route, [], json, body);
}
