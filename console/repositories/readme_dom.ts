/**
 * Puts a readme into the page. The platform has rendered it, and has refused everything that can run code
 * (src/registry/repos/readme_html.ts). This file makes the readme a guest of this page: its ids, links and images
 * must not take the place of those of the page.
 */

const policyName = "readme";

/** The part of Trusted Types that TypeScript does not know yet. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createHTML: (html: string) => string },
  ): { createHTML(html: string): unknown };
}

let policy: { createHTML(html: string): unknown } | undefined;

/** The only policy that the page allows (site/headers.ts). It accepts HTML of the platform as it is. */
function trusted(html: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy(policyName, { createHTML: (text) => text });
  // A cast, because the types of the parser know only texts.
  return (policy?.createHTML(html) ?? html) as string;
}

/** The beginning of every id in a readme. Scripts find elements of the page by ids, and none of these ids begins so. */
const prefix = "readme-";

/** Attributes that contain ids. */
const references = ["aria-describedby", "aria-labelledby", "headers", "for"];

/**
 * Returns the elements of a readme. A document that is never shown parses it, so nothing loads before it is changed.
 */
export function readmeElements(html: string): DocumentFragment {
  const { body } = new DOMParser().parseFromString(trusted(html), "text/html");
  for (const element of body.querySelectorAll("source, map, area")) element.remove();
  for (const element of body.querySelectorAll("*")) adapt(element);
  for (const image of body.querySelectorAll("img")) showImage(image);
  lowerHeadings(body.querySelectorAll("h1, h2, h3, h4, h5, h6"));
  for (const box of body.querySelectorAll("input")) describe(box);
  for (const wide of body.querySelectorAll("table, pre")) makeScrollable(wide);
  const fragment = document.createDocumentFragment();
  fragment.append(...body.childNodes);
  return fragment;
}

function adapt(element: Element): void {
  // The page decides what its parts are for assistive technology.
  for (const name of ["role", "aria-hidden", "usemap"]) element.removeAttribute(name);
  for (const name of ["id", "name"]) {
    const value = element.getAttribute(name);
    if (value !== null) element.setAttribute(name, prefix + value);
  }
  for (const name of references) {
    const ids = element.getAttribute(name)?.split(/\s+/).filter(Boolean);
    if (ids) element.setAttribute(name, ids.map((id) => prefix + id).join(" "));
  }
  if (element instanceof HTMLAnchorElement) adaptLink(element);
}

/** A relative address leads nowhere, because the platform does not know where the source of the readme is. */
function adaptLink(link: HTMLAnchorElement): void {
  const address = link.getAttribute("href");
  for (const name of ["target", "rel", "href"]) link.removeAttribute(name);
  if (address === null) return;
  if (address.startsWith("#")) {
    link.setAttribute("href", `#${prefix}${address.slice(1)}`);
    return;
  }
  const whole = address.startsWith("//") ? `https:${address}` : address;
  if (!URL.canParse(whole)) {
    if (link.title === "") link.title = address;
    return;
  }
  link.setAttribute("href", whole);
  link.setAttribute("rel", "noopener noreferrer nofollow");
  link.setAttribute("target", "_blank");
}

/** The page loads nothing from elsewhere, so another image is replaced by its text. */
function showImage(image: HTMLImageElement): void {
  const source = image.getAttribute("src") ?? "";
  if (source.startsWith("data:")) {
    image.loading = "lazy";
    return;
  }
  const text = image.alt.trim();
  if (text === "") {
    image.remove();
    return;
  }
  const shown = document.createElement("span");
  shown.className = "readme-image";
  shown.title = `An image that this page does not load: ${source}`;
  shown.textContent = text;
  image.replaceWith(shown);
}

/**
 * The title of the page is its only heading of the first level, and no level is left out. A heading without an id gets
 * one from its text, so that a table of contents can lead to it.
 */
function lowerHeadings(headings: Iterable<Element>): void {
  const used = new Set<string>();
  let before = 1;
  for (const heading of headings) {
    const own = Number(heading.tagName.slice(1)) + 1;
    const level = Math.min(own, before + 1, 6);
    before = level;
    const lowered = document.createElement(`h${level}`);
    for (const { name, value } of heading.attributes) lowered.setAttribute(name, value);
    const id = prefix + slug(heading.textContent ?? "");
    if (lowered.id === "" && id !== prefix && !used.has(id)) lowered.id = id;
    used.add(lowered.id);
    lowered.append(...heading.childNodes);
    heading.replaceWith(lowered);
  }
}

/** The name of a heading in links, as most readmes expect it: `Get started!` is `get-started`. */
const slug = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");

/** A task of a list. It shows a state and cannot be changed. */
function describe(box: HTMLInputElement): void {
  box.disabled = true;
  box.setAttribute("aria-label", box.checked ? "Done" : "To do");
}

/** Wide content scrolls by itself, also with the keyboard. */
function makeScrollable(wide: Element): void {
  const frame = document.createElement("div");
  frame.className = "readme-wide";
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", wide.tagName === "PRE" ? "Code" : "Table");
  wide.replaceWith(frame);
  frame.append(wide);
}
