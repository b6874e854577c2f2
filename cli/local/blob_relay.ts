/**
 * Passes on responses with the bytes of blobs. Node's HTTP client makes a new buffer for each 64 KiB, and several
 * objects for each of them. That took more time than everything else in a pull. Here, each connection has one buffer
 * for all its responses, and a client gets the bytes from there before the next ones are read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { ChunkedBody, FixedBody, type ResponseBody } from "./response_body.ts";

const bufferSize = 512 * 1024;

/** In milliseconds: how long a connection waits for the next request. workerd closes it after 5 s. */
const idleMs = 3_000;

/** Whether a request asks for the bytes of a blob, and has no body itself. */
export const isBlobPull = ({ method, url = "", headers }: IncomingMessage): boolean =>
  method === "GET" &&
  /^\/v2\/[^?]+\/blobs\/[^/?]+$/.test(url) &&
  headers["content-length"] === undefined &&
  headers["transfer-encoding"] === undefined &&
  headers.expect === undefined;

/** The head of a response. `fields` has names and values in turn. */
interface Head {
  status: number;
  reason: string;
  fields: string[];
  body: ResponseBody;
  /** Whether the server ends the connection after this response. */
  isLast: boolean;
}

/** Reads the head of a response. Throws an Error if it does not say where the body ends. */
function readHead(text: string): Head {
  const [first = "", ...lines] = text.split("\r\n");
  const [, code, reason = ""] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(first) ?? [];
  const pairs = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const field = (wanted: string) => pairs.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const status = Number(code);
  const isChunked = field("transfer-encoding") === "chunked";
  const length = status === 204 || status === 304 ? 0 : Number(field("content-length"));
  if (!status || (!isChunked && !Number.isInteger(length))) throw new Error(`${first} has no end`);
  const body = isChunked ? new ChunkedBody() : new FixedBody(length);
  const isLast = field("connection")?.toLowerCase() === "close";
  return { status, reason, fields: pairs.flat(), body, isLast };
}

/** A connection to the server. It has one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #idle: Connection[];
  #response: ServerResponse | undefined;
  #clean: Relay["clean"] = (fields) => fields;
  /** The bytes of a head that is not complete. */
  #start = Buffer.alloc(0);
  /** Undefined before the end of the head. */
  #head: Head | undefined;

  /** `idle` is the list of connections that wait for a request. */
  constructor(port: number, idle: Connection[]) {
    this.#idle = idle;
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafeSlow(bufferSize),
        callback: (count, { buffer, byteOffset }) =>
          this.#take(Buffer.from(buffer as ArrayBuffer, byteOffset, count)),
      },
    });
    this.#socket.on("error", () => {}).on("close", () => this.#close());
    this.#socket.on("timeout", () => this.#response || this.#socket.destroy());
    this.#socket.setTimeout(idleMs);
  }

  send(response: ServerResponse, head: string, clean: Relay["clean"]): void {
    this.#response = response;
    this.#clean = clean;
    this.#start = Buffer.alloc(0);
    this.#head = undefined;
    // A client that leaves ends the request.
    response.once("close", () => this.#response === response && this.#socket.destroy());
    this.#socket.write(head, "latin1");
  }

  /** Returns false if no more bytes may be read for now. */
  #take(bytes: Buffer): boolean {
    const response = this.#response;
    try {
      if (response && this.#head) return this.#pass(response, this.#head, bytes);
      if (response) return this.#begin(response, bytes);
    } catch {
      // The server has sent something else than expected.
    }
    this.#socket.destroy();
    return false;
  }

  #begin(response: ServerResponse, bytes: Buffer): boolean {
    this.#start = Buffer.concat([this.#start, bytes]);
    const end = this.#start.indexOf("\r\n\r\n");
    if (end < 0) return true;
    const head = readHead(this.#start.toString("latin1", 0, end));
    this.#head = head;
    response.sendDate = false;
    response.writeHead(head.status, head.reason, this.#clean(head.fields));
    return this.#pass(response, head, this.#start.subarray(end + 4));
  }

  #pass(response: ServerResponse, { body, isLast }: Head, bytes: Buffer): boolean {
    const parts = body.take(bytes);
    // The buffer is free again once the kernel has the bytes.
    const next = () => this.#socket.resume();
    for (const [index, part] of parts.entries())
      response.write(part, index === parts.length - 1 && !body.isComplete ? next : undefined);
    if (!body.isComplete) return parts.length === 0;
    response.end(() => {
      this.#response = undefined;
      if (isLast) return this.destroy();
      this.#idle.push(this);
      next();
    });
    return false;
  }

  /** A response that ends too early ends the connection of its client. */
  #close(): void {
    const at = this.#idle.indexOf(this);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#response?.destroy();
    this.#response = undefined;
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** Passes on requests for blobs. */
export interface Relay {
  /** Takes away the header fields of a response that are not passed on. Names and values are in turn. */
  clean(fields: string[]): string[];
  /** Sends a GET with these header fields, and passes on the response. */
  pass(path: string, fields: string[], response: ServerResponse): void;
  /** Ends the connections that wait. */
  close(): void;
}

/** Passes on requests to a port of 127.0.0.1. */
export function blobRelay(port: number, clean: Relay["clean"]): Relay {
  const idle: Connection[] = [];
  return {
    clean,
    pass: (path, fields, response) => {
      const lines = [`GET ${path} HTTP/1.1`];
      for (let at = 0; at < fields.length; at += 2) lines.push(`${fields[at]}: ${fields[at + 1]}`);
      const connection = idle.pop() ?? new Connection(port, idle);
      connection.send(response, `${lines.join("\r\n")}\r\n\r\n`, clean);
    },
    close: () => {
      for (const connection of [...idle]) connection.destroy();
    },
  };
}
