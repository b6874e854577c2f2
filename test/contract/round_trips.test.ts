/** A read in a scope costs one D1 round trip, and every other call costs two. */
import type { JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { costOf, tokenFor } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { askRest, callers } from "./callers.ts";
import { changes } from "./changes/all.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  targetUid,
} from "./fixtures.ts";
import { minimalRequest } from "./requests.ts";
import { type ContractRpc, classOf, eachRpc, isList, notOverRest, rpcOf, rpcs } from "./rpcs.ts";

let fixtures: Fixtures;
let token: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
});

const reads = rpcs.filter(({ verb, open }) => verb === "GET" && !open);
/** It first reads the page of role bindings, and then the names of everyone on it. */
const readsNames = "AccessService/ListAccess";
const isPaged = (rpc: ContractRpc) => isList(rpc) || rpc.name === readsNames;
const hasFilter = ({ method }: ContractRpc) =>
  method.input.fields.some((field) => field.name === "uidp");

async function roundTrips(rpc: ContractRpc, request: JsonObject, as = token): Promise<number> {
  if (notOverRest.includes(rpc.name)) {
    const { code, text, headers } = await callers.Connect(rpc, request, as);
    expect(code, text).toBe(0);
    return costOf({ headers }).roundTrips;
  }
  const answer = await askRest(rpc, request, as);
  expect([200, 404], JSON.stringify(answer.body)).toContain(answer.status);
  return costOf(answer).roundTrips;
}

describe("one round trip", () => {
  const placed = reads.filter((rpc) => !isPaged(rpc) && rpc.scope);
  for (const [some, tier] of eachRpc(placed))
    test.for(some)("for %s", tier, async ([_, rpc]) => {
      expect(await roundTrips(rpc, minimalRequest(rpc, targetUid(rpc, fixtures)))).toBe(1);
    });

  const scoped = reads.filter((rpc) => isList(rpc) && hasFilter(rpc));
  for (const [some, tier] of eachRpc(scoped))
    test.for(some)("for %s below a group and of a parent", tier, async ([_, rpc]) => {
      for (const filter of ["descendantsOf", "childrenOf"]) {
        for (const uid of [fixtures.organization.uid, fixtures.group, fixtures.repo]) {
          expect(await roundTrips(rpc, { uidp: { [filter]: uid } }), filter).toBe(1);
        }
      }
    });

  test("for a later page too", async () => {
    const rpc = rpcOf("RolesService/ListRoles");
    const request = { pageSize: 1, uidp: { descendantsOf: fixtures.organization.uid } };
    const { body } = await askRest(rpc, request, token);
    expect(await roundTrips(rpc, { ...request, pageToken: body.nextPageToken })).toBe(1);
  });

  test("for an error, whatever is stored", async () => {
    const other = await newFixtures();
    for (const uid of [other.repo, `${other.organization.uid}/${"0".repeat(16)}`]) {
      const answer = await askRest(rpcOf("ReposService/GetRepo"), { uid }, token);
      expect(answer.status).toBe(403);
      expect(costOf(answer).roundTrips).toBe(1);
    }
  });
});

/** They read a repository in pages and write in batches. test/cost counts their round trips. */
const inBatches = ["CreateExpiryPlan", "CarryOutExpiryPlan", "UndoExpiryPlan"];

describe("at most two round trips", () => {
  for (const [some, tier] of eachRpc(reads.filter(isPaged)))
    test.for(some)("for %s of everything that the caller can see", tier, async ([_, rpc]) => {
      const trips = await roundTrips(rpc, minimalRequest(rpc, fixtures.organization.uid));
      expect(trips).toBeGreaterThan(0);
      expect(trips).toBeLessThanOrEqual(2);
    });

  const atOnce = Object.entries(changes).filter(
    ([name]) => !inBatches.includes(rpcOf(name).method.name),
  );
  for (const [some, tier] of tiers(atOnce, ([name]) => classOf(rpcOf(name))))
    test.for(some)("for %s", tier, async ([name, change]) => {
      const { request, claims, as } = await change.prepare(fixtures);
      // A caller of its own, because no one can request access to a group twice in a day.
      const { uid } = await newContractCaller(fixtures.organization.uid, allCapabilities);
      const bearer = as?.token ?? (await tokenFor(uid, claims));
      const trips = await roundTrips(rpcOf(name), request, bearer);
      expect(trips).toBeGreaterThan(0);
      expect(trips).toBeLessThanOrEqual(2);
    });
});

test("no round trip for calls without the database", async () => {
  expect(costOf(await askRest(rpcOf("PingService/Ping"), {})).roundTrips).toBe(0);
  const bad = await askRest(rpcOf("ReposService/GetRepo"), { uid: fixtures.repo }, "bad");
  expect(costOf(bad).roundTrips).toBe(0);
});
