/** `tag` and `copy` give an image more names, and `delete --dry-run` says what would go. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  descriptorOf,
  manifestType,
  newImageOf,
  newPusher,
  pullImage,
  pushImage,
} from "../../distribution/client.ts";
import type { Organization } from "../../world/personas.ts";
import { baseUrl } from "../../world/platform.ts";
import { newStateFolder, platformctl } from "../command.ts";

let organization: Organization;
let token: string;
let digest: string;
let env: Record<string, string>;
const target = (repo: string) => ({ token, name: `${organization.uid}/${repo}` });
const run = (...args: string[]) => platformctl(args, { env });

beforeAll(async () => {
  ({ organization, token } = await newPusher());
  const state = await newStateFolder(organization, { registryUrl: baseUrl() });
  env = { PLATFORM_STATE: state, PLATFORM_GROUP: organization.uid };
  const image = await pushImage(target("app"), "1.0");
  ({ digest } = image);
  const subject = descriptorOf(image.text, manifestType);
  const signature = newImageOf({ artifactType: "application/vnd.example", subject });
  await pushImage(target("app"), signature.digest, signature);
});

describe("tag", () => {
  test("creates a tag, leaves it, and does neither with --dry-run", async () => {
    expect((await run("tag", "app:1.0", ":stable", "--dry-run")).out).toBe(
      `Would be created: app:stable ${digest}\n`,
    );
    expect((await run("get", "tag", "app:stable")).code).toBe(1);
    expect((await run("tag", "app:1.0", ":stable")).out).toBe(`Created app:stable ${digest}\n`);
    expect((await run("tag", `app@${digest}`, "app:stable")).out).toMatch(/^Unchanged: app:stable/);
  });

  test("names copy if the target is another repository", async () => {
    await pushImage(target("other"), "1.0");
    const { code, err } = await run("tag", "app:1.0", "other:2.0");
    expect([code, err]).toEqual([2, expect.stringContaining("platformctl copy app:1.0 other:2.0")]);
  });
});

test("copy copies an image with what refers to it, and a second copy sends nothing", async () => {
  const name = `${organization.uid}/approved`;
  const copied = await run("copy", "app:1.0", `${name}:2.0`, "--json");
  expect({ code: copied.code, err: copied.err }).toEqual({ code: 0, err: "" });
  expect(JSON.parse(copied.out)).toMatchObject({
    ...{ digest, tag: "2.0", referrers: 1 },
    blobs: { mounted: 2, uploaded: 0 },
  });
  expect((await pullImage(target("approved"), "2.0")).digest).toBe(digest);
  const response = await fetch(`${baseUrl()}/v2/${name}/referrers/${digest}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect((await response.json()).manifests).toHaveLength(1);
  const again = await run("copy", "app:1.0", `${name}:2.0`, "--json");
  expect(JSON.parse(again.out).blobs).toEqual({ exists: 2, mounted: 0, uploaded: 0 });
});

test("delete --dry-run asks nothing and deletes nothing, also for a whole group", async () => {
  const one = await run("delete", "repo", "app", "--dry-run");
  expect(one.out).toMatch(/^Would delete repo app \(/);
  const all = await run("delete", "group", organization.uid, "--recursive", "--dry-run");
  expect(all.out).toMatch(/3 repos[\s\S]*Nothing was deleted\.\n$/);
  expect((await run("get", "repo", "app")).code).toBe(0);
});

test("inspect shows platforms, layers, labels, tags and who set them, and what was not scanned", async () => {
  const image = newImageOf({ labels: { "org.example.team": "web" } });
  await pushImage(target("inspected"), "1.0", image);
  const answer = JSON.parse((await run("inspect", "inspected:1.0", "--json")).out);
  expect(answer).toMatchObject({
    ...{ digest: image.digest, tags: ["1.0"], movedBy: expect.stringMatching(/^bot-/) },
    platforms: [
      {
        ...{ platform: "linux/amd64", digest: image.digest, bytes: image.layer.length },
        labels: { "org.example.team": "web" },
        examined: { sboms: 0, reports: 0, findings: {} },
      },
    ],
  });
  const { out } = await run("inspect", `inspected@${image.digest}`);
  expect(out).toMatch(/^ +Findings: +not scanned$/m);
  expect(out).toMatch(/^ +Label org\.example\.team: +web$/m);
});

test.each(["team", "team a"])(
  "%s/nested is the image in that group, and not that of the organization",
  async (group) => {
    const { uid } = JSON.parse((await run("create", "group", group, "--json")).out);
    const inner = target(`${uid.slice(uid.lastIndexOf("/") + 1)}/nested`);
    await pushImage(target("nested"), "1.0");
    const { digest: own } = await pushImage(inner, "1.0");
    const pinned = await run("pin", `${group}/nested:1.0`, "--json");
    expect(JSON.parse(pinned.out)).toMatchObject({ digest: own });
    expect((await run("copy", "app:1.0", `${group}/nested:2.0`)).code).toBe(0);
    expect((await pullImage(inner, "2.0")).digest).toBe(digest);
  },
);
