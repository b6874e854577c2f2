/** A random text of an alphabet with at most 256 characters, which are all equally likely. */
export function randomText(alphabet: string, length: number): string {
  // Bytes above the last multiple of the number of characters are left out.
  const end = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length)))
      if (byte < end) text += alphabet.charAt(byte % alphabet.length);
  }
  return text.slice(0, length);
}
