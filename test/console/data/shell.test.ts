/** Commands that people copy from the console, with words that others chose. */
import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { commandOf, shellWord } from "../../../console/data/shell.ts";
import { hostileTexts } from "../hostile_texts.ts";

/** The words that a shell passes to a program. */
const wordsOf = (line: string) =>
  execFileSync("sh", ["-c", `printf '%s\\001' ${line}`], { encoding: "utf8" })
    .split("\u0001")
    .slice(0, -1);

test("a shell runs nothing of a word, and passes it on unchanged", () => {
  const visible = hostileTexts.filter(
    (text) => !text.includes("\u202E") && !text.includes("\u200D"),
  );
  const words = [
    ...["CVE-2026-1; echo stolen", "$(echo stolen)", "`echo stolen`", "a' $(echo stolen) '"],
    ...['a" b', "*", "~", "#", "a\\", "a\nb", "!!", "", ...visible],
  ];
  expect(wordsOf(words.map(shellWord).join(" "))).toEqual(words);
});

test("any text is one word for a shell, without characters that no one can see", () => {
  const texts = fc.array(fc.string({ unit: "binary", maxLength: 20 }), {
    minLength: 400,
    maxLength: 400,
  });
  fc.assert(
    fc.property(texts, (all) => {
      const words = all.map(shellWord);
      for (const word of words)
        expect(word.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(wordsOf(words.join(" "))).toHaveLength(all.length);
    }),
    { numRuns: 1, seed: 3 },
  );
});

test("a name that no shell changes has no quotes", () => {
  expect(commandOf("platformctl contains", "@scope/name", { below: "2.17", from: "" })).toBe(
    "platformctl contains @scope/name --below 2.17",
  );
});

test("there is no command if the program would read a value as an option", () => {
  expect(commandOf("platformctl affected", "--url=https://evil.example", {})).toBeUndefined();
  expect(commandOf("platformctl affected", "CVE-2026-1", { group: "-x" })).toBeUndefined();
});
