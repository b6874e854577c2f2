import { beforeAll, describe, expect, test } from "vitest";
import { withoutDecisionId } from "../../contract/decisions.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization("hooks");
  ({ token } = organization.owner);
});

const at = "/events/v2/subscriptions";
const newSink = () => `https://${randomName("hooks")}.example/events?key=1`;
const subscribe = (parent: string, sink: string, as = token) =>
  callRest(`${at}/${parent}`, { token: as, body: { sink } });
const newGroup = async () =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("group") }))
    .uid;

/** As every response but the first shows it. */
const withoutSecret = <T extends object>({ secret: _, ...shown }: T & { secret?: string }) => shown;

const violation = (body: { details: { fieldViolations?: object[] }[] }) =>
  body.details.flatMap(({ fieldViolations = [] }) => fieldViolations);

describe("a subscription", () => {
  test("has its sink unchanged, a uid below its group, and its times", async () => {
    const sink = "https://HOOKS.example:443/a/../b?q=%41";
    const { status, body } = await subscribe(organization.uid, sink);
    expect(status).toBe(200);
    const { secret, ...shown } = body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toEqual({
      uid: expect.stringMatching(new RegExp(`^${organization.uid}/[0-9a-f]{16}$`)),
      sink,
      createTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+\.\d{3}Z$/),
      updateTime: body.createTime,
      etag: expect.any(String),
      disabled: false,
    });
    expect((await callRest(`${at}/${body.uid}`, { token })).body).toEqual(shown);
  });

  test("takes only the sink from the request", async () => {
    const body = {
      sink: newSink(),
      uid: `${organization.uid}/${"0".repeat(16)}`,
      createTime: "2001-01-01T00:00:00Z",
    };
    const made = await createResource(`${at}/${organization.uid}`, token, body);
    expect(made.uid).not.toBe(body.uid);
    expect(made.createTime).not.toMatch(/^2001/);
  });

  test("cannot be read or deleted again after it was deleted", async () => {
    const { uid } = await createResource(`${at}/${organization.uid}`, token, { sink: newSink() });
    const gone = await callRest(`${at}/${uid}`, { method: "DELETE", token });
    expect([gone.status, gone.body]).toEqual([200, undefined]);
    expect((await callRest(`${at}/${uid}`, { token })).status).toBe(404);
    expect((await callRest(`${at}/${uid}`, { method: "DELETE", token })).status).toBe(404);
  });

  test("prevents the deletion of its group", async () => {
    const group = await newGroup();
    const { uid } = await createResource(`${at}/${group}`, token, { sink: newSink() });
    const remove = () => callRest(`/iam/v2/groups/${group}`, { method: "DELETE", token });
    expect((await remove()).body).toMatchObject({ code: 9 });
    await callRest(`${at}/${uid}`, { method: "DELETE", token });
    expect((await remove()).status).toBe(200);
  });
});

describe("a group has at most one subscription to a sink", () => {
  test("a second one is ALREADY_EXISTS, and one in another group is accepted", async () => {
    const sink = newSink();
    await createResource(`${at}/${organization.uid}`, token, { sink });
    const { status, body } = await subscribe(organization.uid, sink);
    expect([status, body.code]).toEqual([409, 6]);
    expect((await subscribe(await newGroup(), sink)).status).toBe(200);
  });

  test("and it can be created again after it was deleted", async () => {
    const [group, sink] = [await newGroup(), newSink()];
    const { uid } = await createResource(`${at}/${group}`, token, { sink });
    await callRest(`${at}/${uid}`, { method: "DELETE", token });
    expect((await subscribe(group, sink)).status).toBe(200);
  });
});

describe("a forbidden sink is INVALID_ARGUMENT with the field, and nothing is written", () => {
  test.each([
    ["nothing", ""],
    ["no URL", "hooks"],
    ["white space", "https://hooks.example/a b"],
    ["more than 2048 characters", `https://hooks.example/${"a".repeat(2027)}`],
    ["a password", "https://me:secret@hooks.example"],
  ])("%s", async (_, sink) => {
    const group = await newGroup();
    const { status, body } = await subscribe(group, sink);
    expect([status, body.code]).toEqual([400, 3]);
    expect(violation(body)).toMatchObject([{ field: "sink" }]);
    const count = "select uid from subscriptions where parent = ?";
    expect(await sql(count, group)).toEqual([]);
  });

  test("a sink of 2048 characters is accepted", async () => {
    const sink = `https://hooks.example/${"a".repeat(2026)}`;
    expect(sink.length).toBe(2048);
    expect((await subscribe(organization.uid, sink)).status).toBe(200);
  });

  test("a name that cannot be looked up now is UNAVAILABLE", async () => {
    const { status, body } = await subscribe(await newGroup(), "https://failing.example");
    expect([status, body.code]).toEqual([503, 14]);
  });
});

describe("the right to subscribe", () => {
  test("a caller without the capability is rejected before the sink is checked", async () => {
    const { token: theirs } = await newIdentity(organization, "viewer");
    const answers = await Promise.all(
      [newSink(), "https://10.0.0.1", "https://none.example", "https://failing.example"].map(
        (sink) => subscribe(organization.uid, sink, theirs),
      ),
    );
    expect(new Set(answers.map(({ body }) => withoutDecisionId(body))).size).toBe(1);
    expect(answers[0]?.status).toBe(403);
  });

  test("only groups have subscriptions", async () => {
    const bot = await newIdentity(organization, undefined);
    expect((await subscribe(bot.uid, newSink())).status).toBe(404);
    expect(await sql("select uid from subscriptions where parent = ?", bot.uid)).toEqual([]);
  });
});

describe("a list of subscriptions", () => {
  test("contains those of a group tree, in order, page by page, with their total", async () => {
    const group = await newGroup();
    const below = (
      await createResource(`/iam/v2/groups/${group}`, token, { name: randomName("below") })
    ).uid;
    const made = [];
    for (const parent of [group, below, group]) {
      made.push(await createResource(`${at}/${parent}`, token, { sink: newSink() }));
    }
    const ask = async (query: string) => (await callRest(`${at}?${query}`, { token })).body;
    const all = await ask(`uidp.descendants_of=${group}&order_by=create_time`);
    expect(all.subscriptions).toEqual(made.map(withoutSecret));
    expect(all.totalCount).toBe("3");
    const children = await ask(`uidp.children_of=${group}`);
    expect(children.totalCount).toBe("2");
    const first = await ask(`uidp.descendants_of=${group}&order_by=create_time&page_size=2`);
    const token2 = first.nextPageToken;
    const second = await ask(
      `uidp.descendants_of=${group}&order_by=create_time&page_size=2&page_token=${token2}`,
    );
    expect([...first.subscriptions, ...second.subscriptions]).toEqual(made.map(withoutSecret));
    expect(second.nextPageToken).toBeUndefined();
  });
});
