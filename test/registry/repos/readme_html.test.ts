/** Readmes written by people: those of the packages in node_modules, which the lockfile pins. */

import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The refused readmes by package, and why they are not safe to show, or not complete after a sanitizer. */
const unsafe: Record<string, string> = {
  // `Promise<Response>` in a sentence, which a page shows as `Promise`.
  "@cloudflare/kv-asset-handler": "<response> is not allowed; if it is text, write \\<response>",
  "@seriousme/openapi-schema-validator":
    "<filename> is not allowed; if it is text, write \\<filename>",
  // A placeholder in a license, and a type in a heading that is not marked as code.
  boundary: "<copyright> is not allowed; if it is text, write \\<copyright>",
  "@scarf/scarf": "referrerpolicy of <img> is not allowed",
  "structured-source": "<copyright> is not allowed; if it is text, write \\<copyright>",
  "comment-json": "<string> is not allowed; if it is text, write \\<string>",
  // Scripts of a page are steered by such attributes.
  "@standard-schema/spec": "data-nimg of <img> is not allowed",
  // Classes and styles are those of the page: a readme could lie over its buttons.
  "@scalar/components": "class of <div> is not allowed",
  tailwindcss: "style of <img> is not allowed",
};

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization();
});

/** Updates a repository with the readme, in version 1. */
const written = (readme: string) =>
  callRest(`/registry/v1/repos/${organization.uid}`, {
    token: organization.owner.token,
    body: { name: "readmes", readme },
  });

/**
 * One readme of each package, by the name of the package. Reads without blocking: while the process is blocked,
 * it does not notice that the platform closes an idle connection, and the next request on it fails.
 */
async function readmes(): Promise<Map<string, string>> {
  const pattern = "node_modules/**/{README,readme,Readme}.{md,MD}";
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: root })) files.push(file);
  const found = new Map<string, string>();
  for (const file of files.sort()) {
    const content = await readFile(root + file, "utf8");
    const [, name = file] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    if (content.trim() !== "" && !found.has(name)) found.set(name, content);
  }
  return found;
}

const all = [...(await readmes())];
const kindOf = ([name]: [string, string]) => unsafe[name] ?? name.slice(0, 1);

for (const [some, tier] of tiers(all, kindOf))
  test(
    `the readmes of ${some.length} packages are accepted, except those with a listed reason`,
    tier,
    async () => {
      const refused: Record<string, string> = {};
      for (const [name, content] of some) {
        const { status, body } = await written(content);
        if (status === 200) {
          expect(body.readme).toBe(content);
        } else {
          expect(status).toBe(400);
          refused[name] = body.message.replace(/^.*unsafe HTML: /, "");
        }
      }
      const listed = some.flatMap(([name]) => (name in unsafe ? [[name, unsafe[name]]] : []));
      expect(refused).toEqual(Object.fromEntries(listed));
    },
  );

/**
 * Written as the pages of container images are: generated parts between comments, tabs in lists, and tables
 * without headers.
 */
const ofImages: Record<string, string> = {
  "generated parts":
    "<!--start-->\n# caddy\n| | |\n| - | - |\n| **Image** | `x.example/caddy` |\n<!--end-->\n",
  "lists with tabs":
    "-\t**Maintained by**:  \n\t[the team](https://x.example/a)\n\n-\t[`1.2`, `1`](docs/1.md)\n",
  "a logo next to the name": '# redis <img src="logo.png" align="right" alt="" width="120">\n',
  "a table of contents":
    '1. [Usage](#usage)\n\n<a name="usage"></a>\n\n## Usage\n\n<br clear="all">\n',
  "badges in the middle":
    '<p align="center">\n  <a href="LICENSE"><img src="https://x.example/l.svg" alt="license"></a>\n</p>\n',
  "a logo for light and for dark":
    '<picture><source media="(prefers-color-scheme: dark)" srcset="docs/dark.svg"><img src="docs/light.svg"></picture>\n',
  "what is hidden at first":
    "<details><summary>All variables</summary>\n\n|a|b|\n|-|-|\n|`A`|1|\n\n</details>\n",
};

describe("readmes of images are accepted, with", () => {
  test.each(Object.entries(ofImages))("%s", async (_, content) => {
    const { status, body } = await written(content);
    expect([status, body.readme]).toEqual([200, content]);
  });
});
