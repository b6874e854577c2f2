import { expect, test } from "vitest";
import { readProjection } from "../../../src/iam/scim/projection.ts";

test("an attribute that is requested several times is read once", () => {
  const names = [
    "emails.value",
    "EMAILS.Value",
    "urn:ietf:params:scim:schemas:core:2.0:User:emails.value",
  ];
  const often = Array.from({ length: 60 }, () => names).flat();
  const wanted = readProjection((name) => (name === "attributes" ? often.join() : null));
  expect(wanted.attributes?.map((path) => path.map(({ name }) => name))).toEqual([
    ["emails", "value"],
  ]);
  expect(wanted.excluded).toEqual([]);
});
