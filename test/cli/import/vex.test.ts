import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { parseDocument } from "../../../cli/import/vex.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { csafDocument, openVexDocument } from "../../world/vex_documents.ts";
import { commandsOf, newStateFolder, platformctl } from "../command.ts";

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const lines = (...values: unknown[]) => values.map((one) => JSON.stringify(one)).join("\n");

let organization: Organization;
let env: { PLATFORM_STATE: string };
let folder: string;
let run: Awaited<ReturnType<typeof commandsOf>>;
beforeAll(async () => {
  organization = await newOrganization();
  env = { PLATFORM_STATE: await newStateFolder(organization) };
  run = await commandsOf(organization);
  folder = mkdtempSync(join(tmpdir(), "vex-"));
});

const file = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const importArgs = (format: string, files: string[], options: string[]) => [
  ...["import", format, ...files, "--group", organization.name, ...options],
];

/** Runs an import into the organization, in this process. */
const load = (format: string, files: string[], options: string[] = [], input = "") =>
  run(importArgs(format, files, options), { input });

const counts = ({ out, err }: { out: string; err: string }) => {
  expect(err).toBe("");
  const { created, updated, unchanged, lines } = JSON.parse(out);
  return [created, updated, unchanged, lines];
};

describe.each([
  ["openvex", openVexDocument],
  ["csaf", csafDocument],
] as const)("import %s", (format, document) => {
  const cve = (n: number) => `CVE-${format === "csaf" ? 2031 : 2032}-${1000 + n}`;

  test("accepts a document, an array, lines, gzip and standard input, and the same again", async () => {
    const [one, two, three, four] = [1, 2, 3, 4].map((n) => document(cve(n)));
    const files = [
      file(`${format}.json`, pretty(one)),
      file(`${format}-array.json`, pretty([one, two])),
      file(`${format}.jsonl.gz`, gzipSync(`\n${lines(three, two)}\n`)),
      "-",
    ];
    const args = importArgs(format, files, ["--json"]);
    const first = await platformctl(args, { env, input: pretty(four) });
    expect(counts(first)).toEqual([4, 0, 2, 6]);
    expect(counts(await load(format, files, ["--json"], pretty(four)))).toEqual([0, 0, 6, 6]);
    const result = await load(format, files.slice(0, 2));
    expect(result.out).toBe(
      files
        .slice(0, 2)
        .map(
          (name, i) =>
            `${name} into ${organization.name}:\n  0 created, 0 updated, ${i + 1} unchanged\n`,
        )
        .join(""),
    );
  });

  test("leaves out a document that cannot be read, names it by its position, and is strict on request", async () => {
    const {
      version: _,
      document: __,
      ...bad
    } = document(cve(11)) as unknown as Record<string, never>;
    const worse = format === "csaf" ? { ...bad, document: {} } : { ...bad, version: 0 };
    const good = document(cve(12));
    const inArray = file(`${format}-bad.json`, pretty([good, worse]));
    const stopped = await load(format, [inArray], ["--strict"]);
    expect(stopped.code).toBe(2);
    expect(stopped.err).toMatch(/^error: Document 2: .*\(SKIPPED\)\nNothing was imported\.\n/);
    const inLines = await load(format, ["-"], ["--strict"], `\n${lines(good, worse)}`);
    expect(inLines).toMatchObject({ code: 2, err: expect.stringMatching(/^error: Line 3: /) });
    const done = await load(format, [inArray, "-"], [], lines(worse, good));
    expect(done.code).toBe(0);
    expect(done.out).toMatch("1 created, 0 updated, 0 unchanged, 1 left out");
    expect(done.out).toMatch("0 created, 0 updated, 1 unchanged, 1 left out");
    expect(done.err).toMatch(/^Left out:\n {2}.*-bad\.json: Document 2.*: /);
    expect(done.err).toMatch(/\n {2}standard input: Line 1.*: /);
    const json = await load(format, [inArray], ["--json"]);
    expect(JSON.parse(json.out)).toMatchObject({
      skippedCount: 1,
      skipped: [{ line: 2, unit: "document", file: inArray }],
    });
  });
});

test("names a later file that cannot be read, and keeps what it imported", async () => {
  const good = file("good.json", pretty(openVexDocument("CVE-2033-1000")));
  const missing = await load("openvex", [good, join(folder, "nowhere.json")]);
  expect(missing.code).toBe(2);
  expect(missing.err).toMatch(/nowhere\.json.*\n.*The files before it are already imported\./);
  const broken = await load("openvex", [file("broken.json", '{\n  "statements": [\n')]);
  expect(broken.code).toBe(4);
  expect(broken.err).toMatch(/broken\.json is not JSON/);
  expect(counts(await load("openvex", [good], ["--json"]))).toEqual([0, 0, 1, 1]);
});

test("sends documents with more statements than one call accepts in several calls", async () => {
  const products = Array.from({ length: 900 }, (_, i) => ({ "@id": `pkg:npm/a@${i}` }));
  const documents = [1, 2, 3].map((n) => {
    const document = openVexDocument(`CVE-2034-100${n}`);
    return { ...document, statements: [{ ...document.statements[0], products }] };
  });
  const all = file("many.jsonl", lines(...documents));
  expect(counts(await load("openvex", [all], ["--json"]))).toEqual([2700, 0, 0, 3]);
});

const parse = (value: unknown) =>
  parseDocument("openvex", { number: 1, bytes: Buffer.from(JSON.stringify(value)) });

test.each([
  [[], "", /not a JSON object/],
  [{ statements: [] }, "@context", /missing/],
  [
    { "@context": "x", statements: [], tooling: "t".repeat(1.5 * 2 ** 20) },
    "",
    /bytes, but the platform accepts at most/,
  ],
])("%.40j is not a document", (value, field, message) => {
  expect(parse(value)).toEqual({ field, message: expect.stringMatching(message) });
});
