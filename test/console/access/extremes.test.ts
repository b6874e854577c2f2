import { expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";

import { describeInChromium, openConsole } from "../chromium.ts";

describeInChromium("extremes of groups and access in the console", () => {
  test(
    "a tree of more than one page is read group by group, and searched by the platform",
    long,
    async () => {
      const { owner, uid } = await newOrganization();
      const digits = (index: number) => index.toString(16).padStart(16, "0");
      const uids = Array.from({ length: 203 }, (_, index) => `${uid}/${digits(index)}`);
      const names = uids.map((one, index) => ({ uid: one, name: `group-${1000 + index}` }));
      const below = { uid: `${uids[0]}/${digits(7)}`, name: "needle" };
      await sql(
        `insert into groups (uid, name, create_time, update_time)
       select value ->> 'uid', value ->> 'name', 1, 1 from json_each(?)`,
        JSON.stringify([...names, below]),
      );
      const path = `/console/access?group=${uid}`;
      const { page } = await openConsole({ as: owner.uid, path });
      const tree = page.getByRole("navigation", { name: "Groups" });
      await tree.getByRole("link", { name: "group-1199" }).waitFor();
      expect(await tree.getByRole("link", { name: "group-1202" }).count()).toBe(0);
      await tree.getByRole("button", { name: "Show more groups" }).click();
      await tree.getByRole("link", { name: "group-1202" }).waitFor();
      await tree.getByRole("button", { name: "Groups below group-1000" }).click();
      await tree.getByRole("link", { name: "needle" }).waitFor();
      await tree.getByLabel("Find a group").fill("need");
      await tree.getByText("1 found").waitFor();
      await tree.getByText(/ \/ group-1000$/).waitFor();
    },
  );
});
