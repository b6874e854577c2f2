/** `platformctl rollback`: moves a tag back, or says why it does not. */
import { Buffer } from "node:buffer";
import { beforeAll, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { newStateFolder, platformctl } from "../command.ts";

const digests: string[] = [];
let image = "";
let name = "";
let repo = "";
let organization: Organization;
let env: NodeJS.ProcessEnv = {};
beforeAll(async () => {
  organization = await newOrganization();
  const { token } = organization.owner;
  name = randomName("python");
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, { name });
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  for (const size of [1, 2, 3]) {
    const content = Buffer.from(JSON.stringify({ config: { size }, layers: [] })).toString(
      "base64",
    );
    const manifest = { mediaType, content };
    const { digest } = await createResource(`/registry/v2/manifests/${uid}`, token, manifest);
    digests.push(String(digest));
    await createResource(`/registry/v2/tags/${uid}`, token, { name: "3.12", digest });
  }
  repo = uid;
  image = `${name}:3.12`;
  env = { PLATFORM_STATE: await newStateFolder(organization), PLATFORM_GROUP: organization.uid };
});

const rollback = (...args: string[]) => platformctl(["rollback", image, ...args], { env });

test("a dry run shows the move, and only the command itself makes it", async () => {
  const [, second, third] = digests;
  const dry = await rollback("--dry-run");
  expect(dry).toMatchObject({ code: 0, out: `${image} would move from ${third} to ${second}.\n` });
  const { code, out } = await rollback();
  expect([code, out]).toEqual([0, `${image} moved from ${third} to ${second}.\n`]);
  const again = await rollback("--to", second ?? "");
  expect(again.out).toBe(`${image} points to ${second} already.\n`);
  const answer = JSON.parse((await rollback("--to", third ?? "", "--json")).out);
  expect(answer).toMatchObject({ name: "3.12", digest: third });
});

test("what cannot be done fails with the reason", async () => {
  const before = await rollback("--to-time", "2020-01-01");
  expect([before.code, before.err]).toEqual([1, expect.stringContaining("did not exist at 2020")]);
  const far = await rollback("--steps", "90");
  expect([far.code, far.err]).toEqual([1, expect.stringContaining("earlier digests")]);
  for (const args of [
    ["--steps", "0"],
    ["--steps", "1", "--to-time", "1d"],
    ["--to", "latest"],
  ]) {
    const { code, err } = await rollback(...args);
    expect([code === 0, err === ""]).toEqual([false, false]);
  }
});

test("the tags that an identity has moved go back, and those of others stay", async () => {
  const [first = "", second = "", third = ""] = digests;
  const bot = await newIdentity(organization, "registry.push");
  const owner = organization.owner.token;
  const move = (tag: string, digest: string, token = owner) =>
    createResource(`/registry/v2/tags/${repo}`, token, { name: tag, digest });
  await move("twice", first);
  await move("twice", second, bot.token);
  await move("twice", third, bot.token);
  await move("between", first);
  await move("between", second, bot.token);
  await move("between", third);
  await move("between", first, bot.token);
  await move("taken-over", first);
  await move("taken-over", second, bot.token);
  await move("taken-over", third);
  await move("new", first, bot.token);
  const args = ["rollback", "--by", bot.uid, "--since", "1h"];
  const run = async (...more: string[]) => {
    const { code, out, err } = await platformctl([...args, ...more], { env });
    return { code, err, lines: out.split("\n").sort() };
  };
  const stays = [
    `${name}:new stays: it has no earlier digest`,
    `${name}:taken-over stays: someone else has moved it since`,
  ];
  const moves = (verb: string) => [
    `${name}:between ${verb} from ${first} to ${third}.`,
    ...stays,
    `${name}:twice ${verb} from ${third} to ${first}.`,
  ];
  expect((await run()).err).toContain("--yes");
  const dry = await run("--dry-run");
  expect([dry.code, dry.lines]).toEqual([1, ["", ...moves("would move")]]);
  expect((await run("--yes")).lines).toEqual(["", ...moves("moved")]);
  // The moves back are those of the owner, so a second run finds them.
  expect((await run("--yes")).lines).toEqual([
    "",
    `${name}:between stays: someone else has moved it since`,
    ...stays,
    `${name}:twice stays: someone else has moved it since`,
  ]);
});

test("--override moves back what a tag rule keeps, one tag or all of an identity", async () => {
  const [first = "", second = ""] = digests;
  const bot = await newIdentity(organization, "registry.push");
  const owner = organization.owner.token;
  const move = (digest: string, token = owner) =>
    createResource(`/registry/v2/tags/${repo}`, token, { name: "kept", digest });
  await move(first);
  await move(second, bot.token);
  const rule = { name: "kept", includeTags: ["kept"], keep: { writeOnce: true } };
  await createResource(`/registry/v2/tagRules/${repo}`, owner, rule);
  const run = (...args: string[]) => platformctl(["rollback", ...args], { env });
  const many = ["--by", bot.uid, "--since", "1h", "--yes"];
  const refused = await run(...many);
  expect([refused.code, refused.out]).toEqual([1, expect.stringContaining("only once")]);
  const moved = await run(...many, "--override", "was taken over");
  expect(moved.out).toContain(`${name}:kept moved from ${second} to ${first}.`);
  const one = [`${name}:kept`, "--to", second];
  expect((await run(...one)).err).toContain("it can be set only once");
  expect((await run(...one, "--override", "")).code).toBe(2);
  expect(await run(...one, "--override", "the image was good")).toMatchObject({ code: 0 });
  const { out } = await platformctl(["moves", "--tag", "kept"], { env });
  const reasons = out.split("\n").map((line) => line.split("\t").at(-1));
  expect(reasons.slice(0, 2)).toEqual(["kept: the image was good", "kept: was taken over"]);
});
