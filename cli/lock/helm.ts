/** Image references in the values of a Helm chart: strings, and maps with a repository and a tag. */
import { isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { splitDigest } from "../images/descriptor.ts";
import { addProblem, type FoundReferences, keyOf, readImage, type Slot } from "./references.ts";
import { type Traced, textOf } from "./traced.ts";
import { entriesOf, pairsOf, textAt, valuesOf, type YamlDocument } from "./yaml_document.ts";
import { addImage } from "./yaml_image.ts";

/** Adds the references in values. `root` is the map of the values. */
export function readHelmValues(
  references: FoundReferences,
  document: YamlDocument,
  root: unknown = document.root,
): void {
  const [global] = valuesOf(document, root, "global");
  const registry = global && textAt(document, global, "imageRegistry");
  readLevel({ references, document, registry }, root);
}

/** `registry` replaces the registries of all images, as many charts define it. */
type Reading = {
  references: FoundReferences;
  document: YamlDocument;
  registry: string | undefined;
};

function readLevel(reading: Reading, node: unknown): void {
  const { references, document } = reading;
  if (isSeq(node)) for (const item of node.items) readLevel(reading, item);
  if (!isMap(node)) return;
  if (valuesOf(document, node, "repository").length > 0) readParts(reading, node, "repository");
  for (const [name, value] of pairsOf(node)) {
    if (/image$/i.test(name) && isScalar(document.resolve(value))) {
      const isSplit = !hasTag(textOf(document.charsOf(value) ?? []));
      if (isSplit && entriesOf(document, node).some(([key]) => key === "tag")) {
        readParts(reading, node, name);
      } else addImage(references, document, value);
    }
    readLevel(reading, value);
  }
}

const hasTag = (text: string) => text.includes("@") || /:[^/]*$/.test(text);

/** Reads a map such as `{registry, repository, tag, digest}`. `key` is the key with the name of the image. */
function readParts({ references, document, registry }: Reading, map: YAMLMap, key: string): void {
  const [repository] = valuesOf(document, map, key);
  const host = registry || textAt(document, map, "registry");
  const path = textAt(document, map, key);
  if (!repository || path === undefined) return;
  const named = host ? `${host.replace(/\/$/, "")}/${path}` : path;
  if (!named.startsWith(`${references.host}/`)) return;
  const [tag] = valuesOf(document, map, "tag");
  const [digest] = valuesOf(document, map, "digest");
  const offset = document.offsetOf(tag ?? repository);
  const chars = tag && document.charsOf(tag);
  const [tagText = "", tagDigest] = textOf(chars ?? []).split("@");
  const digestText = (digest && textOf(document.charsOf(digest) ?? [])) || undefined;
  const written = digestText ?? tagDigest;
  if (tagText === "" && written !== undefined) return;
  if (!chars || tagText === "") {
    addProblem(references, offset, tagMessage(tag, named));
    return;
  }
  if (written !== undefined && !splitDigest(written)) {
    addProblem(references, offset, `${written} is not a sha256 or sha512 digest.`);
    return;
  }
  const image = readImage(references, offset, `${named}:${tagText}`);
  if (!image) return;
  references.places.push({
    file: references.source.path,
    ...references.source.positionOf(offset),
    image,
    digest: written,
    reference: keyOf(references.host, image),
    slot: digest ? digestSlot(references, document, digest) : tagSlot(chars, tagText),
  });
}

const tagMessage = (tag: Node | undefined, named: string) =>
  tag && isScalar(tag) && typeof tag.value === "number"
    ? `The tag ${tag.source} is a number, which Helm changes to ${tag.value}. Put it in quotes.`
    : `The chart decides which tag of ${named} it uses, because the values name none. Add a tag.`;

/** Charts append the tag to the name, so it can contain a digest too. */
function tagSlot(chars: Traced, tag: string): Slot {
  const start = chars[tag.length - 1]?.offset ?? 0;
  const [first] = chars.slice(tag.length + 1);
  if (!first) return { start: start + 1, end: start + 1, before: "@" };
  return { start: first.offset, end: first.offset + chars.length - tag.length - 1, before: "" };
}

/** Charts with a key for the digest ignore the tag if it is set. An empty value is filled in. */
function digestSlot(
  references: FoundReferences,
  document: YamlDocument,
  digest: Node,
): Slot | string {
  const chars = document.charsOf(digest);
  const [first] = chars ?? [];
  if (chars && first) return { start: first.offset, end: first.offset + chars.length, before: "" };
  const { text } = references.source;
  const start = document.offsetOf(digest);
  if (/^(?:""|'')/.test(text.slice(start, start + 2))) {
    return { start: start + 1, end: start + 1, before: "" };
  }
  // Without a value, the node is empty and begins after the colon.
  if (text[start - 1] === ":") return { start, end: start, before: " " };
  return "the value of its key digest is not a string";
}
