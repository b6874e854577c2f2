/** The files that `platformctl lock` reads. */
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findFiles, kindOf } from "../../../cli/lock/find_files.ts";
import { readFiles } from "../../../cli/lock/read_files.ts";
import { long } from "../../world/tiers.ts";
import { newFolder } from "../command.ts";
import { host } from "./rewritten.ts";

let cwd = "";
beforeEach(async () => {
  cwd = await newFolder();
});

async function write(path: string, content: string | Buffer = ""): Promise<void> {
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), content);
}

const pathsIn = async (...paths: string[]) => (await findFiles(cwd, paths)).map(({ path }) => path);
const read = async (...paths: string[]) => readFiles(cwd, await findFiles(cwd, paths), host);

test.each([
  ["Dockerfile", "dockerfile"],
  ["Dockerfile.dev", "dockerfile"],
  ["web.Dockerfile", "dockerfile"],
  ["Containerfile", "dockerfile"],
  ["Dockerfile.dockerignore", undefined],
  ["compose.yaml", "compose"],
  ["compose.override.yml", "compose"],
  ["docker-compose.prod.yml", "compose"],
  ["values.yaml", "values"],
  ["values-prod.yml", "values"],
  ["prod.values.yaml", "values"],
  ["my-values.yaml", "values"],
  ["evaluesx.yaml", "yaml"],
  ["deployment.yaml", "yaml"],
  ["a/.devcontainer/devcontainer.json", "devcontainer"],
  [".devcontainer.json", "devcontainer"],
  ["package.json", undefined],
])("%s is a file of the kind %s", (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});

test("files are found in the order of their names, without .git, node_modules and links", async () => {
  for (const path of ["b/Dockerfile", "a.yaml", "node_modules/x/Dockerfile", ".git/Dockerfile"]) {
    await write(path);
  }
  await symlink("..", join(cwd, "b/loop"));
  await symlink("../a.yaml", join(cwd, "b/link.yaml"));
  await write(".github/x.yml");
  expect(await pathsIn()).toEqual([".github/x.yml", "a.yaml", "b/Dockerfile"]);
  expect(await pathsIn("b", "b/Dockerfile")).toEqual(["b/Dockerfile"]);
});

test("what git ignores is left out, as git itself says", async () => {
  await write(".gitignore", "*.tmp.yaml\n/out/\nbuild\n!keep.tmp.yaml\n");
  await write("sub/.gitignore", "!back.tmp.yaml\n/only.yaml\n");
  const paths = [
    ...[
      "a.yaml",
      "a.tmp.yaml",
      "keep.tmp.yaml",
      "out/a.yaml",
      "sub/out/a.yaml",
      "sub/build/a.yaml",
    ],
    ...["sub/back.tmp.yaml", "sub/b.tmp.yaml", "sub/only.yaml", "sub/deep/only.yaml"],
  ];
  for (const path of paths) await write(path);
  execFileSync("git", ["init", "-q"], { cwd });
  const args = ["ls-files", "--others", "--exclude-standard", "*.yaml"];
  const known = execFileSync("git", args, { cwd, encoding: "utf8" }).trim().split("\n").sort();
  expect(await pathsIn()).toEqual(known);
  expect(await pathsIn("sub")).toEqual(known.filter((path) => path.startsWith("sub/")));
  expect(await pathsIn("out/a.yaml")).toEqual(["out/a.yaml"]);
});

describe("a path on the command line", () => {
  test.each([
    ["nothing", "does not exist"],
    ["notes.txt", "has no name that this command knows"],
  ])("%s is bad usage", async (path, message) => {
    await write("notes.txt");
    await expect(findFiles(cwd, [path])).rejects.toMatchObject({
      code: "USAGE",
      message: expect.stringContaining(message),
    });
  });

  test.each([
    ["large", Buffer.alloc(1024 * 1024 + 1, "#"), "larger than 1 MiB"],
    ["binary", Buffer.from(`FROM ${host}/a/b:1\0`), "not a text file"],
  ])("to a %s file is a problem, and a file like that elsewhere is skipped", async (...row) => {
    const [, content, message] = row;
    await write("Dockerfile", content);
    expect(await read()).toMatchObject({ references: [], problems: [], filesRead: 1 });
    expect((await read("Dockerfile")).problems).toMatchObject([
      { file: "Dockerfile", message: expect.stringContaining(message) },
    ]);
  });
});

describe("a devcontainer", () => {
  const names = (path: string) =>
    write(".devcontainer/devcontainer.json", `{"dockerFile": "${path}"}`);

  test("names a file of any name, which is read once", async () => {
    await names("../Base");
    await write("Base", `FROM ${host}/a/b:1`);
    const { references, filesRead } = await read();
    expect(references.flatMap(({ places }) => places.map(({ file }) => file))).toEqual(["Base"]);
    expect(filesRead).toBe(2);
    await names("../Dockerfile");
    await write("Dockerfile", `FROM ${host}/a/b:1`);
    expect((await read()).filesRead).toBe(2);
  });

  test("names no file outside the folder, not even by a link", async () => {
    const outside = await newFolder();
    await writeFile(join(outside, "Base"), `FROM ${host}/a/b:1`);
    await symlink(join(outside, "Base"), join(cwd, "link"));
    for (const path of [join("../..", outside.slice(1)), "../link", "../missing"]) {
      await names(path);
      const { references, problems } = await read();
      expect(references.flatMap(({ places }) => places)).toEqual([]);
      expect(problems).toMatchObject([{ message: expect.stringContaining("not a file below") }]);
    }
  });
});

test(
  "in a folder with 10,000 files, each candidate is read once and no other file at all",
  long,
  async () => {
    for (let folder = 0; folder < 100; folder += 1) {
      await mkdir(join(cwd, `f${folder}`));
      const names = Array.from(
        { length: 100 },
        (_, index) => `${index}.${index % 2 ? "yaml" : "txt"}`,
      );
      await Promise.all(names.map((name) => writeFile(join(cwd, `f${folder}`, name), "a: b\n")));
    }
    await write("f7/Dockerfile", `FROM ${host}/a/b:1`);
    const { references, filesRead } = await read();
    expect(filesRead).toBe(5001);
    expect(references.flatMap(({ places }) => places)).toHaveLength(1);
  },
);
