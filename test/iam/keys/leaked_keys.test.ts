/** `POST /leaked-keys`: it revokes keys, sends the owners an event, and shows nothing to the caller. */
import { describe, expect, test } from "vitest";
import { newKeySecret } from "../../../src/auth/key_secret.ts";
import { callRest, costOf, sql, vendor } from "../../world/platform.ts";
import { newKey, newKeyHolder } from "./new_key.ts";

const report = (body: unknown, headers = {}) => callRest("/leaked-keys", { body, headers });
const unknownKey = () => newKeySecret({ vendor });

describe("a key that someone reports", () => {
  test("is deleted, and the owners get one event without the secret", async () => {
    const { organization, identity, key } = await newKeyHolder();
    const answer = await report({ keys: [key.secret, key.secret] });
    expect([answer.status, answer.body]).toEqual([200, {}]);
    const path = `/iam/v2/keys/${key.uid}`;
    expect((await callRest(path, { token: organization.owner.token })).status).toBe(404);
    await report({ keys: [key.secret] });
    const events = await sql(
      "select type, data from events where subject = ? and type like '%leaked%'",
      key.uid,
    );
    expect(events.length).toBe(1);
    const { body } = JSON.parse(String(events[0]?.data));
    expect(body).toMatchObject({
      uid: key.uid,
      name: "old-build-server",
      identityUid: identity.uid,
    });
    expect(String(events[0]?.data)).not.toContain(key.secret);
  });

  test("ends together with others, but no other key of the identity ends", async () => {
    const { organization, identity, key } = await newKeyHolder();
    const kept = await newKey(organization.owner.token, identity.uid);
    const other = await newKeyHolder();
    await report({ keys: [unknownKey(), key.secret, other.key.secret] });
    const left = await sql(
      "select uid from keys where uid in (?, ?, ?)",
      ...[key.uid, kept.uid, other.key.uid],
    );
    expect(left).toEqual([{ uid: kept.uid }]);
  });
});

test("the response and its cost are the same whether or not the key existed", async () => {
  const { key } = await newKeyHolder();
  const [known, unknown] = [
    await report({ keys: [key.secret] }),
    await report({ keys: [unknownKey()] }),
  ];
  const shown = ({ status, body, headers }: typeof known) => [
    ...[status, body],
    [...headers].filter(([name]) => !/^(date|server-timing|x-request-id)$/.test(name)),
  ];
  expect(shown(known)).toEqual(shown(unknown));
  expect([known, unknown].map((answer) => costOf(answer).roundTrips)).toEqual([2, 2]);
});

test.each<[string, unknown]>([
  ["no key", { keys: [] }],
  ["11 keys", { keys: Array.from({ length: 11 }, unknownKey) }],
  ["a text", "keys"],
  ["null", null],
  ["a number in the list", { keys: [1] }],
  ["a wrong checksum", { keys: [`${unknownKey().slice(0, -6)}000000`] }],
  ["a long body", { keys: [unknownKey()], more: "a".repeat(5000) }],
])("%s is refused without a read of the database", async (_, body) => {
  const answer = await report(body);
  expect([answer.status, answer.body.code]).toEqual([400, 3]);
  expect(costOf(answer).roundTrips).toBe(0);
});

test("only POST is supported", async () => {
  expect((await callRest("/leaked-keys")).status).toBe(405);
});
