/** Image references in a Kubernetes manifest: containers of any workload, and volumes of images. */
import { isMap, isSeq } from "yaml";
import type { FoundReferences } from "./references.ts";
import { itemsOf, pairsOf, textAt, valuesOf, type YamlDocument } from "./yaml_document.ts";
import { addImage } from "./yaml_image.ts";

const containerLists = ["containers", "initContainers", "ephemeralContainers"];

/** Returns the kind of a document if it is a Kubernetes resource. */
export function kubernetesKind(document: YamlDocument): string | undefined {
  const { root } = document;
  const version = textAt(document, root, "apiVersion");
  return version === undefined ? undefined : textAt(document, root, "kind");
}

/**
 * Adds the references of a document. It looks for containers at every level, because lists, templates of pods and
 * resources of operators contain them.
 */
export function readKubernetes(references: FoundReferences, document: YamlDocument): void {
  readLevel(references, document, document.root);
}

function readLevel(references: FoundReferences, document: YamlDocument, node: unknown): void {
  if (isSeq(node)) for (const item of node.items) readLevel(references, document, item);
  if (!isMap(node)) return;
  for (const [name, value] of pairsOf(node)) {
    if (containerLists.includes(name)) {
      for (const container of itemsOf(document, value)) {
        for (const image of valuesOf(document, container, "image"))
          addImage(references, document, image);
      }
    }
    if (name === "volumes") {
      for (const volume of itemsOf(document, value)) readVolume(references, document, volume);
    }
    readLevel(references, document, value);
  }
}

function readVolume(references: FoundReferences, document: YamlDocument, volume: unknown): void {
  for (const image of valuesOf(document, volume, "image")) {
    for (const reference of valuesOf(document, image, "reference")) {
      addImage(references, document, reference);
    }
  }
}
