/** Documents of YAML with aliases and merge keys, and the positions of their values. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { markLength, type Source } from "./source.ts";
import { type Traced, textOf, traced } from "./traced.ts";

/** A document of a file. */
export type YamlDocument = {
  root: Node | undefined;
  /** Returns the node that an alias stands for, or the node itself. */
  resolve(node: unknown): Node | undefined;
  /** Returns the position of a node in the file. */
  offsetOf(node: Node): number;
  /** Returns a string or a number as the file writes it, or undefined if it is anything else. */
  charsOf(node: unknown): Traced | undefined;
};

/** The documents of a file, or the first error in it. */
type YamlFile = { documents: YamlDocument[]; error?: { message: string; offset: number } };

/** Parses all documents of a file. Duplicate keys are allowed. */
export function readYaml(source: Source): YamlFile {
  const base = markLength(source.text);
  try {
    const parsed = parseAllDocuments(source.text.slice(base), {
      uniqueKeys: false,
      merge: true,
      logLevel: "silent",
      prettyErrors: false,
    });
    const list = Array.isArray(parsed) ? parsed : [];
    const [error] = list.flatMap(({ errors }) => errors);
    if (error) return failed(error.message, base + error.pos[0]);
    return { documents: list.map((document) => newDocument(document, source.text, base)) };
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return failed(thrown.message, base);
  }
}

/** The parser calls itself for each level, so it reports too many levels as a full stack. */
const failed = (message: string, offset: number): YamlFile => ({
  documents: [],
  error: { message: /call stack/.test(message) ? "It has too many levels." : message, offset },
});

function newDocument(document: Document, text: string, base: number): YamlDocument {
  const targets = aliasTargets(document);
  const resolve = (node: unknown): Node | undefined => {
    if (isAlias(node)) return targets.get(node);
    return isMap(node) || isSeq(node) || isScalar(node) ? node : undefined;
  };
  const offsetOf = (node: Node) => base + (node.range?.[0] ?? 0);
  return {
    root: resolve(document.contents),
    resolve,
    offsetOf,
    charsOf(node) {
      const target = resolve(node);
      return isScalar(target) ? scalarChars(target, text, base) : undefined;
    },
  };
}

/** Finds what each alias stands for, in one pass: the last node before it with that anchor. */
function aliasTargets(document: Document): Map<Alias, Node> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target) targets.set(node, target);
      } else if (node.anchor) anchors.set(node.anchor, node as Node);
    },
  });
  return targets;
}

/** Returns the characters of a scalar if the file contains them in one piece, without escapes. */
function scalarChars({ value, source = "", range }: Scalar, text: string, base: number) {
  const isText = typeof value === "string";
  if (!range || !(isText || String(value) === source)) return undefined;
  const plain = (isText ? value : source).replace(/\s+$/, "");
  const [start, end] = [base + range[0], base + range[1]];
  const index = text.slice(start, end).indexOf(plain);
  return index < 0 ? undefined : traced(plain, start + index);
}

/** Returns the values of a key in a map. Maps that are merged into it count only if it does not have the key itself. */
export function valuesOf(document: YamlDocument, node: unknown, key: string): Node[] {
  return lookUp(document, node, key, new Set());
}

function lookUp(document: YamlDocument, node: unknown, key: string, seen: Set<Node>): Node[] {
  const map = document.resolve(node);
  if (!map || seen.has(map)) return [];
  seen.add(map);
  // A merge key can name several maps.
  if (isSeq(map)) return map.items.flatMap((item) => lookUp(document, item, key, seen));
  if (!isMap(map)) return [];
  const own = pairsOf(map).filter(([name]) => name === key);
  const pairs = own.length > 0 ? own : pairsOf(map).filter(([name]) => name === "<<");
  return pairs.flatMap(([name, value]) =>
    name === key ? asList(document.resolve(value)) : lookUp(document, value, key, seen),
  );
}

const asList = (node: Node | undefined): Node[] => (node ? [node] : []);

/** Returns the text of a key in a map, or undefined if it has none. */
export function textAt(document: YamlDocument, map: unknown, key: string): string | undefined {
  const [chars] = valuesOf(document, map, key).map((node) => document.charsOf(node));
  return chars && textOf(chars);
}

/** Returns the pairs of a map. A key that is not a scalar has the name "". */
export const pairsOf = (map: YAMLMap): [name: string, value: unknown][] =>
  map.items.map(({ key, value }) => {
    const name = isScalar(key) ? key.value : "";
    return [typeof name === "symbol" ? "<<" : String(name), value];
  });

/** Returns the items of a sequence, and none of anything else. */
export function itemsOf(document: YamlDocument, node: unknown): unknown[] {
  const sequence = document.resolve(node);
  return isSeq(sequence) ? sequence.items : [];
}

/** Returns the pairs of a map, and none of anything else. */
export function entriesOf(document: YamlDocument, node: unknown): [name: string, value: unknown][] {
  const map = document.resolve(node);
  return isMap(map) ? pairsOf(map) : [];
}
