/** Numbers as people read them. */

const binaryUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A number of bytes with a unit of 1024, such as `28.3 MiB`. The API has 64-bit numbers as texts. */
export function formatBytes(bytes: number | string | undefined): string {
  let size = Number(bytes ?? 0);
  let unit = 0;
  while (size >= 1024 && unit < binaryUnits.length - 1) {
    size /= 1024;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  return `${size.toFixed(digits)} ${binaryUnits[unit]}`;
}

const whole = new Intl.NumberFormat("en");

/** A whole number with separators, such as `67,402`. */
export const formatCount = (count: number | string): string => whole.format(Number(count));
