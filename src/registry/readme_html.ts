/** What HTML a readme may make (contract: field validation, readme). */
import type { IWhiteList } from "xss";
import { invalidArgument } from "../aip/errors.ts";

/** User content as rendered on a page: text, tables, images, links; no script, style, form, frame. */
function allowed(tags: IWhiteList) {
  for (const tag of ["audio", "video", "font", "center"]) delete tags[tag];
  return {
    ...tags,
    code: ["class"],
    td: ["align"],
    th: ["align"],
    p: ["align"],
    img: ["src", "alt", "title", "width", "height"],
    input: [],
  };
}

/**
 * Renders the Markdown and throws INVALID_ARGUMENT naming `content` and the first tag or attribute
 * that a sanitizer would take out. Empty text is fine.
 */
export async function checkReadme(content: string): Promise<void> {
  // With the first readme, as a Worker that is asked for none starts sooner without them.
  const [{ marked }, { FilterXSS, getDefaultWhiteList, safeAttrValue }] = await Promise.all([
    import("marked"),
    import("xss"),
  ]);
  const html = await marked.parse(content, { gfm: true });
  const taken: string[] = [];
  const filter = new FilterXSS({
    whiteList: allowed(getDefaultWhiteList()),
    onIgnoreTag: (tag) => {
      taken.push(`<${tag}>`);
    },
    onIgnoreTagAttr: (tag, name, value) => {
      if (!isTaskBox(tag, name, value)) taken.push(`${name} of <${tag}>`);
    },
    safeAttrValue: (tag, name, value, css) => {
      const safe = safeAttrValue(tag, name, value, css);
      const bad = value !== "" && safe === "";
      const styled = tag === "code" && name === "class" && !/^language-[\w+#.-]+$/.test(value);
      if (bad || styled) taken.push(`${name}=${JSON.stringify(value)} of <${tag}>`);
      return safe;
    },
  });
  // Comments are fine and say nothing; the filter would take a bare one for a tag.
  filter.process(html.replace(/<!--[\s\S]*?-->/g, ""));
  const [first] = taken;
  if (first) throw invalidArgument("content", `content makes unsafe HTML: ${first} is not allowed`);
}

/** GitHub-flavoured task lists render as disabled checkboxes. */
const isTaskBox = (tag: string, name: string, value: string) =>
  tag === "input" &&
  (name === "type" ? value === "checkbox" : ["checked", "disabled"].includes(name));
