/** `platformctl rules plan` and `rules show`: what a person sees before anything is deleted. */
import { beforeEach, describe, expect, test } from "vitest";
import { waitForPulls } from "../../registry/expiry/expiring_repo.ts";
import { createResource } from "../../world/personas.ts";
import { callRest, registryAudience } from "../../world/platform.ts";
import { type ExpiringRepo, importOld, newExpiringRepo, plan } from "./expiring_repo.ts";

let shop: ExpiringRepo;
let digest = "";

beforeEach(async () => {
  shop = await newExpiringRepo();
  digest = await shop.pushOld("build-1");
  await shop.pushOld("stable");
});

const tagNames = async () =>
  (await shop.run(["list", "tags", "--repo", "shop", "--columns", "name"])).out
    .trim()
    .split("\n")
    .sort();

/** The command that an answer or an error names. */
const namedCommand = (text: string) => (/platformctl (.*)/.exec(text)?.[1] ?? "").split(" ");

describe("rules plan", () => {
  test("prints each tag and image with its rule and the reason, deletes nothing, and names the command that carries it out", async () => {
    const { code, out, err } = await shop.run(["rules", "plan", "shop"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^Plan of shop: ready\nIn the plan: 1 tag and 1 image, with \S+ k?B that/);
    const [tag = [], image = []] = out
      .split("\n")
      .map((line) => line.split("\t"))
      .filter((cells) => cells.length > 1);
    expect(tag.slice(0, 2)).toEqual(["build-1", "builds"]);
    expect(tag[2]).toContain("not moved since");
    expect(image[0]).toBe(digest);
    expect(out).not.toContain("stable");
    expect(await tagNames()).toEqual(["build-1", "stable"]);
    const command = namedCommand(out);
    await waitForPulls(command.at(-1) ?? "");
    const carried = await shop.run(command);
    expect(carried).toMatchObject({ code: 0, err: "" });
    expect(await tagNames()).toEqual(["stable"]);
  });

  test("--dry-run counts, and keeps no plan", async () => {
    const { code, out } = await shop.run(["rules", "plan", "shop", "--dry-run"]);
    expect(code).toBe(0);
    expect(out).toContain("In the plan: 1 tag and 1 image, with ");
    expect(out).toContain("platformctl rules plan shop\n");
    expect((await shop.run(["rules", "plans", "shop"])).out).toBe("");
    const json = await shop.run(["rules", "plan", "shop", "--dry-run", "-o", "json"]);
    expect(JSON.parse(json.out)).toMatchObject({ plan: { tagCount: 1 }, items: [] });
  });

  test("has the description for those who approve it", async () => {
    const { out } = await shop.run(["rules", "plan", "shop", "--description", "Old builds"]);
    expect(out).toContain("\nDescription: Old builds\n");
  });

  test("accepts every way to name the repository", async () => {
    const { uid, name } = shop.organization;
    for (const repo of [
      shop.repo,
      `${uid}/shop`,
      `${name}/shop`,
      `${registryAudience}/${name}/shop`,
    ]) {
      const { code, err } = await shop.run(["rules", "plan", repo, "--dry-run"]);
      expect({ repo, code, err }).toEqual({ repo, code: 0, err: "" });
    }
    const { code, err } = await shop.run(["rules", "plan", "nowhere"]);
    expect([code, err]).toEqual([1, expect.stringContaining("There is no repository")]);
  });

  test("says so if no tag expires", async () => {
    await shop.run(["delete", "tag", "shop:build-1", "--yes"]);
    const { code, out } = await shop.run(["rules", "plan", "shop"]);
    expect([code, out]).toEqual([0, expect.stringContaining("No tag and no image expires.")]);
  });

  test("without a rule that lets tags expire, the error names the command that creates one", async () => {
    await shop.run(["delete", "tag-rule", "builds", "--repo", "shop", "--yes"]);
    const refused = await shop.run(["rules", "plan", "shop"]);
    expect(refused).toMatchObject({ code: 1, out: "" });
    const line = namedCommand(refused.err).map((word) => (word === "NAME" ? "old" : word));
    expect(await shop.run(line)).toMatchObject({ code: 0, err: "" });
    expect((await shop.run(["rules", "plan", "shop"])).code).toBe(0);
  });

  test("with an open plan, the error names the command that shows it", async () => {
    const uid = await plan(shop);
    const refused = await shop.run(["rules", "plan", "shop"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(uid)]);
    const shown = await shop.run(namedCommand(refused.err));
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining("build-1\tbuilds\t")]);
  });

  test("a table on a terminal is as wide as the terminal, and the command has the whole uid", async () => {
    const { out } = await shop.run(["rules", "plan", "shop"], { columns: 80 });
    const rows = out.split("\n").filter((line) => line.includes(" builds "));
    expect(rows.length).toBe(2);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(80);
    expect(out).toMatch(new RegExp(`rules carry-out ${shop.repo}/[0-9a-f]{16}\n$`));
  });
});

describe("rules show", () => {
  test("pages through all tags and images, of which plan prints the first ones", async () => {
    await importOld(shop, digest, 230);
    const made = await shop.run(["rules", "plan", "shop"]);
    expect(made.out.split("\n").filter((line) => line.includes("\t"))).toHaveLength(20);
    const [uid = ""] = new RegExp(`${shop.repo}/[0-9a-f]{16}`).exec(made.out) ?? [];
    expect(made.out).toContain(
      `There are more. To see all, run: platformctl rules show ${uid} --all`,
    );
    const { out } = await shop.run(["rules", "show", uid, "--all", "--json"]);
    const { items, more, plan } = JSON.parse(out);
    expect([more, plan.uid, plan.tagCount]).toEqual([false, uid, 230]);
    expect(
      new Set(items.map(({ tag, digest }: Record<string, string>) => tag || digest)).size,
    ).toBe(231);
  });

  test("--limit says that there is more, --outcome chooses, and both refuse other words", async () => {
    const uid = await plan(shop);
    const one = await shop.run(["rules", "show", uid, "--limit", "1", "--json"]);
    expect(JSON.parse(one.out)).toMatchObject({ items: [{ tag: "build-1" }], more: true });
    const all = await shop.run(["rules", "show", uid, "--limit", "2", "--json"]);
    expect(JSON.parse(all.out)).toMatchObject({ items: [{}, {}], more: false });
    const left = await shop.run(["rules", "show", uid, "--outcome", "left"]);
    expect(left.out).not.toContain("build-1");
    const planned = await shop.run(["rules", "show", uid, "--outcome", "planned"]);
    expect(planned.out).toContain("build-1");
    for (const wrong of [
      ["--limit", "0"],
      ["--outcome", "lost"],
    ])
      expect((await shop.run(["rules", "show", uid, ...wrong])).code).toBe(2);
  });

  test("a person who does not see the plan gets no part of it, and a repository is not a plan", async () => {
    const uid = await plan(shop);
    const stranger = await newExpiringRepo();
    const { code, out } = await stranger.run(["rules", "show", uid]);
    expect([code, out]).toEqual([1, ""]);
    const wrong = await shop.run(["rules", "show", shop.repo]);
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("uid of a plan")]);
  });
});

test("the plan keeps what it says about a rule that is deleted later", async () => {
  const uid = await plan(shop);
  await callRest(`/registry/v2/tagRules/${shop.rule}`, {
    ...{ method: "DELETE", token: shop.organization.owner.token },
  });
  const { out } = await shop.run(["rules", "show", uid]);
  expect(out).toContain("build-1\tbuilds\t");
});

test("create expiry-plan needs the repository, as the generated commands of its children do", async () => {
  const made = await shop.run(["create", "expiry-plan", "--repo", "shop", "--json"]);
  expect(made).toMatchObject({ code: 0, err: "" });
  const { out } = await shop.run(["list", "expiry-plans", "--repo", "shop", "-o", "uid"]);
  expect(out).toBe(`${JSON.parse(made.out).uid}\n`);
  await createResource(
    `/registry/v2/expiryPlans/${out.trim()}:cancel`,
    shop.organization.owner.token,
    {},
  );
});
