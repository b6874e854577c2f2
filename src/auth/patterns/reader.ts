/**
 * Reads a pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax, as the library of pattern.ts
 * understands it). It reads from the first character to the last, without compiling or recursion. The caller
 * defines the result of each part. The library reports errors of syntax: for a pattern that it refuses, the
 * result here means nothing.
 */
import { type CharacterSet, type Flags, literalCharacter, readCharacters } from "./characters.ts";
import { PatternCursor } from "./cursor.ts";

/** The results for the parts of a pattern. */
export interface PatternVisitor<T> {
  /** For no text at all. */
  nothing(): T;
  /** For one character. */
  character(set: CharacterSet): T;
  /** For an anchor: the start of the text, its end, or a position that depends on the characters around it. */
  assertion(where: "start" | "end" | "beside"): T;
  /** For one part after another. */
  sequence(first: T, second: T): T;
  /** For alternatives. */
  alternation(first: T, second: T): T;
  /** For a repetition. `greatest` is Infinity if there is no upper bound. */
  repetition(inner: T, least: number, greatest: number): T;
  /** For a group that captures. */
  captured(inner: T): T;
}

/** The library refuses counts above this. */
const maxRepetition = 1000;

const repetition = /(?:([*+?])|\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\})\??/y;
const repetitionSigns: Record<string, [number, number]> = {
  "*": [0, Number.POSITIVE_INFINITY],
  "+": [1, Number.POSITIVE_INFINITY],
  "?": [0, 1],
};
const named = /\(\?P?<\w+>/y;
const flagged = /\(\?([imsU]*)(?:-([imsU]+))?([:)])/y;
const groupStart = /\(\??/y;
const anchor = /\^|\$|\\[AzbB]/y;

/** An open group, or the whole pattern. */
interface Frame<T> {
  captures: boolean;
  /** The flags before the group. */
  flags: Flags;
  /** The branches before the last `|`. */
  branches: T | undefined;
  /** The sequence so far, without its last part. A repetition would apply to that part. */
  before: T | undefined;
  last: T | undefined;
}

class PatternReader<T> {
  private readonly open: Frame<T>[] = [];
  private frame: Frame<T>;
  private flags: Flags = { fold: false, dotAll: false, multiline: false };
  private readonly cursor: PatternCursor;
  private readonly make: PatternVisitor<T>;
  depth = 0;

  constructor(pattern: string, make: PatternVisitor<T>) {
    this.make = make;
    this.cursor = new PatternCursor(pattern);
    this.frame = this.newFrame(false);
  }

  read(): T {
    while (!this.cursor.isDone) this.readPart();
    while (this.open.length > 0) this.close();
    return this.finished();
  }

  private readPart(): void {
    const { cursor, make } = this;
    if (this.readRepetition() || this.readStart()) return;
    const anchorText = cursor.match(anchor)?.[0];
    if (anchorText) this.add(make.assertion(this.anchorOf(anchorText)));
    else if (cursor.skip("|")) this.branch();
    else if (cursor.skip(")")) this.close();
    else if (cursor.skip("\\Q")) {
      for (const character of cursor.takeUntil("\\E")) this.add(this.literal(character));
    } else this.add(make.character(readCharacters(cursor, this.flags)));
  }

  private literal(character: string): T {
    return this.make.character(literalCharacter(character.codePointAt(0) ?? 0, this.flags));
  }

  private anchorOf(text: string): "start" | "end" | "beside" {
    if (text === "\\A" || (text === "^" && !this.flags.multiline)) return "start";
    return text === "\\z" || (text === "$" && !this.flags.multiline) ? "end" : "beside";
  }

  private readRepetition(): boolean {
    const counted = this.cursor.match(repetition);
    if (!counted) return false;
    const [, sign, least, upTo, greatest] = counted;
    const { last } = this.frame;
    // The library refuses a repetition of nothing.
    if (last === undefined) return true;
    const [min, max] = sign ? (repetitionSigns[sign] ?? [0, 0]) : counts(least, upTo, greatest);
    this.frame.last = this.make.repetition(last, min, max);
    return true;
  }

  /** The start of a group, or flags that apply from here on. */
  private readStart(): boolean {
    const [, on, off = "", end] = this.cursor.match(flagged) ?? [];
    if (on !== undefined) {
      if (end === ":") this.enter(false);
      const { fold, dotAll, multiline } = this.flags;
      const set = (name: string, now: boolean) => !off.includes(name) && (on.includes(name) || now);
      this.flags = {
        fold: set("i", fold),
        dotAll: set("s", dotAll),
        multiline: set("m", multiline),
      };
      return true;
    }
    if (!this.cursor.match(named) && !this.cursor.match(groupStart)) return false;
    this.enter(true);
    return true;
  }

  private newFrame(captures: boolean): Frame<T> {
    const parts = { branches: undefined, before: undefined, last: undefined };
    return { captures, flags: this.flags, ...parts };
  }

  private enter(captures: boolean): void {
    this.open.push(this.frame);
    this.frame = this.newFrame(captures);
    this.depth = Math.max(this.depth, this.open.length);
  }

  private add(part: T): void {
    this.frame.before = this.sequenceSoFar();
    this.frame.last = part;
  }

  private sequenceSoFar(): T | undefined {
    const { before, last } = this.frame;
    if (before === undefined || last === undefined) return last;
    return this.make.sequence(before, last);
  }

  private finished(): T {
    const sequence = this.sequenceSoFar() ?? this.make.nothing();
    const { branches } = this.frame;
    return branches === undefined ? sequence : this.make.alternation(branches, sequence);
  }

  private branch(): void {
    this.frame.branches = this.finished();
    this.frame.before = undefined;
    this.frame.last = undefined;
  }

  private close(): void {
    const outer = this.open.pop();
    // The library refuses a `)` without an opening parenthesis.
    if (!outer) return;
    const inner = this.finished();
    const { captures, flags } = this.frame;
    this.flags = flags;
    this.frame = outer;
    this.add(captures ? this.make.captured(inner) : inner);
  }
}

const count = (digits = "") => Math.min(Number(digits), maxRepetition + 1);

/** Reads `{n}`, `{n,}` and `{n,m}`. */
function counts(least?: string, upTo?: string, greatest?: string): [number, number] {
  const min = count(least);
  if (upTo === undefined) return [min, min];
  return [min, greatest === undefined ? Number.POSITIVE_INFINITY : count(greatest)];
}

/**
 * Returns the result for a pattern, and the greatest number of groups that are open at once. Takes time
 * linear in the length of the pattern.
 */
export function readPattern<T>(
  pattern: string,
  visitor: PatternVisitor<T>,
): { made: T; depth: number } {
  const reader = new PatternReader(pattern, visitor);
  return { made: reader.read(), depth: reader.depth };
}
