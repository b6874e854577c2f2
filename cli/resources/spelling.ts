/** Finds the word that a user meant. */

/** Makes `roleBindings`, `role-bindings`, `role_binding` and `rolebinding` equal. */
export const foldWord = (word: string) => word.replace(/[-_]/g, "").toLowerCase();

/** Returns the word that begins in the same way, otherwise the most similar word, or undefined if none is similar. */
export function nearestWord(word: string, words: string[]): string | undefined {
  const asked = foldWord(word);
  const begun =
    asked.length < 3 ? undefined : words.find((word) => foldWord(word).startsWith(asked));
  if (begun) return begun;
  const ranked = words
    .map((word) => ({ one: word, distance: editDistance(asked, foldWord(word)) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  // A word in which every letter differs is not near, however short it is.
  const isNear = best && best.distance < asked.length;
  return isNear && best.distance <= Math.max(2, asked.length / 3) ? best.one : undefined;
}

/** Returns the end of a message about an unknown word, or an empty text if no word is similar. */
export const didYouMean = (near: string | undefined): string =>
  near ? ` Did you mean ${near}?` : "";

/** Returns how many letters to add, remove or replace to turn one word into the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
