/** Numbers as texts that sort in numeric order. */

/**
 * A number of any length, from its decimal digits: a letter for the number of digits, followed by the digits.
 * Leading zeros are dropped, so `007` is 7. The text shows where it ends, starts with a letter, and is ASCII.
 */
export function sortableNumber(digits: string): string {
  const own = digits.replace(/^0+(?=\d)/, "");
  if (own.length < 26) return `${String.fromCharCode(96 + own.length)}${own}`;
  return `z${String(own.length).padStart(6, "0")}${own}`;
}
