/** `pin` and `lock` of tags with rules that choose what a pull gets, against a real platform. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { movedAgo } from "../../distribution/moved_ago.ts";
import { newVerified } from "../../distribution/stored_images.ts";
import { createResource, type Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { type CommandOptions, commandsOf, newFolder, newStateFolder } from "../command.ts";

const host = () => new URL(baseUrl()).host;

let organization: Organization;
let run: (line: string[], options?: CommandOptions) => ReturnType<typeof platformctl>;
let platformctl: Awaited<ReturnType<typeof commandsOf>>;
let cwd: string;
let repo: string;
let name: string;
let [older, newest] = ["", ""];

const moved = (hours: number, tag = "latest") => movedAgo(organization, "app", tag, hours);

const serve = (cooldownHours: number) =>
  createResource(`/registry/v2/tagRules/${repo}`, organization.owner.token, {
    ...{ name: "cooldown", includeTags: ["latest"], serve: { cooldownHours } },
  });

beforeEach(async () => {
  organization = await newVerified();
  const { uid, owner } = organization;
  platformctl = await commandsOf(organization);
  cwd = await newFolder();
  const env = { PLATFORM_STATE: await newStateFolder(organization, { registryUrl: baseUrl() }) };
  run = (line, options) => platformctl(line, { env, cwd, ...options });
  ({ uid: repo } = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "app" }));
  name = `${organization.name}/app`;
  [older, newest] = [await moved(30), await moved(2)];
});

const short = (digest: string) => digest.slice("sha256:".length).slice(0, 12);

/** The text of the notes about the tag. */
const note = () =>
  `${name}:latest points to ${short(newest)}, and a tag rule gives pulls ${short(older)}.`;

test("pin prints what a pull gets, with its record, and says that a rule chose it", async () => {
  const before = await run(["pin", name]);
  expect(before).toEqual({ code: 0, out: `${host()}/${name}@${newest}\n`, err: "" });
  await serve(24);
  const { code, out, err } = await run(["pin", name]);
  expect([code, out]).toEqual([0, `${host()}/${name}@${older}\n`]);
  expect(err).toContain(note());
  const json = JSON.parse((await run(["pin", name, "--json"])).out);
  expect(json).toMatchObject({ digest: older, tagDigest: newest, tag: "latest" });
  const age = Date.now() - Date.parse(json.updateTimestamp);
  expect(Math.round(age / 3_600_000)).toBe(30);
});

test("pin with a time prints the digest of the history, whatever the rules say", async () => {
  await serve(24);
  const { code, out, err } = await run(["pin", `${name}@1h`]);
  expect([code, out, err]).toEqual([0, `${host()}/${name}@${newest}\n`, ""]);
});

test("pin says which rule holds every image back, and pins none", async () => {
  await serve(48);
  const { code, out, err } = await run(["pin", name]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(/The rule "cooldown" of app holds latest back: .*cools down until/);
});

test("pin and lock take the last digest of a tag that was deleted", async () => {
  await serve(24);
  await platformctl(["delete", "tag", "app:latest", "--yes", "--group", organization.uid]);
  expect((await run(["pin", name])).out).toBe(`${host()}/${name}@${newest}\n`);
});

test("lock writes what a pull gets, and notes it once for each tag that a rule changes", async () => {
  const other = await moved(3, "stable");
  await serve(24);
  const image = `${host()}/${name}`;
  writeFileSync(
    join(cwd, "Dockerfile"),
    `FROM ${image} AS a\nFROM ${image}\nFROM ${image}:stable\n`,
  );
  const { code, err } = await run(["lock"]);
  expect(code).toBe(0);
  expect(err.split("\n").filter((line) => line.includes("note"))).toEqual([
    `Dockerfile:1:6: note: ${note()} To see why, run: platformctl rules check ${name}:latest --pull`,
  ]);
  const { images } = JSON.parse(readFileSync(join(cwd, "platform.lock"), "utf8"));
  expect(images).toMatchObject({
    [`${image}:latest`]: { digest: older },
    [`${image}:stable`]: { digest: other },
  });
  expect((await run(["lock", "--at", "1h"])).err).not.toContain("note");
  const later = JSON.parse(readFileSync(join(cwd, "platform.lock"), "utf8"));
  expect(later.images[`${image}:latest`].digest).toBe(newest);
});
