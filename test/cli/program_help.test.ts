import { expect, test } from "vitest";
import { run } from "./command.ts";

test.each([
  ["start.ts", "npm start"],
  ["deploy.ts", "npm run deploy"],
  ["preview.ts", "npm run preview"],
])("%s says with --help how it is used, and does nothing", async (program, line) => {
  const { code, out, err } = await run(program, ["--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(`Usage: ${line} -- [`);
});
