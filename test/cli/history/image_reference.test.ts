import { expect, test } from "vitest";
import { Failure } from "../../../cli/failure.ts";
import { readReference, splitMoment } from "../../../cli/history/image_reference.ts";

const digest = `sha256:${"a".repeat(64)}`;

test.each([
  ["a/b", "localhost:8787", "a/b", "latest"],
  ["a/b:c", "localhost:8787", "a/b", "c"],
  ["example.com/team/python:3.12", "localhost:8787", "example.com/team/python", "3.12"],
  ["localhost:8787/a/b", "localhost:8787", "a/b", "latest"],
  ["localhost:8787/a/b:c", "localhost:8787", "a/b", "c"],
  ["r.example.com/a/b:c", "r.example.com", "a/b", "c"],
  // A registry may be called as an organization is: a name of two words has no host before it.
  ["example.com/python", "example.com", "example.com/python", "latest"],
  ["example.com/example.com/python", "example.com", "example.com/python", "latest"],
])("%s at %s is %s:%s", (text, host, name, tag) => {
  expect(readReference(text, host)).toEqual({ name, tag });
});

test.each([
  ["", /is not an image/],
  ["python", /python is not an image/],
  ["a/B", /in lowercase letters/],
  ["a//b", /is not an image/],
  ["/a/b", /is not an image/],
  ["a/b:c:d", /is not an image/],
  ["a/b:", /is not a tag/],
  ["a/b:-c", /-c is not a tag/],
  [`a/b:${"c".repeat(129)}`, /is not a tag/],
  [`a/${"b".repeat(300)}`, /is not an image/],
  ["localhost:8787/a", /is not an image/],
  ["localhost:1/a/b", /localhost:1 is not the registry of this platform, which is localhost:8787/],
  ["localhost/a/b", /localhost is not the registry/],
  [`a/b@${digest}`, /already contains a digest/],
])("%j is not a reference", (text, message) => {
  const read = () => readReference(text, "localhost:8787");
  expect(read).toThrow(Failure);
  expect(read).toThrow(message);
});

test("a time follows the first @", () => {
  expect(splitMoment("a/b:c")).toEqual({ image: "a/b:c", moment: undefined });
  expect(splitMoment("h:1/a/b:c@2026-01-31T12:00:00Z")).toEqual({
    image: "h:1/a/b:c",
    moment: "2026-01-31T12:00:00Z",
  });
});
