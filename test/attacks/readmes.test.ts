/** Readmes that would run scripts on the page, or that cost more to render than they are worth. */
import { array, assert, asyncProperty, constantFrom } from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { renderReadme } from "../../src/registry/repos/readme_markdown.ts";
import {
  createResource,
  makeOperator,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { long, tiers } from "../world/tiers.ts";
import { costlyReadmes } from "./readmes/costly.ts";
import { harmlessReadmes, unsafeReadmes } from "./readmes/html.ts";
import { readAgain, treeOf } from "./readmes/tree.ts";

let organization: Organization;
let token: string;
let uid: string;
beforeAll(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  await makeOperator(organization);
  ({ uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: "attacked",
  }));
});

const written = (content: string) =>
  callRest(`/registry/v2/repos/${uid}/readme`, { method: "PATCH", token, body: { content } });
const writtenByV1 = (readme: string) =>
  callRest(`/registry/v1/repos/${organization.uid}`, {
    token,
    body: { name: randomName("r"), readme },
  });
const outcome = ({ status, body }: Awaited<ReturnType<typeof callRest>>) => [
  status,
  body.code,
  body.details?.[1]?.fieldViolations[0].field,
];

describe("unsafe HTML is INVALID_ARGUMENT in both versions", () => {
  // The first word of a name is the class of the attack.
  for (const [some, tier] of tiers(unsafeReadmes, ([name]) => name.split(" ")[0] ?? ""))
    test.for(some)("%s", tier, async ([_, content]) => {
      expect(outcome(await written(content))).toEqual([400, 3, "content"]);
      expect(outcome(await writtenByV1(content))).toEqual([400, 3, "readme"]);
    });
});

/** Writes a readme past the rules, as if it were older than they are. */
const stored = (readme: string) => sql("update repos set readme = ? where uid = ?", readme, uid);

describe("a stored readme with unsafe HTML is returned without HTML", () => {
  const all = [...unsafeReadmes, ...costlyReadmes];
  for (const [some, tier] of tiers(all, (row) => String(all.indexOf(row) % 40)))
    test.for(some)("%s", tier, async ([_, content]) => {
      await stored(content);
      const at = `/registry/v2/repos/${uid}/readme?view=REPO_README_VIEW_FULL`;
      const { status, body } = await callRest(at, { token });
      expect([status, body.content, body.html]).toEqual([200, content, undefined]);
    });
});

describe("harmless HTML is accepted, and is the same tree when it is written and read again", () => {
  test.each(harmlessReadmes)("%s", async (_, content) => {
    expect((await written(content)).status).toBe(200);
    const html = await renderReadme(content);
    expect(treeOf(html).dangers).toEqual([]);
    expect(readAgain(html)).toEqual(treeOf(html));
  });
});

const pieces =
  "<a |<b>|</b>|<p>|<table>|<tr>|<td>|<img src=x |<svg>|<math>|<style>|</style>|<title>|<!--|-->|--!>|<!-->|<?|" +
  "<![CDATA[|]]>|<div>\n|\n\n|</div>|title=\"|href='|'|\"|>|/|onerror=alert(1) |javascript:x|&colon;|`|[x](|)|- |> |    |" +
  "<script>|</p>|</table>|<li>|<h1>|<body |<html |<template>|<form>|<select>|<noscript>|=|\n|x| |" +
  "<picture>|<source srcset='|</picture>|<center>|<font |</font>|<ruby>|<rt>|<map name=x>|<a id=x name=|rel=";

for (const [numRuns, tier] of [
  [40, {}],
  [200, long],
] as const)
  test(
    `${numRuns} accepted random readmes contain nothing that browsers run, after one parse or two`,
    tier,
    async () => {
      const readmes = array(constantFrom(...pieces.split("|")), { maxLength: 12 });
      let taken = 0;
      await assert(
        asyncProperty(readmes, async (parts) => {
          const content = parts.join("");
          const { status } = await written(content);
          expect([200, 400]).toContain(status);
          if (status !== 200) return;
          taken += 1;
          const html = await renderReadme(content);
          expect([treeOf(html).dangers, readAgain(html).dangers]).toEqual([[], []]);
        }),
        { numRuns, seed: numRuns },
      );
      expect(taken).toBeGreaterThan(numRuns / 5);
    },
  );

describe("HTML that is expensive to render is INVALID_ARGUMENT in both versions", () => {
  test.each(costlyReadmes)("%s", async (_, content) => {
    expect(outcome(await written(content))).toEqual([400, 3, "content"]);
    expect(outcome(await writtenByV1(content))).toEqual([400, 3, "readme"]);
  });
});
