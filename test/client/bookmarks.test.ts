/** The bookmarks that a client sends back, so that no read shows an older state than a call before it. */
import { type Client, createClient, PlatformError } from "platform-api/client";
import { describe, expect, test } from "vitest";
import {
  jsonAnswer,
  type ScriptedAnswer,
  startScriptedServer,
  statusAnswer,
} from "./scripted_server.ts";

const header = "x-d1-bookmark";
const withBookmark = (word: string) => jsonAnswer(200, { uid: "u" }, { [header]: word });
const plain = jsonAnswer(200, { uid: "u" });

/** Calls the server one call after the other. Returns what each request sent. */
async function sentOver(
  scenes: ScriptedAnswer[],
  calls: (client: Client) => Promise<unknown>,
  bookmark?: string,
) {
  await using server = await startScriptedServer(...scenes);
  const client = createClient({ url: server.url, bookmark });
  await calls(client);
  return { sent: server.received.map(({ headers }) => headers[header]), kept: client.bookmark() };
}

describe("the next call sends the bookmark of", () => {
  test("a read, a write and an error", async () => {
    const failing = statusAnswer(404, 5, { [header]: "c" });
    const { sent, kept } = await sentOver(
      [withBookmark("a"), withBookmark("b"), failing, plain],
      async (client) => {
        await client.repos.get("u");
        await client.repos.update("u", {});
        await expect(client.repos.get("u")).rejects.toThrow(PlatformError);
        await client.repos.list().page();
      },
    );
    expect(sent).toEqual([undefined, "a", "b", "c"]);
    expect(kept).toBe("c");
  });

  test("an error that has it twice, as over Connect", async () => {
    const { sent } = await sentOver([withBookmark("a, a"), plain], async (client) => {
      for (const _ of [1, 2]) await client.repos.get("u");
    });
    expect(sent).toEqual([undefined, "a"]);
  });

  test("an earlier call, if a response has none", async () => {
    const { sent } = await sentOver([withBookmark("a"), plain], async (client) => {
      for (const _ of [1, 2, 3]) await client.repos.get("u");
    });
    expect(sent).toEqual([undefined, "a", "a"]);
  });

  test("another client", async () => {
    const { sent } = await sentOver([plain], (client) => client.repos.get("u"), "a,b");
    expect(sent).toEqual(["a,b"]);
  });

  test("each page before it", async () => {
    const page = (word: string, more: object) =>
      jsonAnswer(200, { repos: [{ uid: "u" }], ...more }, { [header]: word });
    const { sent } = await sentOver([page("a", { nextPageToken: "t" }), page("b", {})], (client) =>
      client.repos.list().all(),
    );
    expect(sent).toEqual([undefined, "a"]);
  });
});

describe("calls at the same time", () => {
  /** Responds when the test says so, with a bookmark for each request. */
  async function held(count: number) {
    const waiting: (() => void)[] = [];
    const scenes = Array.from(
      { length: count },
      (_, at): ScriptedAnswer =>
        (response, request) =>
          void waiting.push(() => withBookmark(`b${at}`)(response, request)),
    );
    const server = await startScriptedServer(...scenes, plain);
    const client = createClient({ url: server.url });
    const arrived = async (number: number) => {
      while (waiting.length < number) await new Promise((done) => setTimeout(done, 5));
    };
    return { server, client, waiting, arrived };
  }

  test("a late response does not replace the bookmark of a write", async () => {
    const { server, client, waiting, arrived } = await held(2);
    await using _ = server;
    const read = client.repos.get("u");
    await arrived(1);
    const write = client.repos.update("u", {});
    await arrived(2);
    waiting[1]?.();
    await write;
    waiting[0]?.();
    await read;
    await client.repos.get("u");
    expect(server.received[2]?.headers[header]).toBe("b1,b0");
  });

  test("after more than eight, the next call reads from the primary, and then there is one again", async () => {
    const { server, client, waiting, arrived } = await held(9);
    await using _ = server;
    const calls = Array.from({ length: 9 }, () => client.repos.get("u"));
    await arrived(9);
    for (const answer of waiting) answer();
    await Promise.all(calls);
    expect(client.bookmark()).toBe("primary");
    await client.repos.get("u");
    expect(server.received[9]?.headers[header]).toBe("primary");
  });
});

test("after an event, the next call sees what the event reports", async () => {
  const stream: ScriptedAnswer = (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", [header]: "a" });
    response.write('data: {"uid":"e"}\n\n');
  };
  const { sent } = await sentOver([stream, withBookmark("b"), plain], async (client) => {
    for await (const _ of client.follow()) break;
    await client.repos.get("u");
    await client.repos.get("u");
  });
  expect(sent).toEqual([undefined, "primary", "b"]);
});

test("a text that is not a bookmark is neither sent nor kept", async () => {
  expect(() => createClient({ url: "https://a.example", bookmark: "a\nb" })).toThrow(TypeError);
  const { sent } = await sentOver([withBookmark("a/b"), plain], async (client) => {
    for (const _ of [1, 2]) await client.repos.get("u");
  });
  expect(sent).toEqual([undefined, undefined]);
});
