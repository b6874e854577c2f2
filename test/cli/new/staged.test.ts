/** The project after `npm run new` or `npm run migration` failed or was interrupted. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { staged } from "../../../cli/new/staged.ts";
import { root } from "../command.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "platform-staged-"));
  mkdirSync(join(folder, "pets"));
  writeFileSync(join(folder, "pets/cat.txt"), "cat");
  writeFileSync(join(folder, "pets/dog.txt"), "dog");
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Every file in the folder, with its text. */
const contents = () =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => statSync(join(folder, path)).isFile())
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );

test("a file that the work removes is removed, and one that appears meanwhile remains", async () => {
  await staged(folder, ["pets"], async (copy) => {
    rmSync(join(copy, "pets/cat.txt"));
    writeFileSync(join(folder, "pets/new.txt"), "new");
  });
  expect(contents()).toEqual({ "pets/dog.txt": "dog", "pets/new.txt": "new" });
});

test("work that succeeds replaces the files that it changed and adds those that it created", async () => {
  const before = statSync(join(folder, "pets/dog.txt")).mtimeMs;
  const outcome = await staged(folder, ["pets"], async (copy) => {
    writeFileSync(join(copy, "pets/cat.txt"), "lion");
    mkdirSync(join(copy, "pets/birds"));
    writeFileSync(join(copy, "pets/birds/owl.txt"), "owl");
    return "done";
  });
  expect(outcome).toBe("done");
  expect(contents()).toEqual({
    "pets/cat.txt": "lion",
    "pets/dog.txt": "dog",
    "pets/birds/owl.txt": "owl",
  });
  expect(statSync(join(folder, "pets/dog.txt")).mtimeMs).toBe(before);
});

test("work that fails halfway leaves the project unchanged, without a copy", async () => {
  const work = async (copy: string) => {
    writeFileSync(join(copy, "pets/cat.txt"), "lion");
    throw new Error("no more");
  };
  await expect(staged(folder, ["pets"], work)).rejects.toThrow("no more");
  expect(readdirSync(folder)).toEqual(["pets"]);
  expect(contents()).toEqual({ "pets/cat.txt": "cat", "pets/dog.txt": "dog" });
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s while a program runs leaves the project unchanged, even if the program succeeds",
  async (signal) => {
    const script = `
      import { writeFileSync } from "node:fs";
      import { setTimeout } from "node:timers/promises";
      import { staged } from ${JSON.stringify(join(root, "cli/new/staged.ts"))};
      await staged(${JSON.stringify(folder)}, ["pets"], async (copy) => {
        writeFileSync(copy + "/pets/cat.txt", "lion");
        console.log("begun");
        await setTimeout(1000);
      });`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script]);
    let said = "";
    child.stderr.on("data", (text) => {
      said += text;
    });
    const exit = once(child, "close");
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await exit).toEqual([1, null]);
    expect(said).toContain("The command was interrupted. Nothing was changed.");
    expect(readdirSync(folder)).toEqual(["pets"]);
    expect(contents()).toEqual({ "pets/cat.txt": "cat", "pets/dog.txt": "dog" });
  },
);
