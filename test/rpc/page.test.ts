/** The pages outside the site have its look, and a policy that lets them load and run nothing. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { html, pageResponse } from "../../src/rpc/page.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = () => pageResponse("A page", html`<p>text</p>`);

/** The variables of a style sheet with a color, in the light and in the dark theme. */
function colorsOf(css: string): Record<"light" | "dark", Map<string, string>> {
  const [light = "", dark = ""] = css.split(/@media \(prefers-color-scheme: ?dark\)/);
  const read = (text: string) =>
    new Map(
      [...text.matchAll(/--([\w-]+): ?(#[0-9a-f]{3,6})/g)].map(([, name = "", it = ""]) => [
        name,
        it,
      ]),
    );
  return { light: read(light), dark: read(dark) };
}

const colors = async () => colorsOf(await page().text());

test("a page has the colors of the site, and one more for errors", async () => {
  const site = colorsOf(read("site/browser/frame.css"));
  const own = await colors();
  for (const theme of ["light", "dark"] as const) {
    expect(own[theme].delete("alert")).toBe(true);
    expect([...own[theme].keys()]).toEqual(["paper", "ink", "pale", "line", "shade", "accent"]);
    for (const [name, value] of own[theme])
      expect([name, value]).toEqual([name, site[theme].get(name)]);
  }
});

/** The relative luminance of a color (WCAG 2.2). */
function luminanceOf(hex = ""): number {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/g, "$&$&") : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(full.slice(at, at + 2), 16) / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test.each(
  ["ink", "pale", "alert", "accent"].flatMap((front) => [
    [front, "paper"],
    [front, "shade"],
  ]),
)("%s can be read on %s in both themes", async (front, behind) => {
  for (const theme of Object.values(await colors())) {
    const both = [front, behind].map((name) => luminanceOf(theme.get(name)));
    expect((Math.max(...both) + 0.05) / (Math.min(...both) + 0.05)).toBeGreaterThanOrEqual(4.5);
  }
});

test("a page has the icon of the site", async () => {
  const shapes = (text: string) => text.match(/<path [^>]+>/g);
  expect(shapes(await page().text())).toEqual(shapes(read("site/browser/icon.svg")));
});

test("a page loads and runs nothing, cannot be framed, and has its styles in one element", async () => {
  const { headers } = page();
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'nonce-[0-9a-f-]{36}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
  );
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
  const shown = page();
  const text = await shown.text();
  expect(text).not.toMatch(/<script|<img|<link| style=| on\w+=|url\(|@import/);
  const [, nonce = ""] = /<style nonce="([^"]+)">/.exec(text) ?? [];
  expect(shown.headers.get("content-security-policy")).toContain(`'nonce-${nonce}'`);
  expect(headers.get("content-security-policy")).not.toContain(nonce);
});

test("values in a page are text, also in attributes", async () => {
  const evil = `"><script>'&`;
  const answer = pageResponse(evil, html`<a href="${evil}">${evil}</a>`);
  expect((await answer.text()).match(/&quot;&gt;&lt;script&gt;&#39;&amp;/g)).toHaveLength(4);
});
