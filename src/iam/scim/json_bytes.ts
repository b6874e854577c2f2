/** The size of values as JSON. */
const encoder = new TextEncoder();

/**
 * The number of bytes of a value as JSON in UTF-8. If its texts alone are longer than `max`, no JSON is
 * written, and the result is a number greater than `max`.
 */
export function jsonBytes(value: unknown, max = Number.POSITIVE_INFINITY): number {
  const characters = countCharacters(value, max);
  return characters > max ? characters : encoder.encode(JSON.stringify(value)).byteLength;
}

/** The number of characters in all texts of a value. The count stops above `max`. */
function countCharacters(value: unknown, max: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let characters = 0;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    characters += countCharacters(item, max - characters);
    if (characters > max) break;
  }
  return characters;
}
