/** Mirrors of registries that others have written, if their programs are on this machine. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../journeys/shell_story.ts";
import { digestOf, newImageOf, pullImage, putManifest, someBytes } from "../client.ts";
import { changeRepo, movesOf, newMirror } from "./mirrors.ts";

/** A program, and its configuration with the login `robot` and `secret`. */
interface Program {
  command: string;
  configOf: (folder: string, port: number) => [file: string, text: string];
}

/** bcrypt of `secret`. */
const htpasswd = "robot:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n";

const distribution = (folder: string, port: number): [string, string] => [
  "config.yml",
  `version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: ${JSON.stringify(join(folder, "data"))}}}
auth: {htpasswd: {realm: test, path: ${JSON.stringify(join(folder, "htpasswd"))}}}
http: {addr: "127.0.0.1:${port}"}
`,
];

const programs: Program[] = [
  { command: "docker-registry", configOf: distribution },
  { command: "registry", configOf: distribution },
  {
    command: "zot",
    configOf: (folder, port) => [
      "config.json",
      JSON.stringify({
        distSpecVersion: "1.1.1",
        storage: { rootDirectory: join(folder, "data") },
        http: {
          ...{ address: "127.0.0.1", port: String(port) },
          auth: { htpasswd: { path: join(folder, "htpasswd") } },
        },
        log: { level: "error" },
      }),
    ],
  },
];

function isHere(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const running: { child: ChildProcess; folder: string }[] = [];
afterAll(async () => {
  for (const { child, folder } of running) {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true });
  }
});

const basic = `Basic ${Buffer.from("robot:secret").toString("base64")}`;

/** Starts the program, and returns its host. */
async function start({ command, configOf }: Program): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "upstream-"));
  const port = await freePort();
  const [file, text] = configOf(folder, port);
  writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, "htpasswd"), htpasswd);
  const env = { PATH: process.env.PATH, OTEL_TRACES_EXPORTER: "none" };
  const child = spawn(command, ["serve", join(folder, file)], { env, stdio: "ignore" });
  running.push({ child, folder });
  const host = `127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const answer = await fetch(`http://${host}/v2/`, { headers: { authorization: basic } }).catch(
      () => undefined,
    );
    if (answer?.ok) return host;
    await pause(50);
  }
  throw new Error(`${command} did not start`);
}

/** Pushes an image to the upstream, as its user. */
async function pushTo(host: string, name: string, tag: string) {
  const image = newImageOf({ layer: someBytes(700_000) });
  const headers = { authorization: basic };
  for (const blob of [image.layer, Buffer.from(image.config)]) {
    const begun = await fetch(`http://${host}/v2/${name}/blobs/uploads/`, {
      ...{ method: "POST", headers },
    });
    const location = new URL(begun.headers.get("location") ?? "", `http://${host}`);
    location.searchParams.set("digest", digestOf(blob));
    const type = { "content-type": "application/octet-stream" };
    const ended = await fetch(location, {
      ...{ method: "PUT", headers: { ...headers, ...type }, body: blob as BodyInit },
    });
    if (ended.status !== 201) throw new Error(`the push ended with ${ended.status}`);
  }
  const put = await fetch(`http://${host}/v2/${name}/manifests/${tag}`, {
    method: "PUT",
    headers: { ...headers, "content-type": JSON.parse(image.text).mediaType },
    body: image.text,
  });
  if (put.status !== 201) throw new Error(`the push ended with ${put.status}`);
  return image;
}

describe.for(programs)("$command as an upstream (skipped if it is not here)", (program) => {
  test.skipIf(!isHere(program.command))("gives its images, and its moves", async () => {
    const host = await start(program);
    const first = await pushTo(host, "team/app", "latest");
    const address = `${host}/team/app`;
    const login = { username: "robot", password: "secret" };
    const mirror = await newMirror({ address, revalidateAfter: "0s", ...login });
    expect(await pullImage(mirror, "latest")).toEqual(first);
    const second = await pushTo(host, "team/app", "latest");
    expect(await pullImage(mirror, "latest")).toEqual(second);
    expect(await pullImage(mirror, first.digest)).toEqual(first);
    expect((await movesOf(mirror.repo.uid, "latest")).map(({ digest }) => digest)).toEqual([
      first.digest,
      second.digest,
    ]);
    // The password is of the user, so another user has none.
    const changed = await changeRepo(mirror, { upstream: { address, username: "other" } });
    expect([changed.status, changed.body.message]).toEqual([
      400,
      expect.stringContaining("upstream.password must be sent"),
    ]);
    expect(await putManifest(mirror, "latest", first.text)).toMatchObject({ status: 403 });
  });
});
