/** The pages of the list of repositories: their cost, and the names that they leave out. */
import { expect, test } from "vitest";
import { costOf, sql } from "../world/platform.ts";
import { list, newGroup, readAll } from "./catalog_pages.ts";
import { newVerified, registryToken } from "./stored_images.ts";

test("a page costs two round trips and a few rows for each name and group, however many repositories there are", async () => {
  const organization = await newVerified();
  const { uid, name, owner } = organization;
  const groups = [
    uid,
    await newGroup(organization, uid, "b"),
    await newGroup(organization, uid, "d"),
  ];
  for (const group of groups) {
    await sql(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < 999)
       insert into repos (uid, name, create_time, update_time)
       select ? || '/' || printf('%016x', i + 4096), printf('c%04d', i), 1, 1 from n`,
      group,
    );
  }
  const token = await registryToken(owner.uid);
  for (const last of ["", `${name}/b/c0500`, `${name}/c0900`, `${name}/d/c0000`]) {
    const answer = await list(token, `?n=10&last=${last}`);
    expect(answer.body.repositories).toHaveLength(10);
    expect(costOf(answer).roundTrips).toBe(2);
    expect(costOf(answer).rowsRead).toBeLessThan(200);
  }
  for (const n of ["", "?n=1001", "?n=2147483647", `?n=${"9".repeat(400)}`]) {
    const answer = await list(token, n);
    expect(answer.body.repositories).toHaveLength(1000);
    expect(answer.headers.get("link")).toContain("/v2/_catalog?n=1000&last=");
  }
  expect(await readAll(token, "?n=700")).toHaveLength(3000);
});

test("a page does not read the repositories of groups whose names come after it", async () => {
  const organization = await newVerified();
  const { uid, name, owner } = organization;
  await sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 99)
     insert into groups (uid, name, create_time, update_time)
     select ? || '/' || printf('%016x', i + 4096), printf('g%02d', i), 1, 1 from n`,
    uid,
  );
  await sql(
    `with recursive n(i) as (select 0 union all select i + 1 from n where i < 19)
     insert into repos (uid, name, create_time, update_time)
     select groups.uid || '/' || printf('%016x', i + 4096), printf('c%02d', i), 1, 1
     from groups cross join n where groups.parent = ?`,
    uid,
  );
  const token = await registryToken(owner.uid);
  const answer = await list(token, `?n=30&last=${name}/g10/c15`);
  const expected = [...Array(30).keys()].map((at) => {
    const [group, one] = [10 + Math.floor((16 + at) / 20), (16 + at) % 20];
    return `${name}/g${group}/c${String(one).padStart(2, "0")}`;
  });
  expect(answer.body.repositories).toEqual(expected);
  expect(costOf(answer).rowsRead).toBeLessThan(1500);
});

test("rows whose names cannot be in an image name are left out, and later pages have the names after them", async () => {
  const organization = await newVerified();
  const { uid, name, owner } = organization;
  const groups = [];
  for (const one of ["a-b", "a-c"]) groups.push(await newGroup(organization, uid, one));
  // Every text of up to four of these characters.
  const characters = ["a", "0", ".", "_", "-", "/", "A"];
  let texts = [""];
  const all = ["a___a", "a____a", "a---a", "a_-_a", "a__a__a", "aa__/a"];
  for (let length = 1; length <= 4; length += 1) {
    texts = texts.flatMap((text) => characters.map((one) => text + one));
    all.push(...texts);
  }
  for (const parent of [uid, ...groups]) {
    await sql(
      `insert into repos (uid, name, create_time, update_time)
       select ? || '/' || printf('%016x', key + 4096), value, 1, 1 from json_each(?)`,
      parent,
      JSON.stringify(all),
    );
  }
  const grammar =
    /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
  const possible = all.filter((text) => grammar.test(text));
  const names = [name, `${name}/a-b`, `${name}/a-c`].flatMap((prefix) =>
    possible.map((one) => `${prefix}/${one}`),
  );
  const token = await registryToken(owner.uid);
  for (const n of [50, 1000]) {
    expect(await readAll(token, `?n=${n}`)).toEqual(names.toSorted());
  }
});
