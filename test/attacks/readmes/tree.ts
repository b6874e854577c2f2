/** Parses HTML as browsers do, with a standard parser that the platform itself does not use. */
import { type DefaultTreeAdapterTypes, html as names, parseFragment, serialize } from "parse5";

type Node = DefaultTreeAdapterTypes.ChildNode;

/** The tree as text with one node on each line, and its parts that could load or run a script. */
interface Tree {
  lines: string[];
  dangers: string[];
}

const live =
  /^(?:script|style|iframe|object|embed|form|template|noscript|base|meta|link|svg|math)$/;

/** The tree of HTML that a page inserts into an element. */
export function treeOf(html: string): Tree {
  const tree: Tree = { lines: [], dangers: [] };
  const open: { node: Node; depth: number }[] = [];
  const push = (nodes: Node[], depth: number) =>
    open.push(...nodes.map((node) => ({ node, depth })).reverse());
  push(parseFragment(html).childNodes, 0);
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    tree.lines.push(`${depth} ${textOf(node)}`);
    tree.dangers.push(...dangersOf(node));
    if ("childNodes" in node) push(node.childNodes, depth + 1);
  }
  return tree;
}

/** The tree of the HTML that a browser writes for it. */
export const readAgain = (html: string) => treeOf(serialize(parseFragment(html)));

function textOf(node: Node): string {
  if ("attrs" in node) return `<${node.tagName} ${JSON.stringify(node.attrs)}>`;
  return JSON.stringify("value" in node ? node.value : "data" in node ? node.data : node.nodeName);
}

function dangersOf(node: Node): string[] {
  if (!("attrs" in node)) return [];
  const { tagName, namespaceURI, attrs } = node;
  const bad = attrs.filter(
    ({ name, value }) =>
      /^(?:on|style|srcdoc|form)/.test(name) ||
      /^(?:javascript|vbscript|data:text|data:image.svg)/i.test(value.replace(/[\0-\x20]/g, "")) ||
      (name === "srcset" && /(?:javascript|vbscript):|data:(?!image.png)/i.test(value)),
  );
  const isForeign = namespaceURI !== names.NS.HTML || live.test(tagName);
  return [...(isForeign ? [tagName] : []), ...bad.map(({ name }) => `${tagName} ${name}`)];
}
