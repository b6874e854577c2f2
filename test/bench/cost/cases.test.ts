import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rpcs } from "../../contract/rpcs.ts";

const sources = globSync("bench/cost/*.ts")
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

test("the cost family calls every RPC, which a run finds only after minutes", () => {
  const calls = ({ name }: { name: string }) => new RegExp(`\\b${name}\\b`).test(sources);
  const missing = rpcs.filter(({ method }) => !calls(method)).map(({ name }) => name);
  expect(missing).toEqual([]);
});
