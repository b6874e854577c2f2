/**
 * The index of the search in the guides and in the console: `/docs/search.json`. It has the sections of the guides and
 * the operations of the API.
 */
import type { Token } from "marked";
import type { ShownGuide } from "./layout.ts";
import { type Document, plainText } from "./markdown.ts";

/** A place that the search can find. */
export interface SearchEntry {
  kind: "guide" | "operation";
  title: string;
  /** The guide with the section, or the method and path of the operation. */
  detail: string;
  /** The text to search in. */
  text: string;
  /** The path on the API host. */
  address: string;
}

/** The longest text of an entry, in characters. Later words of a section are rarely the ones that people look for. */
const maxText = 1200;

/** The sections of a guide. The text before the first heading belongs to the guide as a whole. */
export function guideEntries({ path, title }: ShownGuide, document: Document): SearchEntry[] {
  const ids = document.headings.map(({ id, text }) => ({ id, text }));
  const entry = (section: string, address: string): SearchEntry => ({
    kind: "guide",
    title: section,
    detail: section === title ? "Guide" : title,
    text: "",
    address,
  });
  let current = entry(title, path);
  const entries = [current];
  for (const token of document.tokens) {
    const heading = token.type === "heading" ? ids.shift() : undefined;
    if (heading) {
      current = entry(heading.text, `${path}#${heading.id}`);
      entries.push(current);
    } else if (current.text.length < maxText) {
      current.text = `${current.text} ${textOf(token)}`.trim().slice(0, maxText);
    }
  }
  return entries;
}

/** The words of a block. Code is left out, because its words say little about the section. */
function textOf(token: Token): string {
  if (token.type === "code" || token.type === "space") return "";
  if (token.type === "list") {
    return (token.items as Token[]).map(textOf).join(" ");
  }
  if (token.type === "table") {
    const cells = [token.header, ...token.rows].flat() as { tokens: Token[] }[];
    return cells.map(({ tokens }) => plainText(tokens)).join(" ");
  }
  return "tokens" in token && token.tokens ? plainText(token.tokens) : "";
}

interface OpenapiOperation {
  summary?: string;
  description?: string;
  tags?: string[];
  operationId?: string;
}

/** The operations of an OpenAPI document. The address is that of the operation in the reference. */
export function operationEntries(openapi: {
  paths: Record<string, Record<string, OpenapiOperation>>;
}): SearchEntry[] {
  return Object.entries(openapi.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { operationId }]) => operationId !== undefined)
      .map(
        ([verb, { summary = "", description = "", tags = [], operationId }]): SearchEntry => ({
          kind: "operation",
          title: summary,
          detail: `${verb.toUpperCase()} ${path}`,
          text: description.slice(0, maxText),
          address: `/docs#/${tags[0]}/${operationId}`,
        }),
      ),
  );
}
