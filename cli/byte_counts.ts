/** Numbers of bytes as people write them. Units are decimal, as in the prices of Cloudflare: 1 GB is 1,000,000,000 bytes. */

const units = ["B", "kB", "MB", "GB", "TB", "PB"];

/** Returns a text such as `12.3 GB`. */
export function bytesText(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const amount = (bytes / 1000 ** power).toLocaleString("en", { maximumFractionDigits: 1 });
  return `${amount} ${units[power]}`;
}

/** Reads a text such as `500`, `50GB` or `1.5 TB`. Returns undefined if it is not a number of bytes. */
export function parseBytes(text: string): number | undefined {
  const [, amount, unit = "B"] =
    /^(\d{1,15}(?:\.\d{1,3})?)\s*([kMGTP]?B)?$/i.exec(text.trim()) ?? [];
  if (amount === undefined) return undefined;
  const power = units.findIndex((name) => name.toLowerCase() === unit.toLowerCase());
  // Rounded to thousandths first, because 1.1 * 1000 is not exactly 1100.
  const bytes = Math.round(Number(amount) * 1000 ** (power + 1)) / 1000;
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
