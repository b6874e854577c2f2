/** A thread of its own that sends calls at an even rate, however long the responses take, until it gets a message. */
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/** The call, and the milliseconds between two of them. */
export interface Noise {
  url: string;
  headers: Record<string, string>;
  pause: number;
}

/** The calls that were sent, and those that were refused. */
export interface NoiseCounts {
  sent: number;
  refused: number;
}

const { url, headers, pause: between } = workerData as Noise;
const counts: NoiseCounts = { sent: 0, refused: 0 };
const calls: Promise<void>[] = [];
let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});

async function call(): Promise<void> {
  counts.sent += 1;
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  if (response.status === 429) counts.refused += 1;
}

for (let next = performance.now(); !isOver; next += between) {
  await pause(Math.max(0, next - performance.now()));
  calls.push(call());
}
await Promise.all(calls);
parentPort?.postMessage(counts);
