/** RPCs of version 1 that are not served return the reason to every caller. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { callRest } from "../world/platform.ts";
import { Code, callers } from "./callers.ts";
import { unimplementedRpcs } from "./rpcs.ts";

const text = readFileSync(new URL("../../docs/DIVERGENCES.md", import.meta.url), "utf8");

test.each(unimplementedRpcs.map((rpc) => [rpc.name, rpc] as const))(
  "%s is UNIMPLEMENTED with its reason, with a token or without",
  async (_, rpc) => {
    const text = `Unimplemented: ${rpc.reason}`;
    const path = rpc.template.replaceAll(/\{[^}]*\}/g, `${"0".repeat(40)}`);
    for (const token of [undefined, "garbage"]) {
      const answer = await callRest(path, { method: rpc.verb, token });
      expect(answer).toMatchObject({ status: 501, body: { code: 12, message: text } });
      for (const ask of [callers.Connect, callers["gRPC-Web"]]) {
        expect(await ask(rpc, {}, token)).toMatchObject({ code: Code.Unimplemented, text });
      }
    }
  },
);

test("the table in DIVERGENCES.md has each of them with its path below its reason, and nothing else", () => {
  const [, section = ""] = text.split("## Version 1 methods that are not implemented");
  const [table = ""] = section.split("\n## ");
  const [head, , ...lines] = table.match(/^\|.*$/gm) ?? [];
  expect(head).toBe("| Path | RPC |");
  const rows: (string | undefined)[][] = [];
  let reason: string | undefined;
  for (const line of lines) {
    const [, path, rpc] = /^\| `([^`]+)` \| (\S+) \|$/.exec(line) ?? [];
    if (path) rows.push([path, rpc, reason]);
    else [, reason = line] = /^\| \*\*(.+)\*\* \| \|$/.exec(line) ?? [];
  }
  const unimplemented = unimplementedRpcs.map(({ verb, template, name, reason }) => [
    `${verb} ${template}`,
    name,
    reason,
  ]);
  expect(rows.sort()).toEqual(unimplemented.sort());
});
