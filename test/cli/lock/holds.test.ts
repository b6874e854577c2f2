/** `platformctl lock --hold` and `--release`: the holds of a lock on a platform. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { digestNumber, newImage } from "../../distribution/stored_images.ts";
import {
  bindPerson,
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
} from "../../world/personas.ts";
import { baseUrl, callRest, sql } from "../../world/platform.ts";
import { newStateFolder } from "../command.ts";
import { host, lock, useLockFolder, world, write } from "./lock_folder.ts";

useLockFolder();

let python: string;
let nginx: string;
beforeAll(async () => {
  nginx = await newImage(world.organization, "nginx");
  const [row] = await sql<{ uid: string }>(
    "select uid from repos where parent = ? and name = 'python'",
    world.organization.uid,
  );
  python = row?.uid ?? "";
});
beforeEach(() => sql("delete from image_holds where uid like ? || '%'", world.organization.uid));

const api = "/registry/v2/imageHolds";
const tokenOfOwner = () => world.organization.owner.token;
const inRepo = (name: string) => `${world.organization.name}/${name}`;

/** The holds of a repository: their names, and the ends of their digests. */
async function holdsOf(repo: string): Promise<[string, string[]][]> {
  const path = `${api}?uidp.children_of=${repo}&order_by=name`;
  const { body } = await callRest(path, { token: tokenOfOwner() });
  return (body.imageHolds ?? []).map(({ name, digests }: { name: string; digests: string[] }) => [
    name,
    digests.toSorted(),
  ]);
}

const events = async () => {
  const [row] = await sql<{ n: number }>(
    "select count(*) as n from events where subject like ? || '%' and type like '%image_hold%'",
    world.organization.uid,
  );
  return row?.n;
};

test("each repository of the lock gets a hold with exactly its digests in the lock", async () => {
  write("web.Dockerfile", `FROM ${host()}/${inRepo("nginx")}\n`);
  const { code, err } = await lock("--hold", "apps/prod.lock");
  expect({ code, err }).toEqual({
    code: 0,
    err: [
      "Wrote platform.lock with 3 images: 3 added.",
      `Hold apps/prod.lock in ${inRepo("nginx")}: created, 1 image.`,
      `Hold apps/prod.lock in ${inRepo("python")}: created, 2 images.`,
      "",
    ].join("\n"),
  });
  expect(await holdsOf(python)).toEqual([["apps/prod.lock", [digestNumber(1), digestNumber(2)]]]);
  expect(await holdsOf(nginx)).toEqual([["apps/prod.lock", [digestNumber(2)]]]);
});

test("a second run with the same lock changes nothing, and says so", async () => {
  await lock("--hold", "prod");
  const before = await events();
  expect(await lock("--hold", "prod")).toEqual({
    code: 0,
    out: "",
    err: "platform.lock is up to date: 2 images.\nHold prod is up to date in 1 repository.\n",
  });
  expect(await events()).toBe(before);
});

test("a run replaces the digests of the run before, and leaves other holds alone", async () => {
  await createResource(`${api}/${python}`, tokenOfOwner(), {
    name: "other",
    digests: [fakeDigest("other")],
  });
  await lock("--hold", "prod");
  write("k8s/pod.yaml", "");
  const { err } = await lock("--hold", "prod");
  expect(err).toContain(`Hold prod in ${inRepo("python")}: updated, 1 image.\n`);
  expect(await holdsOf(python)).toEqual([
    ["other", [fakeDigest("other")]],
    ["prod", [digestNumber(2)]],
  ]);
});

test("two names of one repository in the lock make one hold", async () => {
  write("k8s/pod.yaml", "");
  write("old.Dockerfile", `FROM ${host()}/${world.organization.uid}/python:1.0\n`);
  expect((await lock("--hold", "prod")).code).toBe(0);
  expect(await holdsOf(python)).toEqual([["prod", [digestNumber(1), digestNumber(2)]]]);
});

test("with --check, images are held only if the files agree with the lock", async () => {
  await lock();
  const held = await lock("--check", "--hold", "prod");
  expect(held.code).toBe(0);
  expect(held.err).toMatch(/^The files agree with .*\nHold prod in .*: created, 2 images\.\n$/);
  write("Dockerfile", `FROM ${world.image}:3\n`);
  const other = await lock("--check", "--hold", "staging");
  expect([other.code, other.err]).toEqual([1, expect.not.stringContaining("Hold")]);
  expect((await holdsOf(python)).map(([name]) => name)).toEqual(["prod"]);
});

test("nothing is held if the lock cannot be written", async () => {
  write("web.Dockerfile", `FROM ${world.image}:nope\n`);
  const { code, err } = await lock("--hold", "prod");
  expect([code, err]).toEqual([1, expect.not.stringContaining("Hold")]);
  expect(await holdsOf(python)).toEqual([]);
});

test("a repository that cannot be held is an error, and the others are held", async () => {
  const full = Array.from({ length: 100 }, (_, at) => `${nginx}/${`${at}`.padStart(16, "0")}`);
  await sql(
    `insert into image_holds (uid, name, digests, create_time, update_time)
     select value, substr(value, -16), '["sha256:a"]', 1, 1 from json_each(?)`,
    JSON.stringify(full),
  );
  write("web.Dockerfile", `FROM ${host()}/${inRepo("nginx")}\n`);
  const { code, out } = await lock("--hold", "prod", "--json");
  expect(code).toBe(1);
  const message = expect.stringContaining("the repository already has 100 image holds");
  expect(JSON.parse(out)).toMatchObject({
    ...{ isWritten: true, hold: "prod" },
    holds: [
      { repo: inRepo("python"), kind: "created", digests: [digestNumber(1), digestNumber(2)] },
    ],
    holdProblems: [{ repo: inRepo("nginx"), code: "FAILED_PRECONDITION", message }],
  });
  expect((await lock("--hold", "prod")).err).toMatch(
    new RegExp(`^${inRepo("nginx")}: error: .*100 image holds`, "m"),
  );
});

test("--release deletes the holds with this name in the organizations of the lock, and no other", async () => {
  await lock("--hold", "prod");
  const other = { name: "other", digests: [fakeDigest("other")] };
  await createResource(`${api}/${python}`, tokenOfOwner(), other);
  await createResource(`${api}/${nginx}`, tokenOfOwner(), { ...other, name: "prod" });
  const { code, out, err } = await lock("--release", "prod");
  expect({ code, out }).toEqual({ code: 0, out: "" });
  expect(err).toBe(
    [
      `Hold prod in ${inRepo("nginx")}: released, 1 image.`,
      `Hold prod in ${inRepo("python")}: released, 2 images.`,
      "",
    ].join("\n"),
  );
  expect([await holdsOf(python), await holdsOf(nginx)]).toEqual([[["other", other.digests]], []]);
  expect((await lock("--release", "prod")).err).toBe("No hold has the name prod.\n");
});

test("--release leaves the organizations alone that the lock does not name", async () => {
  await lock();
  const elsewhere = await newOrganization();
  const { token } = elsewhere.owner;
  await bindPerson({ uid: elsewhere.uid, token }, world.organization.owner.uid, "owner");
  const { uid: repo } = await createResource(`/registry/v2/repos/${elsewhere.uid}`, token, {
    name: "python",
  });
  await createResource(`${api}/${repo}`, token, { name: "prod", digests: [digestNumber(1)] });
  expect(await holdsOf(repo)).toHaveLength(1);
  expect((await lock("--release", "prod")).err).toBe("No hold has the name prod.\n");
  expect(await holdsOf(repo)).toHaveLength(1);
});

test("without a lock, --release looks in PLATFORM_GROUP", async () => {
  await createResource(`${api}/${python}`, tokenOfOwner(), {
    name: "prod",
    digests: [digestNumber(1)],
  });
  const env = { ...world.env, PLATFORM_GROUP: world.organization.name };
  const { code, err } = await world.platformctl(["lock", "--release", "prod"], { env });
  expect([code, err]).toEqual([0, `Hold prod in ${inRepo("python")}: released, 1 image.\n`]);
});

test("a caller who may only read gets an error for each hold, and the lock is written", async () => {
  const viewer = await newIdentity(world.organization, "viewer");
  const state = await newStateFolder(
    { ...world.organization, owner: viewer },
    { registryUrl: baseUrl() },
  );
  const { code, err } = await world.platformctl(["lock", "--hold", "prod"], {
    env: { PLATFORM_STATE: state },
  });
  expect(code).toBe(1);
  expect(err).toContain("Wrote platform.lock");
  expect(err).toContain(`${inRepo("python")}: error: `);
});

test.each([
  [["--hold", "/prod"], "It must be 1 to 128 letters"],
  [["--release", "prod", "--hold", "prod"], "cannot be combined with --hold"],
  [["--release", "prod", "--check"], "cannot be combined with --check"],
  [["--release", "prod", "services"], "cannot be combined with the path services"],
  [["--check", "--hold", "prod", "--update"], "cannot be combined with --update"],
])("%j is bad usage, and writes nothing", async (args, message) => {
  const { code, err } = await lock(...args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
});

test("without a login, --hold writes nothing", async () => {
  const env = { PLATFORM_STATE: "/nowhere", PLATFORM_URL: baseUrl() };
  const { code, err } = await world.platformctl(["lock", "--hold", "prod"], { env });
  expect([code, err]).toEqual([1, expect.stringContaining("You are not logged in")]);
  expect(existsSync(join(world.cwd, "platform.lock"))).toBe(false);
});

test("a lock of another registry is neither held nor released", async () => {
  write(
    "platform.lock",
    JSON.stringify({ version: 1, registry: "registry.example.com", images: {} }),
  );
  for (const args of [
    ["--release", "prod"],
    ["--check", "--hold", "prod"],
  ])
    expect((await lock(...args)).err).toContain("platform.lock is about registry.example.com");
});
