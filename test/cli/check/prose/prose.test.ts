/** The check of prose, on files of its own. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { proseFiles } from "../../../../cli/check/prose/files.ts";
import { proseBreaches } from "../../../../cli/check/prose/prose.ts";

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "platform-prose-"));
  await write(
    "docs/guides/glossary.md",
    "# Glossary\n\n## Ours\n\n### Uidp\n\nA path.\n\n## Theirs\n\n### Role\n\nA set.\n",
  );
});
afterAll(() => rm(root, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

/** What is reported about a file with this text, without the path. */
async function faultsIn(path: string, text: string): Promise<string[]> {
  await write(path, text);
  const found = await proseBreaches(root, [path]);
  return found.map((line) => line.replace(`${path}:`, ""));
}

const words = (count: number) => `${Array.from({ length: count }, () => "word").join(" ")}.`;

describe("a page", () => {
  test("can have sentences of 28 words, and none of 29", async () => {
    expect(await faultsIn("a.md", `# A\n\n${words(28)}\n`)).toEqual([]);
    expect(await faultsIn("a.md", `# A\n\n${words(5)}\n\n${words(29)}\n`)).toEqual([
      expect.stringContaining("5: 29 words, more than 28: word word"),
    ]);
  });

  test("is checked in its tables, lists and headings, and not in its code", async () => {
    const text =
      "# None comes twice\n\n- Parted by commas.\n\n| A |\n| --- |\n| It tells you. |\n\n`tells`\n\n```\nIt tells.\n```\n";
    expect(await faultsIn("a.md", text)).toEqual([
      expect.stringMatching(/^1: "None comes"/),
      expect.stringMatching(/^1: "comes twice"/),
      expect.stringMatching(/^3: "Parted by"/),
      expect.stringMatching(/^7: "tells"/),
    ]);
  });

  test("can show bad examples if it strikes them out", async () => {
    expect(await faultsIn("a.md", "Not ~~It tells you.~~\n")).toEqual([]);
  });

  test("has American spelling, and each other word is reported with its line", async () => {
    expect(
      await faultsIn("a.md", "The color.\n\nThe behaviour of `colour` and platformctl.\n"),
    ).toEqual(['3: "behaviour" is not a known word']);
  });
});

describe("a guide", () => {
  const notExplained = expect.stringContaining('"uidp" is not explained at its first use');

  test.each([
    ["with no word about it", "The uidp of a row.\n", [notExplained]],
    ["with a later link", "A uidp. The [uidp](glossary.md#uidp).\n", [notExplained]],
    ["with a link to the glossary", "The [uidp](glossary.md#uidp) of a row. A uidp.\n", []],
    ["with an explanation of its own", "A **uidp** is a path. A uidp.\n", []],
    ["in code only", "Send `uidp.ids`.\n", []],
    ["that every project uses", "The role of a person.\n", []],
  ])("that uses a word of the project %s", async (_, text, faults) => {
    expect(await faultsIn("docs/guides/a.md", text)).toEqual(faults);
  });

  test("explains terms, and other pages need not", async () => {
    expect(await faultsIn("docs/A.md", "The uidp of a row.\n")).toEqual([]);
  });
});

describe("code", () => {
  test("is checked in each of its comments", async () => {
    const text =
      "/** A row.\n *\n * It tells nothing. */\nconst a = 1; // None comes twice, as it were.\n";
    expect(await faultsIn("src/a.ts", text)).toEqual([
      expect.stringMatching(/^3: "tells"/),
      expect.stringMatching(/^4: "None comes"/),
      expect.stringMatching(/^4: "comes twice"/),
    ]);
  });

  test("is checked in its texts, also if they are joined or contain values", async () => {
    const text = [
      'const a = "one two three " +',
      "  `four $" + "{1} parted by commas`;",
      'const b = "tells";',
    ];
    expect(await faultsIn("src/a.ts", text.join("\n"))).toEqual([
      expect.stringMatching(/^1: "parted by"/),
    ]);
  });

  test("can contain SQL, and comments for tools", async () => {
    const text =
      'const a = "select what it tells from the told row";\n// biome-ignore lint: tells why\n';
    expect(await faultsIn("src/a.ts", text)).toEqual([]);
  });
});

test("of protos, SQL and scripts is checked only in its comments", async () => {
  expect(await faultsIn("a.proto", "// A row\n// tells.\nmessage tells {}\n")).toHaveLength(1);
  expect(
    await faultsIn("a.sql", "-- A row tells.\n--> statement-breakpoint\nselect tells;\n"),
  ).toHaveLength(1);
  expect(await faultsIn("a.yml", "#!/bin/tells\n# A row tells.\ntells: 1\n")).toHaveLength(1);
});

test("pages, protos, code and tests are among the files, and generated code is not", () => {
  const files = proseFiles(".");
  expect(files).toEqual(
    expect.arrayContaining([
      ...[
        "README.md",
        "docs/guides/start.md",
        "client/README.md",
        "test/cli/check/resources.test.ts",
      ],
      ...[
        "schema/proto/platform/ping/v2/ping.proto",
        "src/platform.ts",
        ".github/workflows/test.yml",
      ],
    ]),
  );
  expect(files.filter((path) => /\/gen\/|third_party|node_modules|\/dist\//.test(path))).toEqual(
    [],
  );
});
