/** The capabilities with their names and descriptions. */
import { expect, test } from "vitest";
import { capabilities, capabilityInfo } from "../../client/capabilities.ts";
import { CapabilitySchema } from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { capabilityName, isInternalOnly } from "../../schema/options.ts";

test("the client knows each capability of the proto, with its name and a description", () => {
  const ofProto = CapabilitySchema.values.filter(({ number }) => number !== 0);
  expect(capabilities.map(({ value, name }) => [value, name])).toEqual(
    ofProto.map((value) => [value.name, capabilityName(value)]),
  );
  expect(capabilities.filter(({ description }) => !/^[A-Z].*\.$/.test(description))).toEqual([]);
});

test("it marks the capabilities that only the operator can give, and those without effect", () => {
  for (const value of CapabilitySchema.values) {
    const info = capabilityInfo(value.name);
    if (!info) continue;
    expect(info.isInternal, value.name).toBe(
      isInternalOnly(value) || value.name === "CAP_INTERNAL",
    );
    expect(info.isDeprecated, value.name).toBe(/without effect/.test(info.description));
  }
});

test("a capability of a newer platform is unknown", () => {
  expect(capabilityInfo("CAP_OF_TOMORROW")).toBeUndefined();
  expect(capabilityInfo("UNKNOWN")).toBeUndefined();
});
