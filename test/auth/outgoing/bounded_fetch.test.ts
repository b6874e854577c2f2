/** Called directly, because the proxy for a test platform's requests follows redirects itself. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boundedFetch } from "../../../src/auth/outgoing/bounded_fetch.ts";

const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? "");
  const [, name = "", amount = "0"] = (request.url ?? "").split("/");
  if (name === "moved") response.writeHead(307, { location: "/elsewhere" }).end("moved");
  else if (name === "empty") response.writeHead(204).end();
  else if (name === "slow") response.flushHeaders();
  else response.writeHead(200, { "x-name": name }).end("x".repeat(Number(amount)));
});
let at: string;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test("status, headers and body arrive", async () => {
  const response = await boundedFetch(`${at}/name/10`, {}, 10);
  expect([response.status, response.headers.get("x-name")]).toEqual([200, "name"]);
  expect(await response.text()).toBe("x".repeat(10));
  expect((await boundedFetch(`${at}/empty`, {})).status).toBe(204);
});

test("a response larger than the limit is abandoned", async () => {
  await expect(boundedFetch(`${at}/name/11`, {}, 10)).rejects.toThrow("larger than 10 bytes");
});

test("a redirect is not followed, whatever the options say", async () => {
  const response = await boundedFetch(`${at}/moved`, { redirect: "follow" });
  expect(response.status).toBe(307);
  expect(asked).not.toContain("/elsewhere");
});

test("an endless response ends with its signal", async () => {
  const signal = AbortSignal.timeout(50);
  await expect(boundedFetch(`${at}/slow`, { signal })).rejects.toThrow();
});
