/** The runs of `platformctl lock`: write a lock, rewrite files, or check both. */
import { resolve } from "node:path";
import { refusedFailure } from "../failure.ts";
import type { RegistryReader } from "../history/registry.ts";
import { findFiles } from "./find_files.ts";
import { type Lock, lockText, readLock, type StoredLock } from "./lock_file.ts";
import { type Change, groupPlaces, type Places, planLock, wantedTags } from "./plan.ts";
import { readFiles } from "./read_files.ts";
import type { FoundReferences, Problem } from "./references.ts";
import { resolveTags } from "./resolve.ts";
import { planRewrites, type Rewrite } from "./rewrite.ts";
import { findStrays, type Stray } from "./strays.ts";
import { type FileWrite, writeFiles } from "./write_files.ts";

/** The files to read, and the lock. Paths are relative to `cwd`. */
export type LockScope = { cwd: string; paths: string[]; lockFile: string };

/** The references in the files. Notes need no action. */
export type Reading = {
  references: FoundReferences[];
  places: Places;
  problems: Problem[];
  notes: Problem[];
  filesRead: number;
};

type LockRequest = LockScope & {
  now: Date;
  time: Date | undefined;
  /** Whether entries that exist are looked up again. */
  replaces: boolean;
  rewrites: boolean;
  /** Whether to write in spite of problems. */
  keepsGoing: boolean;
};

export type LockOutcome = Reading & {
  lock: Lock;
  changes: Change[];
  strays: Stray[];
  rewritten: Rewrite[];
  /** Whether the lock or a file was written. */
  isWritten: boolean;
  /** Whether problems kept the run from writing. */
  isStopped: boolean;
};

export type CheckOutcome = Reading & { lock: Lock; strays: Stray[] };

/** Compares the files with the lock. It sends no requests. Throws a NOT_FOUND Failure if there is no lock. */
export async function checkLock(scope: LockScope): Promise<CheckOutcome> {
  const stored = openLock(scope);
  if (!stored) {
    throw refusedFailure(
      "NOT_FOUND",
      `${scope.lockFile} does not exist. To write it, run: platformctl lock`,
    );
  }
  const { lock } = stored;
  const reading = await readScope(scope, lock.registry);
  return { ...reading, lock, strays: findStrays(reading.places, lock, readsAll(scope)) };
}

/** Returns the lock, or undefined if the file does not exist. */
export const openLock = ({ cwd, lockFile }: LockScope) =>
  readLock(resolve(cwd, lockFile), lockFile);

/** Throws an OTHER_REGISTRY Failure if the lock is not about the registry at this host. */
export function requireRegistry(
  { registry }: Lock,
  host: string,
  { lockFile }: Pick<LockScope, "lockFile">,
): void {
  if (registry === host) return;
  throw refusedFailure(
    "OTHER_REGISTRY",
    `${lockFile} is about ${registry}, and the registry of this platform is ${host}. To use another platform, set PLATFORM_URL.`,
  );
}

/** Only a run over the whole folder can find the entries that no file uses. */
const readsAll = ({ paths }: LockScope) => paths.length === 0;

async function readScope({ cwd, paths }: LockScope, host: string): Promise<Reading> {
  const candidates = await findFiles(cwd, paths);
  const { references, problems, filesRead } = await readFiles(cwd, candidates, host);
  const keyOf = ({ file, line, column, message }: Problem) =>
    `${file}:${line}:${column}:${message}`;
  return {
    references,
    // An alias of YAML leads to the same place several times.
    places: groupPlaces(
      references.flatMap(({ places }) =>
        unique(places, (location) => `${location.line}:${location.column}:${location.reference}`),
      ),
    ),
    problems: unique([...problems, ...references.flatMap((file) => file.problems)], keyOf),
    notes: unique(
      references.flatMap((file) => file.notes),
      keyOf,
    ),
    filesRead,
  };
}

const unique = <T>(list: T[], keyOf: (item: T) => string): T[] => [
  ...new Map(list.map((item) => [keyOf(item), item])).values(),
];

/** Writes the lock, and the files if asked. Nothing is written if there are problems, unless `keepsGoing` is set. */
export async function runLock(
  registry: RegistryReader,
  request: LockRequest,
): Promise<LockOutcome> {
  const stored = openLock(request);
  const before = stored?.lock;
  if (before) requireRegistry(before, registry.host, request);
  const reading = await readScope(request, registry.host);
  const { places } = reading;
  const { wanted, problems: undecided } = wantedTags(places, before, request.replaces);
  const { resolved, notes } = await resolveTags(registry, wanted, request.time, request.now);
  const scope = { registry: registry.host, removesUnused: readsAll(request) };
  const { lock, changes, problems: unresolved } = planLock(places, before, resolved, scope);
  const planned = request.rewrites
    ? planRewrites(reading.references, lock)
    : { rewrites: [], problems: [] };
  const problems = [...reading.problems, ...undecided, ...unresolved, ...planned.problems];
  const isStopped = problems.length > 0 && !request.keepsGoing;
  const writes = isStopped ? [] : writesOf(request, stored, lock, planned.rewrites);
  await writeFiles(request.cwd, writes);
  return {
    ...reading,
    notes: [...reading.notes, ...choiceNotes(notes, places)],
    problems,
    lock,
    changes,
    isStopped,
    rewritten: isStopped ? [] : planned.rewrites,
    strays: request.rewrites ? [] : findStrays(places, lock, false).filter(isOther),
    isWritten: writes.length > 0,
  };
}

/** The notes about tags, at the first place that uses each of them. */
const choiceNotes = (notes: Map<string, string>, places: Places): Problem[] =>
  [...notes].flatMap(([reference, message]) =>
    (places.get(reference) ?? [])
      .slice(0, 1)
      .map(({ file, line, column }) => ({ file, line, column, message })),
  );

const isOther = ({ kind }: Stray) => kind === "other-digest";

/** The lock comes first. A lock without pinned files is valid, and pinned files without a lock are not. */
function writesOf(
  { lockFile }: LockScope,
  before: StoredLock | undefined,
  lock: Lock,
  rewrites: Rewrite[],
): FileWrite[] {
  const text = lockText(lock);
  // A lock with the same content but another layout stays as it is.
  const isSame = before ? lockText(before.lock) === text : lock.images.size === 0;
  if (isSame) return rewrites;
  return [{ path: lockFile, before: before?.bytes, after: Buffer.from(text) }, ...rewrites];
}
