/** README.md and the guides: their shell, run as it stands there on a platform that `npm start` started. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { firstMissing, freePort, root, runStory, type Step, stepsOf } from "./shell_story.ts";

const guides = readdirSync(join(root, "docs/guides")).filter((name) => name.endsWith(".md"));
const pageOf = (path: string) => readFileSync(join(root, path), "utf8");
const [shell] = stepsOf(pageOf("docs/guides/start.md"));
const folder = mkdtempSync(join(tmpdir(), "guides-"));
const state = join(folder, "state");
let url = "";
let platform: ChildProcess;

const hasGrpcurl = (() => {
  try {
    execFileSync("grpcurl", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

beforeAll(async () => {
  const port = await freePort();
  url = `http://localhost:${port}`;
  platform = spawn("npm", ["start", "--", "--port", String(port), "--state", state], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  await new Promise<void>((resolve, reject) => {
    platform.stdout?.on("data", (chunk) => String(chunk).includes("whoami") && resolve());
    platform.once("exit", (code) => reject(new Error(`npm start ended with ${code}`)));
  });
}, 180_000);

afterAll(async () => {
  if (platform.pid && platform.exitCode === null) {
    const ended = new Promise((resolve) => platform.once("exit", resolve));
    process.kill(-platform.pid, "SIGINT");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

const breachesOf = (steps: Step[], onTerminal = false) =>
  runStory(steps, { env: { PLATFORM_URL: url, PLATFORM_STATE: state }, onTerminal });

test("README.md runs on a terminal as it is printed", { timeout: 120_000 }, async () => {
  const page = pageOf("README.md").replaceAll("localhost:8787", new URL(url).host);
  const steps = stepsOf(page);
  expect(steps.length).toBeGreaterThan(4);
  expect(await breachesOf(steps, true)).toEqual([]);
});

describe("a guide runs as it is printed, in the shell of start.md", () => {
  test.each(guides)("%s", { timeout: 120_000 }, async (name) => {
    const steps = stepsOf(pageOf(`docs/guides/${name}`), { withTools: hasGrpcurl });
    expect(steps.length).toBeGreaterThan(0);
    expect(await breachesOf(name === "start.md" || !shell ? steps : [shell, ...steps])).toEqual([]);
  });
});

describe("a run fails where", () => {
  const breachOf = async (page: string) => (await breachesOf(stepsOf(page)))[0];

  test("a line is not printed", async () => {
    expect(await breachOf("```bash\necho 15\n#=> 5\n```")).toMatchObject({ missing: "5" });
  });

  test("lines come in another order", async () => {
    const page = "```console\n$ echo one; echo two\ntwo\none\n```";
    expect(await breachOf(page)).toMatchObject({ missing: "one" });
  });

  test("the shell ends early", async () => {
    expect(await breachOf("```bash\nexit\n\necho on\n```")).toMatchObject({ code: "exit" });
  });

  test("a program breaks", async () => {
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
