/**
 * The packed client in other projects: in Node, in a browser and in a Worker, and the examples of its README.
 * @module-tag long
 */

import { readFileSync } from "node:fs";
import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Miniflare, convertV4MiniflareOptions as options } from "miniflare";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pushSampleImage } from "../../cli/demo/push_sample.ts";
import { readSampleLayout } from "../../cli/demo/sample_images.ts";
import { newSession } from "../../cli/images/session.ts";
import { type Issuer, startIssuer } from "../auth/oidc_issuer.ts";
import { describeInChromium, newProfile } from "../console/chromium.ts";
import {
  addMoves,
  newVerified,
  publicImage,
  registryToken,
} from "../distribution/stored_images.ts";
import { newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { createResource, type Organization, randomName } from "../world/personas.ts";
import { audience, baseUrl, vendor } from "../world/platform.ts";
import { installPackedClient } from "./packed.ts";

const readme = readFileSync(new URL("../../client/README.md", import.meta.url), "utf8");
const names = ["alpine", "busybox", "hello-world", "httpd", "nginx", "python"];

let project: Awaited<ReturnType<typeof installPackedClient>>;
let org: Organization;
let issuer: Issuer;
let identity: string;
let jobToken: string;
beforeAll(async () => {
  [project, org, issuer] = await Promise.all([installPackedClient(), newVerified(), startIssuer()]);
  for (const name of names) {
    const repo = await createResource(`/registry/v2/repos/${org.uid}`, org.owner.token, { name });
    if (name === "python") await addMoves(repo.uid, "latest", 3);
  }
  const token = async () => registryToken(org.owner.uid);
  const session = newSession({ url: baseUrl(), vendor, isLoggedIn: true, token });
  await pushSampleImage(session, `${org.name}/hello-world`, await readSampleLayout());
  const subject = randomName("job");
  identity = await newIdentityWithMatchers(
    org,
    { claimMatch: { issuer: issuer.url, subject } },
    "viewer",
  );
  jobToken = await issuer.sign(subject);
});
afterAll(async () => {
  await project?.[Symbol.asyncDispose]();
  await issuer?.close();
});

/** The code blocks of the README with that mark. They contain the addresses and names of the tests. */
const blocks = (mark: string) =>
  [...readme.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === mark)
    .map(([, , text = ""]) =>
      text
        .replaceAll(/(url|issuer): "http:\/\/localhost:8787/g, `$1: "${baseUrl()}`)
        .replaceAll('"acme.example', `"${org.name}`)
        .replaceAll(/acme\.example\/(?=python|hello-world)/g, `${org.name}/`),
    );

test("the package has the client, its types and its README, and nothing else from the client", () => {
  const files = project.files.flatMap((path) => /^(?:dist\/)?client\/(.*)$/.exec(path)?.[1] ?? []);
  const strange = files.filter((path) => !/\.(js|d\.ts)$/.test(path));
  expect(strange.sort()).toEqual(["README.md", "package.json"]);
  for (const entry of ["index", "capabilities", "node", "webhooks"]) {
    expect(files).toEqual(expect.arrayContaining([`${entry}.js`, `${entry}.d.ts`]));
  }
});

test("bundled, it has less than 16 kB with gzip, as the README says", async () => {
  expect(readme).toContain("has no dependencies, and is under 16 kB with gzip");
  const text = await project.bundle("whole.js", 'export * from "platform-api/client";');
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(16_000);
  // A bundle that has it all.
  expect(text).toContain("/registry/v2/repos/{uid}");
});

test("bundled, the part for webhooks has less than 12 kB with gzip, as the README says", async () => {
  expect(readme).toContain("under 12 kB with gzip");
  const text = await project.bundle("hooks.js", 'export * from "platform-api/client/webhooks";');
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(12_000);
  expect(text).toContain("whsec_");
});

test("the types are correct in a strict project, and reject what the platform would reject", async () => {
  const text = `
import { createClient, staticToken, type OperationName, operations, type Repo } from "platform-api/client";
import { fileToken } from "platform-api/client/node";
const client = createClient({ url: "https://api.example.com", token: fileToken("token") });
createClient({ url: "https://api.example.com", token: staticToken("t"), registry: { url: undefined } });
for await (const repo of client.repos.list({ descendantsOf: "org" })) {
  const name: string = repo.name;
  const made: string = repo.createTime;
  // @ts-expect-error: an empty description is left out
  const description: string = repo.description;
  console.log(name, made, description);
}
const page = await client.tags.list({ childrenOf: "repo" }).page();
const total: number | undefined = page.totalCount;
const deprecated: boolean[] = page.rows.map((tag) => tag.deprecated);
const made: Repo = await client.repos.create("org", { name: "a", catalogTier: "CATALOG_TIER_BASE" });
await client.repos.update(made.uid, { description: null, sync_config: { google: "x" } });
// @ts-expect-error: set by the server
await client.repos.create("org", { name: "a", createTime: "2026-01-01T00:00:00Z" });
// @ts-expect-error: the name is needed
await client.repos.create("org", { description: "no name" });
// @ts-expect-error: no such tier
await client.repos.create("org", { name: "a", catalogTier: "CATALOG_TIER_BEST" });
// @ts-expect-error: no such filter
client.repos.list({ descendentsOf: "org" });
// @ts-expect-error: at least one ecosystem is needed
client.artifacts.list();
// @ts-expect-error: terms are accepted, never changed
client.terms.update;
const every: OperationName[] = Object.keys(operations) as OperationName[];
// @ts-expect-error: no such operation
await client.call("repos.burn");
const gone: void = await client.repos.delete(made.uid);
export { deprecated, every, gone, total };
`;
  const files = {
    "consumer.ts": text,
    "story.ts": blocks("ts").join("\n"),
    "page.ts": blocks("ts browser").join("\n"),
    "worker.ts": blocks("ts worker").join("\n"),
    "webhook_worker.ts": blocks("ts webhook worker").join("\n"),
    "webhook_node.ts": blocks("ts webhook node").join("\n"),
  };
  expect(await project.typecheck(files)).toBe("");
});

test("the README's story prints the documented output in plain Node", async () => {
  const story = blocks("ts");
  expect(story.length).toBeGreaterThan(7);
  const command = join(project.folder, "platformctl");
  const say = 'case "$*" in *registry) echo "$REGISTRY";; *) echo "$API";; esac';
  await writeFile(command, `#!/bin/sh\n${say}\n`);
  await chmod(command, 0o755);
  await writeFile(join(project.folder, "job"), jobToken);
  const printed = await project.run("story.ts", story.join("\n"), {
    API: org.owner.token,
    REGISTRY: await registryToken(org.owner.uid),
    IDENTITY: identity,
    JOB_TOKEN_FILE: "job",
  });
  const lines = printed.split("\n");
  const promised = [...story.join("\n").matchAll(/^\/\/=> (.*)$/gm)].map(([, text = ""]) => text);
  expect(promised.length).toBeGreaterThan(15);
  let at = 0;
  for (const text of promised) {
    const found = lines.findIndex((line, index) => index >= at && line.includes(text));
    expect(found, `${text} in ${lines.slice(at).join("\n")}`).toBeGreaterThanOrEqual(at);
    at = found + 1;
  }
});

test("the README's Worker responds, also to two requests at once", async () => {
  const [text = ""] = blocks("ts worker");
  const bindings = { PLATFORM_URL: baseUrl(), AUDIENCE: audience };
  const worker = new Miniflare(
    options({
      modules: true,
      script: await project.bundle("worker.ts", text),
      compatibilityDate: "2026-10-01",
      bindings: { ...bindings, IDENTITY: identity, JOB_TOKEN: jobToken },
    }),
  );
  try {
    const ask = async () => (await worker.dispatchFetch("http://worker/")).json();
    const expected = { repos: names.length };
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([expected, expected, expected]);
    expect(await ask()).toEqual(expected);
  } finally {
    await worker.dispose();
  }
});

describeInChromium("in a browser, from a page of another origin", () => {
  /** Opens a page that runs a script, at its own origin. Returns the text that the visitor sees. */
  async function visit<T>(script: string, hash: string, find: (page: Page) => Promise<T>) {
    const server = createServer((request, response) => {
      const isScript = request.url === "/script.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      response.end(isScript ? script : '<body><script src="/script.js" defer></script>');
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const profile = await newProfile();
    const page = await profile.newPage();
    try {
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/#${hash}`);
      return await find(page);
    } finally {
      await profile.close();
      server.close();
    }
  }

  test("the README's page shows the repositories", async () => {
    const [text = ""] = blocks("ts browser");
    const hash = new URLSearchParams({ url: baseUrl(), token: org.owner.token });
    // As a script of a page it has no top-level await.
    const script = `import("data:text/javascript," + encodeURIComponent(${JSON.stringify(
      await project.bundle("page.ts", text),
    )}))`;
    const shown = await visit(script, String(hash), async (page) => {
      await page.getByText("python").waitFor();
      return page.innerText("body");
    });
    expect(shown.trim().split("\n")).toEqual(names);
  });

  test("a script reads a history, writes, and reads errors", async () => {
    const script = await project.bundle(
      "all.js",
      'export * from "platform-api/client";',
      "platform",
    );
    const { name } = await publicImage(["latest"]);
    const asked = { url: baseUrl(), token: org.owner.token, org: org.uid, image: name };
    const found = await visit(script, "", (page) =>
      page.evaluate(async ({ url, token, org, image }) => {
        const { createClient, NotFound, staticToken } = (
          globalThis as unknown as { platform: typeof import("platform-api/client") }
        ).platform;
        const client = createClient({ url, token: staticToken(token) });
        const digests: string[] = [];
        for await (const { digest } of client.history(image)) digests.push(digest);
        const { uid } = await client.repos.create(org, { name: "from-a-page" });
        await client.repos.update(uid, { description: "changed" });
        const { description } = await client.repos.get(uid);
        await client.repos.delete(uid);
        const error = await client.repos.get(uid).catch((thrown) => thrown);
        return { digests, description, isNotFound: error instanceof NotFound };
      }, asked),
    );
    expect(found.digests).toHaveLength(3);
    expect(found).toMatchObject({ description: "changed", isNotFound: true });
  });
});
