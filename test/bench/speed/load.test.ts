import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendLoad } from "../../../bench/speed/load.ts";

let server: Server;
let url = "";
const requests: string[] = [];

beforeAll(async () => {
  server = createServer(({ url: path, method = "" }, response) => {
    requests.push(`${method} ${path}`);
    response.statusCode = path === "/missing" ? 404 : 200;
    response.setHeader("content-length", "500");
    response.end(method === "HEAD" ? undefined : "x".repeat(500));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each(["GET", "HEAD"] as const)("%s is sent again after each response", async (method) => {
  const path = `/for-${method}`;
  const latencies = await sendLoad({ url: url + path, method }, 2, 0.5);
  expect(latencies.length).toBeGreaterThan(0);
  const sent = new Set(requests.filter((one) => one.endsWith(path)));
  expect(sent).toEqual(new Set([`${method} ${path}`]));
});

test("a response with an error status fails the load", async () => {
  await expect(sendLoad({ url: `${url}/missing` }, 1, 0.2)).rejects.toThrow(/error status/);
});
