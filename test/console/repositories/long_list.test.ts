import { expect, test } from "vitest";
import { createResource, newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";

const count = 5_000;

/** A repository with tags `t-00000` to `t-04999`, each changed a second after the one before it. */
async function newLongRepo(length = count) {
  const organization = await newOrganization();
  const { uid } = await createResource(
    `/registry/v2/repos/${organization.uid}`,
    organization.owner.token,
    { name: "long" },
  );
  await sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${length - 1})
      insert into tags (uid, name, digest, line, create_time, update_time)
      select ? || '/' || printf('%016x', i), 't-' || printf('%05d', i),
        'sha256:' || printf('%064x', i), '', 1600000000000 + i * 1000, 1600000000000 + i * 1000 from n`,
    uid,
  );
  return { organization, uid };
}

describeInChromium("a long list in the console", () => {
  test("its end and its middle appear at once, and scrolling skips no rows", async () => {
    const { organization, uid } = await newLongRepo();
    const path = `/console/repositories/${uid}`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    let asked: URLSearchParams[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/registry/v2/tags") asked.push(searchParams);
    });
    /** The rows that the platform had to skip since the last question. */
    const skipped = () => {
      const skips = asked.map((one) => Number(one.get("skip") ?? 0));
      asked = [];
      return Math.max(0, ...skips);
    };
    const see = (name: string) => page.getByRole("link", { name }).waitFor();
    await page.getByText("5,000 tags").waitFor();
    await see("t-04999");

    await page.locator("body").press("End");
    await see("t-00000");
    // The browser scrolls there in steps, so the page before the last one can be asked for too.
    expect(skipped()).toBeLessThanOrEqual(200);
    for (const name of ["t-00070", "t-00145", "t-00215", "t-00290"]) {
      await page.evaluate(() => window.scrollBy(0, -3_000));
      await see(name);
    }
    expect(skipped()).toBeLessThanOrEqual(200);

    const middle = await page.evaluate(() => document.documentElement.scrollHeight / 2);
    await page.evaluate((top) => window.scrollTo(0, top), middle);
    await see("t-02500");
    expect(skipped()).toBeLessThanOrEqual(count / 2);
    for (const name of ["t-02430", "t-02360", "t-02290", "t-02220"]) {
      await page.evaluate(() => window.scrollBy(0, 3_000));
      await see(name);
    }
    expect(skipped()).toBeLessThanOrEqual(count / 2);

    expect(await page.getByRole("row").count()).toBeLessThan(60);
    await expect.poll(() => page.getByRole("table").getAttribute("aria-rowcount")).toBe("5001");
  });

  test(
    "the rows are visible at the end of 200,000 rows, below the head of the table",
    long,
    async () => {
      const { organization, uid } = await newLongRepo(1);
      const { page } = await openConsole({
        ...{ as: organization.owner.uid, path: "/console" },
      });
      const total = 200_000;
      await page.route(/\/registry\/v2\/tags\?/, (route) => {
        const asked = new URL(route.request().url()).searchParams;
        const skip = Number(asked.get("skip") ?? 0);
        const isUp = asked.get("orderBy") === "update_time";
        const tags = Array.from({ length: Number(asked.get("pageSize")) }, (_, at) => {
          const index = isUp ? total - 1 - skip - at : skip + at;
          const time = new Date(total - index).toISOString();
          const name = `row-${index}`;
          return { uid: `${uid}/${index}`, name, createTime: time, updateTime: time };
        });
        return route.fulfill({ json: { tags, totalCount: String(total) } });
      });
      await page.evaluate((at) => history.pushState(null, "", at), `/console/repositories/${uid}`);
      await page.getByText("200,000 tags").waitFor();
      await page.locator("body").press("End");
      const last = page.getByRole("row").filter({ hasText: "row-199999" });
      await last.waitFor();
      const head = await page.getByRole("columnheader", { name: "Tag" }).boundingBox();
      expect(head?.y).toBeLessThan(100);
      // A picture of one color is a few hundred bytes long.
      expect((await last.screenshot()).length).toBeGreaterThan(1_000);
    },
  );
});
