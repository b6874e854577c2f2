/**
 * Whether a JSON document (UTF-8) has more than `max` values and members. It counts the characters that begin
 * or separate them. After parsing, a value of two bytes takes fifty.
 */
export function hasMoreValues(bytes: Uint8Array, max: number): boolean {
  let count = 0;
  let isText = false;
  for (let index = 0; index < bytes.length && count <= max; index += 1) {
    const byte = bytes[index];
    if (byte === quote) isText = !isText;
    else if (isText) index += byte === backslash ? 1 : 0;
    else if (byte === comma || byte === brace || byte === bracket) count += 1;
  }
  return count > max;
}

const [quote, backslash, comma, brace, bracket] = [...'"\\,{['].map((sign) => sign.charCodeAt(0));
