/** `npm run gen` in a copy of its sources, so that a test can make it fail. */

import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { long } from "../world/tiers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const made = ["schema/gen", "schema/third_party/buf", "client/gen"];

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "platform-generate-"));
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
});

afterAll(() => rm(project, { recursive: true, force: true }));

beforeEach(async () => {
  await rm(join(project, "schema"), { recursive: true, force: true });
  for (const path of ["package.json", "schema", "client/gen"]) {
    cpSync(join(root, path), join(project, path), { recursive: true });
  }
});

/** Runs the generator. `during` is called once it writes. */
async function generate(during?: (group: number) => void) {
  const child = spawn(process.execPath, ["schema/generate.mjs"], { cwd: project, detached: true });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (bytes: Buffer) => {
      text += bytes;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  while (during && child.exitCode === null) {
    const copy = readdirSync(project).find((name) => name.startsWith(".generating-"));
    if (copy && child.pid !== undefined && existsSync(join(project, copy, "schema/gen"))) {
      during(child.pid);
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { code: await ended, text };
}

/** Every generated file with its bytes. */
function outcome(): Map<string, string> {
  const paths = made.flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" }).map((path) =>
      join(project, folder, path),
    ),
  );
  const files = paths.filter((path) => statSync(path).isFile());
  return new Map(files.map((path) => [path, readFileSync(path, "latin1")]));
}

function expectNothingElse() {
  const names = [".", "schema", "client"].flatMap((folder) => readdirSync(join(project, folder)));
  expect(names.filter((name) => /generating|before/.test(name))).toEqual([]);
}

test("the generated files equal the committed ones, without additional ones", long, async () => {
  const before = outcome();
  await rm(join(project, "schema/gen"), { recursive: true });
  await rm(join(project, "client/gen/operations.ts"));
  expect(await generate()).toMatchObject({ code: 0 });
  expect(outcome()).toEqual(before);
  expectNothingElse();
});

test("a proto that does not compile changes nothing", async () => {
  const before = outcome();
  appendFileSync(join(project, "schema/proto/platform/ping/ping.proto"), "message {\n");
  const { code, text } = await generate();
  expect(code).toBe(2);
  expect(text).toMatch(/ping\.proto:\d+:\d+:/);
  expect(text).toMatch(/Nothing is changed: schema\/gen, schema\/third_party\/buf, client\/gen/);
  expect(outcome()).toEqual(before);
  expectNothingElse();
});

test("a writer that fails after buf has written changes nothing", long, async () => {
  const before = outcome();
  appendFileSync(join(project, "schema/scim/write.ts"), "\nundefined.failed;\n");
  const { code, text } = await generate();
  expect(code).toBe(1);
  expect(text).toMatch(/TypeError: .*\n\s+at /);
  expect(outcome()).toEqual(before);
  expectNothingElse();
});

test("an interrupt during the write changes nothing", long, async () => {
  const before = outcome();
  const { code } = await generate((pid) => process.kill(-pid, "SIGINT"));
  expect(code).not.toBe(0);
  expect(outcome()).toEqual(before);
  expectNothingElse();
});

test("a missing reason is named with its file and key, without a stack", long, async () => {
  const before = outcome();
  const path = join(project, "schema/openapi/reasons.ts");
  const text = readFileSync(path, "utf8").replace('"Roles", "DeleteRole"', '"Roles"');
  await rm(path);
  appendFileSync(path, text);
  const answer = await generate();
  expect(answer.code).toBe(3);
  expect(answer.text).toMatch(
    /^schema\/openapi\/reasons\.ts: preconditionReasons has no entry iam\.v2\.RolesService\/DeleteRole, and the comment of that RPC says FAILED_PRECONDITION\. Add the entry/m,
  );
  expect(answer.text).not.toMatch(/^\s+at /m);
  expect(outcome()).toEqual(before);
  expectNothingElse();
});
