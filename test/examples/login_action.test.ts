/** The step of the action that logs in, in bash, with a docker that only records. */
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { startHttpServer } from "./http_server.ts";

const action = fileURLToPath(new URL("../../examples/login-action", import.meta.url));
const token = "header.payload.signature";

let tokens: Awaited<ReturnType<typeof startHttpServer>>;
let folder = "";
beforeAll(async () => {
  tokens = await startHttpServer(async ({ headers, url }) =>
    headers.authorization === "Bearer request-token"
      ? { status: 200, body: { value: `${token}.${url.searchParams.get("audience")}` } }
      : { status: 401 },
  );
  folder = await mkdtemp(join(tmpdir(), "login-action-"));
  const record = '#!/bin/sh\necho "$@" > "$HOME/arguments"\ncat > "$HOME/input"\n';
  await writeFile(join(folder, "docker"), record);
  // Runners have jq. A machine of the tests may not have it.
  const jq = `#!/bin/sh\nexec "${process.execPath}" -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).value'\n`;
  await writeFile(join(folder, "jq"), jq);
  for (const name of ["docker", "jq"]) await chmod(join(folder, name), 0o755);
});
afterAll(async () => {
  await tokens.close();
  await rm(folder, { recursive: true });
});

/** Runs the step as GitHub does. Returns what docker received. */
async function logIn(inputs: Record<string, string>, requestToken = "request-token") {
  const { runs, inputs: known } = parse(await readFile(join(action, "action.yml"), "utf8"));
  const value = (name: string) => inputs[name] ?? known[name].default;
  const filled = (text: string) =>
    text.replace(/\$\{\{ (.+?) \}\}/g, (_, expression: string) =>
      expression
        .split(" || ")
        .map((part) => value(part.replace("inputs.", "")))
        .find(Boolean),
    );
  const [{ run, env }] = runs.steps;
  const own = Object.entries(env as Record<string, string>).map(([name, text]) => [
    name,
    filled(text),
  ]);
  const { stdout } = await promisify(execFile)("bash", ["-eo", "pipefail", "-c", run], {
    env: {
      PATH: `${folder}${delimiter}${process.env.PATH}`,
      HOME: folder,
      ACTIONS_ID_TOKEN_REQUEST_URL: `${tokens.url}/?v=1`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
      ...Object.fromEntries(own),
    },
  });
  const read = async (name: string) => (await readFile(join(folder, name), "utf8")).trim();
  return { stdout, arguments: await read("arguments"), input: await read("input") };
}

test("docker gets the token on standard input, for the audience of the registry", async () => {
  expect(await logIn({ registry: "r.example" })).toEqual({
    stdout: "",
    arguments: "login -u oidc --password-stdin r.example",
    input: `${token}.r.example`,
  });
});

test("the identity and the audience can be named", async () => {
  const done = await logIn({ registry: "r.example", user: "a/b", audience: "other" });
  expect(done).toMatchObject({
    arguments: "login -u a/b --password-stdin r.example",
    input: `${token}.other`,
  });
});

test("the step fails without a token", async () => {
  await expect(logIn({ registry: "r.example" }, "wrong")).rejects.toThrow();
});

test("the workflow sets inputs that the action has", async () => {
  const workflow = parse(await readFile(join(action, "workflow.yml"), "utf8"));
  const { inputs } = parse(await readFile(join(action, "action.yml"), "utf8"));
  const step = workflow.jobs.image.steps.find(({ with: given }: { with?: object }) => given);
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
});
