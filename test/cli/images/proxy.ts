/** A proxy in front of a registry that can refuse or cut single requests. */
import { once } from "node:events";
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the proxy has seen. `bytes` are those of its body that the registry received. */
export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  bytes: number;
  status: number;
}

/**
 * A change to one request: a response without the registry, or the number of bytes of its body or of the response
 * after which the connection is cut.
 */
export interface Change {
  status?: number;
  /** Headers of the response with this status. */
  headers?: Record<string, string>;
  cutRequestAfter?: number;
  cutResponseAfter?: number;
  /** Cuts the connection once the registry has answered. */
  losesResponse?: boolean;
  /** Reads the body of the request only after this. */
  hold?: Promise<void>;
  /** Replaces the body of the response. */
  body?: Buffer;
  /** Removes Range from the request. */
  withoutRange?: boolean;
}

/**
 * Starts a proxy. `change` can be replaced at any time. If the upstream is not known yet, requests keep the host of
 * the proxy, which a signature may cover.
 */
export async function startProxy(upstream: string | (() => string)) {
  const seen: Seen[] = [];
  const proxy = {
    url: "",
    seen,
    change: (_: Seen): Change | undefined => undefined,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  const server = createServer((from, to) => {
    const { method = "", url: path = "", headers } = from;
    const one: Seen = { method, path, headers, bytes: 0, status: 0 };
    seen.push(one);
    relay(upstream, from, to, one, proxy.change(one) ?? {});
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

function relay(
  upstream: string | (() => string),
  from: IncomingMessage,
  to: ServerResponse,
  seen: Seen,
  change: Change,
): void {
  const cut = () => from.socket.destroy();
  if (change.status) {
    seen.status = change.status;
    from.resume();
    to.writeHead(change.status, change.headers).end(change.body);
    return;
  }
  const { host, range, ...headers } = from.headers;
  const isSigned = typeof upstream === "function";
  const passed = {
    ...headers,
    ...(isSigned ? { host } : {}),
    ...(range && !change.withoutRange ? { range } : {}),
  };
  const asked = request(new URL(from.url ?? "", isSigned ? upstream() : upstream), {
    method: from.method,
    headers: passed,
  });
  asked.on("error", cut);
  void (change.hold ?? Promise.resolve()).then(() => forwardBody(from, asked, seen, change));
  asked.on("response", (answer) => {
    if (change.losesResponse) return cut();
    relayAnswer(answer, to, { seen, change, cut });
  });
}

function forwardBody(
  from: IncomingMessage,
  asked: ClientRequest,
  seen: Seen,
  change: Change,
): void {
  from.on("data", (chunk: Buffer) => {
    seen.bytes += chunk.length;
    if (seen.bytes <= (change.cutRequestAfter ?? Number.POSITIVE_INFINITY)) asked.write(chunk);
    else {
      asked.destroy();
      from.socket.destroy();
    }
  });
  from.on("end", () => asked.end());
}

function relayAnswer(
  answer: IncomingMessage,
  to: ServerResponse,
  { seen, change, cut }: { seen: Seen; change: Change; cut: () => void },
): void {
  seen.status = answer.statusCode ?? 0;
  const { "content-length": size, ...rest } = answer.headers;
  const length = change.body ? String(change.body.length) : size;
  to.writeHead(seen.status, {
    ...rest,
    ...(length === undefined ? {} : { "content-length": length }),
  });
  if (change.body) {
    answer.resume();
    to.end(change.body);
    return;
  }
  let sent = 0;
  answer.on("data", (chunk: Buffer) => {
    sent += chunk.length;
    if (sent <= (change.cutResponseAfter ?? Number.POSITIVE_INFINITY)) return to.write(chunk);
    // The client gets what it has been sent before the connection ends.
    to.write(chunk.subarray(0, 1), cut);
    answer.destroy();
  });
  answer.on("end", () => to.end());
  answer.on("error", cut);
}
