/** Every request leaves the platform through src/auth/outgoing/outgoing.ts. biome.json enforces it. */
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../../cli/project.ts";
import { runProcess } from "../../../cli/wrangler.ts";

const biome = join(projectRoot, "node_modules/.bin/biome");

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "platform-test-lint-"));
  await cp(join(projectRoot, "biome.json"), join(folder, "biome.json"));
});
afterAll(() => rm(folder, { recursive: true }));

/** The findings of the linter in a file with that text at that path. */
async function findingsIn(path: string, text: string): Promise<string[]> {
  await mkdir(join(folder, dirname(path)), { recursive: true });
  await writeFile(join(folder, path), text);
  const args = ["lint", "--vcs-enabled=false", "--colors=off", `--config-path=${folder}`];
  const { code, out, err } = await runProcess(biome, [...args, join(folder, path)], {
    quiet: true,
  });
  await rm(join(folder, path));
  const found = [...`${out}${err}`.matchAll(/lint\/style\/(\w+)/g)].map(([, rule = ""]) => rule);
  expect(code === 0).toBe(found.length === 0);
  return [...new Set(found)];
}

const jwks = `import { createRemoteJWKSet } from "jose";\nexport const x = createRemoteJWKSet;\n`;
const bounded = `import { boundedFetch } from "../auth/bounded_fetch.ts";\nexport const x = boundedFetch;\n`;

test.each([
  ["src/iam/a.ts", 'export const x = await fetch("https://a.example");\n', "noRestrictedGlobals"],
  ["src/auth/a.ts", "export const x = { get: fetch };\n", "noRestrictedGlobals"],
  ["src/iam/a.ts", "export const x = globalThis.fetch;\n", "noRestrictedGlobals"],
  ["src/iam/a.ts", "export const x = self.fetch;\n", "noRestrictedGlobals"],
  ["src/iam/a.ts", 'export const x = new WebSocket("wss://a.example");\n', "noRestrictedGlobals"],
  ["src/auth/outgoing/outgoing.ts", "export const x = fetch;\n", "noRestrictedGlobals"],
  ["src/iam/a.ts", jwks, "noRestrictedImports"],
  ["src/auth/token.ts", jwks, "noRestrictedImports"],
  ["src/iam/a.ts", bounded, "noRestrictedImports"],
  ["src/iam/account_associations/link_check.ts", bounded, "noRestrictedImports"],
  ["src/auth/issuers.ts", bounded, "noRestrictedImports"],
  ["src/iam/a.ts", 'export * from "oauth4webapi";\n', "noRestrictedImports"],
  ["src/iam/a.ts", 'export { connect } from "cloudflare:sockets";\n', "noRestrictedImports"],
  ["src/auth/issuers.ts", 'export { request } from "node:https";\n', "noRestrictedImports"],
])("an outgoing request in %s is rejected: %s", async (path, text, rule) => {
  expect(await findingsIn(path, text)).toEqual([rule]);
});

test.each([
  ["src/iam/worker.ts", "export default { fetch: (request: Request) => request };\n"],
  ["src/iam/a.ts", 'export { jwtVerify } from "jose";\n'],
  ["src/auth/outgoing/bounded_fetch.ts", "export const x = fetch;\n"],
  ["src/auth/outgoing/outgoing.ts", 'export { boundedFetch } from "./bounded_fetch.ts";\n'],
  ["cli/a.ts", "export const x = fetch;\n"],
])("%s can contain %s", async (path, text) => {
  expect(await findingsIn(path, text)).toEqual([]);
});
