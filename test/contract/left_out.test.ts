/** What of version 1 is left out says so, and why, to everybody. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Code, callers } from "./callers.ts";
import { leftOutRpcs } from "./rpcs.ts";

const text = readFileSync(new URL("../../docs/DIVERGENCES.md", import.meta.url), "utf8");

test.each(leftOutRpcs.map((rpc) => [rpc.name, rpc] as const))(
  "%s is UNIMPLEMENTED with its reason, with a token or without",
  async (_, rpc) => {
    for (const ask of [callers.REST, callers.Connect, callers["gRPC-Web"]]) {
      for (const token of [undefined, "garbage"]) {
        const outcome = await ask(rpc, {}, token);
        expect(Code[outcome.code]).toBe("Unimplemented");
        expect(outcome.text).toBe(`Unimplemented: ${rpc.reason}`);
      }
    }
  },
);

test.each(leftOutRpcs.map((rpc) => [rpc.name, rpc] as const))(
  "%s stands in DIVERGENCES with its path and its reason",
  (_, { verb, template, reason }) => {
    const line = text.split("\n").find((one) => one.includes(`\`${verb} ${template}\``));
    expect(line).toBeDefined();
    expect(line).toContain(reason);
  },
);
