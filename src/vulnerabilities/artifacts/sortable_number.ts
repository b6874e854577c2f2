/** Numbers as texts that sort as the numbers do. */

/**
 * A number of any length, given as its decimal digits: a letter for how many digits follow, then
 * those. Only the number's own digits count, `007` is 7. It tells its own end, starts with a letter,
 * and is ASCII.
 */
export function sortableNumber(digits: string): string {
  const own = digits.replace(/^0+(?=\d)/, "");
  if (own.length < 26) return `${String.fromCharCode(96 + own.length)}${own}`;
  return `z${String(own.length).padStart(6, "0")}${own}`;
}
