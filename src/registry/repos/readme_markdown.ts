/**
 * Renders a readme's Markdown as HTML with a limited amount of work. The regular expressions of the renderer
 * search from each special character to the end of its paragraph. They also search from each line of a block to
 * the end of the block. Their work is therefore estimated first, by reading each text once.
 */
import type { Lexer, Token } from "marked";
import { invalidArgument } from "../../aip/errors.ts";

/** The limits of one readme. Real ones stay far below each. */
export const readmeLimits = {
  lines: 20_000,
  /** Blocks within blocks (lists, quotes), and inline text within inline text (emphasis, links). */
  depth: 32,
  /** Steps of the renderer. Each takes about 100 ns in the slowest case. */
  steps: 4_000_000,
};

/** Characters and words where the renderer begins to search for an end. */
const specialPattern = /[\\<![`*_~@&:\n]|www\./gi;
/** Characters that can end an address. They are cut off one by one. */
const addressEndPattern = /[?!.,:;*_'"~()&]/g;

const countMatches = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** The steps for one inline text: a paragraph, a heading, a table cell. */
export function countInlineSteps(text: string): number {
  const specials = countMatches(text, specialPattern) + 1;
  let steps = specials ** 2 + (specials * text.length) / 32;
  for (const [word] of text.matchAll(/[^\s]+| {2,}/g)) {
    const squared = word.startsWith(" ") || word.includes("@");
    steps += (word.length * (squared ? word.length : countMatches(word, addressEndPattern))) / 64;
  }
  return steps;
}

/** The steps for finding the blocks of a text. Only a line of spaces certainly ends a block. */
export function countBlockSteps(text: string): number {
  let steps = text.length / 64;
  let lines = 0;
  let cells = 0;
  for (const [line] of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    if (/^ *\n?$/.test(line)) {
      steps += lines * (lines + cells);
      lines = 0;
      cells = 0;
      continue;
    }
    lines += 1;
    cells = Math.max(cells, countMatches(line, /\|/g));
  }
  return steps + lines * (lines + cells);
}

const invalidContent = (what: string) => invalidArgument("content", `content ${what}`);

/** Renders GitHub-flavored Markdown as HTML. Throws INVALID_ARGUMENT for `content` above the limits. */
export async function renderReadme(content: string): Promise<string> {
  const text = content.replace(/\r\n?/g, "\n");
  if (countMatches(text, /\n/g) >= readmeLimits.lines) {
    throw invalidContent(`must have at most ${readmeLimits.lines} lines`);
  }
  // Loaded with the first readme, so that a Worker starts sooner.
  const { getDefaults, Lexer, parser } = await import("marked");
  return parser(limitLexer(new Lexer(getDefaults())).lex(text));
}

/** The lexer, with a check before each text, and each text within it, that steps are left. */
function limitLexer(lexer: Lexer): Lexer {
  const { blockTokens, inlineTokens } = lexer;
  const spend = newStepLimit();
  const inBlock = spend("block", countBlockSteps, blockTokens.bind(lexer) as Read<Token[]>);
  lexer.blockTokens = inBlock as typeof blockTokens;
  lexer.inlineTokens = spend("inline", countInlineSteps, inlineTokens.bind(lexer));
  return lexer;
}

type Read<T> = (text: string, tokens?: Token[], clipped?: boolean) => T;

/** Wraps functions that read texts. They throw when all of them together exceed the limit. */
function newStepLimit() {
  const depth = { block: 0, inline: 0 };
  let spent = 0;
  return <T>(kind: keyof typeof depth, stepsOf: (text: string) => number, read: Read<T>): Read<T> =>
    (text, ...rest) => {
      spent += stepsOf(text);
      if (spent > readmeLimits.steps) {
        throw invalidContent(
          "takes too long to render; make its paragraphs, lists or tables smaller",
        );
      }
      if (depth[kind] === readmeLimits.depth) {
        throw invalidContent(`is nested more than ${readmeLimits.depth} levels deep`);
      }
      depth[kind] += 1;
      const tokens = read(text, ...rest);
      depth[kind] -= 1;
      return tokens;
    };
}
