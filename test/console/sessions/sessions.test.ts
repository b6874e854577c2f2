/** Where a person is signed in, in the console: seen, and ended. */
import { expect, test } from "vitest";
import { newOrganization, randomUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

async function addSession(provider: string, person: string, client: string): Promise<string> {
  const uid = `${provider}/${randomUid().slice(0, 16)}`;
  const now = Date.now();
  await sql(
    `insert into sessions (uid, identity_uid, kind, client, user_agent, create_time, last_used_time, expire_time)
     values (?, ?, 1, ?, 'a browser', ?, ?, ?)`,
    ...[uid, person, client, now, now, now + 3_600_000],
  );
  return uid;
}

describeInChromium("where am I signed in", () => {
  test("shows the person's sessions and those of the group, and ends one or all", async () => {
    const { uid, owner } = await newOrganization();
    const provider = `${uid}/${randomUid().slice(0, 16)}`;
    const one = await addSession(provider, owner.uid, "laptop.example");
    const two = await addSession(provider, owner.uid, "desktop.example");
    const other = await addSession(provider, randomUid(), "elsewhere.example");
    const left = async () =>
      (await sql("select uid from sessions where uid > ? and uid < ?", uid, `${uid}0`)).map(
        (row) => row.uid,
      );
    const { page } = await openConsole({ as: owner.uid, path: `/console/sessions?group=${uid}` });
    await page.getByText("laptop.example").waitFor();
    expect(await page.getByText("elsewhere.example").count()).toBe(0);
    await expectAccessible(page);
    await page
      .getByRole("row")
      .filter({ hasText: "laptop.example" })
      .getByRole("button", { name: "End" })
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("laptop.example").waitFor({ state: "detached" });
    expect(await left()).not.toContain(one);
    expect(new Set(await left())).toEqual(new Set([two, other]));

    await page.getByRole("link", { name: "Everyone in" }).click();
    await page.getByText("elsewhere.example").waitFor();
    await page.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click();
    await page.getByText("There are no sessions").waitFor();
    expect(await left()).toEqual([]);
  });
});
