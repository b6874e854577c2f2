import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "../../../console/data/shell_word.ts";
import { hostileTexts } from "../hostile_texts.ts";

test.each([...["CVE-2026-1", "';$(id)`id`&|<>*~!#\\\"'", "a b\nc", ...hostileTexts]])(
  "a shell gets the text %# as one word, and runs nothing in it",
  (text) => {
    const printed = execFileSync("sh", ["-c", `printf '%s.' ${shellWord(text)}`]);
    expect(printed.toString()).toBe(`${text}.`);
  },
);
