/** The bytes of a request bound how much it may write (SECURITY.md). */
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callers, restCall } from "../../contract/callers.ts";
import { changes } from "../../contract/changes/all.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
} from "../../contract/fixtures.ts";
import { type ContractRpc, classOf, notOverRest, rpcOf } from "../../contract/rpcs.ts";
import { callRest, tokenFor } from "../../world/platform.ts";
import { costOf } from "../../world/server_timing.ts";
import { tiers } from "../../world/tiers.ts";
import { largePushes, preparedPush } from "./large_pushes.ts";
import { type LargeRequest, largeRequests, refusedRequests } from "./large_requests.ts";
import {
  measured,
  measuredRpc,
  type Owner,
  type Registry,
  startMeasuring,
  type Written,
} from "./own_writes.ts";
import { padded } from "./padded_requests.ts";

const mib = 1024 * 1024;

/** By how many bytes and rows a request may let the database grow, and by how many more for each of its bytes. */
const bound = { bytes: 12 * mib, perByte: 16, rows: 100_000, rowsPerByte: 1 };

function expectBounded({ sent, grown, rows }: Written) {
  expect(grown).toBeLessThanOrEqual(bound.bytes + bound.perByte * sent);
  expect(rows).toBeLessThanOrEqual(bound.rows + bound.rowsPerByte * sent);
}

let registry: Registry;
let owner: Owner;
beforeAll(async () => {
  registry = await startMeasuring();
  owner = await registry.newOwner();
});
afterAll(() => registry.stop());

/** The name of an RPC without its service. */
const methodOf = ({ rpc }: LargeRequest) => rpc;

describe("a request with as many parts as it may have writes no more than the bound:", () => {
  for (const [some, tier] of tiers(largeRequests, methodOf))
    test.for(some)("$name", tier, async ({ rpc, request }) => {
      owner = await registry.newOwner();
      const asked = await request(registry, owner);
      const written = await measuredRpc(registry, owner.apiToken, rpc, asked);
      expect(written.status, written.text).toBe(200);
      expectBounded(written);
    });
});

test("an import of 20,000 short versions takes less than eight bytes for each of its own", async () => {
  const [{ rpc, request }] = largeRequests as [LargeRequest];
  owner = await registry.newOwner();
  const asked = await request(registry, owner);
  const written = await measuredRpc(registry, owner.apiToken, rpc, asked);
  expect(written.status, written.text).toBe(200);
  expect(written.grown).toBeLessThan(8 * written.sent);
  expect(written.rows).toBeLessThan(300);
  // The same record with a new time changes only times.
  const [record] = asked.records as [JsonObject];
  const again = { ...asked, records: [{ ...record, modified: "2026-02-01T00:00:00Z" }] };
  const rewritten = await measuredRpc(registry, owner.apiToken, rpc, again);
  expect(rewritten.status, rewritten.text).toBe(200);
  expect(rewritten.grown).toBeLessThan(8 * written.sent);
});

describe("a request that would write more is refused, and writes nothing:", () => {
  test.for(refusedRequests)("$name", async ({ rpc, request }) => {
    owner = await registry.newOwner();
    const asked = await request(registry, owner);
    const { status, rows } = await measuredRpc(registry, owner.apiToken, rpc, asked);
    expect([status, rows]).toEqual([400, 0]);
  });
});

describe("a push writes no more than the bound:", () => {
  test.for(largePushes)("$name", async (push) => {
    const { uid, registryToken: token } = await registry.newOwner();
    const target = { origin: registry.origin, name: `${uid}/image`, token };
    const { path, body } = await preparedPush(target, push);
    const written = await measured(registry, path, token, { method: "PUT", body, type: push.type });
    expect(written.status, written.text).toBe(201);
    expectBounded(written);
    // The rows of one push: 50 tags take five rows each, with their indexes.
    expect(written.rows).toBeLessThan(20_000);
  });
});

describe("with the longest texts and lists, every RPC writes few rows:", () => {
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await newFixtures();
  });
  const writes = Object.keys(changes).map((name): [string, ContractRpc] => [name, rpcOf(name)]);
  for (const [some, tier] of tiers(writes, ([, rpc]) => classOf(rpc)))
    test.for(some)("%s", tier, async ([name, rpc]) => {
      const prepared = await changes[name]?.prepare(fixtures);
      if (!prepared) throw new Error(`${name} has no request`);
      const { request, as, claims } = prepared;
      const actor = as ?? (await newContractCaller(fixtures.organization.uid, allCapabilities));
      const token = as?.token ?? (await tokenFor(actor.uid, claims));
      const { input } = rpc.method;
      // A long text may be refused, because it has a form that no rule of the proto says.
      for (const asked of [padded(input, request, true), padded(input, request, false), request]) {
        const { isGood, rows, bytes } = await call(rpc, asked, token);
        expect(rows).toBeLessThanOrEqual(500 + bytes / 10);
        if (isGood) return;
      }
      throw new Error(`${name} refused every request`);
    });
});

async function call(rpc: ContractRpc, asked: JsonObject, token: string) {
  const bytes = JSON.stringify(asked).length;
  // A request that is refused before any call to the database has no such header.
  const rowsOf = (headers: Headers) => {
    const timing = headers.get("server-timing");
    return timing === null ? 0 : costOf(timing).rowsWritten;
  };
  if (notOverRest.includes(rpc.name)) {
    const { code, headers } = await callers["Connect JSON"](rpc, asked, token);
    return { isGood: code === 0, rows: rowsOf(headers), bytes };
  }
  const { path, asked: rest } = restCall(rpc, asked);
  const { status, headers } = await callRest(path, { ...rest, token });
  return { isGood: status === 200, rows: rowsOf(headers), bytes };
}
