/** The size of values as JSON. */
const encoder = new TextEncoder();

/**
 * Bytes of a value as JSON in UTF-8. Where its texts alone are longer than `most`, no JSON is made, and the
 * result is a number greater than `most`.
 */
export function jsonBytes(value: unknown, most = Number.POSITIVE_INFINITY): number {
  const characters = charactersOf(value, most);
  return characters > most ? characters : encoder.encode(JSON.stringify(value)).byteLength;
}

/** Characters of all texts in a value, counted until there are more than `most`. */
function charactersOf(value: unknown, most: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let characters = 0;
  for (const one of Array.isArray(value) ? value : Object.values(value)) {
    characters += charactersOf(one, most - characters);
    if (characters > most) break;
  }
  return characters;
}
