import { readFileSync } from "node:fs";
import { getDefaults, Lexer, marked, Tokenizer } from "marked";
import { describe, expect, test } from "vitest";
import {
  countBlockSteps,
  countInlineSteps,
  readmeLimits,
  renderReadme,
} from "../../../src/registry/repos/readme_markdown.ts";
import { costlyReadmes } from "../../attacks/readmes/costly.ts";

/** The calls of the renderer's rules while it reads a text, and the characters that they received. */
async function work(content: string): Promise<{ calls: number; refused: boolean }> {
  const names = Object.getOwnPropertyNames(Tokenizer.prototype).filter(
    (name) => name !== "constructor",
  ) as (keyof Tokenizer)[];
  const rules = Tokenizer.prototype as unknown as Record<string, (...given: unknown[]) => unknown>;
  const originals = names.map((name) => [name, rules[name]] as const);
  let calls = 0;
  for (const [name, rule] of originals) {
    rules[name] = function (this: unknown, ...given: unknown[]) {
      calls += 1;
      return rule?.apply(this, given);
    };
  }
  try {
    await renderReadme(content);
    return { calls, refused: false };
  } catch {
    return { calls, refused: true };
  } finally {
    for (const [name, rule] of originals) if (rule) rules[name] = rule;
  }
}

describe("a readme that is expensive to render", () => {
  test.each(costlyReadmes)(
    "is rejected before the renderer has done much: %s",
    async (_, content) => {
      const { calls, refused } = await work(content);
      // The check of tags, which comes after, has the rows that are cheap to render.
      if (refused) expect(calls).toBeLessThan(200_000);
      else expect(calls).toBeLessThan(1_000);
    },
  );

  test("is rejected if the rows of its tables are filled with more than about 100,000 cells", async () => {
    const table = (columns: number, rows: number) =>
      `${"|a".repeat(columns)}|\n${"|-".repeat(columns)}|\n${"|\n".repeat(rows)}`;
    const costly = [table(400, 400), Array(4).fill(table(200, 200)).join("\n\n")];
    for (const content of costly)
      await expect(renderReadme(content)).rejects.toThrow("takes too long to render");
    expect(await renderReadme(table(20, 1_000))).toContain("</table>");
    expect(await renderReadme(table(100, 300))).toContain("</table>");
  });

  test("is accepted up to 20,000 characters if one paragraph repeats a slow piece", async () => {
    const size = async (piece: string) => {
      let taken = 0;
      for (let count = 64; count * piece.length < 524_288; count *= 2) {
        if (!(await work(piece.repeat(count))).refused) taken = count * piece.length;
      }
      return taken;
    };
    for (const piece of ["**a", "_a#", "[a](b", "<a ", "`[a", "a@", "!"]) {
      expect(await size(piece)).toBeLessThan(20_000);
    }
  });
});

test("the steps for a text grow with the square of its special characters, and by lines for plain text", () => {
  expect(countInlineSteps("*".repeat(2_000)) / countInlineSteps("*".repeat(1_000))).toBeGreaterThan(
    3.9,
  );
  expect(countInlineSteps("plain text ".repeat(1_000))).toBeLessThan(1_000);
  expect(countBlockSteps("a line\n\n".repeat(1_000))).toBeLessThan(2_000);
  expect(countBlockSteps("a line\n".repeat(1_000))).toBeGreaterThan(1_000_000);
});

describe("a readme of a project", () => {
  const readmes = ["README.md", "CHANGELOG.md", "docs/ARCHITECTURE.md", "docs/DEPLOY.md"];
  const libraries = ["marked", "drizzle-orm", "wrangler", "fast-check", "miniflare"];
  test.each([...readmes, ...libraries.map((name) => `node_modules/${name}/README.md`)])(
    "is rendered as before, within a tenth of the limits: %s",
    async (path) => {
      const content = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
      expect(await renderReadme(content)).toBe(await marked.parse(content));
      const lexer = new Lexer(getDefaults());
      let steps = countBlockSteps(content);
      const inlineTokens = lexer.inlineTokens.bind(lexer);
      lexer.inlineTokens = (text, tokens) => {
        steps += countInlineSteps(text);
        return inlineTokens(text, tokens);
      };
      lexer.lex(content);
      expect(steps).toBeLessThan(readmeLimits.steps / 10);
    },
  );
});
