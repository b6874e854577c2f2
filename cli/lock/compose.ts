/** Image references in a compose file (Compose Specification): images of services, build contexts and volumes. */
import { expand } from "./expand.ts";
import { addReference, type FoundReferences } from "./references.ts";
import { type Traced, textOf } from "./traced.ts";
import { entriesOf, itemsOf, textAt, valuesOf, type YamlDocument } from "./yaml_document.ts";
import { addUnreadable } from "./yaml_image.ts";

const scheme = "docker-image://";

/** Adds the references of a document. */
export function readCompose(references: FoundReferences, document: YamlDocument): void {
  for (const services of valuesOf(document, document.root, "services")) {
    for (const [, service] of entriesOf(document, services)) {
      for (const image of valuesOf(document, service, "image"))
        addNode(references, document, image);
      for (const build of valuesOf(document, service, "build"))
        readBuild(references, document, build);
      for (const volumes of valuesOf(document, service, "volumes")) {
        for (const volume of itemsOf(document, volumes)) readVolume(references, document, volume);
      }
    }
  }
}

/** Reads `additional_contexts`, which is a map or a list of `NAME=VALUE`. */
function readBuild(references: FoundReferences, document: YamlDocument, build: unknown): void {
  for (const contexts of valuesOf(document, build, "additional_contexts")) {
    const values = entriesOf(document, contexts).map(([, value]) => document.charsOf(value));
    const items = itemsOf(document, contexts).map((item) => {
      const chars = document.charsOf(item);
      return chars?.slice(textOf(chars).indexOf("=") + 1);
    });
    for (const chars of [...values, ...items]) {
      if (chars && textOf(chars.slice(0, scheme.length)) === scheme) {
        addExpanded(references, chars.slice(scheme.length));
      }
    }
  }
}

function readVolume(references: FoundReferences, document: YamlDocument, volume: unknown): void {
  if (textAt(document, volume, "type") !== "image") return;
  for (const image of valuesOf(document, volume, "source")) addNode(references, document, image);
}

function addNode(references: FoundReferences, document: YamlDocument, node: unknown): void {
  const chars = document.charsOf(node);
  if (chars) addExpanded(references, chars);
  else addUnreadable(references, document, node);
}

function addExpanded(references: FoundReferences, chars: Traced): void {
  const [first] = chars;
  if (!first) return;
  // The file that sets variables for a machine must not change the lock.
  const value = expand(chars, { escape: "$", hasQuotes: false, valueOf: () => undefined });
  addReference(references, { ...value, offset: first.offset });
}
