/** Image references in Dockerfiles, as BuildKit reads them. */
import { describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { host, readText, rewritten } from "./rewritten.ts";

const referencesIn = (text: string) =>
  readText("Dockerfile", text).places.map(({ line, column, reference }) => {
    return `${line}:${column} ${reference.slice(host.length + 1)}`;
  });
const pinned = (text: string) => {
  const { text: after, problems } = rewritten(readText("Dockerfile", text));
  expect(problems).toEqual([]);
  return after;
};
const digest = plantedDigest(1);

test.each([
  ["a platform and a stage", `FROM --platform=$BUILDPLATFORM ${host}/a/b:1 AS build`, "1:32 a/b:1"],
  ["no tag, which is latest", `FROM ${host}/a/b`, "1:6 a/b:latest"],
  ["lowercase and tabs", `\t from\t${host}/a/b:1\t as x`, "1:8 a/b:1"],
  ["a nested name", `FROM ${host}/a/b/c/d:1`, "1:6 a/b/c/d:1"],
  ["COPY", `COPY --chown=1 --from=${host}/a/b:1 x y`, "1:23 a/b:1"],
  ["a mount", `RUN --mount=type=bind,from=${host}/a/b:1,target=/x ls`, "1:28 a/b:1"],
  ["ONBUILD", `ONBUILD COPY --from=${host}/a/b:1 x y`, "1:21 a/b:1"],
  ["a syntax directive", `# Syntax = ${host}/a/b:1 -x\nFROM scratch`, "1:12 a/b:1"],
  ["a directive after a byte order mark", `\ufeff#syntax=${host}/a/b:1`, "1:9 a/b:1"],
])("%s: the reference is found", (_, text, reference) => {
  expect(referencesIn(text)).toEqual([reference]);
});

test.each([
  ["a stage", "FROM scratch AS base\nFROM base\nCOPY --from=base a b\nCOPY --from=0 a b"],
  ["another registry", "FROM docker.io/a/b:1\nFROM python\nFROM registry.example.com/a/b:1"],
  ["a comment", `FROM scratch\n  # FROM ${host}/a/b:1\n#syntax=${host}/a/b:1`],
  ["a directive after a comment", `# hello\n# syntax=${host}/a/b:1`],
  ["a digest without a tag, which follows no tag", `FROM ${host}/a/b@${digest}`],
  ["a here-document", `FROM scratch\nRUN <<A cat && <<-"B" cat\nFROM ${host}/a/b:1\nA\nx\n\t\tB\n`],
  ["text of a command", `RUN echo --from=${host}/a/b:1 ${host}/a/b:1`],
  ["a stage of a later argument", `RUN echo "<<EOF" \\\n  --mount=from=${host}/a/b:1`],
])("%s is not a reference", (_, text) => {
  expect(readText("Dockerfile", text)).toMatchObject({ places: [], problems: [], notes: [] });
});

test("an instruction continues over comments and empty lines, and the digest follows the tag", () => {
  const text = `FROM \\\r\n# one\r\n\r\n   ${host}/a/\\  \r\nb:1 \\\r\n AS x\r\n`;
  expect(referencesIn(text)).toEqual(["4:4 a/b:1"]);
  expect(pinned(text)).toBe(text.replace("b:1", `b:1@${digest}`));
});

test("with another escape character, a backslash continues nothing", () => {
  const text = `# escape=\`\nFROM \`\n  ${host}/a/b:1\nRUN dir C:\\\nFROM ${host}/a/c:1\n`;
  expect(referencesIn(text)).toEqual(["3:3 a/b:1", "5:6 a/c:1"]);
});

describe("variables", () => {
  test.each([
    ["the name of the registry", `ARG R=${host}\nFROM $R/a/b:1`, `$R/a/b:1@${digest}`],
    ["a whole reference", `ARG I="${host}/a/b:1"\nFROM \${I}`, `b:1@${digest}"\nFROM \${I}`],
    ["a tag", `ARG T=1\nFROM ${host}/a/b:$T`, `T=1@${digest}\nFROM ${host}/a/b:$T`],
    ["a default in place", `FROM ${host}/a/b:\${T:-1}`, `\${T:-1@${digest}}`],
    ["a default in a default", `FROM ${host}/a/b:\${T:-\${U-1}}`, `\${T:-\${U-1@${digest}}}`],
    ["an alternative", `ARG X=y\nFROM ${host}/a/b:1\${X:+-slim}`, undefined],
    ["a variable of a variable", `ARG A=1\nARG B=$A\nFROM ${host}/a/b:$B`, `A=1@${digest}`],
    ["several on a line", `ARG A=x B='1'\nFROM ${host}/a/b:$B`, `B='1@${digest}'`],
  ])("with %s, the digest is written where the tag is", (_, text, part) => {
    const found = readText("Dockerfile", text);
    expect(found.places).toHaveLength(1);
    const { text: after, problems } = rewritten(found);
    if (part === undefined) expect(problems[0]?.message).toContain("comes from the default of X");
    else expect(after).toContain(part);
  });

  test("with a variable of a variable that the file uses twice, the digest is not written", () => {
    const text = `ARG A=1\nARG B=$A\nFROM ${host}/a/b:$B\nFROM ${host}/a/c:$B\n`;
    const { text: after, problems } = rewritten(readText("Dockerfile", text));
    expect([after, problems.length]).toEqual([text, 2]);
  });

  test("with a tag that the file uses twice, the digest is not written", () => {
    const text = `ARG T=1\nFROM ${host}/a/b:$T\nFROM ${host}/a/c:$T\n`;
    const { text: after, problems } = rewritten(readText("Dockerfile", text));
    expect(after).toBe(text);
    expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([
      `2 The digest of ${host}/a/b:1 cannot be written here, because its tag comes from ARG T, which the file also uses elsewhere.`,
      `3 The digest of ${host}/a/c:1 cannot be written here, because its tag comes from ARG T, which the file also uses elsewhere.`,
    ]);
  });

  test("with a whole reference that the file uses twice, it is written once", () => {
    const text = `ARG I=${host}/a/b:1\nFROM $I AS one\nFROM $I AS two\n`;
    expect(pinned(text)).toBe(text.replace(":1", `:1@${digest}`));
  });

  test("without a default, an image of the platform is a problem, and any other is a note", () => {
    const text = `ARG T\nFROM ${host}/a/b:$T\nFROM $OTHER\nCOPY --from=${host}/a/b:$T a b`;
    const { places, problems, notes } = readText("Dockerfile", text);
    expect(places).toEqual([]);
    expect(problems.map(({ line, column }) => [line, column])).toEqual([
      [2, 6],
      [4, 13],
    ]);
    expect(problems[0]?.message).toContain("needs the variable T, which has no default");
    expect(notes.map(({ line, message }) => [line, message])).toEqual([
      [3, expect.stringContaining("the variable OTHER")],
    ]);
  });

  test("an ARG after the first FROM is ignored", () => {
    const text = `FROM scratch\nARG T=1\nFROM ${host}/a/b:$T`;
    expect(readText("Dockerfile", text)).toMatchObject({ places: [], problems: [{ line: 3 }] });
  });
});

test("an existing digest is replaced, and nothing else changes", () => {
  const old = plantedDigest(9);
  const text = `FROM ${host}/a/b:1@${old} AS x # y\n`;
  expect(pinned(text)).toBe(text.replace(old, digest));
});

test.each([
  [`FROM ${host}/a/b:1@sha256:abc`, "does not end in a sha256 or sha512 digest"],
  [`FROM ${host}/a/B:1`, "is not an image"],
  [`FROM ${host}/a/b:-x`, "is not a tag"],
  [`FROM ${host}/only`, "is not an image"],
])("%s is a problem", (text, message) => {
  const { places, problems } = readText("Dockerfile", text);
  expect(places).toEqual([]);
  expect(problems).toMatchObject([{ line: 1, column: 6 }]);
  expect(problems[0]?.message).toContain(message);
});

test("a file of many variables and quotes is read in one pass", () => {
  const text = `ARG A=${"$A".repeat(100_000)}\nFROM ${"${A:-".repeat(10_000)}\n${'RUN "'.repeat(10_000)}`;
  expect(readText("Dockerfile", text).places).toEqual([]);
});
