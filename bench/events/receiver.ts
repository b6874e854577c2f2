/** Receives events over HTTP, and remembers when each arrived first. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** An event that has arrived. */
export interface Arrival {
  subject: string;
  /** The time of the change, just before its commit, in milliseconds since 1970 in UTC. */
  changed: number;
  /** The time of the first arrival, in milliseconds since 1970 in UTC. */
  arrived: number;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** Starts a receiver that accepts every event at once. */
export async function startReceiver() {
  const arrivals = new Map<string, Arrival>();
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      requests += 1;
      const { "ce-id": id, "ce-subject": subject, "ce-time": time } = request.headers;
      if (!arrivals.has(String(id))) {
        const changed = Date.parse(String(time));
        arrivals.set(String(id), { subject: String(subject), changed, arrived: Date.now() });
      }
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/events`,
    arrivals,
    /** The number of requests, with repeated ones. */
    requests: () => requests,
    forget() {
      arrivals.clear();
      requests = 0;
    },
    /** Waits until so many events have arrived. Throws an Error after five minutes. */
    async until(count: number): Promise<Arrival[]> {
      for (const end = Date.now() + 300_000; arrivals.size < count; await pause(5)) {
        if (Date.now() > end) throw new Error(`${arrivals.size} of ${count} events have arrived`);
      }
      return [...arrivals.values()];
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
