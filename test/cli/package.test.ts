/**
 * The package as npm installs it in an empty folder, without a checkout, on a Node that cannot run
 * TypeScript.
 */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importsOf } from "../../cli/check/files.ts";
import { packageJson } from "../../cli/project.ts";
import { pack, runNpm } from "../client/packed.ts";
import { createResource, newOrganization } from "../world/personas.ts";
import { baseUrl } from "../world/platform.ts";
import { long } from "../world/tiers.ts";
import { newFolder, newStateFolder, root } from "./command.ts";

const execute = promisify(execFile);
const folder = await newFolder();
const packed = await pack(folder);
afterAll(() => rm(folder, { recursive: true }));

/** How a program of the package ended, and what it printed. */
type Ended = { code: number; stdout: string; stderr: string };

/** The oldest Node on this machine that `engines` accepts. */
const node = existsSync("/usr/bin/node") ? "/usr/bin/node" : process.execPath;

/** Runs a program of the package in the empty folder. */
async function run(program: string, args: string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const file = join(folder, "node_modules/.bin", program);
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", XDG_CONFIG_HOME: "/nowhere", ...more };
  try {
    return { code: 0, ...(await execute(node, [file, ...args], { cwd: folder, env })) };
  } catch (error) {
    return error as Ended;
  }
}

/**
 * Installs the package with the versions in this checkout's lockfile. The packages of the checkout are in
 * npm's cache, and only others are downloaded.
 */
async function install(): Promise<void> {
  const lock: Lockfile = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const { "": checkout, ...all } = lock.packages;
  const libraries = Object.entries(all).filter(
    ([, { dev, devOptional, peer }]) => !(dev || devOptional || peer),
  );
  const dependencies = { "platform-api": `file:${packed.tarball}` };
  const packages = {
    "": { dependencies },
    "node_modules/platform-api": { ...checkout, resolved: dependencies["platform-api"] },
    ...Object.fromEntries(libraries),
  };
  await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  await writeFile(join(folder, "package-lock.json"), JSON.stringify({ ...lock, packages }));
  const args = ["ci", "--prefer-offline", "--no-audit", "--no-fund"];
  await runNpm(args, folder);
}

/** The part of package-lock.json that is read: for each path in node_modules, the packages that need it. */
type Lockfile = { packages: Record<string, { dev?: true; devOptional?: true; peer?: true }> };

test("the package has the programs and the client, and no TypeScript", () => {
  const strange = packed.files.filter((path) => !/^dist\/.*\.js$|^dist\/client\//.test(path));
  expect(strange.sort()).toEqual([
    "LICENSE",
    "README.md",
    "cli/commands/completion.bash",
    "cli/docker-credential-platform.js",
    "cli/launch.js",
    "cli/platformctl.js",
    "dist/commit.txt",
    "dist/gen/descriptors.binpb",
    "package.json",
    "schema/gen/catalog.json",
  ]);
});

test("the package is below 660 kB", () => {
  expect(packed.size).toBeLessThan(660_000);
});

test("the programs import only what is installed with the package", async () => {
  const { dependencies, peerDependencies } = packageJson();
  const there = Object.keys({ ...dependencies, ...peerDependencies });
  const programs = packed.files.filter((path) => /^dist\/[^/]+\.js$/.test(path));
  const { stdout } = await execute(
    "tar",
    ["-xzOf", packed.tarball, ...programs.map((path) => `package/${path}`)],
    { maxBuffer: 16 * 1024 * 1024 },
  );
  const imported = importsOf(stdout).filter((name) => !/^(\.|node:)/.test(name));
  const strange = imported.filter((name) => !there.some((one) => `${name}/`.startsWith(`${one}/`)));
  expect(imported.length).toBeGreaterThan(10);
  expect(strange).toEqual([]);
});

describe("installed in an empty folder,", long, () => {
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    await install();
    const organization = await newOrganization();
    const { uid, owner } = organization;
    await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "python" });
    env = { PLATFORM_STATE: await newStateFolder(organization) };
  });

  test("platformctl takes less than 13 MB with all its libraries", async () => {
    const { stdout } = await execute("du", ["-sk", join(folder, "node_modules")]);
    expect(Number.parseInt(stdout, 10)).toBeLessThan(13_000);
  });

  test("`npx platformctl` shows its help", async () => {
    const { stdout } = await execute("npx", ["--offline", "platformctl", "--help"], {
      cwd: folder,
    });
    expect(stdout).toMatch(/^Usage: platformctl/);
  });

  test("platformctl lists the repos of a platform", async () => {
    const { stdout } = await run("platformctl", ["list", "repos", "--json"], env);
    expect(JSON.parse(stdout).repos).toMatchObject([{ name: "python" }]);
  });

  test("platformctl completes names from the platform", async () => {
    const { stdout } = await run("platformctl", ["complete", "--", "get", "repo", "py"], env);
    expect(stdout).toMatch(/^python\b/);
    expect((await run("platformctl", ["completion", "bash"])).stdout).toContain("complete ");
  });

  test("docker-credential-platform lists the registries of the accounts", async () => {
    const { stdout } = await run("docker-credential-platform", ["list"], env);
    expect(JSON.parse(stdout)).toEqual(expect.any(Object));
  });

  test("keys can be created, and a bootstrap shown, without a checkout", async () => {
    expect((await run("platformctl", ["keys", "new"])).stdout).toContain("SIGNING_KEYS=");
    const first = ["--organization", "example.com", "--issuer", "https://idp.example"];
    const args = ["bootstrap", "--dry-run", ...first, "--subject", "me"];
    expect((await run("platformctl", args)).stdout).toContain("INSERT INTO groups");
  });

  test("platformctl says that you are not logged in, and does not mention a checkout", async () => {
    const { code, stderr } = await run("platformctl", ["whoami"]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: You are not logged in to http:\/\/localhost:8787\. Run: /);
  });

  const owner = [
    "--organization",
    "a.example",
    "--issuer",
    "https://idp.example",
    "--subject",
    "x",
  ];
  test.each([
    [["start"], 2, "In a checkout of Platform API, run `npm start`."],
    [["deploy"], 2, "In a checkout of Platform API, run `npm run deploy`."],
    [["preview"], 2, "In a checkout of Platform API, run `npm run preview`."],
    [["fsck", "--local"], 1, "Clone the repository of Platform API, run `npm ci` in it"],
    [["fsck", "--remote"], 1, "Clone the repository of Platform API, run `npm ci` in it"],
    [["bootstrap", "--remote", ...owner], 1, "Clone the repository of Platform API"],
    [
      ["grpc-bridge", "--bind", "1", "--upstream", "http://localhost:1"],
      1,
      /npm install @connectrpc\/connect@\d+\S+ @connectrpc\/connect-node@\d+\S+ /,
    ],
  ])("`platformctl %s` says what it requires", async ([...args], exitCode, text) => {
    const { code, stderr } = await run("platformctl", args);
    expect(stderr).toMatch(text);
    expect(code).toBe(exitCode);
  });

  test("the gRPC bridge runs once its libraries are installed", async () => {
    const there = join(folder, "node_modules/@connectrpc");
    await symlink(join(root, "node_modules/@connectrpc"), there);
    const file = join(folder, "node_modules/.bin/platformctl");
    const args = [file, "grpc-bridge", "--bind", "0", "--upstream", baseUrl()];
    const bridge = spawn(node, args, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = await once(bridge.stdout.setEncoding("utf8"), "data");
      expect(line).toContain(baseUrl());
    } finally {
      bridge.kill();
      await unlink(there);
    }
  });

  test("the client can be imported by its name", async () => {
    const text =
      'import { createClient } from "platform-api/client"; console.log(typeof createClient)';
    const args = ["--input-type=module", "--eval", text];
    expect((await execute(node, args, { cwd: folder })).stdout).toBe("function\n");
  });

  test("the version is that of the package", async () => {
    const { version } = packageJson();
    expect((await run("platformctl", ["--version"])).stdout).toMatch(
      new RegExp(`^${version.replaceAll(".", "\\.")}( \\(commit .*\\))?\n$`),
    );
  });
});
