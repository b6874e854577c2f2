/** `platformctl rules plans`: the list of expiry plans. */
import { beforeAll, expect, test } from "vitest";
import { createResource } from "../../world/personas.ts";
import { type ExpiringRepo, newExpiringRepo, plan } from "./expiring_repo.ts";

let shop: ExpiringRepo;
let [first, second] = ["", ""];

beforeAll(async () => {
  shop = await newExpiringRepo();
  await shop.pushOld("build-1");
  const { uid, owner } = shop.organization;
  await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "other" });
  first = await plan(shop);
  await shop.run(["rules", "carry-out", first]);
  await shop.pushOld("build-2");
  second = await plan(shop);
});

test("lists the plans of a repository or below a group, the newest first, with exact values for programs", async () => {
  for (const where of [["shop"], ["--group", shop.organization.name], []]) {
    const { code, out, err } = await shop.run(["rules", "plans", ...where]);
    expect({ where, code, err }).toEqual({ where, code: 0, err: "" });
    const rows = out.split("\n").map((line) => line.split("\t"));
    expect(rows.map((cells) => [cells[0], cells[1], cells.at(-1)]).slice(0, 2)).toEqual([
      ["shop", "ready", second],
      ["shop", "done", first],
    ]);
    expect(rows[1]?.[6]).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(rows[1]?.[5]).toMatch(/^[1-9]\d*$/);
  }
  const others = await shop.run(["rules", "plans", "other"]);
  expect(others).toMatchObject({ code: 0, out: "" });
});

test("a terminal that has no room for uids shows the command for the open plan", async () => {
  const { out } = await shop.run(["rules", "plans"], { columns: 80 });
  expect(out).not.toContain(first);
  expect(out).toContain(`\nshop: To carry it out, run: platformctl rules carry-out ${second}\n`);
  const none = await shop.run(["rules", "plans", "other"], { columns: 80 });
  expect(none.out).toBe("There is no expiry plan.\n");
});

test("a repository and a group cannot be named together", async () => {
  const { code, err } = await shop.run(["rules", "plans", "shop", "-g", shop.organization.name]);
  expect([code, err]).toEqual([2, expect.stringContaining("not both")]);
});

test("--limit says that there are more, and -o chooses other forms", async () => {
  const { out } = await shop.run(["rules", "plans", "--limit", "1", "-o", "json"]);
  expect(JSON.parse(out)).toMatchObject({ expiryPlans: [{ uid: second }], more: true });
  const text = await shop.run(["rules", "plans", "--limit", "1"], { columns: 80 });
  expect(text.out).toContain("There are more plans.");
  const uids = await shop.run(["rules", "plans", "shop", "-o", "uid"]);
  expect(uids.out).toBe(`${second}\n${first}\n`);
});
