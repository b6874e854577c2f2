/** The first code that the page runs. */
import { type ComponentChild, render } from "preact";
import { asError } from "./data/errors.ts";
import { ErrorNotice } from "./elements/error_notice.tsx";
import { App } from "./frame/app.tsx";
import { applyTheme, readTheme } from "./frame/theme.ts";
import { openSession } from "./session/session.ts";

const element = document.getElementById("console");
const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href ?? "";

applyTheme(readTheme());
if (location.pathname === "/")
  history.replaceState(null, "", `/console${location.search}${location.hash}`);

if (element) {
  const show = (page: ComponentChild) => {
    // The page was served with a line that says that it is on its way.
    element.replaceChildren();
    render(page, element);
  };
  try {
    const session = await openSession();
    show(<App session={session} icon={icon} />);
  } catch (thrown) {
    show(<ErrorNotice error={asError(thrown)} retry={() => location.reload()} />);
  }
}
