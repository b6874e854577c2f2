/** Reading events: the filters, the order, the pages and the access. */
import { beforeAll, describe, expect, test } from "vitest";
import { newContractCaller } from "../contract/fixtures.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
  randomName,
} from "../world/personas.ts";
import { callRest, costOf, sql } from "../world/platform.ts";

let organization: Organization;
let token: string;
let group: string;
let repo: string;
let tag: string;
/** The subjects of all events, in their order. */
let subjects: string[];
beforeAll(async () => {
  organization = await newOrganization("audit");
  ({ token } = organization.owner);
  const made = async (path: string, body: object) => (await createResource(path, token, body)).uid;
  group = await made(`/iam/v2/groups/${organization.uid}`, { name: "team" });
  repo = await made(`/registry/v2/repos/${group}`, { name: "app" });
  tag = await made(`/registry/v2/tags/${repo}`, { name: "v1", digest: fakeDigest("one") });
  await made(`/registry/v2/tags/${repo}`, { name: "v1", digest: fakeDigest("two") });
  const other = await made(`/registry/v2/repos/${organization.uid}`, { name: "other" });
  subjects = [group, repo, tag, tag, other];
});

interface Shown {
  uid: string;
  subject: string;
  type: string;
  createTime: string;
}
const ask = (query: string, as = token) => callRest(`/events/v2/events?${query}`, { token: as });
const list = async (query: string, as = token): Promise<Shown[]> => {
  const { status, body } = await ask(query, as);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.events ?? [];
};
/** Writes events of an organization. */
const noise = (uid: string, rows: number) =>
  sql(
    `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       with recursive n(n) as (select 1 union all select n + 1 from n where n < ${rows})
       select '${uid}' || '/' || printf('%016x', n), n, 't', 's', 'noise', '${uid}', 'customer', '{}', '', '{"actor":{}}', ${Date.now()} from n`,
  );
const inTree = () => `uidp.descendantsOf=${organization.uid}`;
const subjectsOf = async (query: string) => (await list(query)).map(({ subject }) => subject);

describe("an event", () => {
  test("says who, what, when, from where, and the digests of a move", async () => {
    const [event] = await list(`${inTree()}&tag=v1`);
    expect(event).toEqual({
      uid: expect.stringMatching(new RegExp(`^${group}/[0-9a-f]{16}$`)),
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: "dev.vendor.api.platform.registry.tag.created.v1",
      source: "http://localhost:8787/registry/v2/tags",
      subject: tag,
      group: organization.uid,
      createTime: expect.any(String),
      actor: { subject: organization.owner.uid },
      bodyType: "platform.registry.v2.Tag",
      body: expect.objectContaining({ uid: tag, digest: fakeDigest("two") }),
      requestId: expect.any(String),
      repoUid: repo,
      tag: "v1",
      digest: fakeDigest("two"),
      previousDigest: fakeDigest("one"),
    });
    expect((await callRest(`/events/v2/events/${event?.uid}`, { token })).body).toEqual(event);
  });

  test("for the operator alone does not exist for customers", async () => {
    const uid = `${organization.uid}/${"e".repeat(16)}`;
    await sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       values ('${uid}', 'i', 't', 's', 'internal', '${organization.uid}', 'internal', '{}', '', '{"actor":{}}', ${Date.now()})`,
    );
    expect((await callRest(`/events/v2/events/${uid}`, { token })).status).toBe(404);
    expect(await list(`${inTree()}&subject=internal`)).toEqual([]);
  });

  test("has the address and the request id of its request, and the claims of its token", async () => {
    const requestId = randomName("request");
    const headers = { "cf-connecting-ip": "203.0.113.7", "x-request-id": requestId };
    const { uid } = (
      await callRest(`/iam/v2/groups/${organization.uid}`, {
        token,
        headers,
        body: { name: randomName("group") },
      })
    ).body;
    subjects.push(uid);
    const [event] = await list(`${inTree()}&requestId=${requestId}`);
    expect(event).toMatchObject({ subject: uid, requestId, address: "203.0.113.7" });
  });
});

describe("the list", () => {
  test("is newest first, and oldest first on request", async () => {
    const shown = (await subjectsOf(inTree())).filter((one) => subjects.includes(one));
    expect(shown).toEqual(subjects.toReversed());
    const oldest = await subjectsOf(`${inTree()}&orderBy=create_time`);
    expect(oldest.filter((one) => subjects.includes(one))).toEqual(subjects);
  });

  test.each(["create_time", "create_time desc"])("is whole, page by page, in %s", async (order) => {
    const whole = await list(`${inTree()}&orderBy=${order}&pageSize=200`);
    const pages: Shown[] = [];
    for (let pageToken = ""; ; ) {
      const { body } = await ask(`${inTree()}&orderBy=${order}&pageSize=2&pageToken=${pageToken}`);
      expect(body.events.length).toBeLessThanOrEqual(2);
      pages.push(...body.events);
      pageToken = body.nextPageToken ?? "";
      if (pageToken === "") break;
    }
    expect(pages).toEqual(whole);
    expect(new Set(pages.map(({ uid }) => uid)).size).toBe(pages.length);
  });

  test("a page token is bound to its filters", async () => {
    const { body } = await ask(`${inTree()}&pageSize=1`);
    const other = await ask(`${inTree()}&pageSize=1&tag=v1&pageToken=${body.nextPageToken}`);
    expect(other.body).toMatchObject({ code: 3 });
  });

  test.each<[string, () => string, () => string[]]>([
    ["a type", () => "types=api.platform.registry.tag.created.v1", () => [tag, tag]],
    ["the beginning of a type", () => "types=api.platform.*&types=nothing", () => [repo, tag, tag]],
    [
      "a type with its prefix",
      () => "types=dev.vendor.api.platform.registry.tag.*",
      () => [tag, tag],
    ],
    ["a subject", () => `subject=${repo}`, () => [repo]],
    ["a repository", () => `repoUid=${repo}`, () => [repo, tag, tag]],
    ["a tag", () => "tag=v1", () => [tag, tag]],
    ["another actor", () => `actorUid=${organization.uid}`, () => []],
    ["the actor", () => `actorUid=${organization.owner.uid}&subject=${group}`, () => [group]],
    ["a request id", () => "requestId=unknown", () => []],
    ["a group", () => `uidp.childrenOf=${group}`, () => [group, repo, tag, tag]],
    [
      "the children of the organization",
      () => `uidp.childrenOf=${organization.uid}&repoUid=${repo}`,
      () => [],
    ],
  ])("can be limited to %s", async (_, filter, expected) => {
    const query = filter();
    const scope = query.includes("uidp.") ? "" : `${inTree()}&`;
    const shown = await subjectsOf(`${scope}${query}&orderBy=create_time`);
    expect(shown.filter((one) => [group, repo, tag].includes(one))).toEqual(expected());
  });

  test("can be limited to a period, and to what came after an event", async () => {
    const all = await list(`${inTree()}&orderBy=create_time`);
    const [, , third] = all as [Shown, Shown, Shown];
    const after = await list(`${inTree()}&orderBy=create_time&after=${third.uid}`);
    expect(after).toEqual(all.slice(3));
    const since = await list(`${inTree()}&orderBy=create_time&since=${third.createTime}`);
    expect(since).toEqual(all.filter(({ createTime }) => createTime >= third.createTime));
    const before = await list(`${inTree()}&orderBy=create_time&before=${third.createTime}`);
    expect(before).toEqual(all.filter(({ createTime }) => createTime < third.createTime));
  });

  test("begins after no event that its scope does not have, and says the same of all of them", async () => {
    const other = await newOrganization("others");
    const [theirs] = await list(`uidp.descendantsOf=${other.uid}`, other.owner.token);
    const internal = `${organization.uid}/${"d".repeat(16)}`;
    await sql(
      `insert into events (uid, id, type, source, subject, group_uid, audience, extensions, body_type, data, time)
       values (?, 'j', 't', 's', 'operator', ?, 'internal', '{}', '', '{"actor":{}}', ?)`,
      ...[internal, organization.uid, Date.now()],
    );
    const [above] = await list(`${inTree()}&subject=${subjects[4]}`);
    const absent = `${organization.uid}/${"0".repeat(16)}`;
    for (const scope of [`uidp.descendantsOf=${group}`, `uidp.childrenOf=${group}`]) {
      const said = await Promise.all(
        [absent, theirs?.uid, internal, above?.uid].map(async (uid = "") => {
          const { status, body } = await ask(`${scope}&after=${uid}`);
          return [status, body.message.replaceAll(uid, "<uid>")];
        }),
      );
      expect(said).toEqual(said.map(() => [400, expect.stringMatching(/exists in the scope/)]));
    }
    expect((await ask(`after=${theirs?.uid}`)).body.code).toBe(3);
    expect((await ask(`after=${above?.uid}`)).status).toBe(200);
  });

  test("passes over no event where a page ends early, because it has looked at enough", async () => {
    const { uid, owner } = await newOrganization("long");
    await noise(uid, 20_500);
    const last = await createResource(`/registry/v2/repos/${uid}`, owner.token, { name: "last" });
    const repoThere = last.uid;
    const query = `uidp.descendantsOf=${uid}&subject=${repoThere}&orderBy=create_time`;
    const { body: first } = await ask(query, owner.token);
    expect(first.events ?? []).toEqual([]);
    const { body: second } = await ask(`${query}&pageToken=${first.nextPageToken}`, owner.token);
    expect(second.events.map(({ subject }: Shown) => subject)).toEqual([repoThere]);
    expect(second).not.toHaveProperty("nextPageToken");
  });

  test("reads little more than its rows, however many events there are", async () => {
    const { uid, owner } = await newOrganization("much");
    await noise(uid, 5_000);
    for (const query of [
      "",
      "&orderBy=create_time",
      "&types=t",
      "&orderBy=create_time&subject=noise",
    ]) {
      const answer = await ask(`uidp.descendantsOf=${uid}${query}`, owner.token);
      expect(answer.body.events).toHaveLength(50);
      expect(costOf(answer).rowsRead).toBeLessThan(400);
    }
  });

  test.each([
    ["types=API.*", "types[0]"],
    ["since=yesterday", "since"],
    ["after=x", "after"],
    ["actorUid=x", "actor_uid"],
    ["repoUid=x", "repo_uid"],
    ["pageToken=x", "page_token"],
  ])("refuses %s and names the field", async (query, field) => {
    const { status, body } = await ask(query);
    expect(status).toBe(400);
    expect(JSON.stringify(body.details)).toContain(`"field":"${field}"`);
  });
});

describe("access", () => {
  test("a caller of a group sees the events of that group, with and without a scope", async () => {
    const auditor = await newContractCaller(group, [3001]);
    const own = [group, repo, tag, tag];
    for (const query of ["", `uidp.descendantsOf=${group}`, inTree()]) {
      const shown = await list(`${query}&orderBy=create_time`, auditor.token);
      expect(shown.map(({ subject }) => subject)).toEqual(own);
    }
  });

  test("a caller of several groups sees their events in one order, page by page", async () => {
    const second = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: randomName("group"),
    });
    const auditor = await newContractCaller(organization.uid, []);
    const role = `${organization.uid}/${"c".repeat(16)}`;
    await sql(
      "insert into roles (uid, name, capabilities, create_time, update_time) values (?, 'auditor', '[3001]', 1, 1)",
      role,
    );
    for (const parent of [group, second.uid]) {
      await sql(
        "insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values (?, ?, ?, 1, 1)",
        ...[`${parent}/${"b".repeat(16)}`, auditor.uid, role],
      );
    }
    const made: string[] = [];
    for (const parent of [second.uid, group, second.uid]) {
      const { uid } = await createResource(`/registry/v2/repos/${parent}`, token, {
        name: randomName("repo"),
      });
      made.push(uid);
    }
    const pages: string[] = [];
    for (let pageToken = ""; ; ) {
      const { body } = await ask(`pageSize=1&pageToken=${pageToken}`, auditor.token);
      pages.push(...body.events.map(({ subject }: Shown) => subject));
      pageToken = body.nextPageToken ?? "";
      if (pageToken === "") break;
    }
    expect(pages.filter((one) => made.includes(one))).toEqual(made.toReversed());
    expect(pages).toContain(tag);
  });
});
