/** Requests on kept-alive connections, each sent when the one before on its connection is answered. */
import autocannon from "autocannon";

/** What is asked for, again and again. */
export interface LoadTarget {
  url: string;
  headers?: Record<string, string>;
}

/**
 * Asks for so many seconds; answers the latencies in milliseconds. The first answer of a connection is
 * left out, as it waits for the connection. Throws unless all answers are of status 2xx.
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
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} refused, ${errors} broken`);
  return latencies;
}
