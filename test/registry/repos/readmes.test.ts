/** Readmes as HTML: of a repository, and as a preview before they are written. */
import { beforeAll, describe, expect, test } from "vitest";
import { ReadmesService } from "../../../schema/gen/platform/registry/readmes/v2/readmes_pb.js";
import { RepoReadmeView, ReposService } from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import {
  createResource,
  makeOperator,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, clientOf, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let uid: string;
beforeAll(async () => {
  organization = await newOrganization();
  await makeOperator(organization);
  ({ token } = organization.owner);
  const path = `/registry/v2/repos/${organization.uid}`;
  ({ uid } = await createResource(path, token, { name: "python" }));
});

const content =
  '# Python\n\n- [x] fast\n\n<p align="center"><img src="logo.png" alt="The logo"></p>\n';
const html =
  '<h1>Python</h1>\n<ul>\n<li><input checked="" disabled="" type="checkbox"> fast</li>\n</ul>\n' +
  '<p align="center"><img src="logo.png" alt="The logo"></p>\n';

describe("the HTML of a readme", () => {
  const read = (view = "", at = uid) =>
    callRest(`/registry/v2/repos/${at}/readme${view && `?view=${view}`}`, { token });

  test("is part of the response with the full view, and of no other", async () => {
    const at = `/registry/v2/repos/${uid}/readme`;
    const written = await callRest(at, { method: "PATCH", token, body: { content } });
    expect(written.body).not.toHaveProperty("html");
    expect((await read()).body).toEqual(written.body);
    expect((await read("REPO_README_VIEW_BASIC")).body).toEqual(written.body);
    expect((await read("REPO_README_VIEW_FULL")).body).toEqual({ ...written.body, html });
    const client = clientOf(ReposService, token);
    const full = await client.getRepoReadme({ uid, view: RepoReadmeView.FULL });
    expect([full.content, full.html]).toEqual([content, html]);
  });

  test("is absent if the readme is empty, or breaks a rule that is newer than it", async () => {
    const path = `/registry/v2/repos/${organization.uid}`;
    const other = (await createResource(path, token, { name: "other" })).uid;
    expect((await read("REPO_README_VIEW_FULL", other)).body).not.toHaveProperty("html");
    const old = "text <blink>old</blink>";
    await sql("update repos set readme = ? where uid = ?", old, other);
    const { status, body } = await read("REPO_README_VIEW_FULL", other);
    expect([status, body.content, body.html]).toEqual([200, old, undefined]);
  });

  test("cannot be written: an update that sends it changes nothing", async () => {
    const at = `/registry/v2/repos/${uid}/readme`;
    const before = (await read("REPO_README_VIEW_FULL")).body;
    await callRest(at, { method: "PATCH", token, body: { html: "<script></script>" } });
    expect((await read("REPO_README_VIEW_FULL")).body).toEqual(before);
  });
});

describe("a preview", () => {
  const render = (text: string, as = token, at = uid) =>
    callRest(`/registry/v2/readmes/${at}:render`, { token: as, body: { content: text } });

  test("is the HTML that the readme would have, and writes nothing", async () => {
    const before = await callRest(`/registry/v2/repos/${uid}/readme`, { token });
    expect((await render(content)).body).toEqual({ html });
    expect((await render("")).body).toEqual({});
    expect(await callRest(`/registry/v2/repos/${uid}/readme`, { token })).toMatchObject({
      body: before.body,
    });
    const client = clientOf(ReadmesService, token);
    expect((await client.renderReadme({ repoUid: uid, content })).html).toBe(html);
  });

  test("of unsafe HTML fails as writing it does", async () => {
    const unsafe = "<script>alert(1)</script>";
    const at = `/registry/v2/repos/${uid}/readme`;
    const written = await callRest(at, { method: "PATCH", token, body: { content: unsafe } });
    const { status, body } = await render(unsafe);
    expect([status, body]).toEqual([400, written.body]);
  });
});
