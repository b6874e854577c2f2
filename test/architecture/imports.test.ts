import { expect, test } from "vitest";
import { checkFiles, lengthBreaches, nameBreaches, sourceFiles } from "../../cli/check/files.ts";
import { checkImports, importBreaches, importsOf } from "../../cli/check/imports.ts";

const root = new URL("../..", import.meta.url).pathname;

test("every file keeps to its room", () => {
  const files = sourceFiles(root);
  expect(files).toContain("src/platform.ts");
  expect(checkImports(root, files)).toEqual([]);
});

test("every file has a name that says something, and at most 400 lines", () => {
  expect(checkFiles(root, sourceFiles(root)).fail).toEqual([]);
});

test("imports are found in every form they are written in", () => {
  const text = `import a from "./a.ts";
import { b, type B as C } from './b.ts';
import type { D } from "./d.ts";
import {
  e,
  f,
} from "./e.ts";
import * as g from "./g.ts";
import "./h.ts";
export { i } from "./i.ts";
export * from "./j.ts";
export type { K } from "./k.ts";
const l = await import("./l.ts");
type M = import("./m.ts").M;
// import n from "./n.ts";
const from = "./o.ts";
const p = db.select().from("./p.ts");
`;
  const names = importsOf(text).map((name) => name.replace(/\.\/|\.ts/g, ""));
  expect(names.sort().join("")).toBe("abdeghijklm");
});

test.each([
  ["schema/tables/tags.ts", "../../src/aip/errors.ts"],
  ["src/config.ts", "./aip/errors.ts"],
  ["src/aip/errors.ts", "../auth/grants.ts"],
  ["src/auth/grants.ts", "../paging/list.ts"],
  ["src/paging/list.ts", "../outbox/commit.ts"],
  ["src/outbox/outbox.ts", "../paging/list.ts"],
  ["src/auth/grants.ts", "../outbox/outbox.ts"],
  ["src/auth/grants.ts", "../rpc/service.ts"],
  ["src/outbox/outbox.ts", "../rpc/service.ts"],
  ["src/rpc/dispatch.ts", "../iam/groups.ts"],
  ["src/rpc/dispatch.ts", "../outbox/outbox.ts"],
  ["src/registry/repos.ts", "../iam/groups.ts"],
  ["src/registry/repos.ts", "../platform.ts"],
  ["src/registry/repos.ts", "../../cli/keys.ts"],
  ["src/platform.ts", "./iam/groups.ts"],
  ["src/platform.ts", "./auth/token.ts"],
  ["cli/start.ts", "../src/config.ts"],
  ["client/client.ts", "../schema/descriptors.ts"],
  ["client/client.ts", "jose"],
  ["client/client.ts", "node:fs"],
  ["src/registry/repos.ts", "../../client/index.ts"],
  ["src/registry/repos.ts", "platform-api/client"],
  ["src/registry/repos.ts", "../../schema/descriptors.ts"],
  ["schema/validation/validate.ts", "../descriptors.ts"],
  ["src/registry/repos.ts", "../../schema/describe/protos.ts"],
  ["site/build.ts", "../cli/wrangler.ts"],
  ["src/ping/pages.ts", "../../site/layout.ts"],
  ["cli/commands/main.ts", "../../test/world/keys.ts"],
  ["src/iam/groups.ts", "/work/src/iam/roles.ts"],
  ["src/iam/groups.ts", "#registry"],
])("%s may not import %s", (path, specifier) => {
  expect(importBreaches(path, `import { x } from "${specifier}";\n`)).toHaveLength(1);
  expect(importBreaches(path, `const x = await import("${specifier}");\n`)).toHaveLength(1);
});

test.each([
  ["schema/tables/tags.ts", "./columns.ts"],
  ["src/aip/errors.ts", "../config.ts"],
  ["src/paging/list.ts", "../auth/access.ts"],
  ["src/registry/repos.ts", "../paging/list.ts"],
  ["src/outbox/outbox.ts", "../auth/call.ts"],
  ["src/registry/repos.ts", "./tags.ts"],
  ["src/registry/repos.ts", "../outbox/outbox.ts"],
  ["src/registry/repos.ts", "../../schema/tables/repos.ts"],
  ["src/registry/repos.ts", "../../schema/validation/validate.ts"],
  ["src/registry/repos.ts", "drizzle-orm"],
  ["src/platform.ts", "./registry/worker.ts"],
  ["cli/start.ts", "../schema/descriptors.ts"],
  ["cli/client.ts", "../client/index.ts"],
  ["cli/client.ts", "platform-api/client/node"],
  ["client/node.ts", "node:fs"],
  ["test/iam/groups.test.ts", "../../src/iam/groups.ts"],
])("%s may import %s", (path, specifier) => {
  expect(importBreaches(path, `import { x } from "${specifier}";\n`)).toEqual([]);
});

test("a Worker says what it imports: no import of a computed name", () => {
  expect(importBreaches("src/iam/groups.ts", "await import(name);")).toHaveLength(1);
});

test.each(["src/utils/dates.ts", "src/iam/helpers.ts", "cli/types.ts", "test/common/a.test.ts"])(
  "%s is no name",
  (path) => expect(nameBreaches(path)).toHaveLength(1),
);

test("a file of 251 lines warns, one of 401 fails", () => {
  const lines = (count: number) => lengthBreaches("a.ts", "x\n".repeat(count));
  expect(lines(250)).toEqual({ fail: [], warn: [] });
  expect(lines(251).warn).toEqual(["a.ts has 251 lines"]);
  expect(lines(401)).toEqual({ fail: ["a.ts has 401 lines"], warn: [] });
});
