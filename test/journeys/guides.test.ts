/**
 * Runs the shell commands of README.md and of each guide as written, from the first to the last. Each page has a shell of
 * its own. They run in one fresh checkout, on a platform that `npm start` started there once, at a port that is not the
 * usual one.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readGuides } from "../../site/guides.ts";
import { long } from "../world/tiers.ts";
import { leftovers, newCheckout } from "./fresh_checkout.ts";
import { firstMissing, freePort, root, runStory, type StoryStep, stepsOf } from "./shell_story.ts";

const guides = readGuides(root).filter(({ source }) => source.startsWith("docs/guides/"));
const readme = readFileSync(join(root, "README.md"), "utf8");

/** The milliseconds after which the shell of a page is killed. An expiry plan waits two to three minutes for pulls. */
const limit = 300_000;

const hasGrpcurl = (() => {
  try {
    execFileSync("grpcurl", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

const stepsOfGuide = ({ markdown }: { markdown: string }): StoryStep[] =>
  stepsOf(markdown, { withTools: hasGrpcurl });

let checkout: string;
let platform: ChildProcess;

/** The environment of a user who has set nothing for the platform. */
function environment(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PLATFORM_URL, PLATFORM_STATE, PLATFORM_GROUP, ...rest } = process.env;
  return { ...rest, ...more };
}

async function startPlatform(port: number): Promise<void> {
  platform = spawn("npm", ["start", "--", "--port", String(port)], {
    cwd: checkout,
    env: environment({}),
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  await new Promise<void>((resolve, reject) => {
    platform.stdout?.on("data", (chunk) => String(chunk).includes("whoami") && resolve());
    platform.once("exit", (code) => reject(new Error(`npm start ended with ${code}`)));
  });
}

describe("in a fresh checkout, on another port,", long, () => {
  let port: number;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    checkout = await newCheckout();
    port = await freePort();
    await startPlatform(port);
    env = environment({
      DEMO_ISSUER_PORT: String(await freePort()),
      DEMO_PROVIDER_PORT: String(await freePort()),
    });
  }, 300_000);

  afterAll(async () => {
    if (platform?.pid && platform.exitCode === null) {
      const ended = new Promise((resolve) => platform.once("exit", resolve));
      process.kill(-platform.pid, "SIGINT");
      await ended;
    }
    if (checkout) await rm(checkout, { recursive: true, force: true });
  }, 30_000);

  test("README.md runs on a terminal as it is printed", { timeout: 300_000 }, async () => {
    // The output contains the port, but a command must not.
    const steps = stepsOf(readme).map(({ code, expected }) => ({
      code,
      expected: expected.map((line) => line.replaceAll("localhost:8787", `localhost:${port}`)),
    }));
    expect(steps.length).toBeGreaterThan(4);
    expect(await runStory(steps, { folder: checkout, env, onTerminal: true, limit })).toEqual([]);
    expect(leftovers(checkout)).toEqual([]);
  });

  describe("a guide runs as it is printed, in a shell of its own", long, () => {
    // The glossary and the guide to the console have nothing to run.
    const runnable = guides.filter(({ name }) => !["glossary", "console"].includes(name));
    test.each(runnable)("$source", { timeout: 2 * limit }, async (guide) => {
      const steps = stepsOfGuide(guide);
      expect(steps.length).toBeGreaterThan(0);
      expect(await runStory(steps, { folder: checkout, env, limit })).toEqual([]);
    });

    test("the guides leave only files that git ignores", () => {
      expect(leftovers(checkout)).toEqual([]);
    });
  });

  test("a file that git does not ignore is found", async () => {
    const file = join(checkout, "scim.json");
    await writeFile(file, "{}");
    expect(leftovers(checkout)).toEqual(["scim.json"]);
    await rm(file);
  });
});

test("docs/README.md lists the guides in the order of the site", () => {
  const page = readFileSync(join(root, "docs/README.md"), "utf8");
  const listed = [...page.matchAll(/\]\((guides\/[a-z-]+\.md)\)/g)].map(
    ([, path]) => `docs/${path}`,
  );
  expect(listed).toEqual(guides.map(({ source }) => source));
});

test("no guide needs a shell function or another page", () => {
  const functions = guides.filter(({ markdown }) => /^\w+\(\) \{/m.test(markdown));
  expect(functions.map(({ source }) => source)).toEqual([]);
});

describe("a run fails if", () => {
  const breachesOf = (page: string, limit = 60_000) =>
    runStory(stepsOf(page), { folder: tmpdir(), limit });
  const breachOf = async (page: string, limit?: number) => (await breachesOf(page, limit))[0];

  test("an expected line is missing", async () => {
    expect(await breachOf("```bash\necho 15\n#=> 5\n```")).toMatchObject({ missing: "5" });
  });

  test("lines are in another order", async () => {
    const page = "```console\n$ echo one; echo two\ntwo\none\n```";
    expect(await breachOf(page)).toMatchObject({ missing: "one" });
  });

  test("the shell ends early, for every step that did not run", async () => {
    const breaches = await breachesOf("```bash\nexit\n\necho on\n\necho end\n```");
    expect(breaches.map(({ code }) => code)).toEqual(["exit", "echo on", "echo end"]);
  });

  test("a program does not end", async () => {
    const page = "```bash\nuntil false; do sleep 0.1; done\n```";
    expect(await breachOf(page, 500)).toMatchObject({ code: expect.stringContaining("until") });
  });

  test("a run fails if a program in a step fails", async () => {
    const page = "```bash\necho {} | node -pe 'JSON.parse(require(`fs`).readFileSync(0)).a.b'\n```";
    expect(await breachOf(page)).toMatchObject({ printed: expect.stringContaining("TypeError") });
  });
});

test.each([
  ["NAME   DIGEST\nlatest  sha256:0a1b\n", "latest …", true],
  ["older  sha256:0a1b\n", "latest …", false],
  ["UID:  0a1b2c3d4e5f/6a7b8c9d\n", "UID: ffffffff…/eeeeeeee…", true],
  ["UID:  0a1b2c3d4e5f\n", "UID: ffffffff…/eeeeeeee…", false],
  [
    "at 2026-01-02T03:04:05.678Z  (1 second ago)\n",
    "at 2025-05-05T05:05:05.555Z (2 days ago)",
    true,
  ],
  ["at 2026-01-02T03:04:05.678Z\n", "at 2025-05-05T05:05:05.555Z", false],
  ["nginx  3 months ago\n", "nginx 2 days ago", true],
  ["nginx  3 months ago\n", "httpd 3 months ago", false],
  ["  ●┄┄┄  2 days ago  0a1b  9 d 2 h  current\n", "●┄ 1 day ago 0a1b 8 d 1 h current", true],
  ["  ○───  2 days ago  0a1b  9 d 2 h\n", "○─ 1 day ago 0a1b 8 d 1 h", false],
])("%j with %j on the page: %j", (printed, line, isSame) => {
  expect(firstMissing(printed, [line]) === undefined).toBe(isSame);
});
