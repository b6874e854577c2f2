/** When the client sends a call again, when it does not, and when it gives up. */
import {
  Aborted,
  type CallOptions,
  type Client,
  createClient,
  ResourceExhausted,
  Unavailable,
  Unreachable,
} from "platform-api/client";
import { describe, expect, test } from "vitest";
import {
  closeAtOnce,
  closeMidway,
  htmlAnswer,
  jsonAnswer,
  neverAnswer,
  type ReceivedRequest,
  type ScriptedAnswer,
  startScriptedServer,
  statusAnswer,
} from "./scripted_server.ts";

const done = jsonAnswer(200, { uid: "u" });
const unavailable = statusAnswer(503, 14);

/** A read and a write of each kind. */
const reads = {
  get: (client: Client, how?: CallOptions) => client.repos.get("u", how),
  list: (client: Client, how?: CallOptions) => client.repos.list({}, how).page(),
  overConnect: (client: Client, how?: CallOptions) =>
    client.securityAdvisory
      .listResolvedVulnsReports({ imageRefs: [], startTime: "", endTime: "" }, how)
      .page(),
};
const posts = {
  create: (client: Client, how?: CallOptions) => client.repos.create("p", { name: "n" }, how),
  custom: (client: Client, how?: CallOptions) =>
    client.groups.requestGroupAccess({ groupUid: "u" }, how),
};
const otherWrites = {
  update: (client: Client, how?: CallOptions) => client.repos.update("u", {}, how),
  delete: (client: Client, how?: CallOptions) => client.repos.delete("u", how),
};
const writes = { ...posts, ...otherWrites };
const each = <T>(calls: Record<string, T>) => Object.entries(calls);

const passing: [string, ScriptedAnswer][] = [
  ["UNAVAILABLE", unavailable],
  ["502 of a proxy", htmlAnswer(502)],
  ["503 of a proxy", htmlAnswer(503)],
  ["504 of a proxy", htmlAnswer(504)],
  ["a cut connection", closeAtOnce],
  ["an incomplete response", closeMidway],
];

describe.concurrent.each(passing)("after %s", (_, scene) => {
  test.each(each({ ...reads, ...posts }))("%s is sent again, and succeeds", async (_, call) => {
    await using server = await startScriptedServer(scene, done);
    await call(createClient({ url: server.url }));
    expect(server.received).toHaveLength(2);
  });

  test.each(each(otherWrites))("%s is not sent again", async (_, call) => {
    await using server = await startScriptedServer(scene, done);
    const error = await call(createClient({ url: server.url })).catch((thrown) => thrown);
    expect([Unavailable, Unreachable]).toContain(error.constructor);
    expect(server.received).toHaveLength(1);
  });
});

test("a write that is marked idempotent is sent again", async () => {
  await using server = await startScriptedServer(closeAtOnce, done);
  await writes.update(createClient({ url: server.url }), { idempotent: true });
  expect(server.received).toHaveLength(2);
});

describe("the key of a POST", () => {
  const keysOf = ({ received }: { received: ReceivedRequest[] }) =>
    received.map(({ headers }) => headers["idempotency-key"]);

  test.each(each(posts))(
    "%s is the same in all attempts, and new in the next call",
    async (_, call) => {
      await using server = await startScriptedServer(closeAtOnce, done);
      const client = createClient({ url: server.url });
      await call(client);
      await call(client);
      const [first, again, next, ...others] = keysOf(server);
      expect(first).toMatch(/^"[0-9a-f-]{36}"$/);
      expect([again, others]).toEqual([first, []]);
      expect(next).toMatch(/^"[0-9a-f-]{36}"$/);
      expect(next).not.toBe(first);
    },
  );

  test("stays the same after a new token", async () => {
    await using server = await startScriptedServer(statusAnswer(401, 16), done);
    const tokens = ["old", "new"];
    const client = createClient({ url: server.url, token: async () => tokens.shift() ?? "" });
    await posts.create(client);
    const [first, again] = keysOf(server);
    expect(again).toBe(first);
  });

  test("can be chosen, and is quoted", async () => {
    await using server = await startScriptedServer(done);
    await posts.create(createClient({ url: server.url }), { idempotencyKey: 'a"b\\c' });
    expect(keysOf(server)).toEqual(['"a\\"b\\\\c"']);
  });

  test.each(["", "a b", "ä", "x".repeat(256)])("is refused before it is sent: %j", async (key) => {
    await using server = await startScriptedServer(done);
    const call = posts.create(createClient({ url: server.url }), { idempotencyKey: key });
    await expect(call).rejects.toBeInstanceOf(TypeError);
    expect(server.received).toHaveLength(0);
  });

  test.each(each({ ...reads, ...otherWrites }))("%s has none", async (_, call) => {
    await using server = await startScriptedServer(done);
    await call(createClient({ url: server.url }));
    expect(keysOf(server)).toEqual([undefined]);
  });
});

test.concurrent.each(each({ ...reads, ...writes }))(
  "%s that was ABORTED is sent again",
  async (_, call) => {
    await using server = await startScriptedServer(statusAnswer(409, 10), done);
    await call(createClient({ url: server.url }));
    expect(server.received).toHaveLength(2);
  },
);

const row = { uid: "u", createTime: "", updateTime: "", name: "n", etag: '"Repo-1-2"' };

test.each<[string, (client: Client) => Promise<unknown>]>([
  [
    "its request",
    ({ identityProviders }) =>
      identityProviders.regenerateScimToken({ identityProviderUid: "u", etag: "scim-1" }),
  ],
  ["its resource", ({ repos }) => repos.update("u", row)],
  ["its options", ({ repos }) => repos.delete("u", { ifMatch: row.etag })],
])("a call with an etag in %s is not sent again after ABORTED", async (_, call) => {
  await using server = await startScriptedServer(statusAnswer(409, 10), done);
  await expect(call(createClient({ url: server.url }))).rejects.toBeInstanceOf(Aborted);
  expect(server.received).toHaveLength(1);
});

test.each([
  ["INTERNAL", statusAnswer(500, 13)],
  ["NOT_FOUND", statusAnswer(404, 5)],
  ["FAILED_PRECONDITION", statusAnswer(400, 9)],
  ["RESOURCE_EXHAUSTED", statusAnswer(429, 8)],
  ["HTML with 200", htmlAnswer(200)],
  ["HTML with 404", htmlAnswer(404)],
])("a read that returns %s is not sent again", async (_, scene) => {
  await using server = await startScriptedServer(scene, done);
  await expect(reads.get(createClient({ url: server.url }))).rejects.toThrow();
  expect(server.received).toHaveLength(1);
});

test("a read is sent up to three times, or as often as the options say", async () => {
  for (const [retries, sent] of [
    [undefined, 3],
    [0, 1],
    [1, 2],
  ]) {
    await using server = await startScriptedServer(unavailable);
    await expect(createClient({ url: server.url, retries }).repos.get("u")).rejects.toBeInstanceOf(
      Unavailable,
    );
    expect(server.received).toHaveLength(sent ?? 0);
  }
  await using server = await startScriptedServer(unavailable);
  const call = createClient({ url: server.url }).repos.get("u", { retries: 0 });
  await expect(call).rejects.toBeInstanceOf(Unavailable);
  expect(server.received).toHaveLength(1);
});

describe.concurrent("Retry-After", () => {
  test.each([
    ["seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 1_900).toUTCString()],
  ])("in %s is respected", async (_, when) => {
    await using server = await startScriptedServer(
      statusAnswer(429, 8, { "retry-after": when() }),
      done,
    );
    await reads.get(createClient({ url: server.url }));
    const [first, second] = server.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(850);
  });

  test("of an hour fails at once with the time to wait", async () => {
    const later = { "retry-after": "3600" };
    await using server = await startScriptedServer(statusAnswer(503, 14, later), done);
    const call = reads.get(createClient({ url: server.url }));
    await expect(call).rejects.toMatchObject({ code: "UNAVAILABLE", retryAfter: 3_600_000 });
    expect(server.received).toHaveLength(1);
  });

  test("does not cause a write to be sent again", async () => {
    await using server = await startScriptedServer(
      statusAnswer(429, 8, { "retry-after": "0" }),
      done,
    );
    const call = writes.update(createClient({ url: server.url }));
    await expect(call).rejects.toBeInstanceOf(ResourceExhausted);
    expect(server.received).toHaveLength(1);
  });
});

describe("the time of an attempt", () => {
  test("is limited, and a read is sent again", async () => {
    await using server = await startScriptedServer(neverAnswer, done);
    expect(await reads.get(createClient({ url: server.url, timeout: 1_000 }))).toEqual({
      uid: "u",
    });
    expect(server.received).toHaveLength(2);
  });

  test("is limited for a write, and the error says that the result is unknown", async () => {
    await using server = await startScriptedServer(neverAnswer);
    const call = writes.update(createClient({ url: server.url }), { timeout: 100 });
    await expect(call).rejects.toThrow(
      "did not respond within 100 ms. The platform may or may not",
    );
    expect(server.received).toHaveLength(1);
  });
});

describe("an abort signal", () => {
  test("that is aborted already prevents the call", async () => {
    await using server = await startScriptedServer(done);
    const signal = AbortSignal.abort("enough");
    await expect(reads.get(createClient({ url: server.url }), { signal })).rejects.toBe("enough");
    expect(server.received).toHaveLength(0);
  });

  test("ends a call in flight, which is not sent again", async () => {
    await using server = await startScriptedServer(neverAnswer);
    const stop = new AbortController();
    const call = reads.get(createClient({ url: server.url }), { signal: stop.signal });
    await expect.poll(() => server.received).toHaveLength(1);
    stop.abort("enough");
    await expect(call).rejects.toBe("enough");
    expect(server.received).toHaveLength(1);
  });

  test("ends the pause between two attempts", async () => {
    await using server = await startScriptedServer(statusAnswer(503, 14, { "retry-after": "20" }));
    const stop = new AbortController();
    const call = reads.get(createClient({ url: server.url }), { signal: stop.signal });
    await expect.poll(() => server.received).toHaveLength(1);
    setTimeout(() => stop.abort("enough"), 50);
    await expect(call).rejects.toBe("enough");
    expect(server.received).toHaveLength(1);
  });

  test("ends a list while it is read", async () => {
    await using server = await startScriptedServer(
      jsonAnswer(200, { repos: [{}], nextPageToken: "more" }),
    );
    const stop = new AbortController();
    const rows = createClient({ url: server.url }).repos.list({}, { signal: stop.signal });
    const read = async () => {
      for await (const _ of rows) if (server.received.length === 3) stop.abort("enough");
    };
    await expect(read()).rejects.toBe("enough");
    expect(server.received).toHaveLength(3);
  });
});

test("a call names its client, after the user agent of the caller", async () => {
  await using server = await startScriptedServer(done);
  await reads.get(createClient({ url: server.url }));
  await reads.get(createClient({ url: server.url, userAgent: "report/1.4" }));
  const [own, named] = server.received.map(({ headers }) => headers["user-agent"]);
  expect(own).toMatch(/^platform-api-client\/\d/);
  expect(named).toBe(`report/1.4 ${own}`);
});

const badLimits = [
  { retries: -1 },
  { retries: 1.5 },
  { retries: Number.NaN },
  { timeout: 0 },
  { timeout: Number.NaN },
  { timeout: Number.POSITIVE_INFINITY },
  { timeout: 2 ** 31 },
];
test.each(badLimits)("%o is rejected, also by a single call", async (limits) => {
  expect(() => createClient({ url: "http://localhost", ...limits })).toThrow(TypeError);
  await using server = await startScriptedServer(unavailable);
  const call = reads.get(createClient({ url: server.url }), limits);
  await expect(call).rejects.toThrow(/^(timeout|retries) must be/);
  expect(server.received).toHaveLength(0);
});

test.each(["a\nb: c", "bericht/1 →"])("the user agent %j is rejected", (userAgent) => {
  expect(() => createClient({ url: "http://localhost", userAgent })).toThrow(
    "userAgent must contain",
  );
});
