/**
 * The HTML of a readme's Markdown, for bounded work. The renderer's regular expressions look from each
 * special character to the end of its paragraph, and from each line of a block to the end of that block;
 * so their work is estimated by reading each text once, before they run.
 */
import type { Lexer, Token } from "marked";
import { invalidArgument } from "../../aip/errors.ts";

/** The most that one readme may take. Real ones stay far below each. */
export const readmeLimits = {
  lines: 20_000,
  /** Blocks in blocks (lists, quotes), and inline text in inline text (emphasis, links). */
  depth: 32,
  /** Steps of the renderer, each some 100 ns where it is slowest. */
  steps: 4_000_000,
};

/** Characters and words at which the renderer begins to look for the end of something. */
const specialPattern = /[\\<![`*_~@&:\n]|www\./gi;
/** What may end an address, and is cut off it one by one. */
const addressEndPattern = /[?!.,:;*_'"~()&]/g;

const countMatches = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** Steps of reading one inline text: a paragraph, a heading, a cell of a table. */
export function countInlineSteps(text: string): number {
  const specials = countMatches(text, specialPattern) + 1;
  let steps = specials ** 2 + (specials * text.length) / 32;
  for (const [word] of text.matchAll(/[^\s]+| {2,}/g)) {
    const squared = word.startsWith(" ") || word.includes("@");
    steps += (word.length * (squared ? word.length : countMatches(word, addressEndPattern))) / 64;
  }
  return steps;
}

/** Steps of finding the blocks of a text. Only a line of nothing but spaces surely ends one. */
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

/** HTML of GitHub-flavoured Markdown. Throws INVALID_ARGUMENT naming `content` beyond the limits. */
export async function renderReadme(content: string): Promise<string> {
  const text = content.replace(/\r\n?/g, "\n");
  if (countMatches(text, /\n/g) >= readmeLimits.lines) {
    throw invalidContent(`must have at most ${readmeLimits.lines} lines`);
  }
  // Loaded with the first readme: a Worker starts sooner without it.
  const { getDefaults, Lexer, parser } = await import("marked");
  return parser(limitLexer(new Lexer(getDefaults())).lex(text));
}

/** The lexer, asking before each text, also one within another, whether there are steps left. */
function limitLexer(lexer: Lexer): Lexer {
  const { blockTokens, inlineTokens } = lexer;
  const spend = newStepLimit();
  const inBlock = spend("block", countBlockSteps, blockTokens.bind(lexer) as Read<Token[]>);
  lexer.blockTokens = inBlock as typeof blockTokens;
  lexer.inlineTokens = spend("inline", countInlineSteps, inlineTokens.bind(lexer));
  return lexer;
}

type Read<T> = (text: string, tokens?: Token[], clipped?: boolean) => T;

/** Makes functions that read texts into ones that refuse when all of them together go too far. */
function newStepLimit() {
  const depth = { block: 0, inline: 0 };
  let spent = 0;
  return <T>(kind: keyof typeof depth, stepsOf: (text: string) => number, read: Read<T>): Read<T> =>
    (text, ...rest) => {
      spent += stepsOf(text);
      if (spent > readmeLimits.steps) {
        throw invalidContent(
          "takes too long to render: make its paragraphs, lists or tables smaller",
        );
      }
      if (depth[kind] === readmeLimits.depth) {
        throw invalidContent(`nests more than ${readmeLimits.depth} deep`);
      }
      depth[kind] += 1;
      const tokens = read(text, ...rest);
      depth[kind] -= 1;
      return tokens;
    };
}
