/** The default quotas, and how much one person can fill with them. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("the defaults are those of the guide, and ten organizations of one person fit into 10 GB", () => {
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const toNumber = (text: string) => Number(text.replaceAll(",", ""));
  const guide = read("docs/guides/clean-up-and-cost.md").matchAll(
    /^\| `(\w+)` \| ([\d,]+) \| ?([\d,]*) \|/gm,
  );
  const shown = [...guide].map(([, kind = "", limit = "", bytes = ""]) => ({
    kind,
    limit: toNumber(limit),
    bytes: toNumber(bytes),
  }));
  const stored = read("migrations/0000_create_schema.sql").matchAll(/^\t\('', '(\w+)', (\d+)\)/gm);
  const defaults = [...stored].map(([, kind, limit]) => [kind, Number(limit)]);
  expect(Object.fromEntries(shown.map(({ kind, limit }) => [kind, limit]))).toEqual(
    Object.fromEntries(defaults),
  );
  const sum = shown.reduce((total, { limit, bytes }) => total + limit * bytes, 0);
  expect(10 * sum).toBeLessThan(10e9);
});
