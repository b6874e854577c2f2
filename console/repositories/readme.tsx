/** A readme as a part of a page. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { readmeElements } from "./readme_dom.ts";

/** Shows HTML that the platform rendered from a readme. */
export function Readme({ html }: { html: string }) {
  const element = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(readmeElements(html));
  }, [html]);
  return <section class="readme" aria-label="Readme" dir="auto" ref={element} />;
}
