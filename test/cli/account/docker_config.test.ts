/** `platformctl auth docker` changes one entry of the files of clients, and nothing else. */
import { lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { registryAudience } from "../../world/platform.ts";
import { newFolder, newStateFolder, platformctl } from "../command.ts";

const state = await newStateFolder(await newOrganization());
const host = "registry.example.com";

let home = "";
let file = "";
beforeEach(async () => {
  home = await newFolder();
  file = join(home, ".docker/config.json");
});

const auth = (args: string[] = [host], more: NodeJS.ProcessEnv = {}) =>
  platformctl(["auth", "docker", ...args], {
    env: { HOME: home, PLATFORM_STATE: state, ...more },
  });

async function put(text: string, path = file) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode: 0o640 });
}
const content = (path = file) => readFile(path, "utf8");

test("without a file, it creates one for its owner only, and says what it did and how to undo it", async () => {
  const { code, out, err } = await auth();
  expect([code, out]).toEqual([0, `Added "${host}": "platform" to credHelpers in ${file}.\n`]);
  expect(err).toContain(`To undo it: platformctl auth docker ${host} --remove`);
  expect(err).toContain("Put docker-credential-platform on the PATH");
  expect(await content()).toBe(`{\n\t"credHelpers": {\n\t\t"${host}": "platform"\n\t}\n}\n`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(dirname(file))).toEqual(["config.json"]);
});

test("the default is the registry of the login", async () => {
  await auth([]);
  expect(JSON.parse(await content())).toEqual({ credHelpers: { [registryAudience]: "platform" } });
});

test("login without options uses the login that there is", async () => {
  const { code, out } = await platformctl(["login"], {
    env: { HOME: home, PLATFORM_STATE: state },
  });
  expect([code, out.split("\n").length]).toEqual([0, 3]);
  expect(out).toMatch(/^You are logged in to http/);
  expect(JSON.parse(await content())).toEqual({ credHelpers: { [registryAudience]: "platform" } });
});

const files = [
  '{\n\t"auths": {\n\t\t"ghcr.io": {}\n\t},\n\t"credsStore": "desktop"\n}',
  '{\n  "credHelpers": {\n    "gcr.io": "gcloud"\n  },\n  "n": 12345678901234567890.10,\n  "t": "\\u0061"\n}\n',
  '{"auths":{"a":{"auth":"eA=="}}}',
  '{\r\n    "auths": {}\r\n}\r\n',
  "{}",
];

describe("a file with other content", () => {
  test.each(files)("keeps every byte of it: %j", async (text) => {
    await put(text);
    expect((await auth()).code).toBe(0);
    const { credHelpers, ...others } = JSON.parse(await content());
    const { credHelpers: before = {}, ...othersBefore } = JSON.parse(text);
    expect(credHelpers).toEqual({ ...before, [host]: "platform" });
    expect(others).toEqual(othersBefore);
    for (const kept of ["12345678901234567890.10", "\\u0061"].filter((one) => text.includes(one)))
      expect(await content()).toContain(kept);
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    const again = await auth();
    expect(again.out).toContain("Nothing was changed");
    await auth([host, "--remove"]);
    expect(await content()).toBe(text);
  });

  test.each<[string, RegExp]>([
    ["{", /JSON/],
    ["[]", /the file is not a JSON object/],
    ['{"credHelpers": []}', /credHelpers is not a JSON object/],
    [`{"credHelpers": {"${host}": 1}}`, /is not a text/],
    ['{"a": 1, // no comment\n}', /JSON/],
  ])("that clients cannot read is left alone, with the reason: %j", async (text, reason) => {
    await put(text);
    const { code, err } = await auth();
    expect([code, err]).toEqual([2, expect.stringMatching(reason)]);
    expect(err).toContain(`${file} was not changed`);
    expect(await content()).toBe(text);
  });
});

test("an empty file counts as none", async () => {
  await put("");
  await auth();
  expect(JSON.parse(await content())).toEqual({ credHelpers: { [host]: "platform" } });
});

test("another helper of the host is replaced and named, but never removed", async () => {
  await put(`{"credHelpers": {"${host}": "pass"}}`);
  expect((await auth([host, "--remove"])).out).toContain("Nothing was changed");
  expect((await auth()).out).toContain('It replaces the helper "pass"');
});

test("a link to the file stays a link", async () => {
  const real = join(home, "dotfiles.json");
  await put("{}", real);
  await mkdir(dirname(file));
  await symlink(real, file);
  await auth();
  expect((await lstat(file)).isSymbolicLink()).toBe(true);
  expect(await content(real)).toContain(host);
});

test("DOCKER_CONFIG names another folder, and REGISTRY_AUTH_FILE a second file", async () => {
  const other = join(home, "containers/auth.json");
  const { out } = await auth([host], { DOCKER_CONFIG: join(home, "d"), REGISTRY_AUTH_FILE: other });
  expect(out.trim().split("\n")).toHaveLength(2);
  for (const path of [join(home, "d/config.json"), other])
    expect(JSON.parse(await content(path))).toEqual({ credHelpers: { [host]: "platform" } });
  await expect(content()).rejects.toThrow();
});

test("two commands at the same time lose no entry", async () => {
  await Promise.all(["a.example", "b.example", "c.example"].map((one) => auth([one])));
  expect(Object.keys(JSON.parse(await content()).credHelpers).sort()).toEqual([
    "a.example",
    "b.example",
    "c.example",
  ]);
});

test.each(["https://a.example", "a.example/b", "me@a.example", "a b", ""])(
  "%j is not a host",
  async (wrong) => expect((await auth([wrong])).code).toBe(2),
);

test("for programs, the answer is JSON", async () => {
  const { out } = await auth([host, "--json"]);
  expect(JSON.parse(out)).toEqual({ host, changes: [{ file, after: "platform" }] });
});
