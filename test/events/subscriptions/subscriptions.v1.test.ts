import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { type Answer, callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization("hooks");
  ({ token } = organization.owner);
});

const at = "/events/v1/subscriptions";
const newSink = () => `https://${randomName("hooks")}.example/events?key=1`;
const newGroup = async (parent = organization.uid) =>
  (await createResource(`/iam/v2/groups/${parent}`, token, { name: randomName("group") })).uid;
const subscribe = (parent: string, sink: string, as = token) =>
  callRest(`${at}/${parent}`, { token: as, body: { sink } });
const list = async (query: string, as = token) => {
  const { status, body } = await callRest(`${at}?${query}`, { token: as });
  expect(status, JSON.stringify(body)).toBe(200);
  return (body.items ?? []) as { id: string; sink: string }[];
};
const violated = ({ body }: Answer) =>
  body.details.flatMap(({ fieldViolations = [] }: { fieldViolations?: { field: string }[] }) =>
    fieldViolations.map(({ field }) => field),
  );

describe("a subscription", () => {
  test("that version 1 created can be read and deleted in both", async () => {
    const sink = newSink();
    const { status, body } = await subscribe(organization.uid, sink);
    expect([status, Object.keys(body).sort()]).toEqual([200, ["id", "secret", "sink"]]);
    expect(body.sink).toBe(sink);
    expect(await list(`id=${body.id}`)).toEqual([{ id: body.id, sink }]);
    const v2 = `/events/v2/subscriptions/${body.id}`;
    expect((await callRest(v2, { token })).body).toMatchObject({ uid: body.id, sink });
    expect((await callRest(v2, { method: "DELETE", token })).status).toBe(200);
    expect(await list(`id=${body.id}`)).toEqual([]);
  });

  test("that version 2 created can be read and deleted in version 1, and a second delete is NOT_FOUND", async () => {
    const sink = newSink();
    const { uid } = await createResource(`/events/v2/subscriptions/${organization.uid}`, token, {
      sink,
    });
    expect(await list(`id=${uid}`)).toEqual([{ id: uid, sink }]);
    const end = () => callRest(`${at}/${uid}`, { method: "DELETE", token });
    const gone = await end();
    expect([gone.status, gone.body]).toEqual([200, undefined]);
    expect((await end()).status).toBe(404);
    expect((await callRest(`/events/v2/subscriptions/${uid}`, { token })).status).toBe(404);
  });

  test("takes only the sink from the request", async () => {
    const id = `${organization.uid}/${"0".repeat(16)}`;
    const body = { sink: newSink(), id };
    expect((await createResource(`${at}/${organization.uid}`, token, body)).id).not.toBe(id);
  });
});

describe("an error uses the names of version 1", () => {
  test.each([
    ["a private sink", () => subscribe(organization.uid, "https://10.0.0.1"), "sink"],
    [
      "two places at once",
      () => callRest(`${at}?uidp.in_root=true&uidp.children_of=${organization.uid}`, { token }),
      "uidp",
    ],
  ])("%s", async (_, call, field) => {
    const answer = await call();
    expect([answer.status, violated(answer)]).toEqual([400, [field]]);
    expect(answer.body.message).toContain(field);
    expect(answer.body.message).not.toMatch(/\buid\b/);
  });
});

describe("a list", () => {
  test("has all rows at once, however many, ordered by id", async () => {
    const group = await newGroup();
    await sql(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 150)
       insert into subscriptions (uid, sink, create_time, update_time)
       select ? || '/' || printf('%016x', i), 'https://a.example/' || i, 1, 1 from n`,
      group,
    );
    const all = await list(`uidp.children_of=${group}`);
    expect(all).toHaveLength(150);
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort());
    expect((await callRest(`${at}?uidp.children_of=${group}`, { token })).body.nextPageToken).toBe(
      undefined,
    );
  });

  test("has those in a group, and the one with an id in that group", async () => {
    const group = await newGroup();
    const below = await newGroup(group);
    const subscribed = async (parent: string) => {
      const { id, sink } = (await subscribe(parent, newSink())).body;
      return { id, sink };
    };
    const [here, there] = [await subscribed(group), await subscribed(below)];
    const both = await list(`uidp.descendants_of=${group}`);
    expect(both.map(({ id }) => id).sort()).toEqual([here.id, there.id].sort());
    expect(await list(`uidp.children_of=${group}`)).toEqual([here]);
    expect(await list(`uidp.ids=${there.id}`)).toEqual([there]);
    expect(await list(`id=${there.id}&uidp.descendants_of=${group}`)).toEqual([there]);
    expect(await list(`id=${there.id}&uidp.children_of=${group}`)).toEqual([]);
    expect(await list(`id=${group}/${"0".repeat(16)}`)).toEqual([]);
  });
});
