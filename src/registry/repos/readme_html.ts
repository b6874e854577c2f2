/**
 * Renders readmes, and checks the HTML that they produce (contract: field validation, readme). It allows user
 * content for a page, such as text, tables, images and links. Scripts, styles, forms and frames are refused.
 */
import type { Element, HTMLRewriter as Rewriter } from "@cloudflare/workers-types";
import { invalidArgument } from "../../aip/errors.ts";
import { renderReadme } from "./readme_markdown.ts";

/** The HTML parser of the Workers runtime. */
declare const HTMLRewriter: typeof Rewriter;

/**
 * Attributes that any element can have. The page that shows a readme adds a prefix to its ids, because
 * scripts find elements by them.
 */
const globalAttributes = splitWords(
  "align aria-describedby aria-hidden aria-label aria-labelledby dir id lang role title",
);

/** Elements with their own attributes. All of them are plain HTML, without SVG and MathML. */
const elementsWithAttributes: Record<string, string> = {
  // Only `a` and `map` can have a name. The name of an image would hide a property of the document.
  a: "href hreflang name rel target",
  area: "alt coords href shape",
  blockquote: "cite",
  br: "clear",
  code: "class",
  "col colgroup": "height span valign width",
  "del ins": "cite datetime",
  details: "open",
  font: "color face size",
  hr: "size width",
  img: "alt border decoding height hspace loading src usemap vspace width",
  input: "checked disabled type",
  li: "type value",
  map: "name",
  meter: "high low max min optimum value",
  ol: "reversed start type",
  progress: "max value",
  q: "cite",
  source: "height media sizes srcset type width",
  table: "border cellpadding cellspacing frame height rules summary valign width",
  "tbody tfoot thead": "valign",
  "td th": "abbr colspan headers height nowrap rowspan scope valign width",
  time: "datetime",
  tr: "rowspan valign",
  ul: "type",
};

const elementsWithoutAttributes =
  "abbr acronym address article aside b bdi bdo big caption center cite dd dfn div dl dt em figcaption figure " +
  "footer h1 h2 h3 h4 h5 h6 header hgroup i kbd main mark nav p picture pre rp rt ruby s samp section small " +
  "span strike strong sub summary sup tt u var wbr";

/**
 * Every element that a sanitizer for user content keeps, with its attributes. They come from bluemonday's
 * policy UGC, which the contract names, and from GitHub's sanitizer, which most readmes are written for.
 */
const allowedElements = new Map<string, string[]>([
  ...splitWords(elementsWithoutAttributes).map((name): [string, string[]] => [
    name,
    globalAttributes,
  ]),
  ...Object.entries(elementsWithAttributes).flatMap(([names, attributes]) =>
    splitWords(names).map((name): [string, string[]] => [
      name,
      [...globalAttributes, ...splitWords(attributes)],
    ]),
  ),
]);

function splitWords(text: string): string[] {
  return text.split(" ");
}

/** The most tags that a readme can produce. Real readmes have far fewer. */
const maxTags = 100_000;

/**
 * Returns the HTML of the Markdown, which is empty for an empty text. Throws INVALID_ARGUMENT for `content`, with
 * the first tag or attribute that a sanitizer would remove, or if rendering takes too much work.
 */
export async function safeReadmeHtml(content: string): Promise<string> {
  if (content === "") return "";
  const html = await renderReadme(content);
  const unsafe = await firstUnsafe(html);
  if (unsafe) {
    throw invalidArgument("content", `content produces unsafe HTML: ${unsafe}`);
  }
  return html;
}

/**
 * Describes the first part of the HTML that is not allowed. The runtime's parser reads it like a browser
 * (https://html.spec.whatwg.org/#tokenization), and shows every tag, including those that a tree would drop.
 * Allowed elements do not change how later text is parsed, and do not become other tags when they are written
 * and parsed again. Raw text, SVG and MathML can.
 */
async function firstUnsafe(html: string): Promise<string | undefined> {
  if (html.split("<", maxTags + 2).length > maxTags + 1)
    return `more than ${maxTags} tags are not allowed`;
  let unsafe: string | undefined;
  let isParsed = false;
  // It is seen as a tag only if no earlier tag, value or comment is still open.
  const end = `end-${crypto.randomUUID()}`;
  const reader = new HTMLRewriter()
    .on("*", {
      element(element) {
        if (element.tagName === end) isParsed = true;
        else unsafe ??= findUnsafe(element);
      },
    })
    .onDocument({
      doctype() {
        unsafe ??= "<!doctype> is not allowed";
      },
    });
  try {
    // Node and Workers have different types for the same response.
    await reader.transform(new Response(`${html}<${end}>`) as never).arrayBuffer();
  } catch {
    unsafe ??= "a tag that browsers can read in several ways is not allowed";
  }
  return unsafe ?? (isParsed ? undefined : "a tag or comment without an end is not allowed");
}

function findUnsafe({ tagName, attributes }: Element): string | undefined {
  const names = allowedElements.get(tagName);
  if (!names) return `<${tagName}> is not allowed; if it is text, write \\<${tagName}>`;
  const all = [...attributes];
  // Without a type it is a text field.
  if (tagName === "input" && !all.some(([name]) => name === "type")) {
    return '<input> is not allowed without type="checkbox"';
  }
  for (const [name = "", value = ""] of all) {
    if (!names.includes(name)) return `${name} of <${tagName}> is not allowed`;
    if (!isSafeValue(tagName, name, decodeReferences(value))) {
      return `${name}=${JSON.stringify(value)} of <${tagName}> is not allowed`;
    }
  }
  return undefined;
}

function isSafeValue(tag: string, name: string, value: string): boolean {
  switch (name) {
    case "href":
    case "src":
    case "cite":
      return isSafeAddress(value, tag === "img");
    case "srcset":
      return srcsetAddresses(value).every((address) => isSafeAddress(address, true));
    // With `opener`, the linked page can navigate our page to another address.
    case "rel":
      return !value.toLowerCase().split(/\s+/).includes("opener");
    case "class":
      return value === "" || /^language-\S+$/.test(value);
    // Task lists of GitHub-flavored Markdown are disabled checkboxes. Lists have a type, too.
    case "type":
      return tag !== "input" || value === "checkbox";
    default:
      return true;
  }
}

/**
 * The addresses in a set of sources, `a.png 1x, b.png 2x`. An address with a comma gives several, but none is
 * lost (https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute).
 */
const srcsetAddresses = (set: string) =>
  set.split(",").map((candidate) => candidate.trim().split(/\s/, 1)[0] ?? "");

const schemes = ["http", "https", "mailto", "tel", "ftp", "irc", "ircs", "xmpp"];

/** Any other text before a colon begins a relative address (https://url.spec.whatwg.org/#scheme-state). */
const schemePattern = /^[a-z][a-z0-9+.-]*$/;

/** Images that an address can contain itself. SVG is a document and can have scripts. */
const imageDataPattern = /^data:image\/(?:avif|gif|jpeg|png|webp)[;,]/;

/** Named character references that can write or end a scheme. No other reference becomes a letter of one. */
const namedReferences: Record<string, string> = {
  amp: "&",
  colon: ":",
  sol: "/",
  quest: "?",
  num: "#",
  period: ".",
  plus: "+",
  Tab: "\t",
  NewLine: "\n",
};

/** Whether an address has a harmless scheme, or is relative to the page or to its scheme (`//host`). */
function isSafeAddress(written: string, isImage: boolean): boolean {
  const address = written
    // Characters that browsers skip, and other invisible ones.
    .replace(/[\p{Cc}\p{Cf}\p{Z}]/gu, "")
    .toLowerCase();
  const [beginning = ""] = address.split(/[/?#]/, 1);
  if (!beginning.includes(":")) return true;
  const [scheme = ""] = beginning.split(":", 1);
  if (!schemePattern.test(scheme)) return !scheme.includes("\ufffd");
  return schemes.includes(scheme) || (isImage && imageDataPattern.test(address));
}

/** With its character references decoded. References that are not in the list become U+FFFD. */
const decodeReferences = (written: string) =>
  written.replace(
    /&(?:#x([0-9a-f]+)|#([0-9]+)|([a-z][a-z0-9]*));?/gi,
    (_, hex?: string, decimal?: string, name?: string) => {
      if (name) return namedReferences[name] ?? "\ufffd";
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
    },
  );
