import { randomInt } from "node:crypto";
import { once } from "node:events";
import * as http from "node:http";
import * as http2 from "node:http2";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { buffer, text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { grpcBridge } from "../../../cli/grpc/bridge.ts";
import { checkPort, openFrontDoor } from "../../../cli/local/front_door.ts";

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const big = Buffer.alloc(5_000_000, "0123456789");
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

/** A front door in front of an HTTP/1.1 server and an HTTP/2 server. Each response names its server. */
async function doorBefore(listener?: http.RequestListener, port = 0) {
  const answer: http.RequestListener = (req, res) => {
    req.pipe(res.writeHead(200, { "x-http": req.httpVersion }));
  };
  const inner = http.createServer(listener ?? answer).listen(0, "127.0.0.1");
  await once(inner, "listening");
  const bridge = http2.createServer((_, res) => res.end("HTTP/2"));
  const http1Port = (inner.address() as AddressInfo).port;
  const door = await openFrontDoor({ port, bridge, http1Port });
  cleanUp.push(
    () => inner.close(),
    () => inner.closeAllConnections(),
    () => door.close(),
  );
  return { ...door, inner };
}

/** A port below the ephemeral ports. No program gets it by chance, so it stays free once it is closed. */
const nonEphemeralPort = () => randomInt(20_000, 30_000);

function dial(port: number, host = "127.0.0.1"): Socket {
  const socket = connect({ port, host, allowHalfOpen: true });
  // A door that closes resets what it has not accepted yet. Tests look at what was read, and at `close`.
  socket.on("error", () => {});
  cleanUp.push(() => socket.destroy());
  return socket;
}

async function http2Get(port: number, createConnection?: () => Socket): Promise<string> {
  const options = createConnection ? { createConnection } : {};
  const session = http2.connect(`http://127.0.0.1:${port}`, options);
  cleanUp.push(() => session.destroy());
  return text(session.request({ ":path": "/" }));
}

test("HTTP/1.1 requests reach the inner server with their body unchanged", async () => {
  const { port } = await doorBefore();
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: big });
  expect(answer.headers.get("x-http")).toBe("1.1");
  expect(big.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
});

test("HTTP/2 requests reach the bridge", async () => {
  const { port } = await doorBefore();
  expect(await http2Get(port)).toBe("HTTP/2");
});

test("the port is open on both loopback addresses", async (context) => {
  const { port } = await doorBefore();
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  if (!addresses.some(({ address }) => address === "::1")) context.skip("no IPv6 here");
  const six = dial(port, "::1");
  six.end("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  expect(await text(six)).toContain("x-http: 1.1");
});

test("an HTTP/2 preface is recognized if its bytes arrive one by one", async () => {
  const { port } = await doorBefore();
  const socket = dial(port);
  socket.setNoDelay(true);
  await once(socket, "connect");
  for (const byte of preface) {
    socket.write(byte);
    await pause(2);
  }
  // An empty SETTINGS frame; the server's own begins with its length and the type 4.
  socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
  const [answer] = await once(socket, "data");
  expect(answer[3]).toBe(4);
});

test("an HTTP/1.1 request is recognized if it begins like the preface and arrives slowly", async () => {
  const { port } = await doorBefore();
  const socket = dial(port);
  await once(socket, "connect");
  for (const part of ["P", "R", "OPFIND / HT", "TP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"]) {
    socket.write(part);
    await pause(5);
  }
  expect(await text(socket)).toContain("x-http: 1.1");
});

test("a client that closes its side after the request still gets a long response completely", async () => {
  const { port } = await doorBefore((_, res) => res.end(big));
  const socket = dial(port);
  socket.end("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  await pause(100);
  const answer = await buffer(socket);
  expect(answer.subarray(answer.indexOf("\r\n\r\n") + 4).length).toBe(big.length);
});

test("fields that only the network around a Worker can set are removed, over HTTP/1.1 and HTTP/2", async () => {
  const lies = {
    "MF-Original-URL": "https://evil.example/",
    "mf-route-override": "x",
    "MF-CF-Blob": "{",
    "cf-connecting-ip": "192.0.2.1",
    "CF-Ray": "1",
    "X-Forwarded-Proto": "https",
  };
  const say: http.RequestListener = (req, res) => res.end(JSON.stringify(req.rawHeaders));
  const inner = http.createServer(say).listen(0, "127.0.0.1");
  await once(inner, "listening");
  const http1Port = (inner.address() as AddressInfo).port;
  const bridge = grpcBridge(new URL(`http://127.0.0.1:${http1Port}`), () => undefined, true);
  const door = await openFrontDoor({ port: 0, bridge, http1Port });
  cleanUp.push(
    () => inner.close(),
    () => inner.closeAllConnections(),
    door.close,
  );
  const headers = { ...lies, "x-mine": "a" };
  const first = await (await fetch(`http://127.0.0.1:${door.port}/`, { headers })).text();
  const session = http2.connect(`http://127.0.0.1:${door.port}`);
  cleanUp.push(() => session.destroy());
  const second = await text(session.request({ ":path": "/", ...headers }));
  for (const heard of [first, second]) {
    expect(heard.toLowerCase()).toContain('"x-mine","a"');
    const { "cf-connecting-ip": address, ...others } = lies;
    for (const text of [address, ...Object.keys(others)])
      expect(heard.toLowerCase()).not.toContain(text.toLowerCase());
    expect(heard.toLowerCase()).toContain('"cf-connecting-ip","127.0.0.1"');
  }
});

test.each([
  "/cdn-cgi/platform-proxy",
  "/cdn-cgi",
  "http://x/cdn-cgi/handler/scheduled",
  "http://x/y/../cdn-cgi/handler/scheduled",
])("paths of the development server are NOT_FOUND: %s", async (path) => {
  const { port } = await doorBefore();
  const request = http.get({ port, path, host: "127.0.0.1" });
  const [answer] = (await once(request, "response")) as [http.IncomingMessage];
  expect(answer.statusCode).toBe(404);
});

test("fields and statuses are passed on unchanged, also repeated ones", async () => {
  const { port } = await doorBefore((req, res) => {
    res.writeHead(418, "Teapot", [...["Set-Cookie", "a=1"], ...["Set-Cookie", "b=2"]]);
    res.end(
      JSON.stringify(req.rawHeaders.filter((_, at, all) => /^X-/.test(all[at - (at % 2)] ?? ""))),
    );
  });
  const socket = dial(port);
  socket.end("DELETE /a//b?c HTTP/1.1\r\nhost: x\r\nX-A: 1\r\nX-A: 2\r\nconnection: close\r\n\r\n");
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 418 Teapot\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/);
  expect(answer).toContain('["X-A","1","X-A","2"]');
});

test("the inner server sees a request before its body, and can refuse it", async () => {
  const { port } = await doorBefore((_, res) => res.writeHead(408).end());
  const socket = dial(port);
  socket.write("PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n");
  const [answer] = await once(socket, "data");
  expect(String(answer)).toMatch(/^HTTP\/1\.1 408 /);
});

test("the inner server notices that a client left", async () => {
  const asked = Promise.withResolvers<http.IncomingMessage>();
  const { port } = await doorBefore((req) => asked.resolve(req));
  const socket = dial(port);
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const req = await asked.promise;
  const left = new Promise((done) => req.once("close", done));
  socket.resetAndDestroy();
  await left;
});

test("a client is disconnected if the inner server is down, and the door stays open", async () => {
  const { port, inner } = await doorBefore();
  inner.close();
  await once(inner, "close");
  const socket = dial(port);
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const gone = new Promise((done) => socket.on("error", () => {}).once("close", done));
  socket.end().resume();
  await gone;
  expect(await http2Get(port)).toBe("HTTP/2");
});

test("clients that disconnect at any moment do no harm", async () => {
  const { port, inner } = await doorBefore();
  inner.close();
  await once(inner, "close");
  const said = ["", "P", preface, "GET / HTTP/1.1\r\n"];
  const gone = said.flatMap((words) =>
    [0, 1, 5, 20].map(async (milliseconds) => {
      const socket = dial(port).on("error", () => {});
      await once(socket, "connect");
      socket.write(words);
      await pause(milliseconds);
      socket.resetAndDestroy();
    }),
  );
  await Promise.all(gone);
  await pause(100);
  expect(await http2Get(port)).toBe("HTTP/2");
});

test("a slow client slows down the inner server", async () => {
  let sent = 0;
  const { port } = await doorBefore((_, res) => {
    const chunk = Buffer.alloc(64 * 1024);
    const more = () => {
      while (sent < 200_000_000) {
        sent += chunk.length;
        if (!res.write(chunk)) return;
      }
    };
    res.on("drain", more);
    more();
  });
  const socket = dial(port);
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  await pause(500);
  expect(sent).toBeLessThan(100_000_000);
});

/** Answers before it reads the body, and never reads it. */
const refuse: http.RequestListener = (_, res) => {
  res.writeHead(413, { "content-length": "9" }).end("too large");
};

test.each(["keep-alive", "close"])(
  "an answer that comes before the body reaches a client that sends all of it (%s)",
  async (connection) => {
    const { port } = await doorBefore(refuse);
    const socket = dial(port);
    const broken = once(socket, "error").then(([error]) => Promise.reject(error));
    const size = `content-length: ${big.length * 8}`;
    socket.write(`PUT / HTTP/1.1\r\nhost: x\r\n${size}\r\nconnection: ${connection}\r\n\r\n`);
    const sendAll = async () => {
      for (let count = 0; count < 8; count++)
        await new Promise<void>((done) => socket.write(big, () => done()));
      return text(socket);
    };
    const heard = await Promise.race([sendAll(), broken]);
    expect(heard).toMatch(/^HTTP\/1\.1 413 /);
    expect(heard).toMatch(/too large$/);
  },
);

test("a client that waits for 100 Continue gets an early answer instead", async () => {
  const { port } = await doorBefore(refuse);
  const socket = dial(port);
  socket.write("PUT / HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\nexpect: 100-continue\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 /);
});

test("a client that waits for 100 Continue sends its body if there is no early answer", async () => {
  const { port } = await doorBefore();
  const request = http.request({ port, method: "PUT", headers: { expect: "100-continue" } });
  request.flushHeaders();
  await once(request, "continue");
  const [answer] = (await once(request.end("body"), "response")) as [http.IncomingMessage];
  expect(await text(answer)).toBe("body");
});

test("close ends open connections of both kinds and frees the port", async () => {
  const { port, close } = await doorBefore(() => {}, nonEphemeralPort());
  const waiting = dial(port).resume();
  waiting.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  const silent = dial(port).resume();
  const session = http2.connect(`http://127.0.0.1:${port}`);
  session.on("error", () => {});
  await once(session, "connect");
  await pause(50);
  const ends = [waiting, silent, session].map(
    (it) => new Promise((done) => it.once("close", done)),
  );
  waiting.once("end", () => waiting.end());
  silent.once("end", () => silent.end());
  await close();
  await Promise.all(ends);
  const next = createServer().listen(port, "127.0.0.1");
  await once(next, "listening");
  next.close();
});

test("a port in use is rejected with EADDRINUSE", async () => {
  const { port } = await doorBefore();
  const bridge = http2.createServer();
  await expect(openFrontDoor({ port, bridge, http1Port: 1 })).rejects.toMatchObject({
    code: "EADDRINUSE",
  });
});

test("a port that stays in use is rejected at once, or at the end of the wait", async () => {
  const { port } = await doorBefore();
  await expect(checkPort(port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  await expect(checkPort(port, 100)).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("a port that becomes free in time is used", async () => {
  const { port, close } = await doorBefore(undefined, nonEphemeralPort());
  const waiting = checkPort(port, 20_000);
  await pause(100);
  await close();
  await waiting;
  expect(await checkPort(port)).toBeUndefined();
});
