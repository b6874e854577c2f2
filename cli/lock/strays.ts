/** Where files and their lock disagree. */
import type { Lock } from "./lock_file.ts";
import type { Places } from "./plan.ts";
import type { Problem } from "./references.ts";

/** A place that differs from the lock, or an entry that no file uses. An entry has no place. */
export type Stray = Partial<Problem> & {
  kind: "not-locked" | "other-digest" | "unused";
  reference: string;
  message: string;
};

/** Returns the strays in the order of the files. `findsUnused` says whether every file was read. */
export function findStrays(places: Places, lock: Lock, findsUnused: boolean): Stray[] {
  const all = [...places.values()].flat();
  const strays = all.flatMap(({ file, line, column, reference, digest }): Stray[] => {
    const entry = lock.images.get(reference);
    const stray = { file, line, column, reference };
    if (!entry) {
      const message = `${reference} is not in the lock.`;
      return [{ ...stray, kind: "not-locked", message }];
    }
    if (digest === undefined || digest === entry.digest) return [];
    const message = `${reference} has ${digest} here, and ${entry.digest} in the lock.`;
    return [{ ...stray, kind: "other-digest", message }];
  });
  const unused = findsUnused
    ? [...lock.images.keys()].filter((reference) => !places.has(reference))
    : [];
  return [
    ...strays,
    ...unused.map((reference): Stray => {
      const message = `No file uses ${reference}, which is in the lock.`;
      return { kind: "unused", reference, message };
    }),
  ];
}
