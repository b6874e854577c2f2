/** The deliveries of several subscriptions as one list. */
import type { Client, Delivery } from "platform-api/client";
import { expect, test } from "vitest";
import { mergedPage } from "../../../console/events/merged_deliveries.ts";

/** Deliveries of a subscription, one for each time, newest first. The platform returns them in small pages. */
const listOf = (uid: string, times: number[]) =>
  times.map(
    (time): Delivery => ({ uid: `${uid}/${time}`, createTime: new Date(time).toISOString() }),
  );

interface ListRequest {
  parent: string;
  pageToken?: string;
  skip?: number;
}

/** A client whose deliveries are those. It returns at most `size` of them in a page, whatever the request says. */
function clientOf(all: Record<string, Delivery[]>, size: number) {
  let requests = 0;
  const list = ({ parent, pageToken = "0", skip = 0 }: ListRequest) => ({
    async page() {
      requests += 1;
      const start = Number(pageToken) + skip;
      const rows = (all[parent] ?? []).slice(start, start + size);
      const end = start + rows.length;
      const isEnd = end >= (all[parent] ?? []).length;
      return { rows, skipped: skip, ...(isEnd ? {} : { nextPageToken: String(end) }) };
    },
  });
  return { client: { deliveries: { list } } as unknown as Client, count: () => requests };
}

async function readAll(client: Client, subscriptions: string[]): Promise<string[]> {
  const found: string[] = [];
  for (let pageToken: string | undefined = ""; pageToken !== undefined; ) {
    const page = await mergedPage(client, { subscriptions, pageSize: 100, pageToken });
    found.push(...page.rows.map(({ uid }) => uid));
    pageToken = page.nextPageToken;
  }
  return found;
}

test.each([
  ["that alternate", [9, 7, 5, 3, 1], [8, 6, 4, 2]],
  ["of which one is much older", [20, 19, 18, 17, 16, 15], [3, 2, 1]],
  ["of which one has none", [5, 4, 3, 2, 1], []],
  ["with equal times", [5, 5, 5, 5], [5, 5, 4]],
])("subscriptions %s give each delivery once, newest first", async (_, a, b) => {
  const unique = (times: number[], offset: number) =>
    times.map((time, index) => time * 1000 + (times.length - index) * 2 + offset);
  const all = { a: listOf("a", unique(a, 0)), b: listOf("b", unique(b, 1)) };
  const { client } = clientOf(all, 2);
  const expected = [...all.a, ...all.b].sort(
    (x, y) => Date.parse(y.createTime) - Date.parse(x.createTime),
  );
  expect(await readAll(client, ["a", "b"])).toEqual(expected.map(({ uid }) => uid));
});

test("a subscription that has been read to its end is not asked again", async () => {
  const { client, count } = clientOf({ a: listOf("a", [1]), b: listOf("b", [90, 80, 70, 60]) }, 2);
  await readAll(client, ["a", "b"]);
  expect(count()).toBe(4);
});
