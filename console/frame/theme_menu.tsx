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
