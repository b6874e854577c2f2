/** gRPC's health check, over every transport. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, describe, expect, test, vi } from "vitest";
import { grpcBridge } from "../../cli/grpc/bridge.ts";
import { services } from "../../schema/descriptors.ts";
import {
  Health,
  HealthCheckResponse_ServingStatus as Status,
} from "../../schema/gen/grpc/health/v1/health_pb.js";
import { healthService } from "../../src/ping/health.ts";
import { findDatabaseFailure, toDatabaseFailure } from "../../src/rpc/database_failure.ts";
import { unimplementedRpcs } from "../contract/rpcs.ts";
import { baseUrl, callRest, costOf, transports } from "../world/platform.ts";

const bridge = grpcBridge(new URL(baseUrl()));
bridge.listen(0, "127.0.0.1");
await once(bridge, "listening");
afterAll(() => bridge.close());
const native = `http://127.0.0.1:${(bridge.address() as AddressInfo).port}`;

const each = Object.entries({
  ...transports(),
  "native gRPC": createGrpcTransport({ baseUrl: native }),
});
const path = "/grpc.health.v1.Health/Check";
const ask = (service: string) =>
  callRest(path, { body: { service }, headers: { "content-type": "application/json" } });

describe.each(each)("over %s", (_, transport) => {
  const health = createClient(Health, transport);

  test("the platform and each served service are SERVING, without a token", async () => {
    for (const service of ["", "grpc.health.v1.Health", "platform.iam.v2.GroupsService"]) {
      expect((await health.check({ service })).status, service).toBe(Status.SERVING);
    }
  });

  test("an unknown service is NOT_FOUND", async () => {
    for (const service of ["nothing", "platform.iam.v2", "toString", "other.platform.iam.Groups"]) {
      const error = await health.check({ service }).catch((thrown) => thrown);
      expect([service, error.code]).toEqual([service, Code.NotFound]);
    }
  });

  test("Watch is UNIMPLEMENTED, so that clients treat a service as healthy", async () => {
    const read = async () => {
      for await (const _ of health.watch({ service: "" })) return;
    };
    expect(await read().catch((thrown) => thrown.code)).toBe(Code.Unimplemented);
  });

  test("List contains every service", async () => {
    const { statuses } = await health.list({});
    const all = Object.entries(statuses).map(([name, { status }]) => [name, Status[status]]);
    const unimplemented = new Set(unimplementedRpcs.map(({ method }) => method.parent));
    const expected = services.map((service) => [
      service.typeName,
      // One of which something else is served is not left out.
      unimplemented.has(service) && countUnimplemented(service.typeName) === service.methods.length
        ? "NOT_SERVING"
        : "SERVING",
    ]);
    const own = ["", Health.typeName].map((name) => [name, "SERVING"]);
    expect(all.sort()).toEqual([...own, ...expected].sort());
  });
});

const countUnimplemented = (name: string) =>
  unimplementedRpcs.filter(({ method }) => method.parent.typeName === name).length;

test("a service whose methods are all UNIMPLEMENTED is NOT_SERVING", async () => {
  expect((await ask("platform.registry.Charts")).body).toEqual({ status: "NOT_SERVING" });
});

test("a service can be named with the vendor in front and with v2beta1", async () => {
  for (const service of [
    "platform.iam.v2beta1.GroupsService",
    "vendor.platform.iam.v2.GroupsService",
    "vendor.platform.iam.v2beta1.GroupsService",
  ]) {
    expect((await ask(service)).body, service).toEqual({ status: "SERVING" });
  }
});

test("the error about an unknown name repeats at most 200 characters", async () => {
  const { status, body } = await ask("x".repeat(1024 * 1024));
  expect([status, body.message]).toEqual([404, `Not found: Service ${"x".repeat(200)}`]);
});

test("a check sends one query to the database, and reads no row", async () => {
  expect(costOf(await ask(""))).toEqual({ roundTrips: 1, rowsRead: 0, rowsWritten: 0 });
  expect(costOf(await ask("nothing")).roundTrips).toBe(0);
});

describe("if the database fails", () => {
  const check = healthService.rpcs.find(({ method }) => method.name === "Check");
  /** A call whose database returns an error, in the form in which drizzle passes it on. */
  const callWith = (text: string) => {
    const cause = toDatabaseFailure(new Error(text));
    const db = { run: () => Promise.reject(new Error("Failed query", { cause })) };
    return { config: { vendor: "vendor" }, headers: new Headers(), databases: { all: [db] } };
  };
  const checked = (text: string) =>
    check?.handle({ service: "" } as never, callWith(text) as never);

  test("everything is NOT_SERVING, and the log has the reason", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const text = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
    expect(
      findDatabaseFailure(new Error("", { cause: toDatabaseFailure(new Error(text)) })),
    ).toBeDefined();
    expect(await checked(text)).toEqual({ status: Status.NOT_SERVING });
    expect(log.mock.calls.join()).toContain("overloaded");
    log.mockRestore();
  });

  test("an error in the platform itself is not reported as an error of the database", async () => {
    await expect(checked("D1_ERROR: no such table: x")).rejects.toThrow("Failed query");
  });
});

test("the preflight of a browser has a response", async () => {
  const { status } = await callRest(path, {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "POST" },
  });
  expect(status).toBeLessThan(300);
});
