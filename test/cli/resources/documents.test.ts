import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { documentText, yamlText } from "../../../cli/resources/documents.ts";
import { loadJq } from "../../../cli/resources/jq.ts";

/** Strings that readers of YAML take for something else, and arbitrary ones. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom(
    ...[
      "yes",
      "No",
      "on",
      "y",
      "~",
      "null",
      "",
      " ",
      "1e3",
      "0x1F",
      "0o7",
      "012",
      "1_000",
      "12:30",
    ],
    ...[
      "2026-01-01",
      "2026-11-21T12:00:00Z",
      ".inf",
      "-",
      "- a",
      "a: b",
      "#x",
      "a #b",
      "<<",
      "=",
      "%x",
    ],
    ...[
      "---",
      "...",
      "a\nb\n",
      "a\n",
      "\n",
      "\r\n",
      "\t",
      "\u001b[31m",
      "\u009b2J",
      "\u2028",
      "\ufeffx",
    ],
  ),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((one) => !Object.is(one, -0)),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__"),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;

test("YAML contains the same value as JSON, for readers of YAML 1.1 and 1.2", () => {
  fc.assert(
    fc.property(json, (value) => {
      const wanted: unknown = JSON.parse(JSON.stringify(value));
      expect(parse(yamlText(value), { version: "1.2" })).toEqual(wanted);
      expect(parse(yamlText(value), { version: "1.1" })).toEqual(wanted);
    }),
    { numRuns: 1000 },
  );
});

test("YAML has no control characters, so that it cannot change a terminal", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(yamlText(value)).not.toMatch(/[^\P{Cc}\n]/u);
    }),
  );
});

test("a jq expression prints one result on each line, and strings without quotes", async () => {
  const rows = [
    { name: "python", size: "12345678901234567890", tags: ["a", "b"] },
    { name: "é☃\n", size: "1" },
  ];
  const results = async (jq: string) => {
    await loadJq(jq);
    return documentText({ jq }, { rows });
  };
  expect(await results(".rows[].name")).toBe("python\né☃\n\n");
  expect(await results(".rows[0]")).toBe(
    '{"name":"python","size":"12345678901234567890","tags":["a","b"]}\n',
  );
  expect(await results(".rows[] | select(.tags) | [.name, .size] | @tsv")).toBe(
    "python\t12345678901234567890\n",
  );
  expect(await results('try error("x") catch .')).toBe("x\n");
  expect(await results("-1")).toBe("-1\n");
  expect(await results("empty")).toBe("");
});

test.each(["", ".rows[", "nosuch(1)", "1) | (2", "-h", ". as $x"])(
  "the jq expression %j fails before the command begins",
  async (expression) => {
    await expect(loadJq(expression)).rejects.toMatchObject({ code: "USAGE", exitCode: 2 });
  },
);

test("an expression that does not fit the output fails with the message of jq", async () => {
  await loadJq(".rows.name");
  expect(() => documentText({ jq: ".rows.name" }, { rows: [] })).toThrow(
    'The command succeeded, but --jq failed on its output: Cannot index array with string "name"',
  );
});
