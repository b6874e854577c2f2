/** A rewrite changes nothing but digests, whatever the layout of a file is. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileKind } from "../../../cli/lock/find_files.ts";
import { planRewrites } from "../../../cli/lock/rewrite.ts";
import { host, lockOf, readBytes, rewritten, withoutDigests } from "./rewritten.ts";

/** A part of a file, with the references in it. */
type Part = { text: string; references: string[] };

const name = fc.stringMatching(/^[a-z0-9]{1,6}(?:[._-][a-z0-9]{1,4})?$/);
const tag = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,8}$/);
/** The text of a reference, and its key in the lock. */
const reference = fc
  .record({ path: fc.array(name, { minLength: 2, maxLength: 4 }), tag: fc.option(tag) })
  .map(({ path, tag }) => {
    const named = `${host}/${path.join("/")}`;
    return { text: tag === null ? named : `${named}:${tag}`, key: `${named}:${tag ?? "latest"}` };
  });
const space = fc.stringMatching(/^[ \t]{1,3}$/);
const maybeSpace = fc.stringMatching(/^[ \t]{0,3}$/);
/** Anything that may be in a comment: other scripts, an apostrophe, references that do not count. */
const comment = fc.oneof(
  fc
    .string({ unit: "grapheme", maxLength: 20 })
    .map((text) => text.replace(/[\r\n\0\u2028]/g, " ")),
  fc.constant(`FROM ${host}/no/image:1 # it's "quoted"`),
);
const end = fc.constantFrom("\n", "\r\n");
const mark = fc.constantFrom("", "\ufeff");

const none = (text: string): Part => ({ text, references: [] });

const dockerLine: fc.Arbitrary<Part> = fc.oneof(
  fc.tuple(maybeSpace, comment).map(([indent, text]) => none(`${indent}#${text}`)),
  maybeSpace.map(none),
  fc
    .constantFrom(
      "RUN echo 'a # b'",
      'ENV A="b c"',
      'CMD ["x"]',
      "COPY --from=0 a b",
      "FROM scratch",
    )
    .map(none),
  fc
    .tuple(comment, end)
    .map(([text, eol]) => none(`RUN <<END cat${eol}#${text}${eol}FROM ${host}/no/x:1${eol}END`)),
  fc
    .tuple(
      fc.constantFrom("FROM", "from", "From"),
      space,
      reference,
      fc.constantFrom("", " AS x", "\tas\ty  "),
    )
    .map(([word, gap, { text, key }, rest]) => ({
      text: `${word}${gap}${text}${rest}`,
      references: [key],
    })),
  fc.tuple(maybeSpace, reference, end, comment).map(([indent, { text, key }, eol, note]) => ({
    text: `FROM --platform=linux/amd64 \\ ${eol}${indent}#${note}${eol}${indent}${text} \\${eol} AS z`,
    references: [key],
  })),
  fc.tuple(reference, fc.constantFrom("", '"')).map(([{ text, key }, quote]) => ({
    text: `RUN --mount=type=bind,from=${text},target=/x --mount=${quote}from=${text}${quote} x`,
    references: [key, key],
  })),
  fc
    .tuple(reference, space)
    .map(([{ text, key }, gap]) => ({ text: `COPY${gap}--from=${text} a b`, references: [key] })),
);

const dockerfile = fc
  .tuple(mark, fc.array(fc.tuple(dockerLine, end), { maxLength: 12 }), fc.boolean())
  .map(([first, lines, hasEnd]) => joined(first, lines, hasEnd));

function joined(first: string, lines: [Part, string][], hasEnd: boolean): Part {
  const text = lines.map(([part, eol]) => `${part.text}${eol}`).join("");
  return {
    text: first + (hasEnd ? text : text.replace(/\r?\n$/, "")),
    references: lines.flatMap(([part]) => part.references),
  };
}

/** A scalar of YAML in any style, with what may follow it on its line. */
const scalar = fc
  .tuple(
    reference,
    fc.constantFrom("", "'", '"'),
    fc.constantFrom("", "&anchor ", "!!str "),
    fc.tuple(space, comment).map(([gap, text]) => `${gap}#${text}`),
    fc.boolean(),
  )
  .map(([{ text, key }, quote, property, note, hasNote]) => ({
    text: `${property}${quote}${text}${quote}${hasNote ? note : ""}`,
    references: [key],
  }));

const yamlNoise = fc
  .tuple(
    maybeSpace.map((text) => text.replaceAll("\t", " ")),
    comment,
  )
  .map(([indent, text]) => `${indent}#${text}`);
const lines = (parts: string[], eol: string, tail: string) =>
  parts.map((part) => `${part}${eol}`).join("") + tail;

const compose: fc.Arbitrary<Part> = fc
  .tuple(
    mark,
    fc.array(fc.tuple(scalar, yamlNoise, fc.integer({ min: 1, max: 4 })), { maxLength: 6 }),
    end,
    fc.boolean(),
  )
  .map(([first, services, eol, hasMark]) => ({
    text:
      first +
      lines(
        [
          ...(hasMark ? ["---"] : []),
          "services:  # all",
          ...services.flatMap(([{ text }, noise, width], index) => {
            const deep = " ".repeat(2 + width);
            return [
              `  s${index}:`,
              noise,
              `${deep}environment: {A: 'b'}`,
              `${deep}image:   ${text}`,
            ];
          }),
        ],
        eol,
        "",
      ),
    references: services.flatMap(([{ references }]) => references),
  }));

const manifest: fc.Arbitrary<Part> = fc
  .tuple(fc.array(fc.tuple(scalar, yamlNoise), { minLength: 1, maxLength: 5 }), end, fc.boolean())
  .map(([pods, eol, hasEnd]) => ({
    text: lines(
      pods.flatMap(([{ text }, noise]) => [
        ...["---", noise, "apiVersion: v1", "kind: Pod", "spec:", "  containers:"],
        ...["  - name: x", noise, `    image: ${text}`, "    args: ['a', \"b\"]"],
      ]),
      eol,
      hasEnd ? `...${eol}` : "",
    ),
    references: pods.flatMap(([{ references }]) => references),
  }));

const values: fc.Arbitrary<Part> = fc
  .tuple(
    fc.array(fc.tuple(reference, fc.constantFrom("'", '"'), comment, fc.boolean()), {
      maxLength: 5,
    }),
    end,
  )
  .map(([images, eol]) => {
    const used = images.filter(([{ text, key }]) => text === key);
    return {
      text: lines(
        used.flatMap(([{ text }, quote, note, hasRegistry], index) => {
          const colon = text.lastIndexOf(":");
          const path = text.slice(host.length + 1, colon);
          const parts = hasRegistry
            ? [`    registry: ${host}`, `    repository:  ${path}`]
            : [`    repository: "${host}/${path}"`];
          return [
            `i${index}:`,
            "  image:",
            ...parts,
            `    tag: ${quote}${text.slice(colon + 1)}${quote}  #${note}`,
          ];
        }),
        eol,
        "",
      ),
      references: used.map(([{ key }]) => key),
    };
  });

const devcontainer: fc.Arbitrary<Part> = fc
  .tuple(mark, reference, comment, end, maybeSpace)
  .map(([first, { text, key }, note, eol, gap]) => ({
    text: `${first}// ${note}${eol}{${eol}${gap}/* ${note.replaceAll("*/", "")} */"image"${gap}:${gap}"${text}",${eol}"x": ["a",],${eol}}${eol}`,
    references: [key],
  }));

const kinds: [string, FileKind, fc.Arbitrary<Part>][] = [
  ["Dockerfile", "dockerfile", dockerfile],
  ["compose.yaml", "compose", compose],
  ["pods.yaml", "yaml", manifest],
  ["values.yaml", "values", values],
  ["devcontainer.json", "devcontainer", devcontainer],
];

describe.each(kinds)("in any %s", (path, kind, file) => {
  test("every reference gets its digest, and all other bytes stay", () => {
    fc.assert(
      fc.property(file, ({ text, references }) => {
        const bytes = Buffer.from(text);
        const found = readBytes(path, bytes, kind);
        expect(found.problems).toEqual([]);
        expect(found.places.map(({ reference: key }) => key)).toEqual(references);
        const { after, problems } = rewritten(found);
        expect(problems).toEqual([]);
        expect(withoutDigests(after).equals(bytes)).toBe(true);
        const again = readBytes(path, after, kind);
        const { images } = lockOf(found);
        expect(again.places.map(({ reference: key, digest }) => [key, digest])).toEqual(
          references.map((key) => [key, images.get(key)?.digest]),
        );
        expect(planRewrites([again], lockOf(found)).rewrites).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

test("bytes that are not UTF-8 stay as they are", () => {
  const bytes = Buffer.concat([
    Buffer.from("# caf"),
    Buffer.from([0xe9, 0xff, 0x80]),
    Buffer.from(`\nFROM ${host}/a/b:1 # ${"ü"}\n`),
  ]);
  const { after } = rewritten(readBytes("Dockerfile", bytes));
  expect(after.length).toBe(bytes.length + "@sha256:".length + 64);
  expect(withoutDigests(after).equals(bytes)).toBe(true);
});

test("a column counts characters, not bytes", () => {
  const text = `services: {"ü€😀": {image: ${host}/a/b:1}}\n`;
  const [place] = readBytes("compose.yaml", Buffer.from(text)).places;
  expect(place).toMatchObject({
    line: 1,
    column: [...text.slice(0, text.indexOf(host))].length + 1,
  });
});
