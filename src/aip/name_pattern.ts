/** Returns a test for a pattern in which `*` stands for any characters. An empty pattern matches everything. */
export function matcher(pattern: string): (text: string) => boolean {
  if (pattern === "") return () => true;
  const parts = pattern.split(/\*+/);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of rest) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}
