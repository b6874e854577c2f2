/**
 * The import rules of the rooms: cli/check/import_rules.mjs refuses what the table of docs/ARCHITECTURE.md does
 * not allow.
 */
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  importCircles,
  lengthBreaches,
  nameBreaches,
  processUses,
  unseenImports,
  walled,
} from "../../../cli/check/files.ts";
import { projectRoot } from "../../../cli/project.ts";
import { runProcess } from "../../../cli/wrangler.ts";

/** The imports that the project of a folder rejects, each as `from to`. */
async function refusedIn(folder: string, ...options: string[]): Promise<string[]> {
  const rules = join(projectRoot, "cli/check/import_rules.mjs");
  const args = ["--output-type=json", "--config", rules, ...options, ...walled];
  const program = join(projectRoot, "node_modules/.bin/depcruise");
  const { out, err } = await runProcess(program, args, { cwd: folder, quiet: true });
  if (out === "") throw new Error(err);
  const { summary } = JSON.parse(out) as {
    summary: { violations: { from: string; to: string }[] };
  };
  return summary.violations.map(({ from, to }) => `${from} ${to}`);
}

/** Forbidden imports of a file. A file can appear here several times. */
const forbidden = [
  ["schema/tables/tags.ts", "../../src/aip/errors.ts"],
  ["src/config.ts", "./aip/errors.ts"],
  ["src/aip/errors.ts", "../auth/grants.ts"],
  ["src/auth/grants.ts", "../paging/list.ts"],
  ["src/paging/list.ts", "../outbox/commit.ts"],
  ["src/outbox/outbox.ts", "../paging/list.ts"],
  ["src/auth/grants.ts", "../outbox/outbox.ts"],
  ["src/auth/grants.ts", "../rpc/service.ts"],
  ["src/outbox/outbox.ts", "../rpc/service.ts"],
  ["src/outbox/outbox.ts", "../resource/find.ts"],
  ["src/resource/find.ts", "../rpc/service.ts"],
  ["src/rpc/dispatch.ts", "../iam/groups.ts"],
  ["src/rpc/dispatch.ts", "../outbox/outbox.ts"],
  ["src/registry/repos.ts", "../iam/groups.ts"],
  ["src/registry/sbom/spdx.ts", "../../iam/groups.ts"],
  ["src/iam/groups.ts", "../issuer/sign_in.ts"],
  ["src/registry/repos.ts", "../platform.ts"],
  ["src/registry/repos.ts", "../../cli/keys.ts"],
  ["src/platform.ts", "./iam/groups.ts"],
  ["src/platform.ts", "./auth/token.ts"],
  ["cli/start.ts", "../src/config.ts"],
  ["client/client.ts", "../schema/descriptors.ts"],
  ["client/client.ts", "jose"],
  ["client/client.ts", "node:fs"],
  ["client/client.ts", "./webhooks/token.ts"],
  ["client/webhooks/verify.ts", "jose"],
  ["client/webhooks/token.ts", "drizzle-orm"],
  ["client/webhooks/token.ts", "node:fs"],
  ["client/webhooks/token.ts", "../../schema/descriptors.ts"],
  ["examples/mirror-tag/mirror.ts", "../../src/config.ts"],
  ["src/registry/repos.ts", "../../client/index.ts"],
  ["src/registry/tags.ts", "platform-api/client"],
  ["src/registry/repos.ts", "../../schema/descriptors.ts"],
  ["schema/validation/validate.ts", "../descriptors.ts"],
  ["src/registry/repos.ts", "../../schema/describe/protos.ts"],
  ["site/build.ts", "../cli/wrangler.ts"],
  ["src/ping/pages.ts", "../../site/layout.ts"],
  ["cli/commands/main.ts", "../../test/world/keys.ts"],
  ["bench/run.ts", "../test/cost/rows.ts"],
  ["src/iam/groups.ts", "/work/src/iam/roles.ts"],
  ["src/iam/groups.ts", "#registry"],
] as const;

const allowed = [
  ["schema/tables/tags.ts", "./columns.ts"],
  ["src/aip/text.ts", "../config.ts"],
  ["src/paging/list.ts", "../auth/access.ts"],
  ["src/registry/repos.ts", "../paging/list.ts"],
  ["src/outbox/outbox.ts", "../auth/call.ts"],
  ["src/registry/repos.ts", "./tag_moves.ts"],
  ["src/registry/sbom/spdx.ts", "../tag_moves.ts"],
  ["src/registry/repos.ts", "../outbox/commit.ts"],
  ["src/registry/repos.ts", "../resource/find.ts"],
  ["src/resource/find.ts", "../auth/access.ts"],
  ["src/issuer/sign_in.ts", "../iam/invites.ts"],
  ["src/registry/repos.ts", "../../schema/tables/repos.ts"],
  ["src/registry/repos.ts", "../../schema/validation/validate.ts"],
  ["src/registry/repos.ts", "drizzle-orm"],
  ["src/platform.ts", "./registry/worker.ts"],
  ["cli/start.ts", "../schema/descriptors.ts"],
  ["cli/client.ts", "../client/index.ts"],
  ["cli/download.ts", "platform-api/client/node"],
  ["client/node.ts", "node:fs"],
  ["client/webhooks/token.ts", "jose"],
  ["client/webhooks.ts", "./webhooks/verify.ts"],
  ["client/webhooks/options.ts", "../address.ts"],
  ["examples/mirror-tag/mirror.ts", "node:fs"],
  ["examples/mirror-tag/mirror.ts", "platform-api/client/node"],
  ["bench/run.ts", "../test/world/keys.ts"],
  ["test/iam/groups.test.ts", "../../src/iam/groups.ts"],
] as const;

/** The file that a specifier names, as the check reports it. */
const targetOf = ([from, specifier]: readonly [string, string]) => {
  if (specifier.startsWith(".")) return posix.join(posix.dirname(from), specifier);
  const others = {
    "platform-api/client": "client/index.ts",
    "platform-api/client/node": "client/node.ts",
    "drizzle-orm": "node_modules/drizzle-orm/index.js",
    jose: "node_modules/jose/dist/webapi/index.js",
    "node:fs": "fs",
  };
  return Object.entries(others).find(([name]) => name === specifier)?.[1] ?? specifier;
};

/** The refused imports in a project of these files, which all export `a` and `A`. */
async function refusedOf(texts: Map<string, string[]>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "platform-test-imports-"));
  try {
    await cp(join(projectRoot, "package.json"), join(folder, "package.json"));
    await symlink(join(projectRoot, "node_modules"), join(folder, "node_modules"));
    for (const room of walled) await mkdir(join(folder, room));
    for (const [path, lines] of texts) {
      const text = [...lines, "export const a = 1;", "export type A = 1;", ""].join("\n");
      await mkdir(join(folder, dirname(path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await refusedIn(folder, "--preserve-symlinks");
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe.each([
  ["import", (of: string, at: number) => `import { a as a${at} } from "${of}";`],
  ["import when it is needed", (of: string, at: number) => `const a${at} = await import("${of}");`],
] as const)("%s:", (_, form) => {
  let refused: string[];
  beforeAll(async () => {
    const rows = [...forbidden, ...allowed];
    const files = rows.map(targetOf).filter((path) => /^[a-z]+\//.test(path));
    const texts = new Map<string, string[]>(files.map((path) => [path, []]));
    for (const [at, [from, specifier]] of rows.entries()) {
      texts.set(from, [...(texts.get(from) ?? []), form(specifier, at)]);
    }
    refused = await refusedOf(texts);
  });

  test.each(forbidden)("%s cannot import %s", (from, specifier) => {
    expect(refused).toContain(`${from} ${targetOf([from, specifier])}`);
  });

  test.each(allowed)("%s can import %s", (from, specifier) => {
    expect(refused).not.toContain(`${from} ${targetOf([from, specifier])}`);
  });
});

test("imports are found in all their forms, and nowhere else", async () => {
  const lines = [
    'import { a } from "./aip/a.ts";',
    "import { a as b, type A as C } from './aip/b.ts';",
    'import type { A as D } from "./aip/d.ts";',
    'import {\n  a as e,\n  type A as F,\n} from "./aip/e.ts";',
    'import * as g from "./aip/g.ts";',
    'import "./aip/h.ts";',
    'export { a as i } from "./aip/i.ts";',
    'export * from "./aip/j.ts";',
    'export type { A as K } from "./aip/k.ts";',
    'const l = await import("./aip/l.ts");',
    '// import n from "./aip/n.ts";',
    'const from = "./aip/o.ts";',
    'const p = db.select().from("./aip/p.ts");',
  ];
  const names = [..."abdeghijklnop"];
  const texts = new Map<string, string[]>(names.map((name) => [`src/aip/${name}.ts`, []]));
  texts.set("src/config.ts", lines);
  const found = (await refusedOf(texts)).map((one) => one.replace(/.*\/|\.ts/g, ""));
  expect(found.sort().join("")).toBe("abdeghijkl");
});

test.each([
  ["two files that import each other", ["one.ts", "two.ts"]],
  ["a circle of three", ["one.ts", "two.ts", "three.ts"]],
])("%s are rejected, even if they import only types", async (_, names) => {
  const next = (at: number) => names[(at + 1) % names.length];
  const texts = names.map(
    (name, at) => [`src/iam/${name}`, [`import type { A as B } from "./${next(at)}";`]] as const,
  );
  const refused = await refusedOf(new Map(texts.map(([path, lines]) => [path, [...lines]])));
  expect(refused.length).toBeGreaterThan(0);
});

test.each([
  "await import(name);",
  'type M = import("./m.ts").M;',
  "type M = typeof import('./m.ts');",
])("a Worker names its imports: no %s", (text) =>
  expect(unseenImports("src/iam/groups.ts", text)).toHaveLength(1),
);

test("a Worker can import a module when it needs it", () => {
  expect(unseenImports("src/iam/groups.ts", 'await import("./roles.ts");')).toEqual([]);
});

test.each(["src/utils/dates.ts", "src/iam/helpers.ts", "cli/types.ts", "test/common/a.test.ts"])(
  "the file name %s is rejected",
  (path) => expect(nameBreaches(path)).toHaveLength(1),
);

test("a file of 251 lines causes a warning, and a file of 401 lines fails", () => {
  const lines = (count: number) => lengthBreaches("a.ts", "x\n".repeat(count));
  expect(lines(250)).toEqual({ fail: [], warn: [] });
  expect(lines(251).warn).toEqual(["a.ts has 251 lines"]);
  expect(lines(401)).toEqual({ fail: ["a.ts has 401 lines"], warn: [] });
});

test("a command that takes its output or environment from the process is a breach, with its line", () => {
  const text = 'import { x } from "./x.ts";\nprocess.stdout.write(x);\n';
  expect(processUses("cli/commands/pin.ts", text)).toEqual([
    expect.stringMatching(/^cli\/commands\/pin\.ts:2 /),
  ]);
  expect(processUses("cli/commands/pin.ts", "spawn(process.execPath);")).toEqual([]);
  expect(processUses("cli/commands/main.ts", text)).toEqual([]);
  expect(processUses("cli/start.ts", text)).toEqual([]);
});

test("a circle of imports is named, also one of types between pages of the console", () => {
  const files = [
    { path: "console/a/page.tsx", text: 'import { B } from "./view.tsx";' },
    { path: "console/a/view.tsx", text: 'import type { Props } from "../b/props.ts";' },
    { path: "console/b/props.ts", text: 'export type { Props } from "../a/page.tsx";' },
    { path: "console/b/other.ts", text: 'import type { Props } from "./props.ts";' },
  ];
  expect(importCircles(files)).toEqual([
    ["console/a/page.tsx", "console/a/view.tsx", "console/b/props.ts", "console/a/page.tsx"],
  ]);
  expect(importCircles(files.slice(1))).toEqual([]);
});
