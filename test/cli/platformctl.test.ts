import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newOrganization } from "../world/personas.ts";
import { newStateFolder, platformctl } from "./command.ts";

const commands = [
  [],
  ["auth"],
  ["import"],
  ["keys"],
  ["history"],
  ["pin"],
  ["auth", "token"],
  ["auth", "login"],
  ["auth", "logout"],
  ["whoami"],
  ["import", "tag-moves"],
  ["import", "osv"],
  ["import", "manifest"],
  ["import", "sbom"],
  ["import", "vulns"],
  ["purge"],
  ["purge", "advisories"],
  ["bootstrap"],
  ["fsck"],
  ["grpc-bridge"],
  ["keys", "new"],
  ["keys", "rotate"],
  ["keys", "public"],
  ["keys", "complete"],
];

test.each(commands.map((words) => [words]))("%j prints its help", async (words) => {
  const { code, out, err } = await platformctl([...words, "--help"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toMatch(/^Usage: platformctl/);
  expect(out).toMatch(words.length > 0 ? /Examples:\n {2}\$ / : /Exit codes:/);
});

test.each([
  [["nonsense"]],
  [["import"]],
  [["auth", "token", "--nonsense"]],
  [["auth", "login"]],
  [["auth", "login", "--token", "x", "--token-file", "y"]],
  [["import", "osv", "file"]],
  [["import", "manifest", "/nowhere", "--repo", "a".repeat(40)]],
  [["import", "sbom", "-", "--image", "python:latest"]],
  [["import", "vulns", "-"]],
  [["import", "vulns", "-", "--image", `python@sha256:${"0".repeat(64)}`, "--scan-time", "today"]],
  [["grpc-bridge", "--bind", "here", "--upstream", "http://localhost"]],
  [["bootstrap", "--organization", "a", "--issuer", "https://b", "--subject", "c"]],
  [["fsck"]],
  [["fsck", "--local", "--remote"]],
])("%j is bad usage: exit code 2 and nothing on standard output", async (args) => {
  const { code, out, err } = await platformctl(args);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).not.toBe("");
});

test("a bridge reports that its port is in use, and how to choose another", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const args = ["grpc-bridge", "--bind", `${port}`, "--upstream", "http://localhost"];
  const { code, out, err } = await platformctl(args);
  server.close();
  expect({ code, out, err }).toEqual({
    code: 1,
    out: "",
    err: `error: ${port} is already in use. Choose another port with --bind. (PORT)\n`,
  });
});

test("an example of two lines has one prompt", async () => {
  const { out } = await platformctl(["bootstrap", "--help"]);
  expect(out).toMatch(/ \$ platformctl bootstrap .* \\\n {6}--issuer /);
});

/** The state of a platform that reports another address. */
async function stateAt(url: string): Promise<NodeJS.ProcessEnv> {
  const folder = await newStateFolder(await newOrganization());
  const file = join(folder, "platform.json");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), url }));
  return { PLATFORM_STATE: folder };
}

/** Starts a web server that is not a platform. */
async function strangerAt(status: number) {
  const server = createServer((_, response) => {
    response.writeHead(status, { "content-type": "text/html" }).end("<h1>Hello</h1>");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

test("if the server has stopped, the exit code is 3", async () => {
  const { url, close } = await strangerAt(200);
  close();
  const { code, err } = await platformctl(["whoami"], { env: await stateAt(url) });
  expect(code).toBe(3);
  expect(err).toBe(
    `error: There was no response from ${url} (ECONNREFUSED). Check that the platform is running and that the address is right. (UNREACHABLE)\n` +
      "  To start a platform here, run: npm start. To use another one, set PLATFORM_URL=https://…\n",
  );
});

test.each([200, 302, 404, 502])(
  "if another server responds with %i, the exit code is 3",
  async (status) => {
    const { url, close } = await strangerAt(status);
    const { code, err } = await platformctl(["whoami", "--json"], { env: await stateAt(url) });
    close();
    expect(code).toBe(3);
    expect(JSON.parse(err).error.message).toMatch(url);
  },
);

test("whoami prints the roles of the platform's owner", async () => {
  const organization = await newOrganization();
  const env = { PLATFORM_STATE: await newStateFolder(organization) };
  const { code, out } = await platformctl(["whoami"], { env });
  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^Identity .*${organization.owner.uid}\n`));
  expect(out).toMatch(`owner of ${organization.name}  ${organization.uid}`);
});
