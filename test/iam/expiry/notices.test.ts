/** Events before static keys and SCIM tokens expire: each once, whatever happens to the sweep. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { configOf } from "../../../src/config.ts";
import { writeNotices } from "../../../src/iam/expiry/sweep.ts";
import { openDatabase } from "../../../src/rpc/database.ts";
import { type Sending, startSending } from "../../events/deliveries/sending.ts";
import { randomUid } from "../../world/personas.ts";
import { iso } from "../../world/times.ts";

const day = 24 * 3600 * 1000;

let platform: Sending;
beforeAll(async () => {
  platform = await startSending({}, false);
});
afterAll(() => platform?.close());

let organization: string;
beforeEach(async () => {
  organization = await platform.newOrganization();
});

const jwk = { kty: "EC", crv: "P-256", x: "AA", y: "AA", kid: "1", alg: "ES256" };
const keysUntil = (expires: number) => ({
  ...{ issuer: "https://i.example", subject: "s", expirationTime: iso(expires) },
  issuerKeys: JSON.stringify({ keys: [jwk] }),
});

const newKeys = async (expires: number, name = "bot") =>
  (
    await platform.done(`/iam/v2/identities/${organization}`, {
      name,
      staticKeys: keysUntil(expires),
    })
  ).uid as string;

/** A database whose batches are counted, and fail or end in a given way. */
type Step = (batch: () => Promise<unknown>) => Promise<unknown>;

function contextAt(now: number, step: Step = (batch) => batch()) {
  const { env } = platform;
  const withSession = () => {
    const session = env.DB.withSession("first-primary");
    const batch = (statements: Parameters<typeof session.batch>[0]) =>
      step(() => session.batch(statements));
    return { prepare: (query: string) => session.prepare(query), batch };
  };
  const faulty = { ...env, DB: { withSession } } as unknown as typeof env;
  const { db } = openDatabase(faulty, { waitUntil: () => {} });
  return { db, config: configOf(env), now, headers: new Headers() };
}

const sweepAt = (now: number, step?: Step) => writeNotices(contextAt(now, step));

/** The events about a credential: their days. */
async function noticesOf(uid: string): Promise<number[]> {
  const rows = await platform.sql(
    "select data from events where subject = ? and type like '%.expiring.v1' order by seq",
    uid,
  );
  return rows.map(({ data }) => JSON.parse(String(data)).body.noticeDays);
}

describe("static keys", () => {
  test("have an event 30 days, 7 days and 1 day before they expire, each once", async () => {
    const expires = Date.now() + 200 * day;
    const uid = await newKeys(expires);
    const found: [number, number[]][] = [];
    for (const left of [31, 30, 29.9, 7.1, 7, 6, 1.1, 1, 0.5, -1]) {
      await sweepAt(expires - left * day);
      await sweepAt(expires - left * day);
      found.push([left, await noticesOf(uid)]);
    }
    expect(found).toEqual([
      ...[
        [31, []],
        [30, [30]],
        [29.9, [30]],
        [7.1, [30]],
      ],
      ...[
        [7, [30, 7]],
        [6, [30, 7]],
        [1.1, [30, 7]],
      ],
      ...[
        [1, [30, 7, 1]],
        [0.5, [30, 7, 1]],
        [-1, [30, 7, 1]],
      ],
    ]);
  });

  test("have an event with their expiry, for the group and without an actor", async () => {
    const expires = Date.now() + 40 * day;
    const uid = await newKeys(expires, "robot");
    await sweepAt(expires - 30 * day);
    const [row] = await platform.sql(
      "select * from events where subject = ? and type like '%expiring%'",
      uid,
    );
    expect(row).toMatchObject({
      type: "dev.vendor.api.iam.identity.static_keys.expiring.v1",
      group_uid: organization,
      audience: "customer",
      body_type: "platform.events.v2.ExpiringCredential",
    });
    expect(String(row?.source)).toMatch(/\/iam\/v2\/identities$/);
    expect(JSON.parse(String(row?.data))).toEqual({
      actor: { subject: "" },
      body: { uid, name: "robot", expireTime: iso(expires), noticeDays: 30 },
    });
  });

  test("with a short lifetime have only the events whose time has not passed", async () => {
    const [ten, one] = [Date.now() + 10 * day, Date.now() + day / 2];
    const [first, second] = [await newKeys(ten), await newKeys(one, "short")];
    await sweepAt(Date.now());
    expect([await noticesOf(first), await noticesOf(second)]).toEqual([[], []]);
    await sweepAt(ten);
    expect([await noticesOf(first), await noticesOf(second)]).toEqual([[1], []]);
  });

  test("have only the most urgent event if the platform was down for all of them", async () => {
    const expires = Date.now() + 100 * day;
    const [week, gone] = [await newKeys(expires), await newKeys(expires, "gone")];
    await platform.sql("update identities set key_notice_time = null where uid = ?", gone);
    await sweepAt(expires - 3 * day);
    await platform.sql(
      "update identities set key_notice_time = key_expire_time - ? where uid = ?",
      ...[30 * day, gone],
    );
    await sweepAt(expires + 10 * day);
    expect([await noticesOf(week), await noticesOf(gone)]).toEqual([[7, 1], [1]]);
  });

  test("have new events after their expiry changed, and none after they were replaced", async () => {
    const expires = Date.now() + 40 * day;
    const uid = await newKeys(expires);
    await sweepAt(expires - 30 * day);
    const path = `/iam/v2/identities/${uid}`;
    const later = expires + 100 * day;
    const change = (body: object) => platform.done(path, body, "PATCH");
    await change({ staticKeys: keysUntil(later) });
    await sweepAt(expires);
    expect(await noticesOf(uid)).toEqual([30]);
    await sweepAt(later - 30 * day);
    expect(await noticesOf(uid)).toEqual([30, 30]);
    // A new description leaves the expiry as it is.
    await change({ description: "d" });
    await sweepAt(later - 29 * day);
    expect(await noticesOf(uid)).toEqual([30, 30]);
    await change({ claimMatch: { issuer: "https://i.example", subject: "s" } });
    await sweepAt(later);
    expect(await noticesOf(uid)).toEqual([30, 30]);
  });

  test("of a deleted identity have no event", async () => {
    const expires = Date.now() + 40 * day;
    const uid = await newKeys(expires);
    await platform.done(`/iam/v2/identities/${uid}`, undefined, "DELETE");
    await sweepAt(expires);
    expect(await noticesOf(uid)).toEqual([]);
  });
});

test("a key has its events, for the group of its identity", async () => {
  const identity = await newKeys(Date.now() + 300 * day, "holder");
  const made = await platform.done(`/iam/v2/keys/${identity}`, { name: "ci" });
  const expires = Date.parse(made.expireTime);
  for (const left of [31, 30, 7, 1, -1]) await sweepAt(expires - left * day);
  expect(await noticesOf(made.uid)).toEqual([30, 7, 1]);
  const groups = await platform.sql(
    "select distinct group_uid from events where subject = ? and type like '%.key.expiring.v1'",
    made.uid,
  );
  expect(groups).toEqual([{ group_uid: organization }]);
});

test("more keys than fit into one batch have their events in one run", async () => {
  const expires = Date.now() + 40 * day;
  const uids = Array.from(
    { length: 130 },
    (_, at) => `${organization}/${at.toString(16).padStart(16, "0")}`,
  );
  await platform.sql(
    `insert into identities (uid, name, last_seen_time, create_time, update_time, relationship_type,
       key_expire_time, key_notice_time)
     select value, 'n', 1, 1, 1, 2, ?2, ?3 from json_each(?1)`,
    ...[JSON.stringify(uids), expires, expires - 30 * day],
  );
  let batches = 0;
  await sweepAt(expires - 30 * day, (batch) => {
    batches += 1;
    return batch();
  });
  const rows = await platform.sql(
    "select count(*) as n, count(distinct subject) as subjects from events where group_uid = ? and type like '%expiring%'",
    organization,
  );
  expect(rows).toEqual([{ n: 130, subjects: 130 }]);
  // Three full or partial reads and writes of keys, and a read of keys of identities and of tokens.
  expect(batches).toBe(8);
});

describe("a SCIM token", () => {
  /** Its issuer does not exist, so it is written without the API. */
  async function newProvider(): Promise<string> {
    const uid = `${organization}/${randomUid().slice(0, 16)}`;
    await platform.sql(
      `insert into identity_providers (uid, name, default_role, issuer, client_id, create_time, update_time)
       values (?, 'sso', '', 'https://idp.example', 'c', 1, 1)`,
      uid,
    );
    return uid;
  }
  const call = (uid: string, verb: string, body: object) =>
    platform.done(`/iam/v2/identityProviders/${uid}:${verb}`, body);

  test("has the events of its expiry, new ones once it is replaced, and none once it is revoked", async () => {
    const uid = await newProvider();
    const expires = Date.now() + 60 * day;
    const { etag } = await call(uid, "generateScimToken", { expireTime: iso(expires) });
    await sweepAt(expires - 30 * day);
    expect(await noticesOf(uid)).toEqual([30]);
    const later = expires + 90 * day;
    await call(uid, "regenerateScimToken", { etag, expireTime: iso(later) });
    await sweepAt(expires);
    expect(await noticesOf(uid)).toEqual([30]);
    await sweepAt(later - 7 * day);
    expect(await noticesOf(uid)).toEqual([30, 7]);
    await call(uid, "revokeScimToken", {});
    await sweepAt(later);
    expect(await noticesOf(uid)).toEqual([30, 7]);
  });

  test("that never expires has no event", async () => {
    const uid = await newProvider();
    await call(uid, "generateScimToken", { neverExpires: true });
    await sweepAt(Date.now() + 1000 * day);
    expect(await noticesOf(uid)).toEqual([]);
  });
});

test.each(["fails before", "fails after"])(
  "a sweep that %s each of its batches, or runs twice at once, loses no event and repeats none",
  async (fault) => {
    for (let at = 1; ; at += 1) {
      const expires = Date.now() + 40 * day;
      const uids = [await newKeys(expires, `one-${at}`), await newKeys(expires, `two-${at}`)];
      let steps = 0;
      let isReached = false;
      const step: Step = async (batch) => {
        steps += 1;
        const isHere = steps === at;
        isReached ||= isHere;
        if (isHere && fault === "fails before") throw new Error("a fault of the test");
        const result = await batch();
        if (isHere) throw new Error("a fault of the test");
        return result;
      };
      await sweepAt(expires - 30 * day, step).catch(() => {});
      await Promise.all([sweepAt(expires - 30 * day), sweepAt(expires - 30 * day)]);
      expect([await noticesOf(uids[0] ?? ""), await noticesOf(uids[1] ?? "")]).toEqual([
        [30],
        [30],
      ]);
      if (!isReached) {
        // At least the read and the write of keys, and the read of tokens.
        expect(at).toBeGreaterThan(3);
        return;
      }
    }
  },
);

test("the schedule of the platform writes the events that are due", async () => {
  const uid = await newKeys(Date.now() + 40 * day);
  await platform.sql("update identities set key_notice_time = 1 where uid = ?", uid);
  await platform.runSchedule();
  expect(await noticesOf(uid)).toEqual([30]);
});
