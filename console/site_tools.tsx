/** The search and the theme in the bar of the guides and the reference. */
import { render } from "preact";
import { useCallback, useState } from "preact/hooks";
import { SearchButton } from "./frame/search_button.tsx";
import { sections } from "./frame/sections.ts";
import { applyTheme, readTheme } from "./frame/theme.ts";
import { ThemeMenu } from "./frame/theme_menu.tsx";
import { Palette } from "./palette/palette.tsx";

const pages = sections.flatMap(({ title, places }) =>
  places.map((page) => ({
    address: `/console${page.address()}`,
    title: page.title,
    detail: `Console: ${title}`,
  })),
);

function SiteTools() {
  const [isSearching, setSearching] = useState(false);
  const search = useCallback(() => setSearching(true), []);
  const close = () => setSearching(false);
  const go = (address: string) => {
    close();
    location.assign(address);
  };
  return (
    <>
      <SearchButton onSearch={search} />
      <ThemeMenu />
      {isSearching && <Palette pages={pages} onGo={go} onClose={close} />}
    </>
  );
}

applyTheme(readTheme());
const element = document.getElementById("site-tools");
if (element) render(<SiteTools />, element);
