/**
 * Renders a readme's Markdown as HTML with a limited amount of work. The regular expressions of the renderer
 * search from each special character to the end of its paragraph. They also search from each line of a block to
 * the end of the block. Their work is therefore estimated first, by reading each text once. A short text can also
 * produce much HTML, with the cells of a table and with addresses that many links use. Both are limited too.
 */
import type { Lexer, Token, Tokenizer } from "marked";
import { invalidArgument } from "../../aip/errors.ts";

/** The limits of one readme. Real ones stay far below each. */
export const readmeLimits = {
  lines: 20_000,
  /** Blocks within blocks (lists, quotes), and inline text within inline text (emphasis, links). */
  depth: 32,
  /** Steps of the renderer. Each takes about 100 ns in the slowest case. */
  steps: 4_000_000,
  /** Characters in the addresses and titles of links that refer to a definition, `[text][name]`. */
  references: 1_000_000,
};

/** The steps for one cell of a table. Rows that are too short are filled with cells, and each needs memory. */
const stepsPerCell = 40;

/** The second line of a table, which decides how many cells each of its rows has. */
const delimiterPattern = /^[\s|:-]+$/;

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
  let bars = 0;
  let columns = 0;
  const end = () => {
    steps += lines * (lines + bars + columns * stepsPerCell);
    lines = 0;
    bars = 0;
    columns = 0;
  };
  for (const [line] of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    if (/^ *\n?$/.test(line)) {
      end();
      continue;
    }
    lines += 1;
    const count = countMatches(line, /\|/g);
    bars = Math.max(bars, count);
    if (count > 0 && delimiterPattern.test(line)) columns = Math.max(columns, count);
  }
  end();
  return steps;
}

const invalidContent = (what: string) => invalidArgument("content", `content ${what}`);

/** Renders GitHub-flavored Markdown as HTML. Throws INVALID_ARGUMENT for `content` above the limits. */
export async function renderReadme(content: string): Promise<string> {
  const text = content.replace(/\r\n?/g, "\n");
  if (countMatches(text, /\n/g) >= readmeLimits.lines) {
    throw invalidContent(`must have at most ${readmeLimits.lines} lines`);
  }
  // Loaded with the first readme, so that a Worker starts sooner.
  const { getDefaults, Lexer, parser, Tokenizer } = await import("marked");
  const tokenizer = limitReferences(new Tokenizer());
  return parser(limitLexer(new Lexer({ ...getDefaults(), tokenizer })).lex(text));
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

/** The tokenizer of one lexer, with a limit for the characters that references to definitions repeat. */
function limitReferences(tokenizer: Tokenizer): Tokenizer {
  const read = tokenizer.reflink.bind(tokenizer);
  let repeated = 0;
  tokenizer.reflink = (...parameters) => {
    const token = read(...parameters);
    if (token && "href" in token) repeated += token.href.length + (token.title?.length ?? 0);
    if (repeated > readmeLimits.references) {
      throw invalidContent(
        "refers to long links too often; make their addresses or titles shorter",
      );
    }
    return token;
  };
  return tokenizer;
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
