import { expect, test } from "vitest";
import { newOrganization } from "../world/personas.ts";
import { baseUrl, callRest } from "../world/platform.ts";

const origin = "https://console.example.com";

const preflight = (path: string, method: string, headers: string) =>
  fetch(`${baseUrl()}${path}`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": headers,
    },
  });

test.each([
  ["REST", "/registry/v2/repos/x", "PATCH", "authorization,content-type"],
  ["REST of version 1", "/registry/v1/repos/x", "PUT", "authorization,content-type"],
  [
    "gRPC-Web",
    "/platform.registry.v2.ReposService/ListRepos",
    "POST",
    "authorization,content-type,x-grpc-web,grpc-timeout",
  ],
  ["a stream", "/events/v2/events:stream", "GET", "authorization,last-event-id"],
  ["Connect", "/platform.ping.v2.PingService/Ping", "POST", "connect-protocol-version"],
])("a page of another origin can call the API over %s", async (_, path, method, headers) => {
  const answer = await preflight(path, method, headers);
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.get("access-control-allow-methods")).toContain(method);
  const allowed =
    answer.headers.get("access-control-allow-headers")?.toLowerCase().split(",") ?? [];
  for (const header of headers.split(","))
    expect(allowed.map((one) => one.trim())).toContain(header);
  expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
});

test("a page of another origin can read responses and errors, and their headers", async () => {
  const { owner } = await newOrganization();
  for (const token of [owner.token, undefined]) {
    const { headers } = await callRest("/registry/v2/repos", { token, headers: { origin } });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const exposed = headers.get("access-control-expose-headers")?.toLowerCase();
    for (const name of ["grpc-status", "page-token-expired", "www-authenticate"]) {
      expect(exposed).toContain(name);
    }
  }
});
