import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

let org: Organization;
let group: string;
let repo: string;
beforeAll(async () => {
  org = await newOrganization();
  const { token } = org.owner;
  group = (await createResource(`/iam/v2/groups/${org.uid}`, token, { name: "below" })).uid;
  repo = (await createResource(`/registry/v2/repos/${group}`, token, { name: "app" })).uid;
});

const eventsOf = (subject: string) =>
  sql("select * from events where subject = ? order by seq", subject);

describe("the events of a tag", () => {
  const [first, second] = [fakeDigest("first"), fakeDigest("second")];

  test("name its repository, its name, and both digests of a move", async () => {
    const path = `/registry/v2/tags/${repo}`;
    const { uid } = await createResource(path, org.owner.token, { name: "latest", digest: first });
    await createResource(path, org.owner.token, { name: "latest", digest: second });
    await callRest(`/registry/v2/tags/${uid}`, { method: "DELETE", token: org.owner.token });
    const about = { repo_uid: repo, tag: "latest" };
    expect(await eventsOf(uid)).toMatchObject([
      { ...about, digest: first, previous_digest: "" },
      { ...about, digest: second, previous_digest: first },
      { ...about, digest: "", previous_digest: second },
    ]);
  });

  test("of version 1 do too", async () => {
    const path = `/registry/v1/tags/${repo}`;
    const { token } = org.owner;
    const made = await callRest(path, { token, body: { name: "old", digest: first } });
    const body = { name: "new", digest: second };
    await callRest(`/registry/v1/tags/${made.body.id}`, { method: "PUT", token, body });
    expect(await eventsOf(made.body.id)).toMatchObject([
      { repo_uid: repo, tag: "old", digest: first, previous_digest: "" },
      { repo_uid: repo, tag: "new", digest: second, previous_digest: first },
    ]);
  });

  test("belong to the group of the repository, and their attribute `group` is the organization", async () => {
    const [event] = await sql("select * from events where repo_uid = ? and tag = 'latest'", repo);
    expect(event).toMatchObject({ group_uid: org.uid, parent: group });
  });
});

test("events have increasing numbers in the order of their changes", async () => {
  const rows = await sql<{ seq: number; time: number }>(
    "select seq, time from events where ancestor0 = ? order by seq",
    org.uid,
  );
  expect(rows.length).toBeGreaterThan(5);
  const times = rows.map(({ time }) => time);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});
