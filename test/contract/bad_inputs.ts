/** Bad calls of the operations in the OpenAPI document, each with one mistake. */
import type { RequestOptions } from "../world/platform.ts";
import {
  type DocumentedOperation,
  jsonMediaType,
  openapi,
  parametersOf,
} from "./openapi/document.ts";

/** A request, and the reason why it is bad. */
export interface BadCall {
  kind: string;
  path: string;
  options: RequestOptions;
}

/** Texts in the form that an address has. */
const texts: Record<string, string> = {
  empty: "",
  "a word": "malformed",
  NUL: "%00",
  "no UTF-8": "%FF",
  "no percent-encoding": "%zz",
  "a negative number": "-1",
  "a number of 20 digits": "99999999999999999999",
  "a list": "a,b",
  "an open brace": "%7B",
  "5000 characters": "x".repeat(5000),
};

/** Bodies that every operation refuses, unless it ignores unknown fields. */
const bodies: Record<string, unknown> = {
  nothing: "",
  "no JSON": "{",
  "a number": "1",
  "a list": "[1]",
  null: "null",
  "an object with nothing": {},
  "an unknown key": { malformed: 1 },
  "a key without a name": { "": 1 },
  "no UTF-8": new Uint8Array([0x22, 0xff, 0x22]),
  "too much": `"${"x".repeat(1_600_000)}"`,
};

type Schema = { $ref?: string; properties?: Record<string, object>; items?: Schema };

function propertiesOf({ $ref = "", properties, items }: Schema): string[] {
  if (properties) return Object.keys(properties);
  if (items) return propertiesOf(items);
  const named = openapi.components.schemas?.[$ref.replace(/^.*\//, "")];
  return named ? propertiesOf(named) : [];
}

/** Values of a wrong type, or of a type that no field has, for a member of a body. */
const values: Record<string, unknown> = {
  number: 1.5,
  object: { "": 1 },
  list: [[]],
  "text with NUL": "\u0000",
  "half a pair": "\ud800",
};

/** Every bad call. `uidPath` fills the variables of the path, and `fill` returns a good value for each. */
export function badCalls(
  placed: DocumentedOperation,
  fill: (variable: string) => string[],
): BadCall[] {
  const { verb, path, operation } = placed;
  const method = verb.toUpperCase();
  const media = operation.requestBody?.content ?? {};
  const [type = jsonMediaType] = Object.keys(media);
  const good = (variable: string) => fill(variable)[0] ?? "";
  const at = (value: (name: string) => string) =>
    path.replace(/\{([^}]*)\}/g, (_, name: string) => value(name));
  const plain: RequestOptions = { method, headers: { "content-type": type } };
  const options = operation.requestBody ? { ...plain, body: {} } : { method };
  const variables = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = ""]) => name);
  const calls: BadCall[] = [{ kind: "nothing in it", path: at(good), options }];
  for (const variable of variables) {
    const wrong = [...fill(variable).slice(1), ...Object.values(texts).filter((one) => one !== "")];
    for (const value of wrong) {
      const there = at((name) => (name === variable ? value : good(name)));
      calls.push({ kind: `${variable} is ${value.slice(0, 80)}`, path: there, options });
    }
  }
  for (const { name, in: place } of parametersOf(placed)) {
    for (const [way, value] of Object.entries(texts)) {
      const key = encodeURIComponent(name);
      const query = `${at(good)}?${key}=${value}`;
      if (place === "query") {
        calls.push({ kind: `${name} is ${way}`, path: query, options });
        calls.push({ kind: `${name} is twice ${way}`, path: `${query}&${key}=${value}`, options });
      }
    }
  }
  if (!operation.requestBody) return calls;
  for (const [way, body] of Object.entries(bodies)) {
    calls.push({ kind: `the body is ${way}`, path: at(good), options: { ...plain, body } });
  }
  const text = { method, headers: { "content-type": "text/plain" }, body: "x" };
  calls.push({ kind: "the body is plain text", path: at(good), options: text });
  const { schema = {} } = media[type] ?? {};
  for (const name of propertiesOf(schema as Schema)) {
    for (const [way, value] of Object.entries(values)) {
      const one = { [name]: value };
      const body = (schema as { type?: string }).type === "array" ? [one] : one;
      calls.push({ kind: `${name} is ${way}`, path: at(good), options: { ...plain, body } });
    }
  }
  return calls;
}
