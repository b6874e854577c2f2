/** The addresses of a host, as a resolver on this machine answers. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { cachedHostNameRefusal, hostNameRefusal } from "../../../src/auth/outgoing/host_names.ts";

type Answer = { Status: number; Answer?: { type: number; data: string }[] | null };
type Reply = Answer | ((response: ServerResponse) => void);

/** The replies by the type of record, and the queries so far. */
let replies: { A: Reply; AAAA: Reply };
const asked: { name: string; type: string; accept: string | undefined }[] = [];
const empty = { Status: 0, Answer: null };

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  const type = searchParams.get("type") === "A" ? "A" : "AAAA";
  asked.push({ name: searchParams.get("name") ?? "", type, accept: request.headers.accept });
  const reply = replies[type];
  if (typeof reply === "function") reply(response);
  else response.end(JSON.stringify(reply));
});
let resolver: string;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  resolver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/?ct=a`;
});
beforeEach(() => {
  replies = { A: empty, AAAA: empty };
  asked.length = 0;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const of = (type: number, ...addresses: string[]): Answer => ({
  Status: 0,
  Answer: addresses.map((data) => ({ type, data })),
});
const [v4, v6] = ["93.184.215.14", "2606:4700:4700::1111"];
const alias = { type: 5, data: "other.example." };

describe("a host", () => {
  test.each<[string, Partial<typeof replies>]>([
    ["of IPv4", { A: of(1, v4) }],
    ["of IPv6", { AAAA: of(28, v6) }],
    ["of both", { A: of(1, v4, "1.1.1.1"), AAAA: of(28, v6) }],
    ["behind an alias", { A: { Status: 0, Answer: [alias, { type: 1, data: v4 }] } }],
    ["of IPv4 with no name of IPv6", { A: of(1, v4), AAAA: { Status: 3 } }],
  ])("%s with public addresses is allowed", async (_, given) => {
    Object.assign(replies, given);
    expect(await hostNameRefusal(resolver, "a.example")).toBeUndefined();
    const accept = "application/dns-json";
    expect(asked.toSorted((one, other) => (one.type < other.type ? -1 : 1))).toEqual([
      { name: "a.example", type: "A", accept },
      { name: "a.example", type: "AAAA", accept },
    ]);
  });

  test.each<[string, Partial<typeof replies>]>([
    ["IPv4 address", { A: of(1, v4, "10.0.0.1") }],
    ["IPv6 address", { A: of(1, v4), AAAA: of(28, "fd00::1") }],
  ])("with one private %s among public ones is refused", async (_, given) => {
    Object.assign(replies, given);
    expect(await hostNameRefusal(resolver, "a.example")).toBe(
      "has the host a.example, which has a private or special address",
    );
  });

  test.each<[string, Partial<typeof replies>]>([
    ["records", {}],
    ["answer", { A: { Status: 0 }, AAAA: { Status: 0 } }],
    ["name", { A: { Status: 3 }, AAAA: { Status: 3 } }],
    ["records of that type", { A: { Status: 0, Answer: [alias] }, AAAA: of(1, v4) }],
  ])("without %s is refused", async (_, given) => {
    Object.assign(replies, given);
    expect(await hostNameRefusal(resolver, "a.example")).toBe(
      "has the host a.example, which has no address",
    );
  });
});

describe("a host cannot be looked up", () => {
  test.each<[string, Reply]>([
    ["DNS response code 2", { Status: 2 }],
    // The body would be a good answer.
    ["HTTP 503", (response) => response.writeHead(503).end(JSON.stringify(of(28, v6)))],
    ["HTTP 302", (response) => response.writeHead(302, { location: "/" }).end()],
    ["", (response) => response.end("no JSON")],
  ])("if the resolver fails for one type of record: %s", async (why, reply) => {
    replies = { A: of(1, v4), AAAA: reply };
    await expect(hostNameRefusal(resolver, "a.example")).rejects.toThrow(
      `the host a.example cannot be looked up now: ${why}`,
    );
  });

  test("and both lookups are over by then", async () => {
    let isOver = false;
    replies = {
      A: { Status: 2 },
      AAAA: (response) => {
        response.flushHeaders();
        setTimeout(() => {
          isOver = true;
          response.end(JSON.stringify(empty));
        }, 100);
      },
    };
    await expect(hostNameRefusal(resolver, "a.example")).rejects.toThrow("DNS response code 2");
    expect(isOver).toBe(true);
  });
});

describe("a result is used again for half a minute", () => {
  test("if the host is allowed, and for that host only", async () => {
    replies.A = of(1, v4);
    for (let round = 0; round < 3; round += 1) {
      expect(await cachedHostNameRefusal(resolver, "good.example")).toBeUndefined();
    }
    expect(asked).toHaveLength(2);
    replies.A = of(1, "10.0.0.1");
    expect(await cachedHostNameRefusal(resolver, "other.example")).toContain("private");
    expect(await cachedHostNameRefusal(`${resolver}&a`, "good.example")).toContain("private");
    expect(await cachedHostNameRefusal(resolver, "good.example")).toBeUndefined();
    expect(asked).toHaveLength(6);
  });

  test("if the host is refused, and if it cannot be looked up", async () => {
    for (let round = 0; round < 3; round += 1) {
      expect(await cachedHostNameRefusal(resolver, "no.example")).toContain("no address");
    }
    replies.A = { Status: 2 };
    for (let round = 0; round < 3; round += 1) {
      await expect(cachedHostNameRefusal(resolver, "bad.example")).rejects.toThrow("code 2");
    }
    expect(asked).toHaveLength(4);
  });

  test("for the latest hundred hosts", async () => {
    for (let at = 0; at < 101; at += 1) await cachedHostNameRefusal(resolver, `h${at}.example`);
    const before = asked.length;
    await cachedHostNameRefusal(resolver, "h1.example");
    expect(asked).toHaveLength(before);
    await cachedHostNameRefusal(resolver, "h0.example");
    expect(asked).toHaveLength(before + 2);
  });
});
