/** Scalars of YAML that are image references. */
import { addProblem, addReference, type FoundReferences } from "./references.ts";
import type { YamlDocument } from "./yaml_document.ts";

/** Adds the reference in a scalar. */
export function addImage(references: FoundReferences, document: YamlDocument, node: unknown): void {
  const chars = document.charsOf(node);
  const [first] = chars ?? [];
  if (chars && first) addReference(references, { chars, offset: first.offset });
  else addUnreadable(references, document, node);
}

/** Adds a problem if a value with escapes or in several pieces names an image of the platform. */
export function addUnreadable(
  references: FoundReferences,
  document: YamlDocument,
  node: unknown,
): void {
  const scalar = document.resolve(node);
  const value = scalar && "value" in scalar ? scalar.value : undefined;
  if (!scalar || typeof value !== "string" || !value.includes(`${references.host}/`)) return;
  addProblem(
    references,
    document.offsetOf(scalar),
    "The reference is written with escapes or over several lines. Write it in one piece.",
  );
}
