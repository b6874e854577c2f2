import { expect, test } from "vitest";
import { withoutEngines } from "../../.ci/lockfile.ts";

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
