/** The client reads tag histories from the platform's registry. */
import {
  createClient,
  type HistoryOptions,
  NotFound,
  PermissionDenied,
  Unauthenticated,
} from "platform-api/client";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  addMoves,
  digestNumber,
  firstMove,
  hourMs,
  newImage,
  newVerified,
  publicImage,
  registryToken,
} from "../distribution/stored_images.ts";
import type { Organization } from "../world/personas.ts";
import { baseUrl, sql } from "../world/platform.ts";
import { jsonAnswer, startScriptedServer, statusAnswer } from "./scripted_server.ts";

let org: Organization;
let repo: string;
let image: string;
let asked: URL[] = [];
const records = 3500;
beforeAll(async () => {
  org = await newVerified();
  repo = await newImage(org, "tools/image");
  image = `${org.name}/tools/image`;
  await addMoves(repo, "many", records);
});
beforeEach(() => {
  asked = [];
});

const clientWith = (token?: () => Promise<string>) =>
  createClient({
    url: baseUrl(),
    registry: { token },
    fetch: (input, init) => {
      asked.push(new URL(String(input)));
      return fetch(input, init);
    },
  });

const tokenOfOwner = () => registryToken(org.owner.uid);

async function read(tag: string, options: HistoryOptions = {}): Promise<number[]> {
  const found: number[] = [];
  for await (const record of clientWith(tokenOfOwner).history(`${image}:${tag}`, options)) {
    const index = Number.parseInt(record.digest.slice(-8), 16);
    expect(Date.parse(record.updateTimestamp)).toBe(firstMove + index * hourMs);
    found.push(index);
  }
  return found;
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index);
const at = (index: number) => new Date(firstMove + index * hourMs);

test("history lists the images of a tag, oldest first", async () => {
  expect(await read("latest")).toEqual([0, 1, 2]);
  expect(asked).toHaveLength(1);
});

test("without a tag, it is that of latest, and the reference can begin with the registry's host", async () => {
  const client = clientWith(tokenOfOwner);
  for (const name of [image, `${new URL(baseUrl()).host}/${image}:latest`]) {
    const digests: string[] = [];
    for await (const record of client.history(name)) digests.push(record.digest);
    expect(digests).toEqual([digestNumber(0), digestNumber(1), digestNumber(2)]);
  }
});

test("thousands of records are returned once each, in four responses", async () => {
  expect(await read("many")).toEqual(numbers(0, records));
  expect(asked).toHaveLength(4);
});

test("newest first, each record is returned once, in a few more responses", async () => {
  expect(await read("many", { reverse: true })).toEqual(numbers(0, records).toReversed());
  expect(asked.length).toBeLessThan(20);
});

test("the newest records take few requests", async () => {
  const found: string[] = [];
  const newest = clientWith(tokenOfOwner).history(`${image}:many`, { reverse: true });
  for await (const record of newest) if (found.push(record.digest) === 3) break;
  expect(found).toEqual([
    digestNumber(records - 1),
    digestNumber(records - 2),
    digestNumber(records - 3),
  ]);
  expect(asked.length).toBeLessThan(10);
});

describe.each([false, true])("between two times, both included, reverse: %s", (reverse) => {
  const ordered = (found: number[]) => (reverse ? found.toReversed() : found);

  test("with dates, texts, or days", async () => {
    const [start, end] = [at(100), at(110)];
    expect(await read("many", { start, end, reverse })).toEqual(ordered(numbers(100, 111)));
    const texts = { start: start.toISOString(), end: end.toISOString() };
    expect(await read("many", { ...texts, reverse })).toEqual(ordered(numbers(100, 111)));
    const day = { start: "2026-01-02", end: "2026-01-02", reverse };
    expect(await read("many", day)).toEqual(ordered(numbers(24, 48)));
  });

  test("records between two times are read over several pages", async () => {
    const open = { start: at(500), reverse };
    expect(await read("many", open)).toEqual(ordered(numbers(500, records)));
    const shut = { end: at(2500), reverse };
    expect(await read("many", shut)).toEqual(ordered(numbers(0, 2501)));
  });

  test("without any records", async () => {
    expect(await read("many", { end: at(-1), reverse })).toEqual([]);
  });
});

/** A registry that returns at most 1000 of these records: the oldest in the requested range. */
const registryOf = (times: number[]) =>
  startScriptedServer((response, request) => {
    const { searchParams } = new URL(request.url ?? "", "http://registry");
    const bound = (name: string, none: number) => Date.parse(searchParams.get(name) ?? "") || none;
    const [from, to] = [bound("start", 0), bound("end", Number.MAX_VALUE)];
    if (from > to) return statusAnswer(400, 3)(response, request);
    const history = times
      .map((time, index) => ({ time, digest: digestNumber(index) }))
      .filter(({ time }) => time >= from && time <= to)
      .slice(0, 1000)
      .map((one) => ({ updateTimestamp: new Date(one.time).toISOString(), digest: one.digest }));
    jsonAnswer(200, { history })(response, request);
  });

describe.each([false, true])("with crowded records, reverse: %s", (reverse) => {
  const all = async (times: number[], options: HistoryOptions = {}) => {
    await using server = await registryOf(times);
    const client = createClient({ url: server.url, registry: { token: async () => "t" } });
    const found: string[] = [];
    for await (const record of client.history("a/b:c", { ...options, reverse }))
      found.push(record.digest);
    const expected = times.map((_, index) => digestNumber(index));
    expect(found).toEqual(reverse ? expected.toReversed() : expected);
    return server.received.length;
  };

  test("no record is lost or repeated if many have the time of the end of a page", () =>
    all(numbers(0, 2500).map((index) => firstMove + Math.floor(index / 40) * hourMs)));

  test("some are old and crowded, some are new", async () => {
    const times = [...numbers(0, 3000).map((one) => firstMove + one), Date.now() - 5, Date.now()];
    expect(await all(times)).toBeLessThan(60);
  });

  test("some lie in the future", () =>
    all(numbers(0, 2500).map((index) => Date.now() + 10_000 + index * hourMs)));

  test("with exactly one full response", () =>
    all(numbers(0, 1000).map((one) => one * hourMs + 1)));

  test("with exactly one full response, and the last record at the requested end", () =>
    all(
      numbers(0, 1000).map((index) => firstMove + index * hourMs),
      { end: at(999) },
    ));

  test("more records with one time than a page has are an error", async () => {
    await expect(all(numbers(0, 1001).map(() => firstMove))).rejects.toThrow(
      "too many records with the same time",
    );
  });
});

describe("the tokens of a history", () => {
  test("are not required for a public image", async () => {
    const { name } = await publicImage(["latest"]);
    const digests: string[] = [];
    for await (const record of clientWith().history(name)) digests.push(record.digest);
    expect(digests).toHaveLength(3);
    expect(asked.map(({ pathname }) => pathname)).toEqual([
      "/token",
      `/v2/${name}/_vendor/history/latest`,
    ]);
    expect(asked[0]?.searchParams.get("scope")).toBe(`repository:${name}:pull`);
  });

  test("are required for a private image, and the error says so", async () => {
    const client = clientWith(() => Promise.reject(new Error("log in first")));
    const { name } = await publicImage(["latest"]);
    for await (const record of client.history(name)) expect(record.digest).toMatch(/^sha256:/);
    await expect(client.history(image)[Symbol.asyncIterator]().next()).rejects.toThrow(
      "log in first",
    );
  });

  test("give access to a private image", async () => {
    const first = clientWith().history(image)[Symbol.asyncIterator]().next();
    await expect(first).rejects.toBeInstanceOf(Unauthenticated);
  });

  test("of another audience are rejected", async () => {
    const first = clientWith(async () => org.owner.token).history(image);
    const refused = first[Symbol.asyncIterator]().next();
    await expect(refused).rejects.toBeInstanceOf(PermissionDenied);
    await expect(refused).rejects.toMatchObject({ status: 403, reason: "DENIED" });
  });
});

test("an unknown tag is NotFound, and so is an unknown repository", async () => {
  for (const name of [`${image}:never`, `${org.name}/none:latest`]) {
    const first = clientWith(tokenOfOwner).history(name)[Symbol.asyncIterator]().next();
    await expect(first).rejects.toBeInstanceOf(NotFound);
  }
});

test.each([
  "python",
  "a/b@sha256:00",
  "a/b:",
  "a/b:c:d",
  ":latest",
  "",
  "../token:latest",
  "a/./b:latest",
  "a//b:latest",
  "a/b:..",
])("%j has no history", (name) => {
  expect(() => clientWith().history(name)).toThrow(TypeError);
});

test("an invalid time is rejected before anything is sent", async () => {
  const start = new Date(Number.NaN);
  expect(() => clientWith().history(image, { start })).toThrow(TypeError);
  expect(asked).toEqual([]);
});

test("the history stays after its tag is deleted", async () => {
  await addMoves(repo, "gone", 2);
  await sql("delete from tags where parent = ? and name = 'gone'", repo);
  expect(await read("gone")).toEqual([0, 1]);
});
