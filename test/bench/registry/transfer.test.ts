import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newBlob } from "../../../bench/registry/blob.ts";
import { bareCarrier, measureBlobs } from "../../../bench/registry/blobs.ts";
import { transfer } from "../../../bench/registry/transfer.ts";
import { long } from "../../world/tiers.ts";

const MiB = 1024 ** 2;
let server: Server;
let origin = "";

/** Stores bodies and returns them, as the bare Worker does. Below `/wrong`, it returns other bytes. */
beforeAll(async () => {
  const stored = new Map<string, Buffer>();
  server = createServer(async (request, response) => {
    const { url = "", method } = request;
    if (method === "PUT") {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      stored.set(url, Buffer.concat(parts));
      response.writeHead(201).end();
      return;
    }
    const body = stored.get(url);
    if (url.startsWith("/wrong")) body?.fill(0, 0, 1);
    response.writeHead(body ? 200 : 404).end(body ?? "there is no such blob");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

test.each([0, 1, 8 * MiB, 8 * MiB + 5])(
  "a blob of %d bytes arrives with its digest",
  async (size) => {
    const blob = newBlob(size);
    expect([...blob.pieces()].reduce((sum, { length }) => sum + length, 0)).toBe(size);
    await transfer(`${origin}/blob`, { method: "PUT", body: blob });
    const answer = await transfer(`${origin}/blob`, { digests: true });
    expect([answer.size, answer.digest]).toEqual([size, blob.digest]);
  },
);

test("two blobs of the same size differ", () => {
  expect(newBlob(100).digest).not.toBe(newBlob(100).digest);
});

test("a response with an error status is an error with its text", async () => {
  const missing = transfer(`${origin}/missing`);
  await expect(missing).rejects.toThrow(/GET .*\/missing: 404 there is no such blob/);
});

test("every server has a push and a pull in each round", long, async () => {
  const carriers = ["a", "b"].map((name) => bareCarrier(name, `${origin}/${name}`));
  const outcomes = await measureBlobs(carriers, () => {}, MiB);
  expect(outcomes.map(({ name }) => name)).toEqual(["a", "b"]);
  for (const { push, pull } of outcomes) {
    expect(push).toHaveLength(pull.length);
    expect(Math.min(...push, ...pull)).toBeGreaterThan(0);
  }
});

test("a server that returns other bytes is not measured", async () => {
  const wrong = bareCarrier("wrong server", `${origin}/wrong`);
  await expect(measureBlobs([wrong], () => {}, MiB)).rejects.toThrow(/wrong server returned/);
});
