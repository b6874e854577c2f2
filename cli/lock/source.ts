/** A file that can contain image references, with the positions of its bytes. */

/**
 * The bytes of a file as text, with one character for each byte (Latin-1). An index in the text is a position in bytes,
 * whatever the encoding of the file is. Everything that this folder looks for is ASCII.
 */
export type Source = {
  /** The path for messages, with `/` between folders. */
  path: string;
  text: string;
  /** Returns the line and the column of a byte. Both begin at 1. */
  positionOf(offset: number): Position;
};

export type Position = { line: number; column: number };

/** The byte order mark of UTF-8, one character for each byte. */
const byteOrderMark = "\u00ef\u00bb\u00bf";

/** Returns the length of the byte order mark at the beginning of a text: 0 or 3. */
export const markLength = (text: string): number => (text.startsWith(byteOrderMark) ? 3 : 0);

export function newSource(path: string, bytes: Buffer): Source {
  const text = bytes.toString("latin1");
  let starts: number[] | undefined;
  return {
    path,
    text,
    positionOf(offset) {
      starts ??= lineStarts(text);
      const line = lastAtOrBefore(starts, offset);
      const before = text.slice(starts[line], offset);
      // Columns count the characters that an editor shows.
      return {
        line: line + 1,
        column: [...Buffer.from(before, "latin1").toString("utf8")].length + 1,
      };
    },
  };
}

/** Returns the bytes of a text that {@link newSource} made. */
export const toBytes = (text: string): Buffer => Buffer.from(text, "latin1");

function lineStarts(text: string): number[] {
  const starts = [markLength(text)];
  for (let newline = text.indexOf("\n"); newline >= 0; newline = text.indexOf("\n", newline + 1))
    starts.push(newline + 1);
  return starts;
}

/** Returns the index of the last number that is not greater, by halving. */
function lastAtOrBefore(numbers: number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}
