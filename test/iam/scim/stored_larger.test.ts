/** Users from a time when the limits were higher. */
import { beforeEach, describe, expect, test } from "vitest";
import { sql } from "../../world/platform.ts";
import { type Client, newClient, userSchema } from "./client.ts";

let client: Client;
const id = "00000000000000aa";
const emails = Array.from({ length: 13_000 }, (_, index) => ({ value: `a${index}` }));
const title = "x".repeat(250_000);

beforeEach(async () => {
  client = await newClient();
});

const insert = (attributes: object) =>
  sql(
    `insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
     values (?, 'old', 'old', ?, 1, 1)`,
    `${client.idp}/${id}`,
    JSON.stringify(attributes),
  );
const put = (user: object) =>
  client.ask("PUT", `/Users/${id}`, { schemas: [userSchema], userName: "old", ...user });
const read = async () => (await client.ask("GET", `/Users/${id}`)).body;

describe.each([
  ["13,000 e-mails", { emails }],
  ["a title of 250,000 characters", { title }],
  ["half of a surrogate pair", { title: "\ud800", emails }],
])("a user stored with %s", (_, attributes) => {
  beforeEach(() => insert(attributes));

  test("can be read, listed and found", async () => {
    const whole = await client.ask("GET", `/Users/${id}`);
    expect(whole.status).toBe(200);
    expect(whole.body).toMatchObject(attributes);
    const listed = await client.ask("GET", "/Users");
    expect(listed.body).toMatchObject({ totalResults: 1, Resources: [whole.body] });
    for (const filter of ['userName eq "old"', 'title pr or emails.value eq "a1"']) {
      const found = await client.ask("GET", `/Users?filter=${encodeURIComponent(filter)}`);
      expect([filter, found.body.totalResults, found.body.itemsPerPage]).toEqual([filter, 1, 1]);
    }
  });

  test("can be deactivated by PATCH", async () => {
    const off = await client.patch(id, { op: "replace", path: "active", value: false });
    expect([off.status, (await read()).active]).toEqual([200, false]);
  });

  test("a user beyond today's limits cannot grow further", async () => {
    const before = await read();
    const grown = await client.patch(id, { op: "add", path: "nickName", value: "more" });
    expect([grown.status, grown.body.scimType]).toEqual([400, "invalidValue"]);
    expect(await read()).toEqual(before);
  });

  test("can be reduced by PUT and by PATCH, and deleted", async () => {
    expect((await client.patch(id, { op: "remove", path: "emails" })).status).toBe(200);
    expect((await client.patch(id, { op: "replace", path: "title", value: "t" })).status).toBe(200);
    expect((await put({ title: "small" })).status).toBe(200);
    expect(await read()).toMatchObject({ userName: "old", title: "small" });
    expect((await client.ask("DELETE", `/Users/${id}`)).status).toBe(204);
  });
});

describe("a user stored with 13,000 email addresses", () => {
  beforeEach(() => insert({ emails }));

  test("can be deactivated by a PUT of all stored values", async () => {
    const off = await put({ emails, active: false });
    expect([off.status, off.body.active, off.body.emails.length]).toEqual([200, false, 13_000]);
    const more = await put({ emails: [...emails, { value: "more" }] });
    expect([more.status, more.body.scimType]).toEqual([400, "invalidValue"]);
  });

  test("loses some of them by a filter, and by equal values", async () => {
    const some = await client.patch(
      id,
      { op: "remove", path: 'emails[value sw "a1"]' },
      { op: "remove", path: "emails", value: emails.slice(2, 3) },
    );
    expect(some.status).toBe(200);
    const left = emails.filter(({ value }) => !value.startsWith("a1") && value !== "a2");
    expect(some.body.emails).toEqual(left);
  });
});

test("a page of large users ends early, and the next one continues from there", async () => {
  await sql(
    `insert into scim_users (uid, user_name, user_name_key, attributes, create_time, update_time)
     select ? || '/' || printf('%016x', value), 'u' || value, 'u' || value, ?, value, 1 from json_each(?)`,
    client.idp,
    JSON.stringify({ title: "x".repeat(200_000) }),
    JSON.stringify(Array.from({ length: 50 }, (_, index) => index)),
  );
  const names: string[] = [];
  const pages: number[] = [];
  while (names.length < 50) {
    const { body } = await client.ask("GET", `/Users?count=200&startIndex=${names.length + 1}`);
    expect([body.totalResults, body.Resources.length]).toEqual([50, body.itemsPerPage]);
    names.push(...body.Resources.map(({ userName }: { userName: string }) => userName));
    pages.push(body.itemsPerPage);
  }
  // 4 MiB of 200,000 bytes each.
  expect(pages).toEqual([20, 20, 10]);
  expect(names).toEqual(Array.from({ length: 50 }, (_, index) => `u${index}`));
});
