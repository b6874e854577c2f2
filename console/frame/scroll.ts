/** Where the window is scrolled to: a new page begins at its top, and one that the person comes back to where they left it. */

/** How long a page that comes back can take to become as long as it was, in milliseconds. */
const patience = 2_000;

/** A page that keeps its place for so many frames has loaded. */
const calmFrames = 12;

/** The key of the entry in the history. Where browsers have none, pages with the same address share their place. */
const entryKey = () => globalThis.navigation?.currentEntry?.key ?? location.href;

/** Keeps the places until the returned function is called. */
export function keepPlaces(): () => void {
  const end = new AbortController();
  const options = { signal: end.signal, passive: true };
  const tops = new Map<string, number>();
  let { pathname } = location;
  let returning = 0;
  const stop = () => {
    cancelAnimationFrame(returning);
    returning = 0;
  };
  const comeBack = (top: number) => {
    stop();
    const until = performance.now() + patience;
    let calm = 0;
    const step = () => {
      calm = Math.abs(window.scrollY - top) <= 1 ? calm + 1 : 0;
      if (calm === 0) window.scrollTo({ top, behavior: "instant" });
      const isOver = calm >= calmFrames || performance.now() > until;
      returning = isOver ? 0 : requestAnimationFrame(step);
    };
    returning = requestAnimationFrame(step);
  };
  const moved = (top: number | undefined) => {
    const isNew = location.pathname !== pathname;
    pathname = location.pathname;
    if (top !== undefined) comeBack(top);
    else if (isNew && location.hash === "") {
      stop();
      window.scrollTo({ top: 0, behavior: "instant" });
    }
  };
  history.scrollRestoration = "manual";
  window.addEventListener("pushState", () => moved(undefined), options);
  window.addEventListener("replaceState", () => moved(undefined), options);
  window.addEventListener("popstate", () => moved(tops.get(entryKey())), options);
  window.addEventListener(
    "scroll",
    () => {
      if (returning === 0) tops.set(entryKey(), window.scrollY);
    },
    options,
  );
  // Someone who scrolls in the meantime decides where the page is.
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"])
    window.addEventListener(type, stop, options);
  return () => end.abort();
}
