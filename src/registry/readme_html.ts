/**
 * What HTML a readme may make (contract: field validation, readme): user content as it is shown on a page,
 * such as text, tables, images and links; no script, style, form or frame.
 */
import type { Element, HTMLRewriter as Rewriter } from "@cloudflare/workers-types";
import { invalidArgument } from "../aip/errors.ts";
import { readmeHtml } from "./readme_markdown.ts";

/** The parser of HTML that a Worker's runtime brings along. */
declare const HTMLRewriter: typeof Rewriter;

const cell = ["align", "valign", "width", "rowspan", "colspan"];

/** Elements that may have attributes, and which. All of them are plain HTML: no SVG, no MathML. */
const withAttributes: Record<string, string[]> = {
  a: ["href", "title", "target"],
  abbr: ["title"],
  area: ["shape", "coords", "href", "alt"],
  bdi: ["dir"],
  bdo: ["dir"],
  blockquote: ["cite"],
  code: ["class"],
  col: ["align", "valign", "span", "width"],
  colgroup: ["align", "valign", "span", "width"],
  del: ["datetime"],
  details: ["open"],
  img: ["src", "alt", "title", "width", "height", "loading"],
  input: ["type", "checked", "disabled"],
  ins: ["datetime"],
  p: ["align"],
  table: ["width", "border", "align", "valign"],
  tbody: ["align", "valign"],
  td: cell,
  tfoot: ["align", "valign"],
  th: cell,
  thead: ["align", "valign"],
  tr: ["rowspan", "align", "valign"],
};

const bare =
  "address article aside b big br caption cite dd div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 " +
  "header hr i kbd li mark nav ol pre s section small span strike strong sub summary sup tt u ul";

const allowed = new Map<string, string[]>([
  ...bare.split(" ").map((name): [string, string[]] => [name, []]),
  ...Object.entries(withAttributes),
]);

/** Attributes whose value is an address. */
const addresses = ["href", "src", "cite"];

/** Tags that a readme may make, far more than any has. */
const greatestTags = 100_000;

/**
 * Renders the Markdown and throws INVALID_ARGUMENT naming `content` and the first tag or attribute
 * that a sanitizer would take out, or that it takes too much work. Empty text is fine.
 */
export async function checkReadme(content: string): Promise<void> {
  if (content === "") return;
  const unsafe = await firstUnsafe(await readmeHtml(content));
  if (unsafe) {
    throw invalidArgument("content", `content makes unsafe HTML: ${unsafe} is not allowed`);
  }
}

/**
 * The first part of the HTML that is not allowed. The runtime's own parser reads it, as browsers do
 * (https://html.spec.whatwg.org/#tokenization), and shows every tag, those too that a tree leaves out.
 * What is allowed neither changes how what follows is read nor is another tag when it is written and
 * read again, as raw text, SVG and MathML can be.
 */
async function firstUnsafe(html: string): Promise<string | undefined> {
  if (html.split("<", greatestTags + 2).length > greatestTags + 1) return "so many tags";
  let unsafe: string | undefined;
  let isWhole = false;
  // Seen as a tag only if nothing before it, a tag, value or comment, is left open.
  const end = `end-${crypto.randomUUID()}`;
  const reader = new HTMLRewriter()
    .on("*", {
      element(element) {
        if (element.tagName === end) isWhole = true;
        else unsafe ??= unsafeIn(element);
      },
    })
    .onDocument({
      doctype() {
        unsafe ??= "<!doctype>";
      },
    });
  try {
    await reader.transform(new Response(`${html}<${end}>`) as never).arrayBuffer();
  } catch {
    unsafe ??= "a tag that browsers may read in several ways";
  }
  return unsafe ?? (isWhole ? undefined : "a tag or comment without an end");
}

function unsafeIn({ tagName, attributes }: Element): string | undefined {
  const names = allowed.get(tagName);
  if (!names) return `<${tagName}>`;
  for (const [name = "", value = ""] of attributes) {
    if (!names.includes(name)) return `${name} of <${tagName}>`;
    if (!isSafeValue(tagName, name, value))
      return `${name}=${JSON.stringify(value)} of <${tagName}>`;
  }
  return undefined;
}

function isSafeValue(tag: string, name: string, value: string): boolean {
  if (addresses.includes(name)) return isSafeAddress(value, tag === "img");
  if (tag === "code") return value === "" || /^language-[\w+#.-]+$/.test(value);
  // GitHub-flavoured task lists are disabled checkboxes.
  if (tag === "input" && name === "type") return value === "checkbox";
  return true;
}

const schemes = ["http", "https", "mailto", "tel", "ftp"];

/** Images that may stand in an address themselves. SVG is a document, with scripts. */
const imageData = /^data:image\/(?:avif|gif|jpeg|png|webp)[;,]/;

/** Named character references by which a scheme can be written, or ended. No other makes a letter of one. */
const references: Record<string, string> = {
  ...{ amp: "&", colon: ":", sol: "/", quest: "?", num: "#", period: ".", plus: "+" },
  ...{ Tab: "\t", NewLine: "\n" },
};

/** Whether an address, as it stands in the HTML, is relative or has a harmless scheme. */
function isSafeAddress(written: string, isImage: boolean): boolean {
  const address = decoded(written)
    // Characters that browsers skip, and others that are invisible.
    .replace(/[\p{Cc}\p{Cf}\p{Z}]/gu, "")
    .toLowerCase();
  const [beginning = ""] = address.split(/[/?#]/, 1);
  if (!beginning.includes(":")) return true;
  const [scheme = ""] = beginning.split(":", 1);
  return schemes.includes(scheme) || (isImage && imageData.test(address));
}

/** With its character references read; those of a name that is not in the list become U+FFFD. */
const decoded = (written: string) =>
  written.replace(
    /&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z][a-z0-9]*));?/gi,
    (_, hex?: string, decimal?: string, name?: string) => {
      if (name) return references[name] ?? "\ufffd";
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );
