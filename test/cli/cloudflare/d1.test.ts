/** SQL on a deployed database, through a wrangler that the test plays. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { execute, queryAll, queryRow } from "../../../cli/cloudflare/d1.ts";

/** A wrangler that gives this answer, and records what it is asked. */
function answering(answer: { code?: number; out?: string; err?: string }) {
  const asked: string[][] = [];
  const files: string[] = [];
  const run = async (args: string[]) => {
    asked.push(args);
    const at = args.indexOf("--file");
    if (at >= 0) files.push(readFileSync(args[at + 1] ?? "", "utf8"));
    return { code: 0, out: "", err: "", ...answer };
  };
  return { run, asked, files };
}

const deployed = { name: "platform", env: "iam" };
const remote = ["d1", "execute", "platform", "--remote", "--env", "iam", "--json"];

test("several SELECTs are one command, and each has its rows", async () => {
  const out = JSON.stringify([{ results: [{ a: 1 }] }, { success: true }]);
  const { run, asked } = answering({ out });
  const selects = ["SELECT 1 AS a", "SELECT 2 AS b WHERE 0"];
  expect(await queryAll(deployed, selects, run)).toEqual([[{ a: 1 }], []]);
  expect(asked).toEqual([[...remote, "--command", selects.join(";\n")]]);
});

test("SQL that writes is a file, which is deleted afterwards", async () => {
  const { run, asked, files } = answering({});
  await execute(deployed, "DELETE FROM counts;", run);
  expect(asked).toEqual([[...remote, "--yes", "--file", expect.any(String)]]);
  expect(files).toEqual(["DELETE FROM counts;"]);
  expect(() => readFileSync(asked[0]?.at(-1) ?? "")).toThrow("ENOENT");
});

test.each([
  [
    { code: 1, err: "\u001b[31mNot logged in\u001b[0m\n" },
    "wrangler d1 execute failed: Not logged in",
  ],
  [{ code: 1, out: '{"error":{"text":"no such database"}}' }, "failed: no such database"],
  [{ code: 1, err: "no such table: groups" }, "Run `npm run deploy` first."],
  [{ out: "[]" }, "The database returned 0 results for 1 queries."],
  [{ out: '[{"results":[]}]' }, "The database returned no row for: SELECT 1"],
])("the answer %j is the failure %j", async (answer, said) => {
  const { run } = answering(answer);
  await expect(queryRow(deployed, "SELECT 1", run)).rejects.toThrow(said);
});
