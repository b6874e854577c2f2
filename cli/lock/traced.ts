/** Texts that are computed from a file, such as values with variables. Each character knows its place in the file. */

/** A default value of a variable in a file. */
export type Origin = {
  /** How messages name it: `ARG TAG`, `the default of TAG`. */
  label: string;
  /** Whether the file uses the value in more than one place. */
  isShared: boolean;
};

/** A character, its position in the file, and the default value that it comes from. */
type TracedChar = { char: string; offset: number; origin?: Origin | undefined };

export type Traced = TracedChar[];

/** Returns the characters of a part of the file that begins at this position. */
export const traced = (text: string, start: number): Traced =>
  [...text].map((char, index) => ({ char, offset: start + index }));

export const textOf = (chars: Traced): string => chars.map(({ char }) => char).join("");

/** Whether the characters are next to each other in the file, in this order. */
export const isContiguous = (chars: Traced): boolean =>
  chars.every(({ offset }, index) => index === 0 || offset === (chars[index - 1]?.offset ?? 0) + 1);
