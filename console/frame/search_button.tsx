/** The button in the bar that opens the palette. Ctrl K and ⌘ K open it, too. */
import { useLayoutEffect } from "preact/hooks";
import { isMac } from "../elements/keys.ts";

export function SearchButton({ onSearch }: { onSearch: () => void }) {
  // Before the first frame, so that the key works as soon as the button is seen.
  useLayoutEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      onSearch();
    };
    window.addEventListener("keydown", open);
    return () => window.removeEventListener("keydown", open);
  }, [onSearch]);
  return (
    <button type="button" class="site-search" onClick={onSearch}>
      <span>Search or go to…</span>
      <kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
    </button>
  );
}
