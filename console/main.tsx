/** The first code that the page runs. */
import { render } from "preact";
import { ErrorNotice } from "./elements/error_notice.tsx";
import { App } from "./frame/app.tsx";
import { applyTheme, readTheme } from "./frame/theme.ts";
import { openSession } from "./session/session.ts";

const place = document.getElementById("console");
const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]")?.href ?? "";

applyTheme(readTheme());
if (location.pathname === "/") history.replaceState(null, "", `/console${location.search}`);

if (place) {
  try {
    const session = await openSession();
    render(<App session={session} icon={icon} />, place);
  } catch (error) {
    const reason = error instanceof Error ? error : new Error(String(error));
    render(<ErrorNotice error={reason} retry={() => location.reload()} />, place);
  }
}
