/** The size of values as JSON, counted without making it. */
const encoder = new TextEncoder();

/** Bytes of a value as JSON in UTF-8. Counts no further than `most`: what it returns then is just more. */
export function jsonBytes(value: unknown, most = Number.POSITIVE_INFINITY): number {
  if (typeof value === "string") {
    return value.length > most ? value.length : encoder.encode(JSON.stringify(value)).byteLength;
  }
  if (typeof value !== "object" || value === null) return String(value).length;
  const members: [string | undefined, unknown][] = Array.isArray(value)
    ? value.map((one) => [undefined, one])
    : Object.entries(value);
  // A bracket before, and behind each member a comma or the other bracket.
  let bytes = members.length === 0 ? 2 : 1;
  for (const [name, one] of members) {
    bytes += (name === undefined ? 0 : jsonBytes(name) + 1) + jsonBytes(one, most - bytes) + 1;
    if (bytes > most) return bytes;
  }
  return bytes;
}
