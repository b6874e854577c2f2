/** Sends requests on kept-alive connections. Each connection sends the next request after the previous response. */
import autocannon, { type Client } from "autocannon";

/** The request that is repeated. */
export interface LoadTarget {
  url: string;
  /** The default is GET. */
  method?: "GET" | "HEAD";
  headers?: Record<string, string>;
}

/**
 * Without this, the load would wait forever for the body that the Content-Length of a response to HEAD promises. The
 * parser decides after this event whether there is a body.
 */
const skipBodies = (client: Client) =>
  client.on("headers", () => Object.assign(client.parser, { body_bytes: 0, isChunked: false }));

/**
 * Sends requests for a number of seconds and returns the latencies in milliseconds. The first response of each
 * connection is left out, because it includes the time to connect. Throws an Error unless all responses have a status
 * of 2xx, or if there are no latencies.
 */
export async function sendLoad(
  { url, method = "GET", headers = {} }: LoadTarget,
  connections: number,
  seconds: number,
): Promise<number[]> {
  const latencies: number[] = [];
  const begun = new WeakSet<object>();
  const run = autocannon({
    url,
    method,
    headers,
    connections,
    duration: seconds,
    sampleInt: 50,
    ...(method === "HEAD" ? { setupClient: skipBodies } : {}),
  });
  run.on("response", (client, _status, _bytes, latency) => {
    if (begun.has(client)) latencies.push(latency);
    else begun.add(client);
  });
  const { non2xx, errors } = await run;
  if (non2xx + errors > 0)
    throw new Error(
      `${url}: ${non2xx} responses with an error status, ${errors} connection errors`,
    );
  if (latencies.length === 0) throw new Error(`${url}: no connection had a second response`);
  return latencies;
}
