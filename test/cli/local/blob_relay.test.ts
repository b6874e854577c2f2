/** Pulls of blobs through the front door: each response with its own bytes, whatever the server or the client does. */
import { once } from "node:events";
import * as http from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { httpRelay } from "../../../cli/local/http_relay.ts";

const big = Buffer.alloc(5_000_000, "0123456789");
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

const path = "/v2/example.com/image/blobs/sha256:00";

/** Starts a server and a relay in front of it, and returns the port of the relay. */
async function relayBefore(listener: http.RequestListener): Promise<number> {
  const listen = async (server: http.Server) => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    cleanUp.push(
      () => server.close(),
      () => server.closeAllConnections(),
    );
    return (server.address() as AddressInfo).port;
  };
  return listen(httpRelay(await listen(http.createServer(listener))));
}

/** Sends requests on one connection, one after the other, and returns the status and the body of each. */
async function pull(port: number, paths: string[]) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const answers: [number | undefined, string][] = [];
  for (const path of paths) {
    const request = http.get({ port, path, agent, host: "127.0.0.1", headers: { "MF-x": "1" } });
    const [answer] = (await once(request, "response")) as [http.IncomingMessage];
    answers.push([answer.statusCode, await text(answer)]);
  }
  agent.destroy();
  return answers;
}

test("each response of a connection has its own fields and bytes", async () => {
  const connections = new Set<unknown>();
  const port = await relayBefore((req, res) => {
    connections.add(req.socket);
    const isBig = req.url?.endsWith("1");
    const body = isBig ? big : JSON.stringify(req.rawHeaders);
    res.writeHead(isBig ? 206 : 404, { "content-length": body.length }).end(body);
  });
  const [first, second, third] = await pull(port, [path, `${path}1`, path]);
  expect(first).toEqual(third);
  expect(first).toEqual([404, expect.not.stringContaining("MF-x")]);
  expect(first?.[1]).toContain('"cf-connecting-ip","127.0.0.1"');
  expect(second).toEqual([206, big.toString()]);
  expect(connections.size).toBe(1);
});

test("a server that closes the connection after each response gets the next request on another one", async () => {
  const port = await relayBefore((_, res) => {
    res.writeHead(200, { "content-length": 2, connection: "close" }).end("ok");
  });
  expect(await pull(port, [path, path])).toEqual([
    [200, "ok"],
    [200, "ok"],
  ]);
});

test("a response in chunks is passed on, however they arrive", async () => {
  const port = await relayBefore(async (_, res) => {
    res.useChunkedEncodingByDefault = true;
    for (const part of ["1", "23", big, "4"]) {
      res.write(part);
      if (part !== "1") await pause(20);
    }
    res.end();
  });
  const body = `123${big}4`;
  const answers = await pull(port, [path, path]);
  expect(answers.map(([, text]) => text === body)).toEqual([true, true]);
});

test("a response without bytes ends with its head", async () => {
  const port = await relayBefore((_, res) => res.writeHead(304).end());
  expect(await pull(port, [path, path])).toEqual([
    [304, ""],
    [304, ""],
  ]);
});

test.each<[string, http.RequestListener]>([
  [
    "that ends too early",
    (_, res) => res.writeHead(200, { "content-length": 9 }).write("12", () => res.destroy()),
  ],
  ["that does not say its end", (_, res) => res.socket?.end("HTTP/1.1 200 OK\r\n\r\n12")],
  ["with a chunk that ends too early", (_, res) => res.write("12", () => res.destroy())],
  ["that has not begun", (_, res) => res.destroy()],
])("the client of a response %s is disconnected", async (_, listener) => {
  const port = await relayBefore(listener);
  await expect(pull(port, [path])).rejects.toThrow();
});

test("a slow client slows down the server, and one that leaves ends the request", async () => {
  let sent = 0;
  const left = Promise.withResolvers<void>();
  const port = await relayBefore((_, res) => {
    res.writeHead(200, { "content-length": 200_000_000 }).on("close", () => left.resolve());
    const more = () => {
      while (sent < 200_000_000) {
        sent += big.length;
        if (!res.write(big)) return;
      }
    };
    res.on("drain", more);
    more();
  });
  const socket = connect({ port, host: "127.0.0.1" }).pause();
  cleanUp.push(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await pause(500);
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(100_000_000);
  socket.destroy();
  await left.promise;
});
