/** The choice between light and dark. */
import { useState } from "preact/hooks";
import { Icon } from "../elements/icon.tsx";
import { Menu } from "../elements/menu.tsx";
import { applyTheme, readTheme, type Theme } from "./theme.ts";

const themes: [Theme, string][] = [
  ["system", "Theme of the system"],
  ["light", "Light theme"],
  ["dark", "Dark theme"],
];

export function ThemeMenu() {
  const [theme, setTheme] = useState(readTheme);
  const actions = themes.map(([choice, text]) => ({
    text: choice === theme ? `${text} ✓` : text,
    run: () => {
      applyTheme(choice);
      setTheme(choice);
    },
  }));
  return (
    <Menu label="Theme" actions={actions}>
      <Icon name="theme" />
    </Menu>
  );
}
