import { dirname } from "node:path";
import { expect, test } from "vitest";
import { tiers } from "../world/tiers.ts";
import { runProgramFile } from "./command.ts";

const programs = [
  ["start.ts", "npm start"],
  ["deploy.ts", "npm run deploy"],
  ["preview.ts", "npm run preview"],
  ["demo/issuer.ts", "npm run -s demo-issuer"],
  ["demo/identity_provider.ts", "npm run -s demo-provider"],
  ["demo/registry.ts", "npm run -s demo-registry"],
  ["demo/list_repos.ts", "npm run -s demo-grpc"],
] as const;

for (const [some, tier] of tiers(programs, ([program]) => dirname(program)))
  test.for(some)("%s prints its usage with --help, and does nothing", tier, async (row) => {
    const [program, line] = row;
    const { code, out, err } = await runProgramFile(program, ["--help"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain(`Usage: ${line} -- `);
  });

test.each([
  ["no address", [], 2, "Usage: npm run -s demo-grpc"],
  ["an invalid address", ["localhost", "x"], 2, "Usage: npm run -s demo-grpc"],
  ["a platform that does not exist", ["http://localhost:1", "x"], 3, "ECONNREFUSED"],
])(
  "the list of repositories over gRPC fails without a stack for %s",
  async (_, args, expected, text) => {
    const { code, out, err } = await runProgramFile("demo/list_repos.ts", args);
    expect({ code, out }).toEqual({ code: expected, out: "" });
    expect(err).toContain(text);
    expect(err).not.toMatch(/^ {4}at /m);
  },
);
