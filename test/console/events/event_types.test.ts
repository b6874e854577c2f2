/** The words of the console for events. */
import { expect, test } from "vitest";
import { eventTitles, suggestTypes, titleOf } from "../../../console/events/event_types.ts";
import types from "../../../schema/gen/event_types.json" with { type: "json" };

test("every type of event has a title, and no title belongs to another type", () => {
  expect(
    Object.keys(eventTitles)
      .map((type) => `${type}.v1`)
      .sort(),
  ).toEqual([...types].sort());
});

test("a title is found with and without the prefix of the operator", () => {
  for (const type of types) {
    expect(titleOf(`dev.vendor.${type}`)).toBe(titleOf(type));
    expect(titleOf(type)).not.toBe(type);
  }
  expect(titleOf("dev.vendor.api.unknown.v1")).toBe("api.unknown.v1");
});

test("suggestions contain the pattern that a person has typed, and what its words describe", () => {
  expect(suggestTypes("api.iam.role*", 3)[0]?.type).toBe("api.iam.role*");
  expect(suggestTypes("tag created", 3).map(({ type }) => type)).toEqual([
    "api.platform.registry.tag.created.v1",
  ]);
  expect(suggestTypes("API.IAM.*", 3)[0]?.type).toBe("api.iam.*");
});
