import type { DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { getOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { services } from "../../schema/descriptors.ts";
import { vendor_named } from "../../schema/gen/platform/annotations/v1/annotations_pb.js";
import { AccountAssociationsService } from "../../schema/gen/platform/iam/v2/account_associations_pb.js";
import { ReposService } from "../../schema/gen/platform/registry/v2/repos_pb.js";
import { hasVendorName, plainJson, plainMaskPath, wireJson } from "../../src/aip/vendor_names.ts";

const { input: update, output: association } =
  AccountAssociationsService.method.updateAccountAssociation;
const { output: list } = AccountAssociationsService.method.listAccountAssociations;

/** The depth of the first field with the vendor's name in a message. Undefined if there is none. */
function depthOf(desc: DescMessage, seen = new Set<DescMessage>()): number | undefined {
  if (desc.fields.some((field) => getOption(field, vendor_named))) return 0;
  if (seen.has(desc)) return undefined;
  seen.add(desc);
  const depths = desc.fields.flatMap(({ message }) => {
    const depth = message && depthOf(message, seen);
    return depth === undefined ? [] : [depth + 1];
  });
  return depths.length > 0 ? Math.min(...depths) : undefined;
}

test("no field with the vendor's name is nested more deeply in requests and responses than the search goes", () => {
  const messages = services.flatMap(({ methods }) =>
    methods.flatMap(({ input, output }) => [input, output]),
  );
  const depths = messages.map((desc) => depthOf(desc)).filter((depth) => depth !== undefined);
  expect(depths.length).toBeGreaterThan(5);
  expect(Math.max(...depths)).toBe(1);
});

test("only messages with such a field are searched", () => {
  expect([update, association, list].map(hasVendorName)).toEqual([true, true, true]);
  expect(hasVendorName(ReposService.method.getRepo.output)).toBe(false);
});

test("keys of other messages, and of maps, do not change", () => {
  const json = {
    accountAssociation: { acme: { serviceBindings: { acme: "1", vendor: "2" } }, name: "acme" },
    acme: 1,
  };
  expect(plainJson(update, json, "acme")).toEqual({
    accountAssociation: { vendor: { serviceBindings: { acme: "1", vendor: "2" } }, name: "acme" },
    acme: 1,
  });
  const answer = { accountAssociations: [{ vendor: {}, name: "vendor" }, { name: "b" }] };
  expect(wireJson(list, answer, "acme")).toEqual({
    accountAssociations: [{ acme: {}, name: "vendor" }, { name: "b" }],
  });
});

test.each([null, 7, "acme", [], { accountAssociation: null }, { accountAssociation: [7] }])(
  "JSON of another form does not change: %j",
  (json) => {
    expect(plainJson(update, json, "acme")).toEqual(json);
  },
);

test.each([
  ["acme", "vendor"],
  ["acme.service_bindings", "vendor.service_bindings"],
  ["azure.acme", "azure.acme"],
  ["acmes", "acmes"],
  ["", ""],
  ["*", "*"],
])("the path %j of a mask is %j", (path, plain) => {
  expect(plainMaskPath(association, path, "acme")).toBe(plain);
});

test("a name with a hyphen is one name", () => {
  expect(plainMaskPath(association, "my-corp.service_bindings", "my-corp")).toBe(
    "vendor.service_bindings",
  );
});

test("lists in lists do not change, however deeply they are nested", () => {
  let deep: JsonValue = [];
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  const { accountAssociation } = plainJson(
    update,
    { accountAssociation: deep },
    "acme",
  ) as JsonObject;
  expect((accountAssociation as JsonValue[])[0]).toBe(deep[0]);
});

test("a member called __proto__ does not change and is rejected later", () => {
  const json = JSON.parse('{"__proto__": {"name": "x"}, "acme": {}}');
  expect(Object.keys(plainJson(association, json, "acme") as JsonObject)).toEqual([
    "__proto__",
    "vendor",
  ]);
});

test("the vendor can have the name of a member that every object has", () => {
  expect(wireJson(association, { vendor: {} }, "constructor")).toEqual({ constructor: {} });
  expect(plainJson(association, { constructor: {} } as never, "constructor")).toEqual({
    vendor: {},
  });
});
