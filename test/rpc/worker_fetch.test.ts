/** The id of a request, in the responses of every host. */

import { createClient } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { GroupsService } from "../../schema/gen/platform/iam/v2/groups_pb.js";
import { newOrganization, randomUid } from "../world/personas.ts";
import { baseUrl, callRest, transports } from "../world/platform.ts";

/** The id of a trace, which a request without an id gets. */
const traceId = /^[0-9a-f]{32}$/;
const provider = `${randomUid()}/0000000000000001`;

/** A request for each part of the platform that writes responses in its own way. */
const requests: [string, string, RequestInit][] = [
  ["an RPC that succeeds", "/ping/v2/ping", {}],
  ["HEAD", "/ping/v2/ping", { method: "HEAD" }],
  ["an RPC that fails", "/iam/v2/groups", {}],
  ["a path that is not served", "/no/such/path", {}],
  ["a method that is not served", "/iam/v2/groups", { method: "PUT" }],
  ["the page at /", "/", {}],
  ["a page of the console", "/console/repos", {}],
  ["a file of the console that does not exist", "/console/assets/x.js", {}],
  ["a refused method at /", "/", { method: "DELETE" }],
  ["the OpenAPI document", "/openapi.json", {}],
  ["a guide", "/docs/start", {}],
  ["a guide that does not exist", "/docs/nowhere", {}],
  ["discovery", "/.well-known/openid-configuration", {}],
  ["the keys", "/.well-known/jwks.json", {}],
  ["a login page", "/oauth?idp=nobody", {}],
  ["a check for an organization", "/orgcheck?name=nobody", {}],
  ["a revocation without a token", "/oauth/revoke", { method: "POST" }],
  ["an exchange without a token", "/sts/exchange", { method: "POST" }],
  ["SCIM", `/scim/v2/${provider}/Users`, {}],
  ["a SCIM path that is not served", "/scim/v2/nowhere", {}],
  ["the registry", "/v2/", {}],
  ["a token of the registry", "/token", { method: "POST" }],
  [
    "a preflight request",
    "/iam/v2/groups",
    {
      method: "OPTIONS",
      headers: { origin: "https://a.example", "access-control-request-method": "GET" },
    },
  ],
  ["a Connect call", "/platform.iam.v2.GroupsService/ListGroups", { method: "POST" }],
];

const send = (path: string, { headers, ...init }: RequestInit, id?: string) =>
  fetch(baseUrl() + path, {
    ...init,
    redirect: "manual",
    headers: {
      ...(headers as Record<string, string>),
      ...(id === undefined ? {} : { "x-request-id": id }),
    },
  });

describe.each(requests)("%s", (_, path, init) => {
  test("has the id that the caller sends", async () => {
    const { headers } = await send(path, init, "build-17:a/b-c=d+e._f");
    expect(headers.get("x-request-id")).toBe("build-17:a/b-c=d+e._f");
  });

  test("gets a new id if the caller sends none", async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await send(path, init)).headers.get("x-request-id")),
    );
    expect(ids).toEqual([expect.stringMatching(traceId), expect.stringMatching(traceId)]);
    expect(ids[0]).not.toBe(ids[1]);
  });
});

test.each([
  ["it is empty", ""],
  ["it has more than 128 characters", "a".repeat(129)],
  ["it contains a space", "a b"],
  ["it contains a quote", 'a"b'],
  ["it contains a comma, as two headers do", "a, b"],
  ["it is not ASCII", "\u00e9"],
  ["it can be an email address, which no log may have", "ann@b.example"],
])("an id is replaced if %s", async (_, id) => {
  const { headers } = await send("/ping/v2/ping", {}, id);
  expect(headers.get("x-request-id")).toMatch(traceId);
});

test("an id may have 128 characters", async () => {
  const id = "a".repeat(128);
  expect((await send("/ping/v2/ping", {}, id)).headers.get("x-request-id")).toBe(id);
});

/** The RequestInfo as errors contain it in JSON. */
const requestInfo = (requestId: string) => ({
  "@type": "type.googleapis.com/google.rpc.RequestInfo",
  requestId,
});

describe("an error repeats the id", () => {
  test.each([
    ["of version 2", "/iam/v2/groups"],
    ["of version 1", "/iam/v1/groups"],
    ["of a path that is not served", "/no/such/path"],
    ["of a revocation", "/oauth/revoke"],
  ])("%s", async (_, path) => {
    const method = path === "/oauth/revoke" ? "POST" : "GET";
    const { body } = await callRest(path, { method, headers: { "x-request-id": "build-17" } });
    expect(body.details.at(-1)).toEqual(requestInfo("build-17"));
  });

  test("of the registry host, in its detail", async () => {
    const { body } = await callRest("/v2/", { headers: { "x-request-id": "build-17" } });
    expect(body.errors).toMatchObject([{ detail: { requestId: "build-17" } }]);
  });

  test("on the page of a failed login", async () => {
    const { body } = await callRest("/oauth?idp=nobody", {
      headers: { "x-request-id": "build-17" },
    });
    expect(body).toContain("Request id: build-17");
  });

  test.each(["connect", "connectJson", "grpcWeb"] as const)("over %s", async (name) => {
    const { owner } = await newOrganization();
    const groups = createClient(GroupsService, transports(owner.token)[name]);
    const call = groups.getGroup({ uid: randomUid() }, { headers: { "x-request-id": "build-17" } });
    const error = await call.catch((thrown) => thrown);
    expect(error.metadata.get("x-request-id")).toBe("build-17");
    const types = error.details.map(({ type }: { type: string }) => type);
    expect(types.at(-1)).toBe("google.rpc.RequestInfo");
  });
});

test("a script of another origin may send an id and read it", async () => {
  const preflight = await send("/iam/v2/groups", {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "GET" },
  });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-request-id");
  const answer = await send("/ping/v2/ping", {});
  expect(answer.headers.get("access-control-expose-headers")).toContain("x-request-id");
});
