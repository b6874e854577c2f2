/** The lock after a run, and how it differs from the one before. */
import { Failure } from "../failure.ts";
import type { Lock, LockEntry } from "./lock_file.ts";
import type { Location, Problem } from "./references.ts";
import type { Resolved, WantedTag } from "./resolve.ts";

/** An entry that is added, updated or removed. */
export type Change = {
  kind: "added" | "updated" | "removed";
  reference: string;
  before?: LockEntry;
  after?: LockEntry;
  places: Location[];
};

/** The places of each reference. */
export type Places = Map<string, Location[]>;

export function groupPlaces(places: Location[]): Places {
  const grouped: Places = new Map();
  for (const location of places) {
    const list = grouped.get(location.reference);
    if (list) list.push(location);
    else grouped.set(location.reference, [location]);
  }
  return grouped;
}

/**
 * Returns the tags to look up: those without an entry, or all if the run replaces entries. A digest that is already in
 * the files counts only for a new entry.
 */
export function wantedTags(places: Places, before: Lock | undefined, replaces: boolean) {
  const wanted: WantedTag[] = [];
  const problems: Problem[] = [];
  for (const [reference, list] of places) {
    const [first] = list;
    if (!first || (!replaces && before?.images.has(reference))) continue;
    const digests = new Set(list.flatMap(({ digest }) => digest ?? []));
    const [pinned] = digests;
    if (replaces || digests.size < 2) {
      wanted.push({ reference, image: first.image, pinned: replaces ? undefined : pinned });
    } else problems.push(...list.filter(({ digest }) => digest).map(disagreement));
  }
  return { wanted, problems };
}

const disagreement = ({ file, line, column, reference, digest }: Location): Problem => ({
  file,
  line,
  column,
  message: `The files have different digests for ${reference}, and here it is ${digest}. To replace all, run: platformctl lock --update --rewrite`,
});

/** The new lock, and everything that a person should know about it. */
export type Plan = { lock: Lock; changes: Change[]; problems: Problem[] };

/** Says which entries go: those that no file uses, if every file was read. */
type PlanScope = { registry: string; removesUnused: boolean };

export function planLock(
  places: Places,
  before: Lock | undefined,
  resolved: Resolved,
  { registry, removesUnused }: PlanScope,
): Plan {
  const old = before?.images ?? new Map<string, LockEntry>();
  const images = new Map<string, LockEntry>();
  const problems: Problem[] = [];
  if (!removesUnused) for (const [reference, entry] of old) images.set(reference, entry);
  for (const [reference, list] of places) {
    const result = resolved.get(reference);
    if (result instanceof Failure)
      problems.push(...list.map((location) => toProblem(location, result)));
    const kept = old.get(reference);
    const next = result instanceof Failure ? undefined : result;
    const entry = next && !(kept && isSame(kept, next)) ? next : kept;
    if (entry) images.set(reference, entry);
  }
  return { lock: { registry, images }, changes: changesOf(old, images, places), problems };
}

/** An entry that would get only a later `asOf` stays as it is, so that a run changes nothing without a reason. */
const isSame = (entry: LockEntry, other: LockEntry) =>
  entry.digest === other.digest && entry.since === other.since;

function toProblem({ file, line, column }: Location, { message }: Failure): Problem {
  return { file, line, column, message };
}

function changesOf(
  old: Map<string, LockEntry>,
  images: Map<string, LockEntry>,
  places: Places,
): Change[] {
  const references = [...new Set([...old.keys(), ...images.keys()])].sort();
  return references.flatMap((reference): Change[] => {
    const before = old.get(reference);
    const after = images.get(reference);
    if (before === after) return [];
    return [
      {
        kind: changeKind(before, after),
        reference,
        ...(before && { before }),
        ...(after && { after }),
        places: places.get(reference) ?? [],
      },
    ];
  });
}

function changeKind(before: LockEntry | undefined, after: LockEntry | undefined): Change["kind"] {
  if (!before) return "added";
  return after ? "updated" : "removed";
}
