/** Light or dark. Without a choice, the browser decides. */

/** The choices. `system` follows the browser. */
export type Theme = "system" | "light" | "dark";

const key = "theme";

export function readTheme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Shows the page in this theme, and keeps the choice. Other scripts hear of it by the event `theme` of the window. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(key);
  else localStorage.setItem(key, theme);
  const { dataset } = document.documentElement;
  if (theme === "system") delete dataset.theme;
  else dataset.theme = theme;
  window.dispatchEvent(new Event("theme"));
}
