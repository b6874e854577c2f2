/** `npm run preview` with a wrangler that the test plays, and once with the real one. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { previewName } from "../../cli/cloudflare/branch_name.ts";
import { newKeys, secretsOf, secretsText } from "../../cli/keys.ts";
import { migrationNames } from "../../cli/migrations.ts";
import { preview } from "../../cli/preview.ts";
import type { ProcessResult } from "../../cli/wrangler.ts";
import { long } from "../world/tiers.ts";
import {
  type ApiAnswer,
  type ApiReply,
  runProgram,
  startCloudflare,
  uploadedFiles,
} from "./cloudflare.ts";
import { newWrangler, ranWith } from "./wrangler.ts";

const name = "feature-sign-in";
const database = `platform-preview-${name}`;
const hostOf = (name: string) => `${name}-platform.me.workers.dev`;
const url = `https://${hostOf(name)}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "preview-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** An account without previews. `answer` is what wrangler says about the next ones, while it is set. */
function newAccount() {
  const mood: { answer?: Partial<ProcessResult> } = {};
  const made = { preview: { urls: [`${url}/`] } };
  const wrangler = newWrangler({
    "preview delete": () => mood.answer,
    preview: () => mood.answer ?? { out: JSON.stringify(made) },
  });
  const run = (...args: string[]) =>
    ranWith(wrangler, preview, ["--name", "Feature/Sign_in", ...args], { PLATFORM_STATE: folder });
  return { ...wrangler, mood, preview: run };
}

const words = ({ args }: { args: string[] }) => args.slice(0, 3).join(" ");

test("a preview is deployed in order: database, bucket, migrations, and twice for its address", async () => {
  const account = newAccount();
  const { code, out } = await account.preview();
  expect(code).toBe(0);
  expect(account.calls.map(words)).toEqual([
    ...["d1 list --json", `d1 create ${database}`],
    ...["r2 bucket create", "r2 bucket lifecycle"],
    ...["d1 execute DB", "d1 execute DB", "preview --name feature-sign-in"],
    "preview --name feature-sign-in",
  ]);
  const config = join(folder, "previews", name, "wrangler.json");
  expect(account.callsOf("r2 bucket lifecycle")[0]?.args).toEqual([
    ...["r2", "bucket", "lifecycle", "add", "platform-blobs-preview", "old-images"],
    ...["--expire-days", "90", "--force", "--config", config],
  ]);
  expect(account.callsOf("preview").at(-1)?.args).toEqual([
    ...["preview", "--name", name, "--json", "--secrets-file", expect.any(String)],
    ...["--config", config],
  ]);
  expect(out).toContain(`Preview   ${url}`);
  expect(out).toContain(`bootstrap --remote --database ${database}`);
});

test("its configuration has its database, the bucket of previews, and its own address in every variable", async () => {
  const account = newAccount();
  await account.preview();
  const { main, previews } = JSON.parse(account.callsOf("preview").at(-1)?.config ?? "{}");
  expect(main).toMatch(/^\/.*platform\.ts$/);
  expect(previews).toMatchObject({
    d1_databases: [{ binding: "DB", database_name: database, database_id: expect.any(String) }],
    r2_buckets: [{ bucket_name: "platform-blobs-preview" }],
    vars: {
      ...{ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url, AUDIENCE: url, VENDOR: "vendor" },
      REGISTRY_AUDIENCE: hostOf(name),
    },
  });
});

test("is updated in place by a second run: same data, one deployment, and an encryption key if it has none", async () => {
  const account = newAccount();
  await account.preview();
  const [first] = account.callsOf("preview");
  const file = join(folder, "previews", name, "keys.env");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/^ENCRYPTION_KEYS=.*\n/m, ""));
  account.calls.length = 0;
  const again = await account.preview("--json");
  expect(again).toMatchObject({ code: 0 });
  expect(JSON.parse(again.out)).toEqual({ name, url, database });
  expect(account.calls.map(words)).toEqual([
    ...["d1 list --json", "r2 bucket create", "d1 execute DB", "preview --name feature-sign-in"],
  ]);
  const kept = await readFile(file, "utf8");
  expect(kept).toContain(text.split("\n")[0]);
  expect(kept).toMatch(/^ENCRYPTION_KEYS='\["[\w-]{43}"\]'$/m);
  const [, key] = /^ENCRYPTION_KEYS='(.*)'$/m.exec(kept) ?? [];
  const [second] = account.callsOf("preview");
  expect(second?.secrets).toEqual({ ...first?.secrets, ENCRYPTION_KEYS: key });
});

test("rejects given keys without encryption keys, before it calls Cloudflare", async () => {
  const account = newAccount();
  const file = join(folder, "older.env");
  const keys = { ...(await newKeys()), encryptionKeys: [] };
  await writeFile(file, secretsText(secretsOf(keys)));
  const { code, err } = await account.preview("--keys", file);
  expect(code).toBe(2);
  expect(err).toMatch(/ENCRYPTION_KEYS in .*older.env is missing.*keys complete/);
  expect(account.calls).toEqual([]);
});

test("sends the previous keys, and fails with Cloudflare's text if it rejects the upload", async () => {
  const account = newAccount();
  await account.preview();
  account.mood.answer = { code: 1, err: "the script is too strange" };
  const { code, err, out } = await account.preview();
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/the preview was not deployed.*the script is too strange/s);
  const sent = account.callsOf("preview").map(({ secrets }) => secrets);
  expect(sent.at(-1)).toEqual(sent[0]);
});

test("fails without an address, and says where to enable addresses", async () => {
  const account = newAccount();
  account.mood.answer = { out: JSON.stringify({ preview: { urls: [] } }) };
  const { code, err } = await account.preview();
  expect(code).toBe(1);
  expect(err).toMatch(/has no address.*Preview URLs/s);
});

test("is deleted with its database, and a second deletion succeeds", async () => {
  const account = newAccount();
  await account.preview();
  account.calls.length = 0;
  expect(await account.preview("--delete")).toMatchObject({ code: 0 });
  expect(account.calls.map(words)).toEqual([
    ...["preview delete --name", "d1 list --json", `d1 delete ${database}`],
  ]);
  account.mood.answer = { code: 1, err: "no such preview [code: 10025]" };
  expect(await account.preview("--delete")).toMatchObject({ code: 0 });
  account.mood.answer = { code: 1, err: "not logged in" };
  expect(await account.preview("--delete")).toMatchObject({ code: 1 });
});

test("a wrong option is a usage error", async () => {
  const { code, err } = await runProgram("preview", ["--nope"], {});
  expect(code).toBe(2);
  expect(err).toContain("Usage: npm run preview");
});

const missing = (code: number): ApiAnswer => ({
  status: 404,
  error: { code, message: "not found" },
});

/** Cloudflare's preview API, as far as one Worker needs it. */
function previews(): ApiReply[] {
  const there = new Map<string, { id: string; name: string; slug: string }>();
  const nameIn = (path: string) => path.split("/")[5] ?? "";
  const shown = (name: string): ApiAnswer => {
    const found = there.get(name);
    return found ? { result: { ...found, urls: [`https://${hostOf(name)}`] } } : missing(10025);
  };
  return [
    [
      "POST",
      /previews$/,
      ({ body: { name } }) => {
        there.set(name, { id: `id-of-${name}`, name, slug: name });
        return shown(name);
      },
    ],
    ["GET", /previews\/[^/]+$/, ({ path }) => shown(nameIn(path))],
    ["PATCH", /previews\/[^/]+$/, ({ path }) => shown(nameIn(path))],
    ["GET", /deployments\/latest$/, missing(10222)],
    ["POST", /deployments$/, { result: { id: "d1", urls: [], env: {} } }],
  ];
}

describe("with the real wrangler", { timeout: 180_000, ...long }, () => {
  let it: Awaited<ReturnType<typeof startCloudflare>>;
  let state: string;
  let first: Awaited<ReturnType<typeof runProgram>>;
  const sent = () => it.asked.filter(({ path }) => path.endsWith("/deployments"));

  beforeAll(async () => {
    it = await startCloudflare(previews());
    state = await mkdtemp(join(tmpdir(), "preview-test-"));
    const env = { ...it.env, PLATFORM_STATE: state };
    first = await runProgram("preview", ["--name", "Feature/Sign_in"], env);
  }, 180_000);
  afterAll(async () => {
    it.close();
    await rm(state, { recursive: true });
  });

  test("a preview prints its address, its database and the first commands", () => {
    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toContain(`Preview   https://${hostOf(name)}`);
    expect(first.out).toContain("bootstrap --remote --database platform-preview-feature-sign-in");
  });

  test("is named after the branch, in letters that a host name allows", () => {
    const made = it.asked.find(
      ({ method, path }) => method === "POST" && path.endsWith("/previews"),
    );
    expect(made).toMatchObject({ body: { name: "feature-sign-in" } });
    expect(made?.path).toBe("/workers/workers/platform/previews");
  });

  test("has its own database, with every migration applied and recorded", async () => {
    const [[id, database] = []] = [...it.databases];
    expect(it.databases.size).toBe(1);
    expect(database?.name).toBe("platform-preview-feature-sign-in");
    const applied = database?.sqlite.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
    expect(applied?.map(({ name }) => name)).toEqual(await migrationNames());
    expect(
      database?.sqlite.prepare("SELECT name FROM roles WHERE name = 'owner'").all(),
    ).toHaveLength(1);
    for (const { body } of sent()) {
      expect(body.env.DB).toMatchObject({ type: "d1", database_id: id });
    }
  });

  test("stores images in the bucket of all previews, which deletes old ones", () => {
    const made = it.asked.filter(({ method, path }) => method === "POST" && path === "/r2/buckets");
    expect(made.map(({ body }) => body.name)).toEqual(["platform-blobs-preview"]);
    const rules = it.asked.filter(
      ({ method, path }) => method === "PUT" && /lifecycle$/.test(path),
    );
    expect(rules.map(({ path }) => path)).toEqual(["/r2/buckets/platform-blobs-preview/lifecycle"]);
    const [rule] = rules[0]?.body.rules ?? [];
    expect(rule).toMatchObject({
      enabled: true,
      deleteObjectsTransition: { condition: { type: "Age", maxAge: 90 * 24 * 60 * 60 } },
    });
    for (const { body } of sent()) {
      expect(body.env.BLOBS).toMatchObject({
        type: "r2_bucket",
        bucket_name: "platform-blobs-preview",
      });
    }
  });

  test("a preview is deployed with its own address in every variable", () => {
    const { env } = sent().at(-1)?.body ?? {};
    const url = { type: "plain_text", text: `https://${hostOf(name)}` };
    expect(env).toMatchObject({ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url, AUDIENCE: url });
    expect(env.REGISTRY_AUDIENCE.text).toBe(hostOf(name));
    expect(env.VENDOR.text).toBe("vendor");
  });

  test("a preview serves the pages of the site", () => {
    const { env } = sent().at(-1)?.body ?? {};
    const pages = ["/console.html", "/docs.html", "/docs/start.html", "/openapi.json"];
    expect(uploadedFiles(it.asked, "platform")).toEqual(expect.arrayContaining(pages));
    expect(env.ASSETS).toMatchObject({ type: "assets" });
  });

  test("has its own keys, which sign, as secrets", () => {
    const { env } = sent().at(-1)?.body ?? {};
    expect(env.SIGNING_KEYS.type).toBe("secret_text");
    expect(JSON.parse(env.SIGNING_KEYS.text).keys[0]).toHaveProperty("d");
    expect(JSON.parse(env.PAGE_TOKEN_KEYS.text)[0]).toMatch(/^[\w-]{43}$/);
    expect(env.ENCRYPTION_KEYS.type).toBe("secret_text");
    expect(JSON.parse(env.ENCRYPTION_KEYS.text)[0]).toMatch(/^[\w-]{43}$/);
  });
});

describe("the name of a preview", () => {
  test.each([
    ["main", "main"],
    ["Feature/Sign_in", "feature-sign-in"],
    ["--fix--", "fix"],
    ["123-numbers", "b-123-numbers"],
    ["dependabot/npm_and_yarn/vite-7.1", "dependabot-npm-and-yarn-vite-7-1"],
  ])("of %s is %s", (branch, name) => expect(previewName(branch, 54)).toBe(name));

  test("is empty if the branch has no letter or digit", () => {
    expect(previewName("___", 54)).toBeUndefined();
  });

  test("differs for two long branches, and fits a DNS label", () => {
    const names = ["a", "b"].map((end) => previewName(`${"long/".repeat(20)}${end}`, 54));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9-]{0,52}[a-z0-9]$/);
  });
});
