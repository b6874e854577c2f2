/**
 * The whole API surface in a file, so that a change of the API is a diff, and a comparison with the contract.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type DescField, type DescMessage, getOption, ScalarType } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { files, registry } from "../../schema/descriptors.ts";
import { FieldBehavior, field_behavior } from "../../schema/gen/google/api/field_behavior_pb.js";
import { Audience } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import {
  name as capabilityName,
  internal_only,
} from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { type ContractRpc, httpRulesOf, rpcs, unimplementedRpcs } from "./rpcs.ts";

const golden = new URL("routes.txt", import.meta.url);
const capabilitySchema = registry.getEnum("platform.capabilities.v1.Capability");
const capabilities = new Map(capabilitySchema?.values.map((one) => [one.number, one]));

/** The method, the path, the RPC, its requirements, and its event. */
function lines(rpc: ContractRpc): string[] {
  const names = rpc.capabilities.map((one) => {
    const value = capabilities.get(one);
    return value ? getOption(value, capabilityName) : String(one);
  });
  const needs = rpc.open ? "open" : names.join("+") || "any token";
  const event = rpc.event ? ` -> ${rpc.event.type}` : "";
  const domain = rpc.method.parent.typeName;
  return httpRulesOf(rpc.method).map(
    ({ verb, path }) => `${verb} ${path} ${domain}/${rpc.method.name} [${needs}]${event}`,
  );
}

test("the surface equals routes.txt (UPDATE_GOLDEN=1 writes it)", () => {
  const left = unimplementedRpcs.map(
    ({ verb, template, name }) => `${verb} ${template} ${name} [left out]`,
  );
  const text = `${[...rpcs.flatMap(lines), ...left].sort().join("\n")}\n`;
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, text);
  expect(text.split("\n")).toEqual(readFileSync(golden, "utf8").split("\n"));
});

interface ContractField {
  number: number;
  name: string;
  json: string;
  type: string;
  /** `singular`, `optional`, `repeated`, `map`, or `oneof` with its name. */
  label: string;
  /** The full name of the message or enum. */
  ref?: string;
  behavior?: string[];
}

interface ContractMethod {
  name: string;
  request: string;
  response: string;
  http: { verb: string; path: string; body: string | null }[];
  auth: "none" | "token";
  capabilities: { enum: string; name: string }[];
  unscoped: boolean;
  iam_scope_field: string | null;
  event?: { type: string; extensions: string[]; audience: string };
}

interface Version {
  services: { full: string; methods: ContractMethod[] }[];
  messages: Record<string, { fields: ContractField[] }>;
  enums: Record<string, { values: { number: number; name: string }[] }>;
}

interface Contract {
  versions: Record<"v1" | "v2", Version>;
  capabilities: { number: number; enum: string; name: string; internal_only: boolean }[];
}

const at = new URL("../../../shared/contract/contract.json", import.meta.url);
const contract: Contract | undefined = existsSync(at)
  ? JSON.parse(readFileSync(at, "utf8"))
  : undefined;
const versions = contract ? [contract.versions.v1, contract.versions.v2] : [];
const services = versions.flatMap((version) => version.services);
/** Message types with another name here. Their names never appear on the wire. */
const renamed: Record<string, string> = {
  "platform.common.UIDPFilter": "platform.uidp.v1.UIDPFilter",
  "common.UIDPFilter": "platform.uidp.v1.UIDPFilter",
  "capabilities.Capability": "platform.capabilities.v1.Capability",
};

/** A name of the contract without the vendor, as this service writes it. */
function plain(name: string): string {
  const bare = name.replace(/^(dev\.)?<vendor>\./, "").replace("<vendor>", "vendor");
  return renamed[bare] ?? bare.replace("<Vendor>", "Vendor");
}

const allMessages = Object.assign({}, ...versions.map(({ messages }) => messages)) as Record<
  string,
  { fields: ContractField[] }
>;
const allEnums = Object.assign({}, ...versions.map(({ enums }) => enums)) as Version["enums"];

const unimplemented = new Map(
  unimplementedRpcs.map((rpc) => [`${rpc.method.parent.typeName}/${rpc.method.name}`, rpc]),
);
const methods = services.flatMap(({ full, methods: own }) =>
  own.map((method): [string, ContractMethod] => [`${plain(full)}/${method.name}`, method]),
);
const served = methods.filter(([name]) => !unimplemented.has(name));

/** The names of the contract's messages and enums that served RPCs use. */
const spoken = new Set<string>();
function speak(name: string): void {
  if (spoken.has(name)) return;
  spoken.add(name);
  for (const { ref, type } of allMessages[name]?.fields ?? []) {
    const [, inMap] = /, ([\w.<>]+)>$/.exec(type) ?? [];
    const other = ref ?? (inMap && `<vendor>.platform.${inMap}`);
    if (other) speak(other);
  }
}
for (const [, { request, response }] of served) for (const one of [request, response]) speak(one);
for (const one of Object.keys(allMessages)) if (one.endsWith("TermsNotAcceptedDetail")) speak(one);
const spokenOf = <T>(all: Record<string, T>) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => spoken.has(name)));
const messages = spokenOf(allMessages);
const enums = spokenOf(allEnums);

function everyMessage(of: readonly DescMessage[]): DescMessage[] {
  return of.flatMap((message) => [message, ...everyMessage(message.nestedMessages)]);
}
const ourMessages = new Map(
  files.flatMap((file) => everyMessage(file.messages)).map((one) => [one.typeName, one]),
);
const ourEnums = new Map(
  files
    .flatMap((file) => [
      ...file.enums,
      ...everyMessage(file.messages).flatMap((one) => one.nestedEnums),
    ])
    .map((one) => [one.typeName, one]),
);
const ourRpcs = new Map(
  rpcs.map((rpc) => [`${rpc.method.parent.typeName}/${rpc.method.name}`, rpc]),
);

/** RPCs that emit an event although the contract names none (docs/DIVERGENCES.md). */
const addedEvents = [
  "GroupsService/RequestGroupAccess",
  "SecurityTokenService/Exchange",
  "SecurityTokenService/ExchangeRefreshToken",
  "vulnerabilities.v1.Advisories/Create",
  "vulnerabilities.v1.Advisories/Update",
  "vulnerabilities.v1.Advisories/Delete",
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent",
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent",
];

const scalarName = (type: ScalarType) => ScalarType[type].toLowerCase();

function typeOf(field: DescField): string {
  const { message, enum: values, scalar = ScalarType.STRING } = field;
  const value = message?.typeName ?? values?.typeName ?? scalarName(scalar);
  return field.fieldKind === "map" ? `map<${scalarName(field.mapKey)}, ${value}>` : value;
}

function labelOf(field: DescField): string {
  if (field.fieldKind === "list") return "repeated";
  if (field.fieldKind === "map") return "map";
  if (field.proto.proto3Optional) return "optional";
  return field.oneof ? `oneof ${field.oneof.name}` : "singular";
}

/** The facts of the contract about one of our fields. */
const shape = (field: DescField) => ({
  number: field.number,
  name: field.name,
  json: field.jsonName,
  type: typeOf(field),
  label: labelOf(field),
});

describe.skipIf(!contract)("the contract, if its file is next to the project", () => {
  test("has entries to compare", () => {
    expect(versions.map((one) => one.services.length)).toEqual([31, 17]);
    expect(methods.length).toBe(148 + 78);
    expect(served.length).toBeGreaterThan(165);
    expect(Object.keys(messages).length).toBeGreaterThan(350);
  });

  test.each(Object.entries(messages))("message %s", (name, { fields }) => {
    const ours = ourMessages.get(plain(name));
    expect(ours, "the message is not there").toBeDefined();
    for (const { behavior: _, ...field } of fields) {
      const own = ours?.fields.find((one) => one.number === field.number);
      expect(own, `${name}.${field.name} is not there`).toBeDefined();
      if (own) expect(shape(own)).toEqual(expectedField(field));
    }
  });

  test.each(Object.entries(enums))("enum %s", (name, { values }) => {
    const ours = ourEnums.get(plain(name));
    const shape = ours?.values.map(({ number, name }) => ({ number, name }));
    expect(shape).toEqual(values.map(({ number, name }) => ({ number, name })));
  });

  test.each([...unimplemented])("left out: %s is in the contract, with its paths", (name, rpc) => {
    const method = new Map(methods).get(name);
    expect(httpRulesOf(rpc.method).map(({ verb, path }) => ({ verb, path }))).toEqual(
      method?.http.map(({ verb, path }) => ({ verb, path })),
    );
  });

  test.each(served)("RPC %s", (name, method) => {
    const rpc = ourRpcs.get(name);
    expect(rpc, "the RPC is not there").toBeDefined();
    if (!rpc) return;
    expect(rpc.method.input.typeName).toBe(plain(method.request));
    expect(rpc.method.output.typeName).toBe(responseOf(rpc, method));
    expect(httpRulesOf(rpc.method)).toEqual(
      method.http.map(({ verb, path, body }) => ({ verb, path, body: body ?? "" })),
    );
    expect(rpc.open).toBe(method.auth !== "token");
    expect(rpc.capabilities.map((one) => capabilities.get(one)?.name)).toEqual(
      method.capabilities.map((one) => one.enum),
    );
    const scope = method.unscoped || method.auth !== "token" ? null : method.iam_scope_field;
    if (scope) expect(rpc.scope?.map((field) => field.name).join(".")).toBe(scope);
    expect(rpc.unscoped).toBe(method.unscoped);
    if (addedEvents.includes(rpc.name)) return;
    expect(rpc.event && eventText(rpc)).toEqual(
      method.event && { ...method.event, type: plain(method.event.type) },
    );
  });

  test.each(contract?.capabilities.map((one) => [one.enum, one] as const) ?? [])(
    "capability %s",
    (_, { number, enum: name, name: text, internal_only: isInternal }) => {
      const ours = capabilities.get(number);
      expect(ours?.name).toBe(name);
      if (!ours) return;
      expect(getOption(ours, capabilityName)).toBe(text);
      expect(getOption(ours, internal_only)).toBe(isInternal);
    },
  );

  test("contradicts none of our field behaviors", () => {
    for (const [name, { fields }] of Object.entries(messages)) {
      for (const { number, behavior } of fields) {
        const own = ourMessages.get(plain(name))?.fields.find((one) => one.number === number);
        if (!own || !behavior?.includes("OUTPUT_ONLY")) continue;
        expect(getOption(own, field_behavior), `${name}.${own.name}`).toContain(
          FieldBehavior.OUTPUT_ONLY,
        );
      }
    }
  });
});

test.runIf(!contract)(
  "the contract's file is not next to the project, so nothing is compared",
  () => {
    console.warn(`no ${at.pathname}: the protos are not compared with the contract`);
  },
);

/**
 * The response of the contract. Ours can replace Empty if it has only fields that we add: both are then the same on the
 * wire, for every client that knows Empty.
 */
function responseOf({ method }: ContractRpc, { response }: ContractMethod): string {
  const { fields, typeName } = method.output;
  const isAdded = fields.length > 0 && fields.every(({ number }) => number >= 100);
  return response === "google.protobuf.Empty" && isAdded ? typeName : plain(response);
}

function expectedField({ number, name, json, type, label, ref }: ContractField) {
  const inMap = type.replace(/(?<=, )(?=(?:iam|registry)\.)/, "platform.");
  const typed = ref ? type.replace(/[\w.<>]+$/, plain(ref)) : inMap;
  return { number, name: plain(name), json: plain(json), type: typed, label };
}

function eventText({ event }: ContractRpc) {
  if (!event) return undefined;
  const audience = event.audience === Audience.CUSTOMER ? "CUSTOMER" : "INTERNAL";
  return { type: event.type, extensions: event.extensions, audience };
}
