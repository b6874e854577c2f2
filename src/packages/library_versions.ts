/** The versions of libraries as they are stored: many in one row, so that a short version takes few bytes. */

/** The rows that the versions of a library are divided into. */
const rowsOfLibrary = 32;

/** The last step of the uid of the row that has the version. A version is always in the same row. */
export const rowStepOf = (version: string): string =>
  (hash32(version, 0) % rowsOfLibrary).toString(16).padStart(16, "0");

/** The last step of the uid of a version, which follows from the version. */
export const versionStepOf = (version: string): string =>
  [1, 2].map((seed) => hash32(version, seed).toString(16).padStart(8, "0")).join("");

/** FNV-1a with the last step of MurmurHash3, which spreads similar texts. The seeds give independent numbers. */
function hash32(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1);
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
