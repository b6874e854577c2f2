/** Writes the digests of a lock into files, and changes no other byte. */
import type { Lock } from "./lock_file.ts";
import type { FoundReferences, Location, Problem, Slot } from "./references.ts";
import { type Source, toBytes } from "./source.ts";

/** A file with its old and its new bytes. */
export type Rewrite = { path: string; before: Buffer; after: Buffer; count: number };

type Rewrites = { rewrites: Rewrite[]; problems: Problem[] };

/** Returns the files that change, and the places where a digest cannot be written. */
export function planRewrites(references: FoundReferences[], lock: Lock): Rewrites {
  const rewrites: Rewrite[] = [];
  const problems: Problem[] = [];
  for (const { source, places } of references) {
    const edits = new Map<number, Edit>();
    for (const location of places) {
      const { slot } = location;
      const digest = lock.images.get(location.reference)?.digest;
      if (slot === undefined || digest === undefined || digest === location.digest) continue;
      const problem = addEdit(edits, location, slot, digest);
      if (problem) problems.push(problem);
    }
    if (edits.size === 0) continue;
    rewrites.push({
      path: source.path,
      before: toBytes(source.text),
      after: toBytes(applyEdits(source, [...edits.values()])),
      count: edits.size,
    });
  }
  return { rewrites, problems };
}

/** Replaces the bytes from `start` to `end`. */
type Edit = { slot: Slot; digest: string };

/** Several places can share their bytes, such as those of an alias. Then they need the same digest. */
function addEdit(
  edits: Map<number, Edit>,
  { file, line, column, reference }: Location,
  slot: Slot | string,
  digest: string,
): Problem | undefined {
  const problem = (why: string): Problem => ({
    file,
    line,
    column,
    message: `The digest of ${reference} cannot be written here, because ${why}.`,
  });
  if (typeof slot === "string") return problem(slot);
  const other = edits.get(slot.start);
  if (other && other.digest !== digest) return problem("another image shares its tag");
  edits.set(slot.start, { slot, digest });
  return undefined;
}

function applyEdits({ text }: Source, edits: Edit[]): string {
  const pieces: string[] = [];
  let done = 0;
  for (const { slot, digest } of edits.toSorted((a, b) => a.slot.start - b.slot.start)) {
    pieces.push(text.slice(done, slot.start), slot.before, digest);
    done = slot.end;
  }
  return [...pieces, text.slice(done)].join("");
}
