/** `npm run new` writes a resource that is whole: in a copy of the project it is generated, compiled and checked. */
import { execFileSync } from "node:child_process";
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

const copied = ["buf.yaml", "buf.gen.yaml", "drizzle.config.ts", "package.json", "biome.json"];
const folders = ["migrations", "schema", "src", "cli", "client", "test", "site", "bench", ".ci"];
const configs = ["tsconfig.json", "tsconfig.node.json", "vitest.config.ts", "wrangler.toml"];

let folder: string;
let written: string[];
let capabilities: Capabilities;

/** A program of node_modules/.bin, or Node, in the copy; what it printed. Throws where it fails. */
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
  inCopy("biome", "format", "--write", "--vcs-enabled=false", ...code);
  inCopy("node", "schema/generate.mjs");
  const migration = await writeMigration(folder, "create_audit_policies");
  appendFileSync(join(folder, migration ?? ""), grants(capabilities));
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

test("the four files, the worker's line and the capabilities are written", () => {
  expect(written).toEqual([
    "schema/proto/platform/events/v2/audit_policies.proto",
    "schema/tables/events/audit_policies.ts",
    "src/events/audit_policies.ts",
    "test/events/audit_policies.test.ts",
    "src/events/worker.ts",
    "schema/proto/platform/capabilities/v1/capability.proto",
  ]);
  for (const path of written) {
    expect(readFileSync(join(folder, path), "utf8"), path).not.toMatch(/\{\{|\}\}\w/);
  }
  const worker = readFileSync(join(folder, "src/events/worker.ts"), "utf8");
  expect(worker).toMatch(/services = \[[^\]]*\bauditPoliciesService,/);
});

/** What the compiler says of tsconfig.own.json. */
function compiled(): string {
  try {
    return inCopy("tsc", "-p", "tsconfig.own.json");
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
  expect(inCopy("buf", "lint")).toBe("");
  expect(inCopy("buf", "format", "-d", "--exit-code", "schema/proto")).toBe("");
});

test("it lacks no piece but its lines in routes.txt, which reviewers read", () => {
  const script = `const { sourceFiles } = await import("./cli/check/files.ts");
    const { factsOf } = await import("./cli/check/resource_facts.ts");
    const { resourceBreaches } = await import("./cli/check/resources.ts");
    const root = process.cwd();
    console.log(JSON.stringify(resourceBreaches(await factsOf(root, sourceFiles(root)))));`;
  const lines: string[] = JSON.parse(inCopy("node", "--input-type=module", "--eval", script));
  expect(lines.filter((line) => !line.includes("routes.txt"))).toEqual([]);
  expect(lines).toHaveLength(5);
});

test("the built-in roles hold its capabilities: those that read may list, owner and editor do all", () => {
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

describe("a resource is refused", () => {
  test("that is there already, by its files", () => {
    expect(() => writeResource(folder, namesOf("events/subscriptions"))).toThrow(
      "src/events/subscriptions.ts",
    );
  });

  test("of a domain that has no Worker", () => {
    expect(() => writeResource(folder, namesOf("pets/cats"))).toThrow("no src/pets/worker.ts");
    expect(existsSync(join(folder, "schema/tables/pets/cats.ts"))).toBe(false);
  });

  test.each(["webhooks", "events/Webhooks", "events/webhook", "events/web-hooks", "/"])(
    "whose path is %s",
    (path) => expect(() => namesOf(path)).toThrow("is not <domain>/<resources>"),
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
