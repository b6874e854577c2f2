import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { previewName } from "../../cli/cloudflare/branch_name.ts";
import { newKeys, secretsOf, secretsText } from "../../cli/keys.ts";
import {
  type ApiAnswer,
  type ApiCall,
  type ApiReply,
  runProgram,
  startCloudflare,
  uploadedFiles,
} from "./cloudflare.ts";

const missing = (code: number): ApiAnswer => ({
  status: 404,
  error: { code, message: "not found" },
});
const hostOf = (name: string) => `${name}-platform.me.workers.dev`;

/** The response of Cloudflare about the next deployment and about addresses, while it is set. */
type ApiBehavior = { deployment?: ApiAnswer; urls?: string[] };

/** Cloudflare's preview API, as far as one Worker needs it. */
function previews(behavior: ApiBehavior) {
  const there = new Map<string, { id: string; name: string; slug: string }>();
  const nameIn = (path: string) => path.split("/")[5] ?? "";
  const shown = (name: string): ApiAnswer => {
    const found = there.get(name);
    const urls = behavior.urls ?? [`https://${hostOf(name)}`];
    return found ? { result: { ...found, urls } } : missing(10025);
  };
  const replies: ApiReply[] = [
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
    [
      "DELETE",
      /previews\/[^/]+$/,
      ({ path }) => (there.delete(nameIn(path)) ? { result: null } : missing(10025)),
    ],
    ["GET", /deployments\/latest$/, missing(10222)],
    [
      "POST",
      /deployments$/,
      () => behavior.deployment ?? { result: { id: "d1", urls: [], env: {} } },
    ],
  ];
  return { replies, there };
}

async function stage() {
  const behavior: ApiBehavior = {};
  const { replies, there } = previews(behavior);
  const cloudflare = await startCloudflare(replies);
  const folder = await mkdtemp(join(tmpdir(), "preview-test-"));
  const env = { ...cloudflare.env, PLATFORM_STATE: folder };
  return {
    ...cloudflare,
    folder,
    mood: behavior,
    previews: there,
    run: (...args: string[]) => runProgram("preview", args, env),
    sent: () => cloudflare.asked.filter(({ path }) => path.endsWith("/deployments")),
    async end() {
      cloudflare.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The keys in the newest deployment, as wrangler sent them. */
function keysIn(sent: ApiCall[]) {
  const { SIGNING_KEYS, PAGE_TOKEN_KEYS, ENCRYPTION_KEYS } = sent.at(-1)?.body.env ?? {};
  return [SIGNING_KEYS.text, PAGE_TOKEN_KEYS.text, ENCRYPTION_KEYS.text];
}

// Every run starts wrangler several times, a second or more each.
describe("a branch's preview", { timeout: 180_000 }, () => {
  let it: Awaited<ReturnType<typeof stage>>;
  let first: Awaited<ReturnType<typeof runProgram>>;

  beforeAll(async () => {
    it = await stage();
    first = await it.run("--name", "Feature/Sign_in");
  }, 180_000);
  afterAll(() => it.end());

  test("a preview prints its address, its database and the first commands", () => {
    expect(first).toMatchObject({ code: 0 });
    expect(first.out).toContain(`Preview   https://${hostOf("feature-sign-in")}`);
    expect(first.out).toContain("bootstrap --remote --database platform-preview-feature-sign-in");
  });

  test("is named after the branch, in letters that a host name allows", () => {
    const made = it.asked.find(
      ({ method, path }) => method === "POST" && path.endsWith("/previews"),
    );
    expect(made).toMatchObject({ body: { name: "feature-sign-in" } });
    expect(made?.path).toBe("/workers/workers/platform/previews");
  });

  test("has its own database, with every migration applied and recorded", () => {
    const [[id, database] = []] = [...it.databases];
    expect(it.databases.size).toBe(1);
    expect(database?.name).toBe("platform-preview-feature-sign-in");
    const applied = database?.sqlite.prepare("SELECT name FROM d1_migrations ORDER BY id").all();
    expect(applied?.length).toBeGreaterThanOrEqual(6);
    expect(
      database?.sqlite.prepare("SELECT name FROM roles WHERE name = 'owner'").all(),
    ).toHaveLength(1);
    for (const { body } of it.sent()) {
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
    for (const { body } of it.sent()) {
      expect(body.env.BLOBS).toMatchObject({
        type: "r2_bucket",
        bucket_name: "platform-blobs-preview",
      });
    }
  });

  test("a preview is deployed with its own address in every variable", () => {
    const { env } = it.sent().at(-1)?.body ?? {};
    const url = { type: "plain_text", text: `https://${hostOf("feature-sign-in")}` };
    expect(env).toMatchObject({ BASE_URL: url, REGISTRY_URL: url, ISSUER_URL: url, AUDIENCE: url });
    expect(env.REGISTRY_AUDIENCE.text).toBe(hostOf("feature-sign-in"));
    expect(env.VENDOR.text).toBe("vendor");
  });

  test("a preview serves the pages of the site", () => {
    const { env } = it.sent().at(-1)?.body ?? {};
    const pages = ["/console.html", "/docs.html", "/docs/start.html", "/openapi.json"];
    expect(uploadedFiles(it.asked, "platform")).toEqual(expect.arrayContaining(pages));
    expect(env.ASSETS).toMatchObject({ type: "assets" });
  });

  test("has its own keys, which sign, as secrets", () => {
    const { env } = it.sent().at(-1)?.body ?? {};
    expect(env.SIGNING_KEYS.type).toBe("secret_text");
    expect(JSON.parse(env.SIGNING_KEYS.text).keys[0]).toHaveProperty("d");
    expect(JSON.parse(env.PAGE_TOKEN_KEYS.text)[0]).toMatch(/^[\w-]{43}$/);
    expect(env.ENCRYPTION_KEYS.type).toBe("secret_text");
    expect(JSON.parse(env.ENCRYPTION_KEYS.text)[0]).toMatch(/^[\w-]{43}$/);
  });

  test("is updated in place by a second run: same data, one deployment, and an encryption key if it has none", async () => {
    const before = it.sent();
    const rules = it.asked.filter(({ path }) => path.endsWith("/lifecycle")).length;
    const file = join(it.folder, "previews", "feature-sign-in", "keys.env");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace(/^ENCRYPTION_KEYS=.*\n/m, ""));
    const again = await it.run("--name", "feature/sign-in", "--json");
    expect(again).toMatchObject({ code: 0 });
    expect(JSON.parse(again.out)).toEqual({
      name: "feature-sign-in",
      url: `https://${hostOf("feature-sign-in")}`,
      database: "platform-preview-feature-sign-in",
    });
    expect(it.databases.size).toBe(1);
    expect(it.asked.filter(({ path }) => path.endsWith("/lifecycle"))).toHaveLength(rules);
    expect(it.sent()).toHaveLength(before.length + 1);
    const kept = await readFile(file, "utf8");
    expect(kept).toContain(text.split("\n")[0]);
    expect(kept).toMatch(/^ENCRYPTION_KEYS='\["[\w-]{43}"\]'$/m);
    const [, key] = /^ENCRYPTION_KEYS='(.*)'$/m.exec(kept) ?? [];
    expect(it.sent().at(-1)?.body.env.ENCRYPTION_KEYS.text).toBe(key);
    const [now, old] = [it.sent(), before].map((sent) => sent.at(-1)?.body.env.SIGNING_KEYS.text);
    expect(now).toBe(old);
  });

  test("rejects given keys without encryption keys, before it calls Cloudflare", async () => {
    const before = it.asked.length;
    const file = join(it.folder, "older.env");
    const keys = { ...(await newKeys()), encryptionKeys: [] };
    await writeFile(file, secretsText(secretsOf(keys)));
    const { code, err } = await it.run("--name", "feature/sign-in", "--keys", file);
    expect(code).toBe(2);
    expect(err).toMatch(/ENCRYPTION_KEYS in .*older.env is missing.*keys complete/);
    expect(it.asked).toHaveLength(before);
  });

  test("sends the previous keys, and fails with Cloudflare's text if it rejects the upload", async () => {
    const before = keysIn(it.sent());
    it.mood.deployment = { error: { code: 10021, message: "the script is too strange" } };
    const { code, err, out } = await it.run("--name", "feature/sign-in");
    delete it.mood.deployment;
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/the preview was not deployed.*the script is too strange/s);
    expect(keysIn(it.sent())).toEqual(before);
  });

  test("fails without an address, and says where to enable addresses", async () => {
    it.mood.urls = [];
    const { code, err } = await it.run("--name", "feature/sign-in");
    delete it.mood.urls;
    expect(code).toBe(1);
    expect(err).toMatch(/has no address.*Preview URLs/s);
  });

  test("is deleted with its database, and a second deletion succeeds", async () => {
    expect(await it.run("--name", "feature/sign-in", "--delete")).toMatchObject({ code: 0 });
    expect([it.previews.size, it.databases.size]).toEqual([0, 0]);
    expect(await it.run("--name", "feature/sign-in", "--delete")).toMatchObject({ code: 0 });
  });
});

test("a wrong option is a usage error", async () => {
  const { code, err } = await runProgram("preview", ["--nope"], {});
  expect(code).toBe(2);
  expect(err).toContain("Usage: npm run preview");
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
