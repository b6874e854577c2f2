/**
 * The two tiers of tests: `npm test` leaves out what has the tag `long`, and runs a sample of the files. `npm run
 * test:all` runs everything.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";

/** Marks a test or a `describe` as one of the long tier. A whole file says `@module-tag long` in its first comment. */
export const long = { tags: ["long"] };

const quick = { tags: [] };

/** Picks the rows of the quick tier. `.ci/test.ts` sets it to the commit, so that each commit tries other rows. */
const seed = process.env.TEST_SEED ?? "";

/**
 * Splits the rows of a table into those of the quick tier and all others. The quick tier has one row of each class,
 * which the seed picks. Rows can be in a class of several kinds, such as an attack and a place that is attacked. Both
 * come with the options of their tests: `test.for(rows)(title, tier, …)`.
 */
export function tiers<Row>(
  rows: readonly Row[],
  ...kinds: ((row: Row) => string)[]
): [Row[], { tags: string[] }][] {
  const classes = kinds.flatMap((classOf) => [...Map.groupBy(rows, classOf)]);
  const picked = new Set(classes.map(([name, some]) => some[place(name, some.length)]));
  return [
    [rows.filter((row) => picked.has(row)), quick],
    [rows.filter((row) => !picked.has(row)), long],
  ];
}

/** Puts one of three groups of tests into the quick tier. The seed and the title decide. */
export const sampled = (title: string) => (place(title, 3) === 0 ? quick : long);

const sampleOfFolder = 1 / 5;

/**
 * The files that `npm test` runs: those that `always` holds for, and a fifth of each folder, which the seed picks. It is
 * one file at least, so no room is without a test.
 */
export function sampleOf(files: string[], always: (file: string) => boolean): string[] {
  const folders = Map.groupBy(files, (file) => dirname(file));
  const picked = [...folders.values()].flatMap((some) =>
    some
      .toSorted((a, b) => digestOf(a).compare(digestOf(b)))
      .slice(0, Math.ceil(some.length * sampleOfFolder)),
  );
  return [...new Set([...picked, ...files.filter(always)])];
}

/** A place in a list of that length, the same for the same class and seed. */
export const place = (name: string, length: number): number =>
  digestOf(name).readUInt32BE() % length;

const digestOf = (name: string) => createHash("sha256").update(`${seed}\n${name}`).digest();
