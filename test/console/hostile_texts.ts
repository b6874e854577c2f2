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
export async function expectOnlyText(page: Page): Promise<void> {
  expect(await page.title()).not.toBe("stolen");
  expect(await page.evaluate(findHarm, start)).toEqual({
    elements: [],
    links: [],
    turned: [],
    excess: 0,
  });
}

/** What hostile texts did to the page. `turning` is the beginning of those that turn texts. It runs in the browser. */
function findHarm(turning: string) {
  const harmful = "main img:not([src^='data:']), main script, [onerror], [src='x'], iframe, object";
  const elements = [...document.querySelectorAll(harmful)].map(({ outerHTML }) => outerHTML);
  const links = [...document.querySelectorAll("a")]
    .filter(({ protocol }) => !["http:", "https:"].includes(protocol))
    .map(({ href }) => href);
  /** Unicode, annex 9: a change of direction ends with the isolate or the paragraph that it is in. */
  const isIsolate = (element: Element) => {
    const { unicodeBidi, display } = getComputedStyle(element);
    return /isolate|plaintext/.test(unicodeBidi) || !/^(inline|contents)$/.test(display);
  };
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode as Text;
    const [, turned, ...more] = data.split("\u202E");
    if (turned === undefined || data.includes("\u202C") || !parentElement?.checkVisibility())
      continue;
    const isAlone = turning.slice(1).startsWith(turned.replace(/[w…\s]+$/, ""));
    let around = parentElement;
    while (!isIsolate(around) && around.parentElement) around = around.parentElement;
    const others = (around.textContent ?? "").replace(data, "").replace(/[\s…]/g, "");
    if (others !== "" || more.length > 0 || !isAlone) found.push(around.outerHTML.slice(0, 400));
  }
  const wide = [document.documentElement, ...document.querySelectorAll("dialog[open]")];
  const excess = Math.max(...wide.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));
  return { elements, links, turned: found, excess };
}
