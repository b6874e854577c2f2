/** `npm run deploy` with a wrangler that the test plays, and once with the real one. */

import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readWranglerToml } from "../../cli/cloudflare/wrangler_toml.ts";
import { deploy } from "../../cli/deploy.ts";
import { newKeys, secretsOf, secretsText } from "../../cli/keys.ts";
import { migrationNames, migrationSql, recordTable } from "../../cli/migrations.ts";
import { domains } from "../../schema/deployment/workers.ts";
import { long } from "../world/tiers.ts";
import {
  type ApiAnswer,
  type ApiCall,
  type ApiReply,
  runProgram,
  startCloudflare,
  uploadedFiles,
} from "./cloudflare.ts";
import { root } from "./command.ts";
import { laterFolder } from "./later_migrations.ts";
import { newWrangler, ranWith, type WranglerCall } from "./wrangler.ts";

/** The folder of a wrangler.toml that names a database and a domain, and of keys. */
async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), "deploy-test-"));
  const id = crypto.randomUUID();
  const toml = await readFile(join(root, "wrangler.toml"), "utf8");
  const config = join(folder, "wrangler.toml");
  const mine = toml.replaceAll(/0{8}-[0-]+/g, id).replaceAll("example.com", "acme.test");
  await writeFile(config, mine);
  const keysFile = join(folder, "keys.env");
  await writeFile(keysFile, secretsText(secretsOf(await newKeys())));
  return { folder, config, keysFile, id };
}

let files: Awaited<ReturnType<typeof newFolder>>;
beforeAll(async () => {
  files = await newFolder();
});
afterAll(() => rm(files.folder, { recursive: true }));

const envOf = ({ args }: WranglerCall) =>
  args.find((one) => one.startsWith("--env="))?.slice("--env=".length) ?? "";

/** An account with these Workers by their environments, each with the names of its secrets. */
function newAccount(workers: Record<string, string[]> = {}, broken?: string) {
  const wrangler = newWrangler({
    "secret list": (call) => {
      const secrets = workers[envOf(call)];
      return secrets
        ? { out: JSON.stringify(secrets.map((name) => ({ name }))) }
        : { code: 1, err: "no such Worker [code: 10007]" };
    },
    deploy: (call) => (envOf(call) === broken ? { code: 1 } : undefined),
  });
  return {
    ...wrangler,
    deploy: (...args: string[]) => ranWith(wrangler, deploy, [...args, "--config", files.config]),
    deployWith: (migrations: string, args: string[]) =>
      ranWith({ ...wrangler, migrations }, deploy, [...args, "--config", files.config]),
    deployed: () => wrangler.callsOf("deploy").map(envOf),
    secretsOf: (env: string) =>
      wrangler.callsOf("deploy").findLast((call) => envOf(call) === env)?.secrets ?? {},
  };
}

const withKeys = (...args: string[]) => [...args, "--keys", files.keysFile];

describe("before it changes anything, npm run deploy rejects", () => {
  /** The commands that an account has received, without those that only read. */
  const changes = ({ calls }: { calls: WranglerCall[] }) =>
    calls.filter(({ args }) => !args.join(" ").startsWith("secret list"));

  test("the repository's own wrangler.toml, and says what to put into it", async () => {
    const account = newAccount();
    const { code, err } = await ranWith(account, deploy, withKeys());
    expect(code).toBe(1);
    expect(err).toMatch(/wrangler d1 create platform.*0{8}-/s);
    expect(err).toContain("still names example.com");
    expect(account.calls).toEqual([]);
  });

  test("no keys if the Workers have none", async () => {
    const account = newAccount();
    const { code, err } = await account.deploy("ping");
    expect(code).toBe(1);
    expect(err).toMatch(/platform-ping does not exist yet.*platformctl keys new/s);
    expect(changes(account)).toEqual([]);
  });

  test("the public half of the keys for a Worker that signs", async () => {
    const file = join(files.folder, "public.env");
    const keys = await newKeys();
    for (const key of keys.signingKeys.keys) delete key.d;
    await writeFile(file, secretsText(secretsOf(keys)));
    const { code, err } = await newAccount().deploy("issuer", "ping", "--keys", file);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/these Workers sign tokens: platform-issuer/),
    });
  });

  test("keys without encryption keys for a Worker that stores secrets, and says how to add one", async () => {
    const file = join(files.folder, "older.env");
    const keys = { ...(await newKeys()), encryptionKeys: [] };
    await writeFile(file, secretsText(secretsOf(keys)));
    const account = newAccount();
    const { code, err } = await account.deploy("iam", "ping", "--keys", file);
    expect(code).toBe(1);
    expect(err).toMatch(/ENCRYPTION_KEYS is missing, but these Workers need it: platform-iam/);
    expect(err).toMatch(/platformctl keys complete --keys/);
    expect(changes(account)).toEqual([]);
  });

  test("a Worker from before there were encryption keys, and does not suggest new ones", async () => {
    const account = newAccount({
      issuer: ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"],
      ping: ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"],
    });
    const { code, err } = await account.deploy("issuer", "ping");
    expect(code).toBe(1);
    expect(err).toMatch(/platform-issuer has no ENCRYPTION_KEYS.*platformctl keys complete/s);
    expect(err).not.toContain("keys new");
  });
});

test("all Workers are deployed after the migrations, the one that reads events first, and those that sign tokens last", async () => {
  const account = newAccount();
  const { code, out, err } = await account.deploy(...withKeys());
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const steps = account.calls.map(({ args }) => args.slice(0, 2).join(" "));
  const before = steps.slice(0, steps.indexOf("deploy --minify"));
  expect(before).toEqual([
    ...[
      "d1 execute",
      "d1 execute",
      "queues info",
      "queues create",
      "queues info",
      "queues create",
      "r2 bucket",
    ],
  ]);
  const order = account.deployed();
  expect(order.toSorted()).toEqual(Object.keys(domains).toSorted());
  expect(order[0]).toBe("events");
  expect(order.slice(-4)).toEqual(["iam", "distribution", "issuer", "mcp"]);
  expect(account.callsOf("deploy")[0]?.args).toEqual([
    ...["deploy", "--minify", "--config", files.config, "--env=events"],
    ...["--secrets-file", expect.any(String)],
  ]);
  const roles = account.databases
    .get("DB")
    ?.sqlite.prepare("SELECT name FROM roles WHERE name = 'owner'");
  expect(roles?.all()).toHaveLength(1);
  expect(out).toContain(`Deployed ${order.map((env) => `platform-${env}`).join(", ")}`);
});

test("private keys go only to Workers that sign, and encryption keys only to those that store secrets", async () => {
  const account = newAccount();
  await account.deploy(...withKeys());
  const signs = (env: string) =>
    "d" in JSON.parse(account.secretsOf(env).SIGNING_KEYS ?? "{}").keys[0];
  expect(account.deployed().filter(signs)).toEqual(["events", "iam", "distribution", "issuer"]);
  const seals = account.deployed().filter((env) => account.secretsOf(env).ENCRYPTION_KEYS);
  expect(seals.toSorted()).toEqual(
    Object.keys(domains)
      .filter((env) => domains[env]?.seals)
      .toSorted(),
  );
  for (const env of account.deployed())
    expect(account.secretsOf(env).PAGE_TOKEN_KEYS).toMatch(/^\["/);
});

test("no keys are needed if the Workers have them, and no migration is applied twice", async () => {
  const account = newAccount({ ping: ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"] });
  expect(await account.deploy("ping")).toMatchObject({ code: 0 });
  account.calls.length = 0;
  const { code, out, err } = await account.deploy("ping");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("All migrations are already applied");
  expect(account.calls.filter(({ args }) => args.includes("--file"))).toEqual([]);
  expect(account.callsOf("deploy")).toMatchObject([{ secrets: undefined }]);
});

/** An account with a database that this checkout has migrated, and deployments with the migrations of a later version. */
async function accountBefore() {
  const account = newAccount({ ping: ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"] });
  const sqlite = new DatabaseSync(":memory:");
  sqlite.exec(`${recordTable};\n${await migrationSql(await migrationNames())}`);
  sqlite.exec(
    "INSERT INTO groups (uid, name, create_time, update_time) VALUES ('a', 'kept', 1, 1)",
  );
  account.databases.set("DB", { id: files.id, sqlite });
  const migrations = await laterFolder();
  return { ...account, sqlite, migrations };
}

test("npm run deploy stops at the first failure and lists what is deployed, what is not, and the next step", async () => {
  const account = newAccount({}, "advisory");
  const { code, err } = await account.deploy(...withKeys("libraries", "advisory", "ping"));
  expect(code).toBe(1);
  expect(err).toMatch(
    /deployed {6}platform-libraries\n {2}not deployed {2}platform-advisory, platform-ping/,
  );
  expect(err).toContain("npm run deploy -- advisory ping");
  expect(account.deployed()).toEqual(["libraries", "advisory"]);
});

const url = "https://platform.me.workers.dev";

test("npm run deploy of one Worker sets its own address in every variable", async () => {
  const account = newAccount();
  const args = withKeys("--all-in-one", "--url", url);
  expect(await account.deploy(...args)).toMatchObject({ code: 0 });
  const names = ["BASE_URL", "REGISTRY_URL", "ISSUER_URL", "AUDIENCE"];
  expect(account.callsOf("deploy").map((call) => call.args)).toEqual([
    [
      ...["deploy", "--minify", "--config", files.config, "--env="],
      ...names.flatMap((name) => ["--var", `${name}:${url}`]),
      ...["--var", "REGISTRY_AUDIENCE:platform.me.workers.dev"],
      ...["--secrets-file", expect.any(String)],
    ],
  ]);
  expect(account.secretsOf("")).toHaveProperty("ENCRYPTION_KEYS");
});

test("a migration that takes something away from older Workers comes after all of them, and rows remain", async () => {
  const account = await accountBefore();
  const args = withKeys("--all-in-one", "--url", url);
  const { code, out, err } = await account.deployWith(account.migrations, args);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("After all Workers: 9999_drop_acceptances.sql");
  const kinds = account.calls.flatMap(({ args }) => {
    if (args[0] === "deploy") return ["Workers"];
    return args.includes("--file") ? ["migration"] : [];
  });
  expect(kinds).toEqual(["migration", "Workers", "migration"]);
  expect(account.sqlite.prepare("SELECT name, color FROM groups").all()).toEqual([
    { name: "kept", color: "grey" },
  ]);
  const left = "SELECT name FROM sqlite_schema WHERE name = 'terms_acceptances'";
  expect(account.sqlite.prepare(left).all()).toEqual([]);
});

test("such a migration waits while only some Workers are deployed", async () => {
  const account = await accountBefore();
  const { out } = await account.deployWith(account.migrations, ["ping"]);
  expect(out).toContain("Applied: 9998_add_color.sql");
  expect(out).toContain("The last migrations wait for `npm run deploy` of all Workers.");
  expect(account.sqlite.prepare("SELECT count(*) AS n FROM terms_acceptances").get()).toEqual({
    n: 0,
  });
});

test("a database of an unreleased version is not changed", async () => {
  const account = await accountBefore();
  account.sqlite.exec("UPDATE d1_migrations SET name = '0000_create_tables.sql'");
  const { code, err } = await account.deploy("ping");
  expect([code, account.callsOf("deploy")]).toEqual([1, []]);
  expect(err).toContain("was made by an unreleased version of the platform, and was not changed");
});

test("with --dry-run changes nothing, bundles, and prints each command", async () => {
  const wrangler = newWrangler();
  const { code, out } = await ranWith(wrangler, deploy, withKeys("ping", "--dry-run"));
  expect(code).toBe(0);
  expect(out).toContain("Before you deploy: ");
  expect(out).toMatch(/\$ wrangler deploy --minify .*--env=ping .*--dry-run/);
  expect(wrangler.calls.map(({ args }) => [args[0], args.at(-1)])).toEqual([
    ["deploy", "--dry-run"],
  ]);
});

test.each([
  ["an unknown domain", ["nope"], "The domains are: iam, registry"],
  ["an unknown option", ["--nope"], "Usage: npm run deploy"],
  ["one Worker without its address", ["--all-in-one"], "Use --all-in-one and --url together"],
  ["an address that is not an https origin", ["--all-in-one", "--url", "http://a.b/c"], "https://"],
  [
    "an address of another Worker",
    ["--all-in-one", "--url", "https://x.me.workers.dev"],
    "platform.",
  ],
  ["a file of keys that does not exist", ["ping", "--keys", "/nowhere/keys.env"], "Cannot read"],
])("%s is a usage error", async (_, args, said) => {
  const { code, err } = await ranWith(newAccount(), deploy, args);
  expect(code).toBe(2);
  expect(err).toContain(said);
});

const scriptIn = (path: string) =>
  /^\/workers\/(?:scripts|services)\/([^/]+)/.exec(path)?.[1] ?? "";

/** Cloudflare's Workers. There is none at first. */
function workers(): ApiReply[] {
  const missing: ApiAnswer = { status: 404, error: { code: 10007, message: "no such Worker" } };
  const upload = ({ path }: ApiCall): ApiAnswer => {
    const name = scriptIn(path);
    const resources = { script: { etag: "e" }, script_runtime: {} };
    return { result: { id: name, etag: "e", deployment_id: "d", startup_time_ms: 1, resources } };
  };
  return [
    ["PUT", /^\/workers\/scripts\/[^/]+$/, upload],
    ["POST", /\/deployments$/, { result: { id: "d" } }],
    ["GET", /\/secrets$/, missing],
    ["GET", /^\/workers\/services\/[^/]+$/, missing],
    ["GET", /\/deployments$/, { result: { deployments: [] } }],
    ["GET", /\/settings$/, missing],
    ["PATCH", /\/script-settings$/, { result: {} }],
    ["GET", /^\/workers\/workers\/[^/]+$/, { result: { subdomain: { enabled: false } } }],
    ["GET", /\/subdomain$/, { result: { enabled: false, subdomain: "me" } }],
    ["POST", /\/subdomain$/, { result: { enabled: true, previews_enabled: true } }],
    ["PUT", /\/routes$/, { result: [] }],
    ["POST", /\/domains\/changeset$/, { result: { added: [], updated: [], conflicting: [] } }],
    ["PUT", /\/domains\/records$/, { result: [] }],
  ];
}

/** Writes an empty Worker for each one in a wrangler.toml, because no one runs what is uploaded. */
async function writeEmptyWorkers(config: string): Promise<void> {
  const toml = readWranglerToml(config);
  for (const { main } of [toml, ...Object.values(toml.env)]) {
    const file = join(dirname(config), main);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "export default {};\n");
  }
}

describe("with the real wrangler, npm run deploy", { ...long, timeout: 180_000 }, () => {
  let it: Awaited<ReturnType<typeof startCloudflare>>;
  let done: Awaited<ReturnType<typeof runProgram>>;
  /** A binding in the upload of a Worker. */
  const binding = (worker: string, name: string) =>
    it.asked
      .find(({ method, path }) => method === "PUT" && path === `/workers/scripts/${worker}`)
      ?.body.bindings.find((one: { name: string }) => one.name === name);

  beforeAll(async () => {
    it = await startCloudflare(workers());
    it.databases.set(files.id, { name: "platform", sqlite: new DatabaseSync(":memory:") });
    await symlink(join(root, "site"), join(files.folder, "site"));
    await writeEmptyWorkers(files.config);
    const args = withKeys("issuer", "ping", "--config", files.config);
    done = await runProgram("deploy", args, it.env);
  }, 180_000);
  afterAll(() => it.close());

  test("migrates the database, creates the queue, and deploys the Workers", () => {
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain("Deployed platform-ping, platform-issuer");
    const at = (end: RegExp) =>
      it.asked.findIndex(({ method, path }) => end.test(`${method} ${path}`));
    const order = [/^POST .*\/import$/, /^POST \/queues$/, /^PUT .*\/platform-ping$/];
    const places = [...order, /^PUT .*\/platform-issuer$/].map(at);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    const [database] = it.databases.values();
    const roles = database?.sqlite.prepare("SELECT name FROM roles WHERE name = 'owner'").all();
    expect(roles).toHaveLength(1);
  });

  test("sends the keys of each Worker as secrets", () => {
    const keysOf = (name: string) => JSON.parse(binding(name, "SIGNING_KEYS").text).keys;
    expect(binding("platform-issuer", "SIGNING_KEYS").type).toBe("secret_text");
    expect(keysOf("platform-issuer")[0]).toHaveProperty("d");
    expect(keysOf("platform-ping")[0]).not.toHaveProperty("d");
    expect(keysOf("platform-ping")[0].kid).toBe(keysOf("platform-issuer")[0].kid);
    expect(binding("platform-issuer", "ENCRYPTION_KEYS").text).toMatch(/^\["[\w-]{43}"\]$/);
    expect(binding("platform-ping", "ENCRYPTION_KEYS")).toBeUndefined();
  });

  test("sends the addresses and the database of the file to every Worker", () => {
    expect(binding("platform-ping", "DB")).toMatchObject({ type: "d1", id: files.id });
    expect(binding("platform-ping", "ISSUER_URL").text).toBe("https://issuer.acme.test");
  });

  test("sends the pages with the Worker that serves them", () => {
    const pages = ["/console.html", "/docs.html", "/docs/start.html", "/openapi.json"];
    expect(uploadedFiles(it.asked, "platform-ping")).toEqual(expect.arrayContaining(pages));
    expect(binding("platform-ping", "ASSETS")).toMatchObject({ type: "assets" });
  });

  test("requires each Worker's own host and routes", () => {
    const bodyOf = (end: string) => it.asked.find(({ path }) => path.endsWith(end))?.body;
    expect(bodyOf("/platform-ping/domains/changeset")).toEqual([{ hostname: "api.acme.test" }]);
    expect(bodyOf("/platform-issuer/routes")).toContainEqual({ pattern: "api.acme.test/sts/*" });
  });
});
