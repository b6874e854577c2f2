/** The parameters `start` and `end`, the limit of 1000 records, and the link to the next ones. */
import { beforeAll, expect, test } from "vitest";
import { callRest } from "../world/platform.ts";
import {
  addMoves,
  digestNumber,
  firstMove,
  hourMs,
  newImage,
  newVerified,
  readHistory,
  refusalOf,
  registryToken,
} from "./stored_images.ts";

const count = 2500;
let name: string;
let token: string;
beforeAll(async () => {
  const organization = await newVerified();
  const repo = await newImage(organization);
  await addMoves(repo, "long", count);
  name = `${organization.name}/image`;
  token = await registryToken(organization.owner.uid);
});

/** The numbers of the first and the last record, and the number of records. */
async function asked(query: Record<string, string>) {
  const answer = await readHistory(name, "long", token, `?${new URLSearchParams(query)}`);
  expect(answer.body.errors).toBeUndefined();
  const all = answer.body.history as { updateTimestamp: string }[];
  const number = (record: { updateTimestamp: string } | undefined) =>
    record && (Date.parse(record.updateTimestamp) - firstMove) / hourMs;
  return [number(all[0]), number(all.at(-1)), all.length];
}

test.for([
  [{ start: "2026-01-01T02:00:00Z", end: "2026-01-01T04:00:00Z" }, [2, 4, 3]],
  [{ start: "2026-01-01T02:00:00.001Z", end: "2026-01-01T03:59:59.999Z" }, [3, 3, 1]],
  [{ start: "2026-01-01T02:00:00.000000Z", end: "2026-01-01T02:00:00.000Z" }, [2, 2, 1]],
  [{ start: "2026-01-01T04:00:00+02:00", end: "2026-01-01T01:00:00-02:00" }, [2, 3, 2]],
  [{ start: "2026-01-01T02:00", end: "2026-01-01t03:00:00z" }, [2, 3, 2]],
  [{ start: "2026-01-02", end: "2026-01-02" }, [24, 47, 24]],
  [{ end: "2026-01-01" }, [0, 23, 24]],
  [{ start: "", end: "2026-01-01T00:00:00Z" }, [0, 0, 1]],
  [{ start: "2026-04-15" }, [2496, 2499, 4]],
] as const)("%j selects the records %j", async ([query, expected]) => {
  expect(await asked(query)).toEqual(expected);
});

test("a plus sign that was not encoded is accepted", async () => {
  const query = "?start=2026-01-01T04:00:00+02:00&end=2026-01-01T04:00:00%2B02:00";
  expect((await readHistory(name, "long", token, query)).body.history).toHaveLength(1);
});

test("a range without records returns an empty list", async () => {
  const answer = await readHistory(name, "long", token, "?start=2030-01-01");
  expect([answer.status, answer.body]).toEqual([200, { history: [] }]);
});

test.for([
  "start=yesterday",
  "start=2026-02-30",
  "start=2026-13-01",
  "end=2026-01-01T25:00:00Z",
  "end=1767225600",
  "end=2026-01-01T00:00:00Z%00",
  "start=2026-01-02&end=2026-01-01",
  "start=2026-01-01T00:00:01Z&end=2026-01-01T00:00:00Z",
  "start=2026-01-01&start=2026-01-02",
])("the time range %s is rejected", async (query) => {
  const answer = await readHistory(name, "long", token, `?${query}`);
  expect(refusalOf(answer)).toEqual([400, "QUERY_INVALID"]);
  expect(answer.body.errors[0].message).toMatch(/start|end/);
});

test("a response has at most 1000 records, and the links lead to every record once", async () => {
  const seen: string[] = [];
  let path = `/v2/${name}/_vendor/history/long`;
  for (let page = 0; path !== ""; page += 1) {
    const { body, headers } = await callRest(path, { token });
    expect(body.history).toHaveLength([1000, 1000, 500][page] ?? 0);
    seen.push(...body.history.map((record: { digest: string }) => record.digest));
    path = /^<(\/[^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1] ?? "";
  }
  expect(seen).toEqual(Array.from({ length: count }, (_, n) => digestNumber(n)));
});

test("the link keeps the requested end, and the path as it was written", async () => {
  const encoded = name.replace("/", "%2F");
  const { headers } = await readHistory(encoded, "long", token, "?end=2026-02-20T00:00:00Z");
  expect(headers.get("link")).toBe(
    `</v2/${encoded}/_vendor/history/long?start=2026-02-11T16%3A00%3A00.000Z&end=2026-02-20T00%3A00%3A00Z>; rel="next"`,
  );
});

test("exactly 1000 records have no link", async () => {
  const end = new Date(firstMove + 999 * hourMs).toISOString();
  const { body, headers } = await readHistory(name, "long", token, `?end=${end}`);
  expect(body.history).toHaveLength(1000);
  expect(headers.get("link")).toBeNull();
});
