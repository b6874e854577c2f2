/** The bookmark of the console between the pages of a tab. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keepBookmark, keptBookmark } from "../../../console/data/bookmark.ts";

let stored: Map<string, string>;
let page: EventTarget;
beforeEach(() => {
  stored = new Map();
  page = new EventTarget();
  vi.stubGlobal("sessionStorage", {
    setItem: (key: string, value: string) => stored.set(key, value),
    getItem: (key: string) => stored.get(key) ?? null,
  });
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
});
afterEach(() => vi.unstubAllGlobals());

const leave = () => page.dispatchEvent(new Event("pagehide"));

test("a new tab reads what was written before it, and a page that is loaded again what it has seen", () => {
  expect(keptBookmark()).toBe("primary");
  let bookmark = "a";
  const stop = keepBookmark({ bookmark: () => bookmark });
  leave();
  expect(keptBookmark()).toBe("a");
  bookmark = "b,c";
  leave();
  expect(keptBookmark()).toBe("b,c");
  stop();
  bookmark = "d";
  leave();
  expect(keptBookmark()).toBe("b,c");
});

test("a text that is no bookmark is not used", () => {
  for (const bookmark of ["", "a b", "a,,b", "a\nb"]) {
    const stop = keepBookmark({ bookmark: () => bookmark });
    leave();
    stop();
    expect(keptBookmark()).toBe("primary");
  }
});
