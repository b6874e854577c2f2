/** The bar at the top: the same as that of the guides, with the search, the theme and the person. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { useSession, useSessionState } from "../data/platform.tsx";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { applyTheme, readTheme, type Theme } from "./theme.ts";

const themes: [Theme, string][] = [
  ["system", "Theme of the system"],
  ["light", "Light theme"],
  ["dark", "Dark theme"],
];

/** `onSearch` opens the command palette. */
export function Header({ icon, onSearch }: { icon: string; onSearch: () => void }) {
  const state = useSessionState();
  return (
    <header class="site-bar">
      <Link class="site-name" href="/">
        <img src={icon} alt="" width="20" height="20" />
        Platform API
      </Link>
      {state.kind !== "signed-out" && (
        <button type="button" class="palette-button" onClick={onSearch}>
          <span>Search or go to…</span>
          <kbd>{isMac ? "⌘K" : "Ctrl K"}</kbd>
        </button>
      )}
      <nav class="site-places" aria-label="Site">
        <a href="/console" aria-current="true">
          Console
        </a>
        <a href="/docs/start">Guides</a>
        <a href="/docs">Reference</a>
      </nav>
      <ThemeMenu />
      {state.kind !== "signed-out" && <PersonMenu name={state.name} />}
    </header>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function ThemeMenu() {
  const [theme, setTheme] = useState(readTheme);
  const actions = themes.map(([one, text]) => ({
    text: one === theme ? `${text} ✓` : text,
    run: () => {
      applyTheme(one);
      setTheme(one);
    },
  }));
  return (
    <Menu label="Theme" actions={actions}>
      <Icon name="theme" />
    </Menu>
  );
}

function PersonMenu({ name }: { name: string }) {
  const session = useSession();
  return (
    <Menu
      label={`Signed in as ${name}`}
      actions={[{ text: "Sign out", run: () => void session.signOut() }]}
    >
      <span class="person">{name}</span>
    </Menu>
  );
}
