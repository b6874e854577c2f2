/** The public namespace of the platform under test, and the responses of its feeds. */
import { expect } from "vitest";
import { insertRow, newMember, randomHex, roles } from "../vulnerabilities/callers.ts";
import { createResource, randomUid } from "../world/personas.ts";
import { type Answer, callRest, sql } from "../world/platform.ts";

/** A new group in the only public namespace, and a token of its owner. */
export async function publicGroup() {
  await sql(
    `insert into groups (uid, name, verified, create_time, update_time)
     values (?, 'public', 1, 1, 1) on conflict do nothing`,
    randomUid(),
  );
  const [root] = await sql<{ uid: string }>(
    "select uid from groups where name = 'public' and verified = 1",
  );
  const group = `${root?.uid}/${randomHex(16)}`;
  await insertRow("groups", {
    uid: group,
    name: `g-${randomHex(16)}`,
    create_time: 1,
    update_time: 1,
  });
  return { root: root?.uid ?? "", group, token: await newMember(group, roles.owner) };
}

/** Imports OSV records into a group. */
export const importRecords = (token: string, group: string, ...records: object[]) =>
  createResource(`/vulnerabilities/v2/osvRecords/${group}:import`, token, {
    records,
    strict: true,
  });

/** A record about a package, with ids that no other test uses. */
export function osvRecordOf(origin: string, change: object = {}) {
  const id = `OSV-${randomHex(12)}`;
  return {
    id,
    modified: "2024-03-01T10:00:00Z",
    published: "2024-02-01T09:00:00Z",
    aliases: [`CVE-${randomHex(12)}`],
    affected: [
      {
        package: { ecosystem: "npm", name: origin },
        ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "2.0" }] }],
      },
    ],
    ...change,
  };
}

/** Calls the feeds, without a token unless one is given. */
export const callFeed = (path: string, token?: string): Promise<Answer> =>
  callRest(`/advisory/v2/${path}`, { token });

async function asked(path: string, token?: string) {
  const answer = await callFeed(path, token);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

interface Envelope {
  totalCount: string;
  skipped: number;
  nextPageToken?: string;
}

/** A document in a response. */
export interface FeedDocument {
  id: string;
  uid: string;
  createTime: string;
  updateTime: string;
  advisories?: { id: string; aliases?: string[]; events: object[]; packageNamespace?: string }[];
}

/** Documents that a query finds. */
export async function documents(query: string, token?: string) {
  const body = await asked(`documents?${query}`, token);
  const { totalCount, skipped, nextPageToken } = body as Envelope;
  return { totalCount, skipped, nextPageToken, all: (body.documents ?? []) as FeedDocument[] };
}

/** Vulnerabilities that a query finds. */
export async function metadata(query: string, token?: string) {
  const body = await asked(`metadata?${query}`, token);
  const all = (body.vulnerabilityMetadata ?? []) as ({ id: string } & Record<string, unknown>)[];
  const { totalCount, skipped, nextPageToken } = body as Envelope;
  return { totalCount, skipped, nextPageToken, all };
}
