/** Lists of events and moves by an identity with a role in many groups, and streams. */
import { beforeAll, expect, test } from "vitest";
import { maxStreams } from "../../src/events/events/open_streams.ts";
import { newIdentity, newOrganization, randomUid, roleUid } from "../world/personas.ts";
import { baseUrl, callRest, costOf, sql } from "../world/platform.ts";
import { long } from "../world/tiers.ts";
import { patience } from "../world/times.ts";

/** An owner of so many groups of an organization, and the uids of these groups. */
async function ownerOf(count: number) {
  const organization = await newOrganization("scopes");
  const groups = Array.from(
    { length: count },
    () => `${organization.uid}/${randomUid().slice(0, 16)}`,
  );
  const owner = await newIdentity(organization, undefined);
  await sql(
    "insert into groups (uid, name, create_time, update_time) select value, substr(value, -16), 1, 1 from json_each(?)",
    JSON.stringify(groups),
  );
  await sql(
    `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time)
     select value || '/${"b".repeat(16)}', ?, ?, 1, 1 from json_each(?)`,
    ...[owner.uid, await roleUid("owner"), JSON.stringify(groups)],
  );
  return { ...owner, groups, organization };
}

let few: Awaited<ReturnType<typeof ownerOf>>;
let many: typeof few;
beforeAll(async () => {
  [few, many] = await Promise.all([ownerOf(50), ownerOf(51)]);
});

const refused = (body: { details?: unknown }) =>
  expect(JSON.stringify(body.details)).toContain('"field":"uidp"');

test.each(["/events/v2/events", "/registry/v2/tagMoves"])(
  "%s merges 50 groups, and asks for a scope above that",
  async (path) => {
    const ask = (query: string, token: string) => callRest(`${path}?${query}`, { token });
    const merged = await ask("", few.token);
    expect([merged.status, costOf(merged).rowsRead]).toEqual([200, expect.any(Number)]);
    for (const query of ["", `uidp.descendants_of=${many.organization.uid}`]) {
      const { status, body } = await ask(query, many.token);
      expect([status, body.code]).toEqual([400, 3]);
      refused(body);
    }
    for (const query of [
      `uidp.descendants_of=${many.groups[0]}`,
      `uidp.children_of=${many.groups[0]}`,
    ])
      expect((await ask(query, many.token)).status).toBe(200);
  },
);

async function openStream(query: string, token: string) {
  const controller = new AbortController();
  const response = await fetch(`${baseUrl()}/events/v2/events:stream?${query}`, {
    headers: { authorization: `Bearer ${token}` },
    signal: controller.signal,
  });
  return { response, stop: () => controller.abort() };
}

test("a stream merges five groups, and asks for a scope above that", async () => {
  const [five, six] = await Promise.all([ownerOf(5), ownerOf(6)]);
  const opened = await openStream("", five.token);
  expect(opened.response.status).toBe(200);
  opened.stop();
  const { response } = await openStream("", six.token);
  expect(response.status).toBe(400);
  refused((await response.json()) as object);
  const one = await openStream(`uidp.descendants_of=${six.groups[0]}`, six.token);
  expect(one.response.status).toBe(200);
  one.stop();
});

test("an identity has so many open streams, and others have their own", long, async () => {
  const query = `uidp.descendants_of=${few.groups[0]}`;
  const streams = [];
  for (let count = 0; count < maxStreams; count += 1)
    streams.push(await openStream(query, few.token));
  expect(streams.map(({ response }) => response.status)).toEqual(streams.map(() => 200));
  const { response } = await openStream(query, few.token);
  expect(response.status).toBe(429);
  expect(await response.json()).toMatchObject({ code: 8 });
  const others = await openStream(`uidp.descendants_of=${many.groups[0]}`, many.token);
  expect(others.response.status).toBe(200);
  for (const one of [...streams, others]) one.stop();
  // The platform notices the end of a stream when it next writes to it, after 15 seconds.
  const open = async () => {
    const again = await openStream(query, few.token);
    again.stop();
    return again.response.status;
  };
  await expect.poll(open, { timeout: 15_000 + patience }).toBe(200);
});
