import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withoutEngines } from "../../.ci/lockfile.ts";

const text = readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8");

test("npm ci does not warn about engines on a Node that only runs npm", () => {
  const { count } = withoutEngines(text);
  expect(count, "run `node .ci/lockfile.ts` after npm install").toBe(0);
});

test("no library in the lockfile is deprecated, because npm ci would warn about it", () => {
  const { packages } = JSON.parse(text) as { packages: Record<string, { deprecated?: string }> };
  const deprecated = Object.entries(packages).filter(([, one]) => one.deprecated !== undefined);
  expect(deprecated).toEqual([]);
});

test("only the libraries lose their engines, and nothing else changes", () => {
  const engines = { node: ">=22" };
  const packages = { "": { engines }, "node_modules/a": { version: "1.0.0", engines } };
  const changed = withoutEngines(JSON.stringify({ lockfileVersion: 3, packages }));
  expect(changed.count).toBe(1);
  expect(JSON.parse(changed.text)).toEqual({
    lockfileVersion: 3,
    packages: { "": { engines }, "node_modules/a": { version: "1.0.0" } },
  });
});
