import { expect, test } from "vitest";
import { lockText, parseLock } from "../../../cli/lock/lock_file.ts";
import { plantedDigest } from "../../paging/tree.ts";

const entry = {
  tag: "1",
  digest: plantedDigest(1),
  since: "2026-01-01T00:00:00.000Z",
  asOf: "2026-02-01T00:00:00.000Z",
};
const root = { version: 1, registry: "r.example.com", images: { "r.example.com/a/b:1": entry } };

test("a lock is written with one line for each value, sorted by reference", () => {
  const images = new Map([
    ["r.example.com/b/b:1", entry],
    ["r.example.com/a/b:1", entry],
  ]);
  const text = lockText({ registry: "r.example.com", images });
  const lines = [
    ...['      "tag": "1",', `      "digest": "${plantedDigest(1)}",`],
    ...['      "since": "2026-01-01T00:00:00.000Z",', '      "asOf": "2026-02-01T00:00:00.000Z"'],
  ];
  expect(text.split("\n")).toEqual([
    ...["{", '  "version": 1,', '  "registry": "r.example.com",', '  "images": {'],
    ...['    "r.example.com/a/b:1": {', ...lines, "    },"],
    ...['    "r.example.com/b/b:1": {', ...lines, "    }", "  }", "}", ""],
  ]);
  expect(lockText(parseLock(text, "platform.lock"))).toBe(text);
});

const changed = (change: object) => JSON.stringify({ ...root, ...change });
const withEntry = (change: object) =>
  changed({ images: { "r.example.com/a/b:1": { ...entry, ...change } } });

test.each([
  ["not JSON", "{", /is not JSON/],
  ["a conflict of a merge", `<<<<<<< ours\n${JSON.stringify(root)}`, /conflicts of a merge/],
  ["an array", "[]", /the file is not an object/],
  ["a later version", changed({ version: 2 }), /its version is 2, and only 1 is known/],
  ["no registry", changed({ registry: "" }), /registry is not a string/],
  ["no images", changed({ images: [] }), /images is not an object/],
  ["another registry", changed({ registry: "x" }), /does not begin with x\//],
  ["another tag", withEntry({ tag: "2" }), /the tag of .* is not that of its name/],
  ["a bad digest", withEntry({ digest: "sha256:1" }), /is not a sha256 or sha512 digest/],
  ["a bad time", withEntry({ since: "soon" }), /"soon" is not a time/],
  ["no time", withEntry({ asOf: 1 }), /1 is not a time/],
])("%s is not a lock, and the error says why", (_, text, message) => {
  expect(() => parseLock(text, "platform.lock")).toThrow(message);
  expect(() => parseLock(text, "platform.lock")).toThrow(/^platform\.lock is not a lock/);
});
