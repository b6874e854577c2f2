import { PassThrough } from "node:stream";
import { WriteStream } from "node:tty";
import { describe, expect, test } from "vitest";
import { type CatalogResource, resources } from "../../../cli/resources/catalog.ts";
import { columnsOf } from "../../../cli/resources/columns.ts";
import { detailLines, detailText } from "../../../cli/resources/details.ts";
import { tableText, tsvText } from "../../../cli/resources/table.ts";

const now = new Date("2026-11-21T12:00:00Z");
const uid = `${"a".repeat(40)}/${"b".repeat(16)}`;
const { getColorDepth } = WriteStream.prototype;
const terminal = (columns: number) =>
  Object.assign(new PassThrough(), { isTTY: true, columns, getColorDepth });
const resource = (name: string): CatalogResource => {
  const found = resources().find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
};

const repos = [
  {
    uid,
    name: "python",
    description: "Python, as we build it: slim, signed and rebuilt every night",
    catalogTier: "CATALOG_TIER_BASE",
    updateTime: "2026-11-18T12:00:00.000Z",
  },
  { uid: uid.replaceAll("b", "c"), name: "nginx", updateTime: "2026-11-21T11:59:00.000Z" },
];

/** Colors depend on the stream and the environment. Without them, only the text remains. */
function shown(rows: Record<string, unknown>[], name: string, columns: number): string {
  const { NO_COLOR, FORCE_COLOR } = process.env;
  process.env.NO_COLOR = "1";
  delete process.env.FORCE_COLOR;
  try {
    return tableText(rows, columnsOf(resource(name)), terminal(columns), now);
  } finally {
    restore("NO_COLOR", NO_COLOR);
    restore("FORCE_COLOR", FORCE_COLOR);
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

describe("a table", () => {
  test("shows everything if there is room", () => {
    expect(shown(repos, "repo", 200)).toBe(
      [
        `NAME    DESCRIPTION                                                   CATALOG TIER  UPDATED       UID`,
        `python  Python, as we build it: slim, signed and rebuilt every night  base          3 days ago    ${uid}`,
        `nginx                                                                               1 minute ago  ${uid.replaceAll("b", "c")}`,
        "",
      ].join("\n"),
    );
  });

  test("cuts the description, leaves out the uid, and stays within a narrow terminal", () => {
    expect(shown(repos, "repo", 80)).toBe(
      [
        "NAME    DESCRIPTION                                   CATALOG TIER  UPDATED",
        "python  Python, as we build it: slim, signed and re…  base          3 days ago",
        "nginx                                                               1 minute ago",
        "",
      ].join("\n"),
    );
  });

  test.each([20, 40, 60, 80, 100, 120, 160])("is at most %i wide", (columns) => {
    for (const line of shown(repos, "repo", columns).split("\n")) {
      expect([...line].length).toBeLessThanOrEqual(columns);
    }
  });

  test("keeps the uid of a row without a name", () => {
    const rows = [{ uid, sink: "https://hooks.example/platform/one/two/three" }];
    expect(shown(rows, "subscription", 80)).toContain(uid);
  });

  test("leaves out empty columns", () => {
    expect(shown([{ uid, name: "a" }], "repo", 200)).toBe(`NAME  UID\na     ${uid}\n`);
  });

  test("has no control characters", () => {
    const rows = [{ uid, name: "a\u001b[31mred\u0007\r\n", description: "\u009b2J" }];
    expect(shown(rows, "repo", 200)).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test("has colors on a terminal only", () => {
    const { NO_COLOR, FORCE_COLOR } = process.env;
    delete process.env.NO_COLOR;
    process.env.FORCE_COLOR = "1";
    try {
      const text = tableText(repos, columnsOf(resource("repo")), terminal(200), now);
      expect(text).toContain("\u001b[1mNAME\u001b[22m");
      const tags = [{ uid, name: "1", digest: `sha256:${"0".repeat(64)}`, deprecated: true }];
      const table = tableText(tags, columnsOf(resource("tag")), terminal(200), now);
      expect(table).toContain("\u001b[33myes\u001b[39m");
      expect(table).toContain("sha256:000000000000\u001b");
    } finally {
      restore("NO_COLOR", NO_COLOR);
      restore("FORCE_COLOR", FORCE_COLOR);
    }
    expect(shown(repos, "repo", 200)).not.toContain("\u001b");
  });
});

test("lines for programs have every column and exact times, and no value contains a line break or a tab", () => {
  const rows = [{ ...repos[0], description: "a\tb\nc" }];
  expect(tsvText(rows, columnsOf(resource("repo")), now)).toBe(
    `python\ta b c\tbase\t2026-11-18T12:00:00.000Z\t${uid}\n`,
  );
});

test("a description of a resource has each field with a value, nested ones below", () => {
  const row = {
    uid,
    name: "ci-bot",
    description: "",
    createTime: "2026-11-18T12:00:00.000Z",
    claimMatch: { issuer: "https://ci.example", claims: { a: "1" } },
  };
  const style = { now, isExact: false };
  const lines = detailLines("platform.iam.v2.Identity", row, style);
  expect(detailText(lines, new PassThrough())).toBe(
    [
      `UID:      ${uid}`,
      "Name:     ci-bot",
      "Created:  2026-11-18T12:00:00.000Z  (3 days ago)",
      "Claim match:",
      "  Issuer:  https://ci.example",
      "  Claims:",
      "    a:  1",
      "",
    ].join("\n"),
  );
});
