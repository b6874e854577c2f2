/** The identities that were not used, and those whose static keys expire. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomUid,
} from "../../world/personas.ts";
import { callRest, costOf, sql } from "../../world/platform.ts";
import { iso } from "../../world/times.ts";

const day = 24 * 3600 * 1000;
const now = Date.now();
const today = now - (now % day);

let organization: Organization;
let token: string;
beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
});

const list = (query: Record<string, string>) =>
  callRest(
    `/iam/v2/identities?${new URLSearchParams({ "uidp.descendants_of": organization.uid, ...query })}`,
    { token },
  );
const names = async (query: Record<string, string>) => {
  const { status, body } = await list(query);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.identities ?? []).map(({ name }: { name: string }) => name);
};

/** An identity that was created and last used at these times. 0 for never. */
async function plant(name: string, created: number, used: number) {
  const uid = `${organization.uid}/${randomUid().slice(0, 16)}`;
  await sql(
    `insert into identities (uid, name, last_seen_time, create_time, update_time, last_used_time)
     values (?, ?, ?, ?, ?, ?)`,
    ...[uid, name, created, created, created, used],
  );
}

describe("unused_since", () => {
  beforeEach(async () => {
    await plant("never-old", today - 200 * day, 0);
    await plant("never-new", today - 10 * day, 0);
    await plant("used-100", today - 300 * day, today - 100 * day + 5);
    await plant("used-90", today - 300 * day, today - 90 * day + 5);
    await plant("used-now", today - 300 * day, today + 1);
  });

  test("finds identities that were certainly not used, the longest unused first", async () => {
    expect(await names({ unusedSince: iso(today - 90 * day) })).toEqual(["never-old", "used-100"]);
    // Used on the day of the time itself, so perhaps before it and perhaps after it.
    expect(await names({ unusedSince: iso(today - 90 * day + 23 * 3600_000) })).toEqual([
      "never-old",
      "used-100",
    ]);
    expect(await names({ unusedSince: iso(today - 89 * day) })).toEqual([
      ...["never-old", "used-100", "used-90"],
    ]);
    expect(
      await names({ unusedSince: iso(today), orderBy: "last_used_time desc", name: "never-new" }),
    ).toEqual(["never-new"]);
  });

  test("has pages, in both directions, without a total", async () => {
    const query = { unusedSince: iso(now), pageSize: "2", orderBy: "last_used_time desc" };
    const first = (await list(query)).body;
    expect(first).not.toHaveProperty("totalCount");
    const found = [
      ...first.identities,
      ...(await list({ ...query, pageToken: first.nextPageToken })).body.identities,
    ];
    expect(found.map(({ name }) => name)).toEqual([
      ...["never-new", "used-90", "used-100", "never-old"],
    ]);
  });

  test("works together with a kind of relationship and with a scope", async () => {
    const query = { unusedSince: iso(now), relationshipType: "RELATIONSHIP_TYPE_STATIC" };
    expect(await names(query)).toEqual([]);
    const other = await newOrganization();
    const { body } = await callRest(`/iam/v2/identities?unusedSince=${iso(now)}`, {
      token: other.owner.token,
    });
    expect(body.identities ?? []).toEqual([]);
  });

  test("reads only the rows of one page, however long the list is", async () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ name: `u${at}` }));
    await Promise.all(many.map(({ name }) => plant(name, today - 200 * day, 0)));
    const answer = await list({ unusedSince: iso(today - 90 * day), pageSize: "50" });
    expect(answer.body.identities).toHaveLength(50);
    expect(costOf(answer).roundTrips).toBe(1);
    expect(costOf(answer).rowsRead).toBeLessThanOrEqual(70);
  });

  test("refuses another order, another filter by time, and a text that is not a time", async () => {
    const refused = [
      await list({ unusedSince: iso(now), orderBy: "name" }),
      await list({ unusedSince: iso(now), expiresBefore: iso(now) }),
      await list({ unusedSince: "yesterday" }),
      await list({ expiresAfter: iso(now), expiresBefore: iso(now) }),
      await list({ orderBy: "expiration_time" }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(refused.map(({ body }) => body.message)).toEqual([
      expect.stringContaining("last_used_time"),
      expect.stringContaining("unused_since must be empty"),
      expect.stringContaining("unused_since"),
      expect.stringContaining("expires_before must be later"),
      expect.stringContaining("order_by must begin with one of"),
    ]);
  });
});

describe("expires_after and expires_before", () => {
  const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };
  const withKeys = (name: string, expires: number) =>
    createResource(`/iam/v2/identities/${organization.uid}`, token, {
      name,
      staticKeys: {
        ...{ issuer: "https://i.example", subject: name, expirationTime: iso(expires) },
        issuerKeys: JSON.stringify({ keys: [jwk] }),
      },
    });

  test("find identities with static keys, the first to expire first", async () => {
    await newIdentity(organization, undefined);
    await withKeys("late", now + 300 * day);
    await withKeys("soon", now + 5 * day);
    const { uid } = await withKeys("past", now + day);
    await sql("update identities set key_expire_time = ? where uid = ?", now - day, uid);
    expect(await names({ expiresBefore: iso(now + 30 * day) })).toEqual(["past", "soon"]);
    expect(await names({ expiresAfter: iso(now) })).toEqual(["soon", "late"]);
    const both = { expiresAfter: iso(now), expiresBefore: iso(now + 30 * day) };
    expect(await names(both)).toEqual(["soon"]);
    expect(await names({ ...both, orderBy: "expiration_time desc" })).toEqual(["soon"]);
    expect((await list(both)).body).not.toHaveProperty("totalCount");
  });

  test("follow a change of the keys, and leave out an identity without keys", async () => {
    const { uid } = await withKeys("moved", now + 300 * day);
    const path = `/iam/v2/identities/${uid}`;
    const soon = { expiresBefore: iso(now + 30 * day) };
    expect(await names(soon)).toEqual([]);
    const change = (body: object) => callRest(path, { method: "PATCH", token, body });
    const { staticKeys } = (await callRest(path, { token })).body;
    await change({ staticKeys: { ...staticKeys, expirationTime: iso(now + 3 * day) } });
    expect(await names(soon)).toEqual(["moved"]);
    await change({ claimMatch: { issuer: "https://i.example", subject: "s" } });
    expect(await names(soon)).toEqual([]);
  });
});
