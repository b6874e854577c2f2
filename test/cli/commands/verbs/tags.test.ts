/** Nothing about tags is quiet: what a list leaves out, and what a creation does. */
import { beforeAll, describe, expect, test } from "vitest";
import { newPusher, pushImage } from "../../../distribution/client.ts";
import { registryToken } from "../../../distribution/stored_images.ts";
import { fakeDigest, newIdentity, type Organization } from "../../../world/personas.ts";
import { baseUrl } from "../../../world/platform.ts";
import { newStateFolder, platformctl } from "../../command.ts";

let organization: Organization;
let token: string;
let env: Record<string, string>;

beforeAll(async () => {
  const pusher = await newPusher();
  ({ organization, token } = pusher);
  const state = await newStateFolder(organization, { registryUrl: baseUrl() });
  env = { PLATFORM_STATE: state, PLATFORM_GROUP: organization.uid };
});

const run = (...args: string[]) => platformctl(args, { env });
const push = (repo: string, tag: string) =>
  pushImage({ token, name: `${organization.uid}/${repo}` }, tag);

describe("list tags", () => {
  test("says how many tags with a date or an epoch it leaves out", async () => {
    for (const tag of ["1.0", "1.0-20260131", "1.0-r2"]) await push("dated", tag);
    const { out, err } = await run("list", "tags", "--repo", "dated");
    expect(out.split("\n").length).toBe(2);
    expect(err).toBe(
      "Left out: 2 tags that end in a date or in -rN. To see them, add --include-dates --include-epochs.\n",
    );
    const all = await run("list", "tags", "--repo", "dated", "--include-dates", "--include-epochs");
    expect([all.out.split("\n").length, all.err]).toEqual([4, ""]);
  });

  test("shows them in a repository that has no others", async () => {
    await push("only-dated", "1.0-20260131");
    const { out, err } = await run("list", "tags", "--repo", "only-dated");
    expect([out.split("\t")[0], err]).toEqual(["1.0-20260131", ""]);
  });
});

describe("create tag", () => {
  test("refuses a digest that the repository does not have, unless it is forced", async () => {
    await push("app", "latest");
    const args = ["create", "tag", "app:next", "--digest", fakeDigest("missing")];
    const refused = await run(...args);
    expect([refused.code, refused.out]).toEqual([1, ""]);
    expect(refused.err).toContain("add --force");
    expect((await run("get", "tag", "app:next")).code).toBe(1);
    expect((await run(...args, "--force")).out).toMatch(/^Created tag next/);
  });

  test("says whether the tag is created, moved or unchanged", async () => {
    const { digest: first } = await push("words", "one");
    const { digest: second } = await push("words", "two");
    const create = async (digest: string) =>
      (await run("create", "tag", "words:now", "--digest", digest)).out.split(" tag ")[0];
    expect([await create(first), await create(first), await create(second)]).toEqual([
      "Created",
      "Unchanged:",
      "Moved",
    ]);
    const ended = ["create", "tag", "words:now", "--digest", second, "--deprecated"];
    expect((await run(...ended)).out).toMatch(/^Updated tag now/);
  });
});

test("pin and history of a deleted tag say that it is deleted, and who did it", async () => {
  const { digest } = await push("gone", "latest");
  await run("delete", "tag", "gone:latest", "--yes");
  const pinned = await run("pin", "gone");
  expect(pinned.out).toContain(digest);
  expect(pinned.err).toMatch(
    /gone:latest is deleted: user-\S+ deleted it .*This is its last digest/,
  );
  const shown = await run("history", "gone");
  expect(shown.out).toContain(digest);
  expect(shown.err).toMatch(/gone:latest is deleted: /);
  expect((await run("pin", "gone@0s")).err).not.toContain("This is its last digest");
});

test("the role registry.push_only pushes to a repository that exists, and deletes and creates none", async () => {
  await push("kept", "latest");
  const identity = await newIdentity(organization, "registry.push_only");
  const own = await registryToken(identity.uid);
  await pushImage({ token: own, name: `${organization.uid}/kept` }, "next");
  const rows = await run("list", "tags", "--repo", "kept", "--columns", "name");
  expect(rows.out).toBe("latest\nnext\n");
  const image = pushImage({ token: own, name: `${organization.uid}/not-there` }, "latest");
  await expect(image).rejects.toThrow();
  const { uid } = JSON.parse((await run("get", "tag", "kept:next", "--json")).out);
  const removed = await fetch(`${baseUrl()}/registry/v2/tags/${uid}`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${identity.token}` },
  });
  expect(removed.status).toBe(403);
});
