/** Texts that others choose and that must not change anything on a page except its text. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Markup, a change of the direction of text, an emoji that is many characters, and 10,000 characters without a space. */
export const hostileTexts = [
  `<img src=x onerror="document.title='stolen'"><script>document.title='stolen'</script>`,
  "\u202Egnp.exe\u202C \u0627\u0644\u0639\u0631\u0628\u064A\u0629",
  "👩‍👩‍👧‍👦".repeat(5),
  "x".repeat(10_000),
] as const;

const start = `\u202E<img src=x onerror="document.title='stolen'"> \u0639\u0631\u0628 👩‍👩‍👧‍👦`;

/** A text of so many characters with all of these. Nothing in it ends the change of the direction. */
export function hostileText(length: number): string {
  const text = start.padEnd(length, "w").slice(0, length);
  return text.isWellFormed() ? text : `${text.slice(0, -1)}w`;
}

/** Expects that no text became markup or turned the text next to it, and that nothing is wider than the window. */
export const expectOnlyText = async (page: Page) => expect(await harmOf(page)).toEqual([]);

/** The harm that texts of others do to the page, in words. */
export const harmOf = (page: Page): Promise<string[]> => page.evaluate(findHarm);

/** Runs in the browser. */
function findHarm(): string[] {
  const harmful = "main img:not([src^='data:']), main script, [onerror], [src='x'], iframe, object";
  const elements = [...document.querySelectorAll(harmful)].map(({ outerHTML }) => outerHTML);
  const links = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")]
    .filter(({ protocol }) => !["http:", "https:"].includes(protocol))
    .map(({ href }) => href);
  /** Unicode, annex 9: a change of direction ends with the isolate or the paragraph that it is in. */
  const isIsolate = (element: Element) => {
    const { unicodeBidi, display } = getComputedStyle(element);
    return /isolate|plaintext/.test(unicodeBidi) || !/^(inline|contents)$/.test(display);
  };
  const turned: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    // A readme is the text of one person.
    const isOwn = parentElement?.closest(".readme");
    if (
      isOwn ||
      !data.includes("\u202E") ||
      data.includes("\u202C") ||
      !parentElement?.checkVisibility()
    )
      continue;
    let around = parentElement;
    while (!isIsolate(around) && around.parentElement) around = around.parentElement;
    const whole = around.textContent ?? "";
    const after = whole.slice(whole.indexOf(data) + data.length).replace(/[\s…]/g, "");
    if (after !== "") turned.push(around.outerHTML);
  }
  const wide = [document.documentElement, ...document.querySelectorAll("dialog[open]")].filter(
    ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth,
  );
  const isClipped = (one: Element | null): boolean =>
    one !== null &&
    one.localName !== "html" &&
    (getComputedStyle(one).overflowX !== "visible" || isClipped(one.parentElement));
  const isOutside = (one: Element) =>
    one.getBoundingClientRect().right > innerWidth + 1 && !isClipped(one);
  const outside = wide.length > 0 ? [...document.querySelectorAll("body *")].filter(isOutside) : [];
  const tagOf = ({ localName, classList }: Element) => [localName, ...classList].join(".");
  const pathOf = (one: Element) =>
    `${one.parentElement && tagOf(one.parentElement)} > ${tagOf(one)}`;
  const shown = (title: string, all: string[]) =>
    all.map((one) => `${title}: ${one.slice(0, 300)}`);
  return [
    ...(document.title === "stolen" ? ["changed the title"] : []),
    ...shown("is an element", elements),
    ...shown("is the address of a link", links),
    ...shown("turns the text after it", turned),
    ...wide.map((one) => `${tagOf(one)} is too wide: ${outside.slice(-4).map(pathOf).join(", ")}`),
  ];
}
