/**
 * One TCP port for both kinds of HTTP. HTTP/2 cleartext goes to the gRPC bridge, and everything else to the HTTP/1.1
 * port of the Worker (http_relay.ts). It listens only on the loopback interface, under both of its names.
 */
import { once } from "node:events";
import type { Http2Server } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { httpRelay } from "./http_relay.ts";
import type { ReadSigner } from "./local_owner.ts";

/** The first bytes of every HTTP/2 client (RFC 9113, 3.4). */
const http2Preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export type FrontDoor = {
  port: number;
  /** Ends every connection, and resolves when the port is free. */
  close(): Promise<void>;
};

/**
 * Listens on 127.0.0.1 and, if available, on ::1. Port 0 picks a free one. Rejects with the error of `listen`
 * (EADDRINUSE, EACCES) if the port cannot be opened.
 */
export async function openFrontDoor(options: {
  port: number;
  bridge: Http2Server;
  /** The port of the HTTP/1.1 server on 127.0.0.1. */
  http1Port: number;
  /** Reads the platform whose owner can sign in with one click. Without it, no one can. */
  signer?: ReadSigner;
}): Promise<FrontDoor> {
  const sockets = new Set<Socket>();
  const relay = httpRelay(options.http1Port, options.signer);
  const servers = await listen(options.port, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // Without a listener, a client that resets its connection would end the program.
    socket.on("error", () => socket.destroy());
    detectProtocol(socket, (isHttp2) => {
      if (isHttp2) handOver(socket, options.bridge);
      else relay.emit("connection", socket);
    });
  });
  return {
    port: portOf(servers),
    async close() {
      const closed = servers.map((server) => new Promise((done) => server.close(done)));
      for (const socket of sockets) socket.destroy();
      relay.emit("close");
      await Promise.all(closed);
    },
  };
}

/**
 * Rejects as openFrontDoor does if the port cannot be opened. A port that is in use has `timeoutMs` milliseconds to
 * become free.
 */
export async function checkPort(port: number, timeoutMs = 0): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    try {
      const servers = await listen(port, (socket) => socket.destroy());
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
      return;
    } catch (error) {
      if (codeOf(error) !== "EADDRINUSE" || Date.now() >= end) throw error;
      await pause(50);
    }
  }
}

async function listen(port: number, accept: (socket: Socket) => void): Promise<Server[]> {
  const four = await listenOn("127.0.0.1", port, accept);
  try {
    return [four, await listenOn("::1", portOf([four]), accept)];
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") return [four];
    four.close();
    throw error;
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && "code" in error ? error.code : undefined;

async function listenOn(host: string, port: number, accept: (socket: Socket) => void) {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept).listen(port, host);
  await once(server, "listening");
  return server;
}

function portOf([server]: Server[]): number {
  const address = server?.address();
  return typeof address === "object" && address ? address.port : 0;
}

/** Reads until the bytes show which protocol it is, and puts them back. */
function detectProtocol(socket: Socket, decide: (isHttp2: boolean) => void): void {
  let seen = Buffer.alloc(0);
  const look = () => {
    seen = Buffer.concat([seen, socket.read() ?? Buffer.alloc(0)]);
    const start = seen.subarray(0, http2Preface.length);
    const isPreface = http2Preface.subarray(0, start.length).equals(start);
    if (isPreface && start.length < http2Preface.length) return;
    socket.off("readable", look).off("end", leave);
    socket.unshift(seen);
    decide(isPreface);
  };
  const leave = () => socket.destroy();
  socket.on("readable", look).on("end", leave);
}

function handOver(socket: Socket, bridge: Http2Server): void {
  // HTTP/2 has no half-open connections.
  socket.allowHalfOpen = false;
  bridge.emit("connection", socket);
}
