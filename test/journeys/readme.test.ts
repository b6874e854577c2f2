/** The story in README.md, run as it stands there against a platform started as README says. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = new URL("../..", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "journey-"));
const state = join(folder, "state");
let url = "";
let platform: ChildProcess;

/** A port below those the system hands out to outgoing connections. */
async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return free ? port : freePort();
}

/** Steps of the story: a few lines of shell, and what their output must contain. */
interface Step {
  code: string;
  expected: string[];
}

function stepsOf(readme: string): Step[] {
  const story = readme.slice(readme.indexOf("## The story"), readme.indexOf("## Your own data"));
  const blocks = [...story.matchAll(/```bash\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");
  return blocks.flatMap((block) =>
    block
      .split(/\n\n/)
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map((part) => {
        const lines = part.split("\n");
        const isExpected = (line: string) => line.startsWith("#=>");
        return {
          code: lines.filter((line) => !isExpected(line)).join("\n"),
          expected: lines.filter(isExpected).map((line) => line.slice("#=>".length).trim()),
        };
      }),
  );
}

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
}, 120_000);

afterAll(async () => {
  if (platform.pid && platform.exitCode === null) {
    const ended = new Promise((resolve) => platform.once("exit", resolve));
    process.kill(-platform.pid, "SIGINT");
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}, 30_000);

const run = (script: string) =>
  new Promise<string>((resolve) => {
    const shell = spawn("bash", ["-c", script], {
      cwd: root,
      env: {
        ...process.env,
        PLATFORM_URL: url,
        PLATFORM_STATE: state,
        XDG_CONFIG_HOME: folder,
        TMP: folder,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [shell.stdout, shell.stderr]) {
      stream.on("data", (chunk) => {
        output += chunk;
      });
    }
    shell.on("exit", () => resolve(output));
  });

test("the story in README.md runs as it is printed there", { timeout: 180_000 }, async () => {
  const steps = stepsOf(readFileSync(join(root, "README.md"), "utf8"));
  expect(steps.length).toBeGreaterThan(15);
  // Files of the story go into a folder of the test; commands run in the checkout.
  const [port, another] = [String(await freePort()), String(await freePort())];
  const script = steps
    .map(({ code }, index) => `${code}\necho; echo "@@${index}@@"`)
    .join("\n")
    .replaceAll(/\b(page|tags|binding)\.json\b/g, `${folder}/$1.json`)
    .replaceAll(/\b(issuer|provider)\.log\b/g, `${folder}/$1.log`)
    .replaceAll("9090", port)
    .replaceAll("9091", another);
  const output = await run(script);
  let rest = output;
  for (const [index, { code, expected }] of steps.entries()) {
    const end = rest.indexOf(`@@${index}@@`);
    const printed = end < 0 ? rest : rest.slice(0, end);
    for (const text of expected) expect(printed, `after:\n${code}`).toContain(text);
    expect(end, `the story stopped at:\n${code}\n${printed}`).toBeGreaterThanOrEqual(0);
    rest = rest.slice(end + `@@${index}@@`.length);
  }
});
