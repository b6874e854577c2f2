/** Image references in devcontainer.json, which is JSON with comments. */
import { expect, test } from "vitest";
import { readReferences } from "../../../cli/lock/read_files.ts";
import { newSource } from "../../../cli/lock/source.ts";
import { plantedDigest } from "../../paging/tree.ts";
import { host, readText, rewritten } from "./rewritten.ts";

const path = ".devcontainer/devcontainer.json";

test("the image is found between comments and trailing commas, and nothing else changes", () => {
  const text = `\ufeff// "image": "${host}/a/no:1"\r\n{\r\n\t/* x */ "image" : "${host}/a/b:1", // y\r\n  "runArgs": ["${host}/a/no:1",],\r\n}\r\n`;
  const found = readText(path, text);
  expect(found.places).toMatchObject([{ line: 3, column: 21, reference: `${host}/a/b:1` }]);
  expect(rewritten(found).text).toBe(text.replace("b:1", `b:1@${plantedDigest(1)}`));
});

test("features are locked, but not rewritten, because their tool refuses a tag with a digest", () => {
  const text = `{"features": {"${host}/a/f:1": {"version": "x"}, "ghcr.io/x/y:1": {}}}`;
  const found = readText(path, text);
  expect(found.places.map(({ reference }) => reference)).toEqual([`${host}/a/f:1`]);
  expect(rewritten(found)).toMatchObject({ text, problems: [] });
});

test("the files that it names are read too", () => {
  const linkedIn = (text: string) =>
    readReferences(newSource(path, Buffer.from(text)), "devcontainer", host).linked;
  expect(linkedIn('{"build": {"dockerfile": "../Base"}}')).toEqual([
    { path: "../Base", kind: "dockerfile" },
  ]);
  expect(linkedIn('{"dockerFile": "a", "dockerComposeFile": ["b", "c"]}')).toEqual([
    { path: "a", kind: "dockerfile" },
    { path: "b", kind: "compose" },
    { path: "c", kind: "compose" },
  ]);
});

test.each([
  ["escapes", `{"image": "${host}\\/a/b:1"}`, "written with escapes"],
  ["a variable", `{"image": "${host}/a/b:\${localEnv:TAG}"}`, "the variable localEnv:TAG"],
  ["broken JSON", `{"image": }`, "not JSON with comments"],
  ["too many levels", "[".repeat(100_000), "so it was not read"],
])("%s: the problem says what to do", (_, text, message) => {
  const { places, problems } = readText(path, text);
  expect(places).toEqual([]);
  expect(problems[0]?.message).toContain(message);
});
