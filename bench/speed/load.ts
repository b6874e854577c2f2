/** Sends requests on kept-alive connections. Each connection sends the next request after the previous response. */
import autocannon from "autocannon";

/** The request that is repeated. */
export interface LoadTarget {
  url: string;
  headers?: Record<string, string>;
}

/**
 * Sends requests for a number of seconds and returns the latencies in milliseconds. The first response of each
 * connection is left out, because it includes the time to connect. Throws an Error unless all responses have a status
 * of 2xx.
 */
export async function sendLoad(
  { url, headers = {} }: LoadTarget,
  connections: number,
  seconds: number,
): Promise<number[]> {
  const latencies: number[] = [];
  const begun = new WeakSet<object>();
  const run = autocannon({ url, headers, connections, duration: seconds, sampleInt: 50 });
  run.on("response", (client, _status, _bytes, latency) => {
    if (begun.has(client)) latencies.push(latency);
    else begun.add(client);
  });
  const { non2xx, errors } = await run;
  if (non2xx + errors > 0)
    throw new Error(
      `${url}: ${non2xx} responses with an error status, ${errors} connection errors`,
    );
  return latencies;
}
