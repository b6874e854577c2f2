import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readWranglerToml } from "../../cli/cloudflare/wrangler_toml.ts";
import { newKeys, secretsOf, secretsText } from "../../cli/keys.ts";
import { migrationNames, migrationSql, recordTable } from "../../cli/migrations.ts";
import {
  type ApiAnswer,
  type ApiCall,
  type ApiReply,
  runProgram,
  startCloudflare,
  uploadedFiles,
} from "./cloudflare.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const scriptIn = (path: string) =>
  /^\/workers\/(?:scripts|services)\/([^/]+)/.exec(path)?.[1] ?? "";
const missing: ApiAnswer = { status: 404, error: { code: 10007, message: "no such Worker" } };

const service = {
  default_environment: { environment: "production", script: { last_deployed_from: "wrangler" } },
};

/** Cloudflare's Workers. It rejects a script that `broken` names. */
function workers() {
  const there = new Map<string, { secrets: string[] }>();
  const broken = new Set<string>();
  const upload = ({ path, body }: ApiCall): ApiAnswer => {
    const name = scriptIn(path);
    if (broken.has(name)) return { error: { code: 10021, message: "the script is too strange" } };
    const bindings = body.bindings as { type: string; name: string }[];
    const secrets = bindings.filter(({ type }) => type === "secret_text").map((one) => one.name);
    there.set(name, { secrets: [...new Set([...(there.get(name)?.secrets ?? []), ...secrets])] });
    const resources = { script: { etag: "e" }, script_runtime: {} };
    return { result: { id: name, etag: "e", deployment_id: "d", startup_time_ms: 1, resources } };
  };
  const replies: ApiReply[] = [
    // A new Worker is put; one that is there gets a version, which is then deployed.
    ["PUT", /^\/workers\/scripts\/[^/]+$/, upload],
    ["POST", /^\/workers\/scripts\/[^/]+\/versions$/, upload],
    ["POST", /\/deployments$/, { result: { id: "d" } }],
    [
      "GET",
      /\/secrets$/,
      ({ path }) => {
        const found = there.get(scriptIn(path));
        return found
          ? { result: found.secrets.map((name) => ({ name, type: "secret_text" })) }
          : missing;
      },
    ],
    [
      "GET",
      /^\/workers\/services\/[^/]+$/,
      ({ path }) => (there.has(scriptIn(path)) ? { result: service } : missing),
    ],
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
  return { replies, there, broken };
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

async function stage() {
  const { replies, there, broken } = workers();
  const cloudflare = await startCloudflare(replies);
  const folder = await mkdtemp(join(tmpdir(), "deploy-test-"));
  return { ...cloudflare, workers: there, broken, folder };
}

const uploads = (asked: ApiCall[]) =>
  asked.filter(({ method, path }) => method !== "GET" && /scripts\/[^/]+(\/versions)?$/.test(path));

const uploaded = (asked: ApiCall[]) => uploads(asked).map(({ path }) => scriptIn(path));

/** A binding in the upload of a Worker. */
const binding = (asked: ApiCall[], worker: string, name: string) =>
  uploads(asked)
    .findLast(({ path }) => scriptIn(path) === worker)
    ?.body.bindings.find((one: { name: string }) => one.name === name);

// Every run starts wrangler several times, a second or more each.
describe("npm run deploy", { timeout: 180_000 }, () => {
  let it: Awaited<ReturnType<typeof stage>>;
  let config: string;
  let keysFile: string;
  const run = (...args: string[]) => runProgram("deploy", args, it.env);

  beforeAll(async () => {
    it = await stage();
    const id = crypto.randomUUID();
    const { databases } = it;
    const { DatabaseSync } = await import("node:sqlite");
    databases.set(id, { name: "platform", sqlite: new DatabaseSync(":memory:") });
    const toml = await readFile(join(root, "wrangler.toml"), "utf8");
    config = join(it.folder, "wrangler.toml");
    const mine = toml.replaceAll(/0{8}-[0-]+/g, id).replaceAll("example.com", "acme.test");
    await writeFile(config, mine);
    await symlink(join(root, "site"), join(it.folder, "site"));
    await writeEmptyWorkers(config);
    keysFile = join(it.folder, "keys.env");
    await writeFile(keysFile, secretsText(secretsOf(await newKeys())));
  });
  afterAll(async () => {
    it.close();
    await rm(it.folder, { recursive: true });
  });

  test("rejects the repository's own wrangler.toml, and says what to put into it", async () => {
    const { code, err } = await run("--keys", keysFile);
    expect(code).toBe(1);
    expect(err).toMatch(/wrangler d1 create platform.*0{8}-/s);
    expect(err).toContain("still names example.com");
    expect(it.asked).toEqual([]);
  });

  test("fails without keys if the Workers have none, before anything changes", async () => {
    const { code, err } = await run("ping", "--config", config);
    expect(code).toBe(1);
    expect(err).toMatch(/platform-ping does not exist yet.*platformctl keys new/s);
    expect(it.asked.every(({ method }) => method === "GET")).toBe(true);
  });

  test("rejects the public half of the keys for a Worker that signs", async () => {
    const file = join(it.folder, "public.env");
    const keys = await newKeys();
    for (const key of keys.signingKeys.keys) delete key.d;
    await writeFile(file, secretsText(secretsOf(keys)));
    const { code, err } = await run("issuer", "ping", "--config", config, "--keys", file);
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringMatching(/these Workers sign tokens: platform-issuer/),
    });
  });

  test("rejects keys without encryption keys for a Worker that stores secrets, and says how to add one", async () => {
    const file = join(it.folder, "older.env");
    const keys = { ...(await newKeys()), encryptionKeys: [] };
    await writeFile(file, secretsText(secretsOf(keys)));
    const { code, err } = await run("iam", "ping", "--config", config, "--keys", file);
    expect(code).toBe(1);
    expect(err).toMatch(/ENCRYPTION_KEYS is missing, but these Workers need it: platform-iam/);
    expect(err).toMatch(/platformctl keys complete --from/);
    expect(it.asked.some(({ path }) => path.endsWith("/import"))).toBe(false);
  });

  test("migrates first, then deploys the Worker that reads events, and those that sign tokens last", async () => {
    it.asked.length = 0;
    const args = ["issuer", "iam", "ping", "events", "--config", config, "--keys", keysFile];
    const { code, out, err } = await run(...args);
    expect({ code, err }).toMatchObject({ code: 0 });
    const workers = ["platform-events", "platform-ping", "platform-iam", "platform-issuer"];
    expect(uploaded(it.asked)).toEqual(workers);
    const created = it.asked.findIndex(
      ({ method, path }) => `${method} ${path}` === "POST /queues",
    );
    expect(created).toBeGreaterThanOrEqual(0);
    expect(created).toBeLessThan(it.asked.indexOf(uploads(it.asked)[0] as ApiCall));
    const migrated = it.asked.findIndex(({ path }) => path.endsWith("/import"));
    expect(migrated).toBeGreaterThanOrEqual(0);
    expect(migrated).toBeLessThan(it.asked.indexOf(uploads(it.asked)[0] as ApiCall));
    const [database] = it.databases.values();
    const roles = database?.sqlite.prepare("SELECT name FROM roles WHERE name = 'owner'").all();
    expect(roles).toHaveLength(1);
    expect(out).toContain(`Deployed ${workers.join(", ")}`);
  });

  test("sends the private keys only to Workers that sign", () => {
    const keysOf = (name: string) => JSON.parse(binding(it.asked, name, "SIGNING_KEYS").text).keys;
    expect(keysOf("platform-issuer")[0]).toHaveProperty("d");
    expect(keysOf("platform-iam")[0]).toHaveProperty("d");
    expect(keysOf("platform-events")[0]).toHaveProperty("d");
    expect(keysOf("platform-ping")[0]).not.toHaveProperty("d");
    expect(keysOf("platform-ping")[0].kid).toBe(keysOf("platform-issuer")[0].kid);
    expect(binding(it.asked, "platform-ping", "PAGE_TOKEN_KEYS").text).toMatch(/^\["/);
  });

  test("sends encryption keys only to Workers that store secrets", () => {
    expect(binding(it.asked, "platform-issuer", "ENCRYPTION_KEYS").text).toMatch(
      /^\["[\w-]{43}"\]$/,
    );
    expect(binding(it.asked, "platform-ping", "ENCRYPTION_KEYS")).toBeUndefined();
  });

  test("npm run deploy sends the addresses and the database of the file to every Worker", () => {
    const [id] = it.databases.keys();
    expect(binding(it.asked, "platform-ping", "DB")).toMatchObject({ type: "d1", id });
    expect(binding(it.asked, "platform-ping", "ISSUER_URL").text).toBe("https://issuer.acme.test");
  });

  test("sends the pages with the Worker that serves them", () => {
    const pages = ["/console.html", "/docs.html", "/docs/start.html", "/openapi.json"];
    expect(uploadedFiles(it.asked, "platform-ping")).toEqual(expect.arrayContaining(pages));
    expect(binding(it.asked, "platform-ping", "ASSETS")).toMatchObject({ type: "assets" });
  });

  test("requires each Worker's own host and routes", () => {
    const bodyOf = (end: string) => it.asked.find(({ path }) => path.endsWith(end))?.body;
    expect(bodyOf("/platform-ping/domains/changeset")).toEqual([{ hostname: "api.acme.test" }]);
    expect(bodyOf("/platform-issuer/routes")).toContainEqual({ pattern: "api.acme.test/sts/*" });
  });

  test("requires no keys if the Workers have them, and applies no migration twice", async () => {
    it.asked.length = 0;
    const { code, out, err } = await run("ping", "--config", config);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain("All migrations are already applied");
    expect(it.asked.some(({ path }) => path.endsWith("/import"))).toBe(false);
    const kept = binding(it.asked, "platform-ping", "SIGNING_KEYS");
    expect(kept).toEqual({ name: "SIGNING_KEYS", type: "inherit" });
  });

  test("copies the rows of an older database between its migrations, a batch at a time", async () => {
    const [[id = "", current] = []] = it.databases;
    const names = await migrationNames();
    const older = names.findIndex((name) => name.endsWith("_create_tag_records.sql"));
    const { DatabaseSync } = await import("node:sqlite");
    const sqlite = new DatabaseSync(":memory:");
    sqlite.exec(`${recordTable};\n${await migrationSql(names.slice(0, older))}
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000)
      INSERT INTO tag_moves (repo_uid, tag, update_time, digest) SELECT 'a', 'latest', i, 'sha256:' || i FROM n`);
    it.databases.set(id, { name: current?.name ?? "", sqlite });
    it.asked.length = 0;
    const { code, out, err } = await run("ping", "--config", config);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain("Copying the history of tags: 1000 rows are left");
    expect(out).toContain(`Applied: ${names.slice(older).join(", ")}`);
    const count = "SELECT count(*) AS n, sum(update_time) AS sum FROM tag_moves";
    expect(sqlite.prepare(count).get()).toEqual({ n: 6000, sum: 6000 * 3000.5 });
    if (current) it.databases.set(id, current);
  });

  test("rejects a Worker from before there were encryption keys, and does not suggest new ones", async () => {
    it.workers.set("platform-issuer", { secrets: ["SIGNING_KEYS", "PAGE_TOKEN_KEYS"] });
    const { code, err } = await run("issuer", "ping", "--config", config);
    expect(code).toBe(1);
    expect(err).toMatch(/platform-issuer has no ENCRYPTION_KEYS.*platformctl keys complete/s);
    expect(err).not.toContain("keys new");
  });

  test("npm run deploy stops at the first failure and lists what is deployed, what is not, and the next step", async () => {
    it.broken.add("platform-advisory");
    const args = ["libraries", "advisory", "ping", "--config", config, "--keys", keysFile];
    const { code, err } = await run(...args);
    expect(code).toBe(1);
    expect(err).toMatch(
      /deployed {6}platform-libraries\n {2}not deployed {2}platform-advisory, platform-ping/,
    );
    expect(err).toContain("npm run deploy -- advisory ping");
    expect(err).toContain("the script is too strange");
  });

  test("npm run deploy of one Worker sets its own address in every variable", async () => {
    const url = "https://platform.me.workers.dev";
    const args = ["--all-in-one", "--url", url, "--config", config, "--keys", keysFile];
    expect(await run(...args)).toMatchObject({ code: 0 });
    const names = ["BASE_URL", "REGISTRY_URL", "ISSUER_URL", "AUDIENCE"];
    expect(names.map((name) => binding(it.asked, "platform", name).text)).toEqual(
      names.map(() => url),
    );
    expect(binding(it.asked, "platform", "REGISTRY_AUDIENCE").text).toBe("platform.me.workers.dev");
    expect(binding(it.asked, "platform", "ENCRYPTION_KEYS").type).toBe("secret_text");
  });

  test("a migration that takes something away from older Workers comes after all of them", async () => {
    const [[id = "", current] = []] = it.databases;
    const names = await migrationNames();
    const removals = names.filter((name) =>
      /_(replace_tags|drop_redundant_indexes)\.sql$/.test(name),
    );
    const others = names.filter((name) => !removals.includes(name));
    const { DatabaseSync } = await import("node:sqlite");
    const sqlite = new DatabaseSync(":memory:");
    sqlite.exec(`${recordTable};\n${await migrationSql(others)}`);
    it.databases.set(id, { name: current?.name ?? "", sqlite });
    it.asked.length = 0;
    const url = "https://platform.me.workers.dev";
    const args = ["--all-in-one", "--url", url, "--config", config, "--keys", keysFile];
    const { code, out, err } = await run(...args);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toContain(`After all Workers: ${removals.join(", ")}`);
    expect(out).toContain(`Applied: ${removals.join(", ")}`);
    const paths = it.asked.map(({ path }) => path);
    const migration = paths.findIndex((path) => path.endsWith("/import"));
    expect(migration).toBeGreaterThan(
      paths.findLastIndex((path) => /scripts\/platform$/.test(path)),
    );
    const applied = sqlite.prepare("SELECT count(*) AS n FROM d1_migrations").get();
    expect(applied).toEqual({ n: names.length });
    if (current) it.databases.set(id, current);
  });

  test("with --dry-run changes nothing, bundles, and prints each command", async () => {
    it.asked.length = 0;
    const { code, out } = await run("ping", "--dry-run", "--keys", keysFile);
    expect(code).toBe(0);
    expect(out).toContain("Before you deploy: ");
    expect(out).toMatch(/\$ wrangler deploy --minify .*--env=ping .*--dry-run/);
    expect(out).toContain("Total Upload:");
    expect(it.asked).toEqual([]);
  });

  test.each([
    ["an unknown domain", ["nope"], "The domains are: iam, registry"],
    ["an unknown option", ["--nope"], "Usage: npm run deploy"],
    ["one Worker without its address", ["--all-in-one"], "Use --all-in-one and --url together"],
    [
      "an address that is not an https origin",
      ["--all-in-one", "--url", "http://a.b/c"],
      "https://",
    ],
    [
      "an address of another Worker",
      ["--all-in-one", "--url", "https://x.me.workers.dev"],
      "platform.",
    ],
    ["a file of keys that does not exist", ["ping", "--keys", "/nowhere/keys.env"], "Cannot read"],
  ])("%s is a usage error", async (_, args, said) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });
});
