/** Returns a test for a pattern in which `*` stands for any characters. An empty pattern matches everything. */
export function matcher(pattern: string): (text: string) => boolean {
  if (pattern === "") return () => true;
  const parts = pattern.split(/\*+/);
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let position = first.length;
    for (const part of rest) {
      const start = text.indexOf(part, position);
      if (start < 0) return false;
      position = start + part.length;
    }
    return text.length - last.length >= position && text.endsWith(last);
  };
}
