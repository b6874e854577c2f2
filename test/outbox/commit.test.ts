/** Simultaneous changes of one row: none is lost, and their events describe them in order. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { type Answer, callRest, requestInfo, sql } from "../world/platform.ts";

let organization: Organization;
let token: string;
beforeAll(async () => {
  organization = await newOrganization();
  ({ token } = organization.owner);
});

const newRepo = () =>
  createResource(`/registry/v2/repos/${organization.uid}`, token, { name: randomName("repo") });
const patch = (path: string, body: unknown) => callRest(path, { method: "PATCH", token, body });

/** The bodies of the updates of a record, in the order in which they were written. */
/** A resource as an event has it. */
const withoutEtag = ({ etag: _, ...resource }: Answer["body"]): Record<string, unknown> => resource;

async function updatesOf(subject: string) {
  const rows = await sql<{ data: string }>(
    "select data from events where subject = ? and type like '%.updated.%' order by rowid",
    subject,
  );
  return rows.map((row) => JSON.parse(row.data).body as Record<string, unknown>);
}

/** Repeats the call while it fails with ABORTED, as its error says. Every other response must be 200. */
async function untilAccepted(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status === 200) return answer;
    expect(answer).toMatchObject({
      status: 409,
      body: { code: 10, details: [{ reason: "ABORTED" }, requestInfo] },
    });
  }
}

const times = (bodies: Record<string, unknown>[]) =>
  bodies.map((body) => Date.parse(body.updateTime as string));

function expectGrowing(of: number[]) {
  expect(of).toEqual([...new Set(of)].sort((a, b) => a - b));
}

describe("twenty updates of one repo at once", () => {
  const fields = (index: number): Record<string, unknown> =>
    [
      { description: `number ${index}` },
      { customOverlay: { environment: { NUMBER: `${index}` } } },
      { aliases: [`alias:v${index}`] },
      { activeTags: [`tag-${index}`] },
    ][index % 4] ?? {};

  test("each return 200 or ABORTED, and the events are the accepted ones, each based on the one before", async () => {
    const repo = await newRepo();
    const path = `/registry/v2/repos/${repo.uid}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => patch(path, fields(index))),
    );
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status);
      if (status === 409) expect(body.code).toBe(10);
    }
    const accepted = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => withoutEtag(body));
    expect(accepted.length).toBeGreaterThan(0);
    const updateEvents = await updatesOf(repo.uid);
    expect(updateEvents).toHaveLength(accepted.length);
    expect(updateEvents).toEqual(expect.arrayContaining(accepted));
    expectGrowing([Date.parse(repo.createTime as string), ...times(updateEvents)]);
    const final = await callRest(path, { token });
    expect(withoutEtag(final.body)).toEqual(updateEvents.at(-1));
    expectEachToChangeOne([withoutEtag(repo), ...updateEvents]);
  });

  /** One field differs between an event and the one before it: no call overwrote the change of another. */
  function expectEachToChangeOne(bodies: Record<string, unknown>[]) {
    for (const [index, body] of bodies.entries()) {
      const before = bodies[index - 1];
      if (!before) continue;
      const changed = ["description", "customOverlay", "aliases", "activeTags"].filter(
        (field) => JSON.stringify(body[field]) !== JSON.stringify(before[field]),
      );
      expect(changed.length, JSON.stringify([before, body])).toBeLessThanOrEqual(1);
    }
  }

  test("all succeed if the aborted ones are sent again", async () => {
    const repo = await newRepo();
    const path = `/registry/v2/repos/${repo.uid}`;
    const descriptions = Array.from({ length: 20 }, (_, index) => `d${index}`);
    await Promise.all(
      descriptions.map((description) => untilAccepted(() => patch(path, { description }))),
    );
    const updateEvents = await updatesOf(repo.uid);
    expect(updateEvents.map(({ description }) => description).sort()).toEqual(descriptions.sort());
    expect(withoutEtag((await callRest(path, { token })).body)).toEqual(updateEvents.at(-1));
    expectGrowing(times(updateEvents));
  });
});

test("the readme and the repository, changed at once, keep each other's change", async () => {
  const repo = await newRepo();
  const path = `/registry/v2/repos/${repo.uid}`;
  const description = randomName("description");
  const answers = await Promise.all([
    untilAccepted(() => patch(path, { description })),
    untilAccepted(() => patch(path, { activeTags: ["one"] })),
    untilAccepted(() => patch(path, { bundles: ["base"] })),
  ]);
  expect(new Set(answers.map(({ body }) => body.updateTime)).size).toBe(3);
  const { body } = await callRest(path, { token });
  expect(body).toMatchObject({ description, activeTags: ["one"], bundles: ["base"] });
});

test.each([
  ["a group", "/iam/v2/groups", {}],
  ["an identity", "/iam/v2/identities", {}],
  ["a role", "/iam/v2/roles", { capabilities: ["CAP_REPO_LIST"] }],
])(
  "%s, changed ten times at once, has an event for every change in order",
  async (_, path, more) => {
    const { uid } = await createResource(`${path}/${organization.uid}`, token, {
      name: randomName("changing"),
      ...more,
    });
    const descriptions = Array.from({ length: 10 }, (_, index) => `number ${index}`);
    await Promise.all(
      descriptions.map((description) =>
        untilAccepted(() => patch(`${path}/${uid}`, { description })),
      ),
    );
    const updateEvents = await updatesOf(uid);
    expect(updateEvents.map((body) => body.description).sort()).toEqual(descriptions);
    expectGrowing(times(updateEvents));
    expect(withoutEtag((await callRest(`${path}/${uid}`, { token })).body)).toEqual(
      updateEvents.at(-1),
    );
  },
);

test("of twenty creates with one name, one succeeds and writes an event", async () => {
  const name = randomName("twin");
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      callRest(`/registry/v2/repos/${organization.uid}`, { token, body: { name } }),
    ),
  );
  const made = answers.filter(({ status }) => status === 200);
  expect(made).toHaveLength(1);
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.details[0].reason]).toEqual([409, "ALREADY_EXISTS"]);
  }
  const events = await sql(
    "select subject from events where json_extract(data, '$.body.name') = ? and type like '%repo.created%'",
    name,
  );
  expect(events).toEqual([{ subject: made[0]?.body.uid }]);
});

describe("of twenty deletes of one resource, one returns 200 and writes an event, and the others are NOT_FOUND:", () => {
  const digest = `sha256:${"a".repeat(64)}`;
  const here = () => organization.uid;
  test.each<[string, string, () => string | Promise<string>, () => unknown]>([
    ["a repo", "/registry/v2/repos", here, () => ({ name: randomName("doomed") })],
    [
      "a tag",
      "/registry/v2/tags",
      async () => (await newRepo()).uid,
      () => ({ name: "v1", digest }),
    ],
    ["a group", "/iam/v2/groups", here, () => ({ name: randomName("doomed") })],
    ["an identity", "/iam/v2/identities", here, () => ({ name: randomName("doomed") })],
    [
      "a role",
      "/iam/v2/roles",
      here,
      () => ({ name: randomName("doomed"), capabilities: ["CAP_REPO_LIST"] }),
    ],
    [
      "an invite",
      "/iam/v2/groupInvites",
      here,
      async () => ({ roleUid: await roleUid("viewer"), ttl: "60s" }),
    ],
  ])("%s", async (_, at, parent, body) => {
    const { uid } = await createResource(`${at}/${await parent()}`, token, await body());
    const path = `${at}/${uid}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => callRest(path, { method: "DELETE", token })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(19).fill(404)]);
    const events = await sql(
      "select id from events where subject = ? and type like '%.deleted.%'",
      uid,
    );
    expect(events).toHaveLength(1);
  });
});

test("if a group is deleted while something is created in it, one of the two calls fails", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { uid } = await createResource(`/iam/v2/groups/${organization.uid}`, token, {
      name: randomName("doomed"),
    });
    const [gone, made] = await Promise.all([
      callRest(`/iam/v2/groups/${uid}`, { method: "DELETE", token }),
      callRest(`/registry/v2/repos/${uid}`, { token, body: { name: "late" } }),
    ]);
    expect([gone.status, made.status].filter((status) => status === 200)).toHaveLength(1);
    if (made.status !== 200) expect([403, 404, 409]).toContain(made.status);
    else expect([400, 409]).toContain(gone.status);
    const orphans = await sql(
      "select uid from repos where parent = ? and not exists (select 1 from groups where uid = ?)",
      uid,
      uid,
    );
    expect(orphans).toEqual([]);
  }
});
