/** Converts Markdown of the repository to HTML of the site (GitHub's dialect, by marked). */
import { Marked, type Token, type Tokens } from "marked";
import { highlightCode } from "./highlight.ts";
import { escapeHtml } from "./html.ts";

/** A heading below the title. `id` is the fragment that GitHub gives it, too. */
export type Heading = { id: string; text: string; depth: number };

/** A parsed document. `title` is its first line. */
export type Document = { title: string; headings: Heading[]; tokens: Token[] };

const reader = new Marked({ gfm: true });

/** Throws if the document does not begin with a title, or if it contains raw HTML other than comments. */
export function readMarkdown(markdown: string): Document {
  const [first, ...tokens] = reader
    .lexer(markdown)
    .filter(({ type, raw }) => type !== "space" && !isComment(type, raw));
  if (first?.type !== "heading" || first.depth !== 1) throw new Error("no # title comes first");
  const ids = new Map<string, number>();
  const headings = tokens
    .filter((token): token is Tokens.Heading => token.type === "heading")
    .map((token) => {
      const text = plainText(token.tokens);
      return { id: uniqueId(text, ids), text, depth: token.depth };
    });
  return { title: plainText((first as Tokens.Heading).tokens), headings, tokens };
}

const isComment = (type: string, raw: string) => type === "html" && /^<!--[\s\S]*-->\s*$/.test(raw);

/** Text without its marks. */
export function plainText(tokens: Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens
        ? plainText(token.tokens)
        : "text" in token
          ? token.text
          : "",
    )
    .join("");
}

/**
 * The id that GitHub gives a heading: in lowercase, with dashes for spaces, without punctuation, and with a
 * number if it repeats.
 */
function uniqueId(text: string, seen: Map<string, number>): string {
  const id = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  const count = seen.get(id) ?? 0;
  seen.set(id, count + 1);
  return count === 0 ? id : `${id}-${count}`;
}

/** A picture on the site. The size is in pixels, so that the text does not move when the picture arrives. */
export type Picture = { address: string; width: number; height: number };

/** The places that the links and the pictures of a document lead to. */
export interface Places {
  /** Resolves a link. If it returns undefined, the text of the link remains without the link. */
  link(href: string): string | undefined;
  picture(href: string): Picture;
}

/** The HTML of the document without its title. */
export function toHtml({ headings, tokens }: Document, places: Places): string {
  const ids = headings.map(({ id }) => id);
  const writer = new Marked({ gfm: true });
  writer.use({
    renderer: {
      heading({ depth, tokens: inline }) {
        const id = ids.shift() ?? "";
        const words = this.parser.parseInline(inline);
        return `<h${depth} id="${escapeHtml(id)}"><a class="anchor" href="#${escapeHtml(id)}">${words}</a></h${depth}>\n`;
      },
      code({ text, lang = "" }) {
        const [language = ""] = lang.split(/\s/);
        const label = language ? ` data-language="${escapeHtml(language)}"` : "";
        return `<pre${label} tabindex="0"><code>${highlightCode(text, language)}</code></pre>\n`;
      },
      table(token) {
        const table = writer.Renderer.prototype.table.call(this, token);
        return `<div class="table" tabindex="0">${table}</div>\n`;
      },
      link({ href, tokens: inline }) {
        const words = this.parser.parseInline(inline);
        const target = places.link(href);
        return target === undefined ? words : `<a href="${escapeHtml(target)}">${words}</a>`;
      },
      image({ href, text }) {
        const { address, width, height } = places.picture(href);
        const size = `width="${width}" height="${height}"`;
        return `<img src="${escapeHtml(address)}" alt="${escapeHtml(text)}" ${size} loading="lazy">`;
      },
      html({ raw }) {
        throw new Error(`HTML in Markdown: ${raw.trim().slice(0, 60)}`);
      },
    },
  });
  return writer.parser(tokens);
}
