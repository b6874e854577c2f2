/** Files are replaced as a whole, all of them or none. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { writeFiles } from "../../../cli/lock/write_files.ts";
import { newFolder, root } from "../command.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await newFolder();
  writeFileSync(join(cwd, "a"), "one");
  writeFileSync(join(cwd, "b"), "two");
});

const write = (path: string, before: string | undefined, after: string) => ({
  path,
  before: before === undefined ? undefined : Buffer.from(before),
  after: Buffer.from(after),
});
const contents = () =>
  readdirSync(cwd)
    .sort()
    .map((name) => `${name}=${readFileSync(join(cwd, name))}`);

test("files get their new content and keep their mode", async () => {
  chmodSync(join(cwd, "a"), 0o777);
  await writeFiles(cwd, [write("new", undefined, "zero"), write("a", "one", "1")]);
  expect(contents()).toEqual(["a=1", "b=two", "new=zero"]);
  expect(statSync(join(cwd, "a")).mode & 0o7777).toBe(0o777);
});

test.each([
  ["a file that another program changed", write("b", "2", "x"), "CHANGED"],
  ["a new file that another program created", write("b", undefined, "x"), "CHANGED"],
  ["a file in a folder that does not exist", write("no/b", undefined, "x"), "WRITE"],
])("%s stops everything, and nothing changes", async (_, bad, code) => {
  await expect(writeFiles(cwd, [write("a", "one", "1"), bad])).rejects.toMatchObject({ code });
  expect(contents()).toEqual(["a=one", "b=two"]);
});

test("a link out of the folder is not written through, and a link inside is", async () => {
  const outside = await newFolder();
  writeFileSync(join(outside, "c"), "three");
  symlinkSync(join(outside, "c"), join(cwd, "out"));
  symlinkSync("a", join(cwd, "in"));
  const writes = [write("in", "one", "1")];
  await expect(writeFiles(cwd, [...writes, write("out", "three", "3")])).rejects.toMatchObject({
    code: "OUTSIDE",
    message: expect.stringContaining("Nothing was written."),
  });
  expect(contents()).toEqual(["a=one", "b=two", "in=one", "out=three"]);
  await writeFiles(cwd, writes);
  expect(contents()).toEqual(["a=1", "b=two", "in=1", "out=three"]);
});

test("a signal waits until all files are in place", () => {
  const program = `
    import { writeFiles } from ${JSON.stringify(join(root, "cli/lock/write_files.ts"))};
    const write = (path, before, after) => ({ path, before: Buffer.from(before), after: Buffer.from(after) });
    // Without a handler, the signal would end the program before the files are written.
    process.on("SIGINT", () => {});
    process.kill(process.pid, "SIGINT");
    await writeFiles(process.cwd(), [write("a", "one", "1"), write("b", "two", "2")]).catch(
      ({ name, exitCode }) => console.log(name, exitCode, process.listenerCount("SIGINT")),
    );`;
  const args = ["--input-type=module", "--eval", program];
  expect(execFileSync(process.execPath, args, { cwd, encoding: "utf8" })).toBe("Cancelled 130 1\n");
  expect(contents()).toEqual(["a=1", "b=2"]);
});
