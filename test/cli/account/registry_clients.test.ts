/** Clients that others wrote get a fresh token from the helper, by the entry that `platformctl auth docker` writes. */
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { registryAudience } from "../../world/platform.ts";
import { newFolder, newStateFolder, platformctl, root } from "../command.ts";

/** The command of each client that lists the tags of a repository over plain HTTP. */
const clients: Record<string, (image: string) => string[]> = {
  skopeo: (image) => ["list-tags", "--tls-verify=false", `docker://${image}`],
  podman: (image) => ["search", "--tls-verify=false", "--list-tags", image],
  crane: (image) => ["ls", "--insecure", image],
  oras: (image) => ["repo", "tags", "--plain-http", image],
};

const isInstalled = (program: string) => {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

let server: Server;
let host = "";
/** The credentials that the registry received. */
let received: string[] = [];
let home = "";
let state = "";

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, basic = ""] = /^Basic (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    const credentials = Buffer.from(basic, "base64").toString();
    if (!credentials.startsWith("_token:")) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="registry"' }).end();
      return;
    }
    received.push(credentials);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ name: "acme/app", tags: ["1.0"] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  host = `localhost:${(server.address() as AddressInfo).port}`;
  state = await newStateFolder(await newOrganization(), { registryUrl: `http://${host}` });
  home = await newFolder();
  await mkdir(join(home, "bin"));
  const helper = "docker-credential-platform";
  const program = `#!/bin/sh\nexec "${process.execPath}" "${join(root, "cli", `${helper}.js`)}" "$@"\n`;
  await writeFile(join(home, "bin", helper), program, { mode: 0o755 });
  await symlink(process.execPath, join(home, "bin", "node"));
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test.for(Object.entries(clients))("%s", async ([client, command], { skip }) => {
  if (!isInstalled(client)) skip();
  const env = {
    HOME: home,
    XDG_RUNTIME_DIR: await newFolder(),
    PLATFORM_STATE: state,
    PATH: `${join(home, "bin")}${delimiter}${process.env.PATH}`,
  };
  const run = () => promisify(execFile)(client, command(`${host}/acme/app`), { env });
  await platformctl(["auth", "docker", "--remove"], { env });
  await expect(run()).rejects.toThrow();

  const set = await platformctl(["auth", "docker"], { env });
  expect([set.code, set.err]).toEqual([0, expect.not.stringContaining("PATH")]);
  received = [];
  expect((await run()).stdout).toContain("1.0");
  const [user, token = ""] = received[0]?.split(":") ?? [];
  expect([user, decodeJwt(token).aud]).toEqual(["_token", registryAudience]);
});
