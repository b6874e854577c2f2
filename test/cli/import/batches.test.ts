import { expect, test } from "vitest";
import { type ImportJob, importInBatches } from "../../../cli/import/batches.ts";
import { type Code, PlatformError } from "../../../client/errors.ts";

/** An import of words. `bad` is not a word. The platform refuses words that begin with `no`. */
function wordImport(words: string, change: Partial<ImportJob<string>> = {}) {
  const sent: string[][] = [];
  async function* lines() {
    for (const [index, word] of words.split(" ").entries()) {
      yield { number: index + 1, bytes: Buffer.from(word) };
    }
  }
  const job: ImportJob<string> = {
    lines: lines(),
    parse({ bytes }) {
      const item = bytes.toString();
      return item === "bad" ? { field: "word", message: "is bad" } : { item, bytes: item.length };
    },
    async send(batch) {
      const refused = batch.findIndex((word) => word.startsWith("no"));
      if (refused >= 0) throw refusal(`words[${refused}].text`);
      sent.push(batch);
      return batch.flatMap((word, position) =>
        word.startsWith("left") ? [{ position, id: word, reason: "is left" }] : [],
      );
    },
    list: "words",
    limits: { items: 3, bytes: 10 },
    skipBadLines: false,
    url: "http://platform",
    ...change,
  };
  return { sent, result: importInBatches(job) };
}

function refusal(field: string, code: Code = "INVALID_ARGUMENT"): PlatformError {
  const message = `${field} is not wanted`;
  const fieldViolations = [{ field, description: message }];
  const details = [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations }];
  return new PlatformError({ code, status: 400, message, details });
}

test("lines are sent in order, in batches within every limit", async () => {
  const { sent, result } = wordImport("a b c d eeeeeeee ff g hhhhhhhhhhhhh i");
  expect(await result).toMatchObject({ lines: 9, badLines: [], badLineCount: 0, skippedCount: 0 });
  expect(sent).toEqual([["a", "b", "c"], ["d", "eeeeeeee"], ["ff", "g"], ["hhhhhhhhhhhhh"], ["i"]]);
});

test("a bad line stops the import before its batch is sent, and the error says how far it got", async () => {
  const { sent, result } = wordImport("a b c d bad e");
  await expect(result).rejects.toMatchObject({
    exitCode: 4,
    message:
      "Line 5: word: is bad\n3 lines before line 4 were imported. You can safely run the import again.",
  });
  expect(sent).toEqual([["a", "b", "c"]]);
});

test("for a bad line in the first batch, the error says that nothing was imported", async () => {
  const { sent, result } = wordImport("a bad");
  await expect(result).rejects.toMatchObject({
    message: "Line 2: word: is bad\nNothing was imported.",
  });
  expect(sent).toEqual([]);
});

test("a rejected item is named by its line", async () => {
  const { sent, result } = wordImport("a b c d no e");
  await expect(result).rejects.toMatchObject({
    exitCode: 4,
    message: expect.stringMatching(
      /^Line 5: text is not wanted\n3 lines before line 4 were imported\./,
    ),
  });
  expect(sent).toEqual([["a", "b", "c"]]);
});

test("bad lines and rejected items can be skipped, and are listed", async () => {
  const { sent, result } = wordImport("a bad no b no c bad d", { skipBadLines: true });
  const outcome = await result;
  expect(outcome.lines).toBe(4);
  expect(outcome.badLineCount).toBe(4);
  expect(outcome.badLines.map(({ line }) => line).sort()).toEqual([2, 3, 5, 7]);
  expect(sent.flat()).toEqual(["a", "b", "c", "d"]);
});

test("of many bad lines, the first thousand are listed, and all are counted", async () => {
  const { result } = wordImport(Array(2500).fill("bad").join(" "), { skipBadLines: true });
  const { badLines, badLineCount } = await result;
  expect(badLines).toHaveLength(1000);
  expect(badLineCount).toBe(2500);
});

test("a call that fails for another reason ends the import, even if bad lines can be skipped", async () => {
  const failing = {
    skipBadLines: true,
    send: async () => {
      throw refusal("group", "PERMISSION_DENIED");
    },
  };
  const { result } = wordImport("a b", failing);
  await expect(result).rejects.toMatchObject({ exitCode: 1, code: "PERMISSION_DENIED" });
});

test("what the platform leaves out is named by its line, in every batch, and ends nothing", async () => {
  const { result } = wordImport("a left1 b left2 c");
  expect(await result).toMatchObject({
    lines: 5,
    skippedCount: 2,
    skipped: [
      { line: 2, id: "left1", reason: "is left" },
      { line: 4, id: "left2", reason: "is left" },
    ],
  });
});

test("a strict import ends with 2 at what the platform refuses, and names the line", async () => {
  const { result } = wordImport("a b no c", { strict: true });
  await expect(result).rejects.toMatchObject({
    ...{ exitCode: 2, message: expect.stringMatching(/^Line 3: text/) },
  });
});
