/** The memory of pushes, with a bound that is lower than usual, and clients that stop in the middle of a body. */
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { long } from "../world/tiers.ts";
import { begin, digestOf, end, outcome, pushBlob, send, someBytes, type Target } from "./client.ts";
import { startOwnRegistry } from "./own_registry.ts";

const MiB = 1024 * 1024;
const bound = 4 * MiB;

let registry: Awaited<ReturnType<typeof startOwnRegistry>>;
let target: Target;
beforeAll(async () => {
  registry = await startOwnRegistry({
    bindings: { UPLOAD_MEMORY_BYTES: String(bound), UPLOAD_STALL_SECONDS: "12" },
  });
  target = await registry.newTarget();
});
afterAll(() => registry.stop());

/** Sends some bytes of a chunk, and then nothing. `answer` is the head of the response, once there is one. */
async function stall(bytes: Uint8Array) {
  const location = await begin(target);
  const { hostname, port } = new URL(target.origin ?? "");
  const socket = connect(Number(port), hostname);
  const lines = [
    `PATCH ${location} HTTP/1.1`,
    "host: localhost",
    `authorization: Bearer ${target.token}`,
    `content-length: ${2 * bytes.length}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.write(bytes);
  const answer = new Promise<string>((done) => {
    socket.on("data", (data) => done(String(data)));
    socket.on("close", () => done(""));
    socket.on("error", () => {});
  });
  return { answer, stop: () => socket.destroy() };
}

test(
  "slow requests are refused with 429 or 408 once they hold all the memory, and pushes work again",
  long,
  async () => {
    const held = await Promise.all(Array.from({ length: 8 }, () => stall(someBytes(900_000))));
    // The requests of one organization hold at most half of the memory.
    const { uid, registryToken: token } = await registry.newOwner();
    await pushBlob({ ...target, name: `${uid}/image`, token }, someBytes(900_000));
    const answers = await Promise.all(held.map(({ answer }) => answer));
    const statuses = answers.map((answer) => answer.slice("HTTP/1.1 ".length, 12));
    expect(statuses).toContain("429");
    expect(statuses).toContain("408");
    for (const answer of answers) {
      if (answer.startsWith("HTTP/1.1 429"))
        expect(answer.toLowerCase()).toContain("retry-after: 10");
      else expect(answer).toContain("HTTP/1.1 408");
    }
    await pushBlob(target, someBytes(900_000));
  },
);

test("a connection that is cut gives its memory back", async () => {
  for (let round = 0; round < 3; round += 1) {
    const held = await Promise.all(Array.from({ length: 3 }, () => stall(someBytes(900_000))));
    for (const { stop } of held) stop();
    await Promise.all(held.map(({ answer }) => answer));
  }
  const bytes = someBytes(1.9 * MiB);
  const location = await begin(target);
  const body = new Blob([bytes]).stream();
  expect((await send(target, location, { method: "PATCH", body })).status).toBe(202);
  expect(await outcome(end(target, location, digestOf(bytes)))).toEqual([201]);
});
