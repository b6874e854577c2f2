/** The OpenAPI document is valid and complete, and its examples match it. */

import { readFileSync } from "node:fs";
import type { DescMessage } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { CapabilitySchema } from "../../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { namedRpcs } from "../../../schema/openapi/reasons.ts";
import { recordedAnswers } from "../../../schema/openapi/refusals.ts";
import { capabilityName } from "../../../schema/options.ts";
import { long } from "../../world/tiers.ts";
import { httpRulesOf, ownCredentialRpcs, rpcs } from "../rpcs.ts";
import {
  answerOf,
  examplesOf,
  file,
  openapi,
  operationOf,
  operations,
  parametersOf,
  schemaViolations,
} from "./document.ts";

const overRest = rpcs.filter(({ template }) => template !== "");
const nameOf = ({ method }: (typeof rpcs)[number]) => `${method.parent.typeName}/${method.name}`;
const byGrpc = (name: string) => operations.filter(({ operation }) => operation["x-grpc"] === name);
const shapeOf = (path: string) => path.replace(/\{[^}]*\}/g, "{}");

test("the document is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(readFileSync(file, "utf8")));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("every reference has a target", () => {
  const references = [...JSON.stringify(openapi).matchAll(/"\$ref":"#\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(500);
  for (const [, pointer = ""] of references) {
    const [, kind = "", name = ""] = pointer.split("/");
    expect(openapi.components[kind], pointer).toHaveProperty([name]);
  }
});

test("every component is used", () => {
  const text = JSON.stringify(openapi);
  const unused = Object.entries(openapi.components).flatMap(([kind, table]) =>
    Object.keys(table).filter((name) =>
      kind === "securitySchemes"
        ? !text.includes(`"${name}":[]`)
        : !text.includes(`"#/components/${kind}/${name}"`),
    ),
  );
  expect(unused).toEqual([]);
});

/** Calls without the parent at the end of the path: an organization has none. */
const withoutParent = ["post /iam/v2/groups", "post /iam/v1/groups"];

test("it contains every REST rule of every served RPC, and no others of an RPC", () => {
  const rules = overRest.flatMap(({ method }) =>
    httpRulesOf(method).map(({ verb, path }) => `${verb.toLowerCase()} ${shapeOf(path)}`),
  );
  const documented = operations
    .filter(({ operation }) => operation["x-grpc"])
    .map(({ verb, path }) => `${verb} ${shapeOf(path)}`);
  expect(documented.sort()).toEqual([...rules, ...withoutParent].sort());
});

test("two paths differ in more than the names of their variables", () => {
  const shapes = Object.keys(openapi.paths).map(shapeOf);
  expect(shapes.length).toBe(new Set(shapes).size);
});

test("the ids of operations are unique, and are valid names in most languages", () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z0-9]*$/);
});

/** The names that client generators derive: letters and digits, without regard to case. */
const plain = (name: string) => name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();

type Part = { type?: string; properties?: Record<string, Part>; items?: Part; enum?: unknown[] };
type Inline = Part & {
  additionalProperties?: object | boolean;
  anyOf?: object[];
  oneOf?: object[];
};

/** A schema that generators turn into a type, which they name after its place. */
const isNamedByPlace = ({ type, anyOf, oneOf, ...schema }: Inline): boolean =>
  type === "object" || schema.enum !== undefined || (anyOf ?? oneOf) !== undefined;

/** The names of the types within a schema: those of its properties, and theirs. */
function namesWithin(name: string, { properties = {}, items }: Inline): string[] {
  const inner = items ? namesWithin(`${name}Item`, items) : [];
  const own = Object.entries(properties).flatMap(([member, schema]) => {
    const called = `${name}${member}`;
    return [...(isNamedByPlace(schema) ? [called] : []), ...namesWithin(called, schema)];
  });
  return [...inner, ...own];
}

test("no two components have the same name in any language, or the name of a nested one", () => {
  const { schemas = {}, parameters = {}, responses = {} } = openapi.components;
  const tops = [schemas, parameters, responses].flatMap((table) => Object.keys(table));
  const within = Object.entries(schemas).flatMap(([name, schema]) => namesWithin(name, schema));
  expect(within.length).toBeGreaterThan(10);
  const groups = Map.groupBy([...tops, ...within], plain);
  expect([...groups.values()].filter(({ length }) => length > 1)).toEqual([]);
});

test("no schema has several types, because most client generators do not support them", () => {
  expect(JSON.stringify(openapi)).not.toContain('"type":[');
});

test("every GET can be called: each of its fields is in the path or is a parameter", () => {
  const gets = rpcs.filter(({ verb }) => verb === "GET");
  expect(gets.length).toBeGreaterThan(80);
  for (const rpc of gets) {
    const placed = operationOf(rpc);
    const names = parametersOf(placed).map(({ name }) => name.split(".")[0]);
    const variables = [...rpc.template.matchAll(/\{([a-z_]+)/g)].map(([, name]) => name);
    for (const { name, jsonName } of rpc.method.input.fields) {
      if (!variables.includes(name)) expect(names, `${rpc.name} ${name}`).toContain(jsonName);
    }
    expect(placed.operation.responses, rpc.name).toHaveProperty("200");
  }
});

test("the only member of a required oneof is required", () => {
  for (const name of ["IdentityProvider", "IdentityProviderInput"]) {
    expect(openapi.components.schemas?.[name]).toMatchObject({
      required: expect.arrayContaining(["oidc"]),
    });
  }
  const { IdentityProviderPatch, IdentityClaimMatchInput } = openapi.components.schemas ?? {};
  expect(IdentityProviderPatch).not.toHaveProperty("required");
  expect(IdentityClaimMatchInput ?? {}).not.toHaveProperty("required");
});

test("a mask names the fields that the example of its body changes", () => {
  const masked = operations.flatMap((placed) => {
    const mask = parametersOf(placed).find(({ name }) => name === "updateMask");
    return mask ? [{ placed, mask }] : [];
  });
  const taking = overRest.filter(
    ({ method, body }) =>
      body !== "*" && method.input.fields.some(({ name }) => name === "update_mask"),
  );
  expect(masked.length).toBe(taking.length);
  for (const { placed, mask } of masked) {
    const body = placed.operation.requestBody?.content["application/json"];
    const [example = {}] = Object.values(examplesOf(body ?? { schema: {} }));
    expect(String(mask.example).split(",")).toEqual(Object.keys(example as object));
  }
});

test("the introduction names the differences from the original document", () => {
  const { description } = openapi.info;
  for (const said of ["3.0.3", "operationId", "enum", "`v2beta1`", "`/skills`", "`/apk`"]) {
    expect(description).toContain(said);
  }
  const domains = new Set(Object.keys(openapi.paths).map((path) => path.split("/")[1]));
  const [, list = ""] = /\n\| The paths ([^|]*)\|[^|]*\| not listed \|/.exec(description) ?? [];
  const left = [...list.matchAll(/`\/([a-z-]+)`/g)].map(([, name = ""]) => name);
  expect(left).toHaveLength(7);
  expect(left.filter((name) => domains.has(name))).toEqual([]);
});

test("every operation has a short title and a description, and a tag that is in one group", () => {
  const grouped = openapi["x-tagGroups"].flatMap(({ tags }) => tags);
  expect(grouped.toSorted()).toEqual(openapi.tags.map(({ name }) => name).sort());
  for (const { operation } of operations) {
    expect(operation.summary).toMatch(/^.{4,60}$/);
    expect(operation.summary).not.toMatch(/\.$/);
    expect(operation.description.length, operation.operationId).toBeGreaterThan(10);
    expect(grouped).toContain(operation.tags[0]);
  }
});

test("texts use the JSON names of fields", () => {
  const names = new Set<string>();
  const collect = ({ fields }: DescMessage, seen: Set<string>, depth = 0): void => {
    for (const { name, jsonName, message } of fields) {
      if (name !== jsonName) names.add(name);
      if (message && depth < 3) collect(message, seen, depth + 1);
    }
  };
  for (const { method } of rpcs) collect(method.input, new Set());
  for (const { operation } of operations) {
    const [text = ""] = operation.description.split("- **Needs:**");
    const words = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
    expect(words.filter((word) => names.has(word) && word !== "sync_config")).toEqual([]);
  }
});

describe("an operation documents the options of its RPC", () => {
  test.each(overRest.map((rpc) => [rpc.name, rpc] as const))("%s", (name, rpc) => {
    const { operation } = operationOf(rpc);
    const capabilities = rpc.capabilities.map((number) => {
      const value = CapabilitySchema.values.find((one) => one.number === number);
      return value && capabilityName(value);
    });
    expect(operation["x-grpc"]).toBe(nameOf(rpc));
    expect(operation["x-capabilities"] ?? []).toEqual(capabilities);
    expect(operation["x-event"]).toBe(rpc.event && `dev.vendor.${rpc.event.type}`);
    if (!rpc.open) expect(operation.security).toBeUndefined();
    else expect(operation.security).toHaveLength(ownCredentialRpcs.includes(name) ? 1 : 0);
    const isTokenRead = !rpc.open || ownCredentialRpcs.includes(name);
    expect("401" in operation.responses).toBe(isTokenRead);
    expect("500" in operation.responses).toBe(true);
    expect("200" in operation.responses).toBe(true);
    if (rpc.capabilities.length > 0 && !rpc.open) expect(operation.responses).toHaveProperty("403");
  });
});

const saidOf: Record<string, string> = {
  INVALID_ARGUMENT: "400",
  FAILED_PRECONDITION: "400",
  PERMISSION_DENIED: "403",
  NOT_FOUND: "404",
  ALREADY_EXISTS: "409",
  ABORTED: "409",
  RESOURCE_EXHAUSTED: "429",
  UNIMPLEMENTED: "501",
  UNAVAILABLE: "503",
};

const toName = (code: number) => (Code[code] ?? "").replace(/(?<=.)[A-Z]/g, "_$&").toUpperCase();

test("an error named in an operation's description has an example", () => {
  for (const placed of operations.filter(({ operation }) => operation["x-grpc"])) {
    for (const [code, status] of Object.entries(saidOf)) {
      const { operationId, description } = placed.operation;
      if (!description.includes(code)) continue;
      const { answer } = answerOf(placed, Number(status));
      const examples = Object.values(answer.content ?? {}).flatMap((one) =>
        Object.values(examplesOf(one)),
      ) as { code: number; details: { reason?: string }[] }[];
      const reasons = examples.flatMap(({ details }) => details.map(({ reason }) => reason));
      // An error can have a reason that differs from its code.
      const names = [...reasons, ...examples.map((one) => toName(one.code))];
      expect(names, `${operationId} ${code}`).toContain(code);
    }
  }
});

test("handwritten and recorded texts belong to served RPCs", () => {
  const known = new Set(rpcs.map(nameOf));
  expect(namedRpcs.filter((name) => !known.has(name))).toEqual([]);
  expect(Object.keys(recordedAnswers).filter((name) => !known.has(name))).toEqual([]);
  for (const name of Object.keys(recordedAnswers)) expect(byGrpc(name)).not.toEqual([]);
});

test("every example fits its schema", long, () => {
  let checked = 0;
  const check = (steps: string[], content: Parameters<typeof examplesOf>[0]) => {
    for (const [name, value] of Object.entries(examplesOf(content))) {
      checked += 1;
      expect(schemaViolations(value, ...steps, "schema"), `${steps.join(" ")} ${name}`).toEqual([]);
    }
  };
  for (const placed of operations) {
    const { path, verb, operation } = placed;
    for (const [type, one] of Object.entries(operation.requestBody?.content ?? {})) {
      check(["paths", path, verb, "requestBody", "content", type], one);
    }
    for (const status of Object.keys(operation.responses)) {
      const { steps, answer } = answerOf(placed, Number(status));
      for (const [type, one] of Object.entries(answer.content ?? {})) {
        check([...steps, "content", type], one);
      }
    }
  }
  expect(checked).toBeGreaterThan(1000);
});

test("a list of the specification has an example with rows", () => {
  for (const id of ["listRepos", "listTags", "listRoles", "listAdvisories", "listGroups"]) {
    const placed = operations.find(({ operation }) => operation.operationId === id);
    const { answer } = answerOf(placed as never, 200);
    const [example] = Object.values(examplesOf(answer.content?.["application/json"] as never));
    const rows = Object.values(example as object).find(Array.isArray);
    expect(rows, id).toHaveLength(1);
  }
});
