import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeMoves } from "../../../bench/growth/moves.ts";
import { parseTagMove } from "../../../cli/import/tag_moves.ts";

let folder: string;
let text: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "moves-"));
  await writeMoves(join(folder, "moves.jsonl"), 3_000);
  text = await readFile(join(folder, "moves.jsonl"), "utf8");
});

afterAll(() => rm(folder, { recursive: true }));

test("generated moves are the same in every run", async () => {
  await writeMoves(join(folder, "again.jsonl"), 3_000);
  expect(await readFile(join(folder, "again.jsonl"), "utf8")).toBe(text);
});

test("each generated move is a line that an import accepts", () => {
  const lines = text.trimEnd().split("\n");
  expect(lines).toHaveLength(3_000);
  const refused = lines.filter(
    (line, at) => "message" in parseTagMove({ bytes: Buffer.from(line), number: at + 1 }),
  );
  expect(refused).toEqual([]);
});

test("each generated move is later than the one before and has a new digest, so all of them are recorded", () => {
  const moves = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { updateTimestamp: string; digest: string });
  const times = moves.map(({ updateTimestamp }) => Date.parse(updateTimestamp));
  expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
  expect(new Set(moves.map(({ digest }) => digest)).size).toBe(3_000);
});
