/** The bar at the top: the same as that of the guides, with the search, the theme and the person. */
import { Link } from "wouter-preact";
import { useAskedGroup } from "../data/group.ts";
import { useSession, useSessionState } from "../data/platform.tsx";
import { Menu } from "../elements/menu.tsx";
import { addresses } from "./addresses.ts";
import { SearchButton } from "./search_button.tsx";
import { ThemeMenu } from "./theme_menu.tsx";

/** `onSearch` opens the command palette. */
export function Header({ icon, onSearch }: { icon: string; onSearch: () => void }) {
  const state = useSessionState();
  return (
    <header class="site-bar">
      <Link class="site-name" href={addresses.home(useAskedGroup())}>
        <img src={icon} alt="" width="20" height="20" />
        Platform API
      </Link>
      {state.kind !== "signed-out" && <SearchButton onSearch={onSearch} />}
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
