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

  test("the platform and each service that is served are SERVING, without a token", async () => {
    for (const service of ["", "grpc.health.v1.Health", "platform.iam.v2.GroupsService"]) {
      expect((await health.check({ service })).status, service).toBe(Status.SERVING);
    }
  });

  test("a service that there is not is NOT_FOUND", async () => {
    for (const service of ["nothing", "platform.iam.v2", "toString", "other.platform.iam.Groups"]) {
      const error = await health.check({ service }).catch((thrown) => thrown);
      expect([service, error.code]).toEqual([service, Code.NotFound]);
    }
  });

  test("Watch is UNIMPLEMENTED, by which clients take a service for healthy", async () => {
    const read = async () => {
      for await (const _ of health.watch({ service: "" })) return;
    };
    expect(await read().catch((thrown) => thrown.code)).toBe(Code.Unimplemented);
  });

  test("List has every service", async () => {
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

test("a service that answers nothing but UNIMPLEMENTED is NOT_SERVING", async () => {
  expect((await ask("platform.registry.Charts")).body).toEqual({ status: "NOT_SERVING" });
});

test("a service is known by its names with the vendor in front and v2beta1", async () => {
  for (const service of [
    "platform.iam.v2beta1.GroupsService",
    "vendor.platform.iam.v2.GroupsService",
    "vendor.platform.iam.v2beta1.GroupsService",
  ]) {
    expect((await ask(service)).body, service).toEqual({ status: "SERVING" });
  }
});

test("of a name that nothing has, 200 characters are repeated", async () => {
  const { status, body } = await ask("x".repeat(1024 * 1024));
  expect([status, body.message]).toEqual([404, `Not found: Service ${"x".repeat(200)}`]);
});

test("a check asks the database once, and reads no row", async () => {
  expect(costOf(await ask(""))).toEqual({ roundTrips: 1, rowsRead: 0, rowsWritten: 0 });
  expect(costOf(await ask("nothing")).roundTrips).toBe(0);
});

describe("where the database fails", () => {
  const check = healthService.rpcs.find(({ method }) => method.name === "Check");
  /** A call whose database returns an error, in the form in which drizzle passes it on. */
  const callWith = (text: string) => ({
    config: { vendor: "vendor" },
    db: {
      run: () =>
        Promise.reject(new Error("Failed query", { cause: toDatabaseFailure(new Error(text)) })),
    },
  });
  const checked = (text: string) =>
    check?.handle({ service: "" } as never, callWith(text) as never);

  test("everything is NOT_SERVING, and the log says why", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const text = "D1_ERROR: D1 DB is overloaded. Requests queued for too long.";
    expect(
      findDatabaseFailure(new Error("", { cause: toDatabaseFailure(new Error(text)) })),
    ).toBeDefined();
    expect(await checked(text)).toEqual({ status: Status.NOT_SERVING });
    expect(log.mock.calls.join()).toContain("overloaded");
    log.mockRestore();
  });

  test("an error of our own is not reported as one of the database", async () => {
    await expect(checked("D1_ERROR: no such table: x")).rejects.toThrow("Failed query");
  });
});

test("the preflight of a browser is answered", async () => {
  const { status } = await callRest(path, {
    method: "OPTIONS",
    headers: { origin: "https://a.example", "access-control-request-method": "POST" },
  });
  expect(status).toBeLessThan(300);
});
