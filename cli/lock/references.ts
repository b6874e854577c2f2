/** The image references of a file that belong to the registry of this platform. */
import { Failure } from "../failure.ts";
import { type ImageReference, readReference } from "../history/image_reference.ts";
import { splitDigest } from "../images/descriptor.ts";
import type { Position, Source } from "./source.ts";
import { isContiguous, type Traced, textOf } from "./traced.ts";

/** Where the digest of a reference goes: these bytes are replaced by `before` and the digest. */
export type Slot = { start: number; end: number; before: string };

/** A place in a file that names an image of the platform by a tag. */
export type Location = Position & {
  file: string;
  /** The reference with its host and tag, and without a digest. It is the key in the lock. */
  reference: string;
  image: ImageReference;
  /** The digest that the file has now. */
  digest: string | undefined;
  /** Where the digest goes, or the reason why it cannot be written. Undefined if it never contains a digest. */
  slot: Slot | string | undefined;
};

/** Something that a person has to look at. */
export type Problem = Position & { file: string; message: string };

/** The references in one file. */
export type FoundReferences = {
  source: Source;
  /** The registry of the platform, in front of the names of its images. */
  host: string;
  places: Location[];
  problems: Problem[];
  /** Values that may or may not name an image of the platform. */
  notes: Problem[];
};

export const newReferences = (source: Source, host: string): FoundReferences => ({
  source,
  host,
  places: [],
  problems: [],
  notes: [],
});

/** Adds a problem at a position in the file. */
export function addProblem(references: FoundReferences, offset: number, message: string): void {
  references.problems.push(problemAt(references, offset, message));
}

/** Adds a note at a position in the file. */
export function addNote(references: FoundReferences, offset: number, message: string): void {
  references.notes.push(problemAt(references, offset, message));
}

const problemAt = ({ source }: FoundReferences, offset: number, message: string): Problem => ({
  file: source.path,
  ...source.positionOf(offset),
  message,
});

/** A value that is an image reference if it names an image at all. */
export type Value = {
  chars: Traced;
  /** The position that messages name. */
  offset: number;
  /** The variable without a default that the value needs. */
  missing?: string | undefined;
  /** Whether the value never contains a digest next to a tag. */
  isFixed?: boolean;
};

/** Adds the reference in a value, if it is one of the platform. */
export function addReference(references: FoundReferences, value: Value): void {
  const { source, host } = references;
  const { chars, offset } = value;
  const text = textOf(chars);
  if (value.missing !== undefined) {
    addMissing(references, value, text);
    return;
  }
  if (!text.startsWith(`${host}/`)) return;
  const [named = "", digest, ...rest] = text.split("@");
  const image = readImage(references, offset, named);
  if (!image) return;
  if (rest.length > 0 || (digest !== undefined && !splitDigest(digest))) {
    addProblem(references, offset, `${text} does not end in a sha256 or sha512 digest.`);
    return;
  }
  const hasTag = named.lastIndexOf(":") > named.lastIndexOf("/");
  // Such a reference follows no tag.
  if (digest !== undefined && !hasTag) return;
  references.places.push({
    file: source.path,
    ...source.positionOf(offset),
    image,
    digest,
    reference: keyOf(host, image),
    slot: value.isFixed ? undefined : slotOf(chars, named, hasTag),
  });
}

/** Returns the key of an image in the lock. */
export const keyOf = (host: string, { name, tag }: ImageReference): string =>
  `${host}/${name}:${tag}`;

/** Parses a name with a tag. Adds a problem and returns undefined for anything else. */
export function readImage(
  references: FoundReferences,
  offset: number,
  named: string,
): ImageReference | undefined {
  try {
    return readReference(named, references.host);
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown;
    addProblem(references, offset, thrown.message);
    return undefined;
  }
}

function addMissing(references: FoundReferences, { offset, missing }: Value, text: string): void {
  const message = `The value needs the variable ${missing}, which has no default in this file, so it cannot be locked.`;
  if (text.includes(`${references.host}/`)) addProblem(references, offset, message);
  else addNote(references, offset, message);
}

/** Returns where the digest of a reference goes, or why it cannot go anywhere. */
function slotOf(chars: Traced, named: string, hasTag: boolean): Slot | string {
  const digest = chars.slice(named.length + 1);
  const [first] = digest;
  const tag = hasTag ? chars.slice(named.lastIndexOf(":") + 1, named.length) : [];
  const last = chars[named.length - 1];
  if (!last) return "it is empty";
  // With another tag and the old digest, the digest would win without a word.
  const mixed = [...tag, ...digest].find(({ origin }) => origin !== last.origin);
  if (mixed) {
    const label = (mixed.origin ?? last.origin)?.label;
    return `a part of its tag or digest comes from ${label}`;
  }
  const isWhole = chars.every(({ origin }) => origin === last.origin);
  if (last.origin?.isShared && !isWhole) {
    return `its tag comes from ${last.origin.label}, which the file also uses elsewhere`;
  }
  if (!first)
    return { start: last.offset + 1, end: last.offset + 1, before: hasTag ? "@" : ":latest@" };
  if (!isContiguous(digest)) return "its digest is split over several lines";
  return { start: first.offset, end: first.offset + digest.length, before: "" };
}
