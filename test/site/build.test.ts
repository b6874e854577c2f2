import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addGuides, buildSite, type Files } from "../../site/build.ts";
import { long } from "../world/tiers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The files of a folder by their paths in it, with their text. */
async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }): Promise<[string, string]> => {
        const path = join(parentPath, name);
        return [path.slice(folder.length + 1), await readFile(path, "utf8")];
      }),
    ),
  );
}

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, it]) => it);

describe("the site of this checkout", () => {
  let folder: string;
  let files: Map<string, string>;
  let pages: [string, string][];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "site-test-"));
    await buildSite({ to: folder });
    files = await filesIn(folder);
    const all = [...files].filter(([path]) => path.endsWith(".html"));
    pages = all.filter(([path]) => path !== "console.html");
  });
  afterAll(() => rm(folder, { recursive: true }));

  test("has a page for every guide, and for VERSIONS.md", async () => {
    const guides = (await readdir(join(root, "docs/guides"))).filter((name) =>
      name.endsWith(".md"),
    );
    const expected = guides.map((name) => `docs/${name.replace(/md$/, "html")}`);
    expect(guides).toContain("paging.md");
    expect(pages.map(([path]) => path).sort()).toEqual(
      [...expected, "docs/migrating.html", "docs.html", "404.html"].sort(),
    );
  });

  test("lists every guide on each page, and marks the current one", () => {
    const guides = pages.filter(([path]) => /^docs\/(?!404)/.test(path));
    const paths = guides.map(([path]) => `/${path.slice(0, -".html".length)}`).sort();
    for (const [path, html] of guides) {
      const [side = ""] = found(html, /<nav class="side"[^>]*>(.*?)<\/nav>/gs);
      expect(found(side, /href="([^"]+)"/g).sort()).toEqual(paths);
      expect(found(side, /href="([^"]+)" aria-current="page"/g)).toEqual([`/${path.slice(0, -5)}`]);
    }
  });

  test("has no dead link, and no duplicate id", () => {
    const idsOf = (html = "") => found(html, /\sid="([^"]+)"/g);
    for (const [path, html] of pages) {
      const ids = idsOf(html);
      expect(ids, path).toEqual([...new Set(ids)]);
      for (const link of found(html, /(?:href|src)="([^"]+)"/g)) {
        const { origin, pathname, hash } = new URL(link ?? "", `http://site/${path.slice(0, -5)}`);
        if (origin !== "http://site") continue;
        const name = pathname.slice(1);
        const target = files.has(`${name}.html`) ? `${name}.html` : name;
        expect([...files.keys()], `${path} links ${link}`).toContain(target);
        if (hash)
          expect(idsOf(files.get(target)), `${path} links ${link}`).toContain(hash.slice(1));
      }
    }
  });

  test("loads nothing from another host, and runs no script in a page", () => {
    for (const [path, html] of pages) {
      const loaded = found(
        html,
        /<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="([^"]+)"/g,
      );
      expect(loaded.length, path).toBeGreaterThan(2);
      for (const url of loaded)
        expect(url, path).toMatch(
          /^\/docs\/assets\/[\w-]+-[0-9a-f]{12}\.\w+$|^\/console\/assets\/tools-\w{8}\.(?:js|css)$/,
        );
      expect(found(html, /<script(?![^>]*\ssrc=)[^>]*>/g), path).toEqual([]);
      expect(found(html, /\s(on\w+|style)=/g), path).toEqual([]);
    }
    const styles = [...files].filter(([path]) => /^docs\/.*\.css$/.test(path));
    expect(styles).toHaveLength(4);
    for (const [path, css] of styles) expect(css, path).not.toMatch(/url\((?!"?data:)|@import/);
  });

  test("allows its pages only its own host and script files", () => {
    const policies = found(files.get("_headers") ?? "", /Content-Security-Policy: (.+)/g);
    expect(policies).toHaveLength(4);
    for (const policy of policies) {
      const rules = new Map(
        policy?.split("; ").map((rule) => {
          const [name = "", ...sources] = rule.split(" ");
          return [name, sources] as const;
        }),
      );
      expect(rules.get("default-src")).toEqual(["'none'"]);
      expect(rules.get("script-src")).toEqual(["'self'"]);
      const known = ["'self'", "'none'", "'script'", "data:", "readme"];
      for (const sources of rules.values()) expect(known).toEqual(expect.arrayContaining(sources));
    }
  });

  test("has the page of the console, which loads only its own files and runs no script in the page", () => {
    const html = files.get("console.html") ?? "";
    const loaded = found(html, /<(?:script|link|img)\b[^>]*?(?:src|href)="([^"]+)"/g);
    expect(loaded.length).toBeGreaterThan(0);
    for (const url of loaded) {
      expect(url).toMatch(/^\/(?:console|docs)\/assets\/[\w-]+-[0-9a-z]{8,}\.\w+$/i);
      expect([...files.keys()]).toContain(url?.slice(1));
    }
    expect(found(html, /<script(?![^>]*\ssrc=)[^>]*>/g)).toEqual([]);
    expect(found(html, /\s(on\w+|style)=/g)).toEqual([]);
  });

  test("has the licenses of the viewer under the name that the first line of its script says", () => {
    const [, script = ""] =
      [...files].find(([path]) => /\/swagger-ui-bundle-.*\.js$/.test(path)) ?? [];
    const [, name] = /^\/\*! For license information please see (\S+) \*\//.exec(script) ?? [];
    const licenses = files.get(`docs/${name}`);
    for (const words of ["SmartBear Software", "Apache License", "DOMPurify"])
      expect(licenses).toContain(words);
  });

  test("shows the committed OpenAPI document", async () => {
    expect(files.get("openapi.json")).toBe(
      await readFile(join(root, "schema/gen/openapi.json"), "utf8"),
    );
  });

  test(
    "does not change in a second build, except for files that should not exist",
    long,
    async () => {
      const kept = join(folder, "docs/paging.html");
      const { mtimeMs } = await stat(kept);
      await writeFile(join(folder, "docs/old.html"), "old");
      await writeFile(join(folder, "docs/errors.html"), "changed");
      await buildSite({ to: folder });
      expect(await filesIn(folder)).toEqual(files);
      expect((await stat(kept)).mtimeMs).toBe(mtimeMs);
    },
  );
});

describe("a site of other Markdown", () => {
  let from: string;
  let original: Map<string, string>;
  const files: Files = new Map();
  const none = { frameStyle: "", guideStyle: "", guide: "", reference: "", icon: "" };
  const viewer = { referenceStyle: "", viewer: "", viewerStyle: "" };
  const assets = { ...none, ...viewer, tools: "", toolsStyle: "" };

  beforeAll(async () => {
    from = await mkdtemp(join(tmpdir(), "site-source-"));
    original = new Map();
    for (const name of await readdir(join(root, "docs/guides"))) {
      if (name.endsWith(".md")) original.set(`docs/guides/${name}`, `# ${name}\n`);
    }
    original.set("docs/VERSIONS.md", "# Moving\n\n## One step\n");
    original.set("README.md", "# Readme\n");
  });
  afterAll(() => rm(from, { recursive: true }));

  /** The page of start.md, built from this text and otherwise empty guides. */
  async function built(text: string, more: Record<string, string | Buffer> = {}): Promise<string> {
    await rm(join(from, "docs"), { recursive: true, force: true });
    const sources = [...original, ...Object.entries({ "docs/guides/start.md": text, ...more })];
    for (const [path, content] of sources) {
      await mkdir(dirname(join(from, path)), { recursive: true });
      await writeFile(join(from, path), content);
    }
    files.clear();
    addGuides(files, assets, from);
    return /<article>(.*)<\/article>/s.exec(String(files.get("docs/start.html")))?.[1] ?? "";
  }

  test.each([
    ["a page", "[it](paging.md)", '<a href="/docs/paging">it</a>'],
    [
      "a page elsewhere",
      "[it](../VERSIONS.md#one-step)",
      '<a href="/docs/migrating#one-step">it</a>',
    ],
    ["a heading of the page itself", "[it](#there)\n\n## There", '<a href="#there">it</a>'],
    [
      "the OpenAPI document",
      "[it](../../schema/gen/openapi.json)",
      '<a href="/openapi.json">it</a>',
    ],
    ["the reference", "[it](/docs)", '<a href="/docs">it</a>'],
    ["another site", "[it](https://aip.dev/158)", '<a href="https://aip.dev/158">it</a>'],
    ["a file that is not a page", "see [the *readme*](../../README.md)", "see the <em>readme</em>"],
  ])("links %s", async (_, text, expected) => {
    expect(await built(`# Start\n\n${text}\n`)).toContain(expected);
  });

  test.each([
    ["a link to no file", "[it](nowhere.md)", "docs/guides/start.md: the link nowhere.md"],
    ["a link out of the repository", "[it](../../../x.md)", "leads to nothing"],
    ["a link to no heading", "[it](../VERSIONS.md#two)", "names no heading"],
    ["a link to no heading of its own", "[it](#two)", "names no heading"],
    ["a link that works only on the site", "[it](/docs/paging)", "is none that works on GitHub"],
    ["a link that is a script", "[it](javascript:alert(1))", "is none that works on GitHub"],
    ["a picture of another host", "![it](https://other.example/x.webp)", "is not in docs/images"],
    ["a picture that does not exist", "![it](../images/none.webp)", "no such file"],
    ["a picture of another kind", "![it](../images/x.webp)", "is not a lossy or extended WebP"],
    ["raw HTML", "<script>alert(1)</script>", "HTML in Markdown"],
    ["raw HTML in a line", "a <b onclick=x>b</b>", "HTML in Markdown"],
  ])("cannot be built with %s", async (_, text, message) => {
    const more = { "docs/images/x.webp": "no picture" };
    await expect(built(`# Start\n\n${text}\n`, more)).rejects.toThrow(message);
  });

  test("shows a picture with its size, from an address that changes with its content", async () => {
    const picture = Buffer.alloc(40);
    picture.write("RIFF....WEBPVP8 ", "latin1");
    picture.writeUInt16LE(1280, 26);
    picture.writeUInt16LE(800, 28);
    const html = await built('# Start\n\n![a "card"](../images/x.webp)\n', {
      "docs/images/x.webp": picture,
    });
    const [, address = ""] = /src="([^"]+)"/.exec(html) ?? [];
    expect(address).toMatch(/^\/docs\/assets\/x-[0-9a-f]{12}\.webp$/);
    expect(html).toContain('alt="a &#34;card&#34;" width="1280" height="800" loading="lazy"');
    expect(files.get(address.slice(1))).toEqual(picture);
  });

  test("cannot be built with a guide that is in no section", async () => {
    const more = { "docs/guides/forgotten.md": "# Forgotten\n" };
    await expect(built("# Start\n", more)).rejects.toThrow("give forgotten a place");
  });

  test("cannot be built with a guide that has no title", async () => {
    await expect(built("## Start\n")).rejects.toThrow("docs/guides/start.md: no # title");
  });

  test("gives headings the ids that GitHub gives them", async () => {
    const html = await built("# Start\n\n## `GET /x`: what's *new*?\n\n## Again\n\n## Again\n");
    expect(found(html, /<h2 id="([^"]+)"/g)).toEqual(["get-x-whats-new", "again", "again-1"]);
  });

  test("keeps code unchanged, and adds colors", async () => {
    const code = `curl -s "$API/x?a=1&b=<2>" | pick 'a' # <no>\nFOO=\${BAR:-"x"}\nGET /x HTTP/1.1`;
    for (const language of [
      "bash",
      "json",
      "ts",
      "toml",
      "yaml",
      "http",
      "proto",
      "go",
      "python",
      "",
    ]) {
      const html = await built(`# Start\n\n\`\`\`${language}\n${code}\n\`\`\`\n`);
      const [shown = ""] = found(html, /<code>(.*?)<\/code>/gs);
      const text = shown
        .replace(/<[^>]+>/g, "")
        .replace(/&#(\d+);/g, (_, point) => String.fromCharCode(point));
      expect(text, language).toBe(code);
      expect(/<span/.test(shown), language).toBe(language !== "");
    }
  });
});
