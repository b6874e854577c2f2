/**
 * `npm run new` writes a complete resource. A copy of the project generates, compiles and checks it.
 * @module-tag long
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { namesOf } from "../../../cli/new/names.ts";
import { writeMigration } from "../../../cli/new/write_migration.ts";
import { type Capabilities, grants, writeResource } from "../../../cli/new/write_resource.ts";
import { root } from "../command.ts";

const copied = [".gitignore", "package.json", "biome.json"];
const folders = [
  "migrations",
  "schema",
  "src",
  "cli",
  "client",
  "test",
  "site",
  "bench",
  "console",
  ".ci",
];
const configs = ["tsconfig.json", "tsconfig.node.json", "vitest.config.ts", "wrangler.toml"];

let folder: string;
let written: string[];
let capabilities: Capabilities;

/** Runs a program of node_modules/.bin, or Node, in the copy. Returns its output. Throws if it fails. */
const inCopy = (program: string, ...args: string[]) =>
  execFileSync(program, args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: join(root, "node_modules/.bin") + delimiter + process.env.PATH },
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "platform-new-"));
  for (const path of [...copied, ...folders, ...configs]) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  ({ written, capabilities } = writeResource(folder, namesOf("events/audit_policies")));
  const code = written.filter((path) => path.endsWith(".ts"));
  inCopy("biome", "format", "--write", ...code);
  inCopy("node", "schema/generate.mjs");
  const migration = await writeMigration(folder, "create_audit_policies");
  appendFileSync(join(folder, migration ?? ""), grants(capabilities));
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

test("the four files, the worker's line, the capabilities and the table of a move are written", () => {
  expect(written).toEqual([
    "schema/proto/platform/events/v2/audit_policies.proto",
    "schema/tables/events/audit_policies.ts",
    "src/events/audit_policies.ts",
    "test/events/audit_policies.test.ts",
    "src/events/worker.ts",
    "schema/proto/platform/capabilities/v1/capability.proto",
    "cli/move/tables.ts",
  ]);
  for (const path of written) {
    expect(readFileSync(join(folder, path), "utf8"), path).not.toMatch(/\{\{|\}\}\w/);
  }
  const worker = readFileSync(join(folder, "src/events/worker.ts"), "utf8");
  expect(worker).toMatch(/services = \[[^\]]*\bauditPoliciesService,/);
});

/** The paths and texts of all files that the command can write. */
const contents = () =>
  ["schema", "src", "test", "migrations", "client"]
    .flatMap((name) => readdirSync(join(folder, name), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path, "utf8")]);

test("a command that fails at its last step changes no file", {
  timeout: 60_000,
}, () => {
  const lastStep = join(folder, "schema/write_all.mjs");
  const text = readFileSync(lastStep);
  writeFileSync(lastStep, "process.exit(1);");
  const before = contents();
  const run = spawnSync("node", ["cli/new/resource.ts", "ping/probes"], {
    cwd: folder,
    encoding: "utf8",
  });
  const after = contents();
  writeFileSync(lastStep, text);
  expect(run.stderr).toContain("npm run gen failed; see above. Nothing was changed.");
  expect(run.status).toBe(1);
  expect(after).toEqual(before);
});

/** The output of the compiler for tsconfig.own.json. */
function compiled(): string {
  try {
    return inCopy("tsc", "-p", "tsconfig.own.json", "--checkers", "1");
  } catch (thrown) {
    return String((thrown as { stdout?: string }).stdout);
  }
}

test("its code compiles, in the Worker and in its test", { timeout: 120_000 }, () => {
  const own = (extended: string, include: string[]) =>
    writeFileSync(
      join(folder, "tsconfig.own.json"),
      JSON.stringify({ extends: extended, include }),
    );
  own("./tsconfig.json", ["src/events/worker.ts"]);
  expect(compiled()).toBe("");
  own("./tsconfig.node.json", ["test/world/setup.ts", "test/events/audit_policies.test.ts"]);
  expect(compiled()).toBe("");
});

test("its proto is linted and formatted", () => {
  expect(inCopy("buf", "lint", "schema")).toBe("");
  expect(inCopy("buf", "format", "-d", "--exit-code", "schema/proto")).toBe("");
});

test("a move of an organization takes its rows along", () => {
  const script = `const { pathTables } = await import("./cli/move/tables.ts");
    console.log(JSON.stringify(pathTables.at(-1)));`;
  const table = JSON.parse(inCopy("node", "--input-type=module", "--eval", script));
  expect(table).toEqual({ name: "audit_policies", path: "uid", key: ["uid"] });
});

test("it lacks only its lines in routes.txt, which reviewers read", () => {
  const script = `const { sourceFiles } = await import("./cli/check/files.ts");
    const { factsOf } = await import("./cli/check/resource_facts.ts");
    const { resourceBreaches } = await import("./cli/check/resources.ts");
    const root = process.cwd();
    console.log(JSON.stringify(resourceBreaches(await factsOf(root, sourceFiles(root)))));`;
  const lines: string[] = JSON.parse(inCopy("node", "--input-type=module", "--eval", script));
  expect(lines.filter((line) => !line.includes("routes.txt"))).toEqual([]);
  expect(lines).toHaveLength(5);
});

test("the built-in roles get its capabilities: read roles can list, and owner and editor can do everything", () => {
  using database = new DatabaseSync(":memory:");
  const migrations = join(folder, "migrations");
  for (const name of readdirSync(migrations)
    .filter((one) => one.endsWith(".sql"))
    .sort()) {
    database.exec(readFileSync(join(migrations, name), "utf8"));
  }
  const held = (role: string) => {
    const row = database.prepare("SELECT capabilities FROM roles WHERE name = ?").get(role);
    const all: number[] = JSON.parse(String(row?.capabilities));
    expect(all).toEqual(all.toSorted((a, b) => a - b));
    return all.filter((one) => Object.values(capabilities).includes(one));
  };
  const all = Object.values(capabilities).sort((a, b) => a - b);
  expect([held("owner"), held("editor")]).toEqual([all, all]);
  expect(held("viewer")).toEqual([capabilities.list]);
  expect(held("registry.pull")).toEqual([]);
});

test("the comments of a resource whose name begins with a vowel have the right article", () => {
  const proto = readFileSync(join(folder, written[0] ?? ""), "utf8");
  expect(proto).toContain("// An audit policy of a group.");
  expect(proto).toContain("// Creates an audit policy in a group.");
});

describe("a resource is rejected", () => {
  test("if it exists already, by its files", () => {
    expect(() => writeResource(folder, namesOf("events/subscriptions"))).toThrow(
      "schema/proto/platform/events/v2/subscriptions.proto",
    );
  });

  test("in a domain without a Worker", () => {
    expect(() => writeResource(folder, namesOf("pets/cats"))).toThrow(
      "pets is not a domain with services. Use one of advisory, events, iam, issuer, libraries, ping,",
    );
    expect(existsSync(join(folder, "schema/tables/pets/cats.ts"))).toBe(false);
  });

  test("in a Worker without services, and nothing is written", () => {
    const refused = () => writeResource(folder, namesOf("distribution/mirrors"));
    expect(refused).toThrow("distribution is not a domain with services");
    expect(existsSync(join(folder, "src/distribution/mirrors.ts"))).toBe(false);
  });

  test.each([
    "webhooks",
    "events/Webhooks",
    "events/webhook",
    "events/status",
    "events/web-hooks",
    "/",
  ])("if its path is %s", (path) =>
    expect(() => namesOf(path)).toThrow("Write <domain>/<resources>"),
  );
});

test.each([
  ["events/webhooks", "webhook", "Webhook"],
  ["iam/audit_policies", "audit_policy", "AuditPolicy"],
  ["registry/mirror_addresses", "mirror_address", "MirrorAddress"],
  ["registry/patches", "patch", "Patch"],
])("one of %s is a %s", (path, snake, Kind) => {
  expect(namesOf(path)).toMatchObject({ snake, Kind });
});
