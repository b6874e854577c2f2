/** Refuses query parameters that an RPC of version 2 does not have. Version 1 ignores them (contract: query). */
import type { DescMessage } from "@bufbuild/protobuf";
import { closestMatch } from "leven";
import { type FieldViolation, invalidArguments } from "../aip/errors.ts";
import { findField } from "../aip/field_mask.ts";
import { quoted } from "../aip/quoted.ts";
import type { Route } from "./routes.ts";

/** The most unknown parameters that one error names. */
const maxViolations = 10;

/** The most characters of a parameter that are compared with the known names. */
const maxCompared = 64;

/** The most edits that turn a parameter into the name that the error proposes. */
const maxDistance = 4;

/**
 * Throws INVALID_ARGUMENT if the query of an RPC of version 2 has a parameter that the RPC would ignore. The
 * error names the nearest parameter, or all of them.
 */
export function requireKnownKeys(route: Route, keys: Iterable<string>): void {
  if (!isStrict(route)) return;
  const unknown: FieldViolation[] = [];
  for (const key of new Set(keys)) {
    const description = problemOf(route, key);
    if (description === undefined) continue;
    unknown.push({ field: key.slice(0, maxCompared), description });
    if (unknown.length === maxViolations) break;
  }
  if (unknown.length > 0) throw invalidArguments(unknown);
}

const isStrict = ({ template }: Route) => /^\/[a-z]+\/v2\//.test(template);

/** Why the RPC would ignore the parameter. Undefined if the RPC reads it, and for an empty name. */
function problemOf(route: Route, key: string): string | undefined {
  if (key === "") return undefined;
  const { rpc, body, variables } = route;
  const steps = key.split(".");
  const path = pathOf(rpc.method.input, steps);
  if (path === undefined) return `${unknownText(rpc.method.name, key)}; ${adviceOn(route, key)}`;
  if (body === "*" || path === body || path.startsWith(`${body}.`)) {
    return `${path} is part of the body; remove it from the query`;
  }
  if (variables.includes(path)) return `${path} is part of the path; remove it from the query`;
  return undefined;
}

const unknownText = (rpc: string, key: string) => `${rpc} has no parameter ${quoted(key)}`;

function adviceOn(route: Route, key: string): string {
  const names = namesOf(route);
  if (names.length === 0) return "remove it, because the query has no parameters";
  const plain = key.slice(0, maxCompared).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const nested = names.find((name) => name.endsWith(`.${plain}`));
  const nearest = nested ?? closestMatch(plain, names, { maxDistance });
  return nearest ? `did you mean ${nearest}?` : `the parameters are ${names.join(", ")}`;
}

/** The path in the proto of the field that the steps name. Undefined if there is no such field. */
function pathOf(desc: DescMessage, [first = "", ...rest]: string[]): string | undefined {
  const field = findField(desc, first);
  if (!field) return undefined;
  if (rest.length === 0) return field.name;
  if (field.fieldKind !== "message") return undefined;
  const inner = pathOf(field.message, rest);
  return inner && `${field.name}.${inner}`;
}

/** The names of all parameters of a route, as in the proto. */
function namesOf({ rpc, body, variables }: Route): string[] {
  if (body === "*") return [];
  return rpc.method.input.fields.flatMap((field) => {
    if (field.name === body || variables.includes(field.name)) return [];
    if (field.fieldKind !== "message" || field.message.typeName.startsWith("google.protobuf."))
      return [field.name];
    return field.message.fields.map((inner) => `${field.name}.${inner.name}`);
  });
}
