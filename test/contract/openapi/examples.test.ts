/** The examples of the OpenAPI document can be sent unchanged: none is refused for its form. */
import type { JsonValue } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { sample } from "../../../schema/openapi/sample.ts";
import { sharedProvider } from "../../iam/identity_providers/openid_provider.ts";
import { newClient } from "../../iam/scim/client.ts";
import { callRest, tokenFor } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";
import { restCall } from "../callers.ts";
import { changes } from "../changes/all.ts";
import { allCapabilities, type Fixtures, newContractCaller, newFixtures } from "../fixtures.ts";
import { readRequestOf } from "../reads.ts";
import { type ContractRpc, classOf, rpcs } from "../rpcs.ts";
import { addScannedImage, v1Reads } from "../v1_reads.ts";
import {
  type DocumentedOperation,
  examplesOf,
  jsonMediaType,
  operationOf,
  operations,
  parametersOf,
} from "./document.ts";

let fixtures: Fixtures;
let caller: { uid: string; token: string };
/** Replaces the issuer in the examples, which does not exist. */
let issuer: string;
let ofV1: ReturnType<typeof v1Reads>;
let scim: Awaited<ReturnType<typeof newClient>>;
beforeAll(async () => {
  fixtures = await newFixtures();
  caller = await newContractCaller(fixtures.organization.uid, allCapabilities);
  ofV1 = v1Reads(fixtures, await addScannedImage(fixtures), caller.uid);
  scim = await newClient();
  issuer = (await sharedProvider()).url;
});

/** The uids in examples of fixtures, by the names of their members. */
const uidOf = (key: string, { identity, role }: Fixtures): string | undefined =>
  ({ identity, identityUid: identity, role })[key];

/** The example with the values of this organization. */
const here = <T>(example: T): T =>
  JSON.parse(
    JSON.stringify(example)
      .replaceAll(sample.organization, fixtures.organization.uid)
      .replaceAll("https://idp.example.com", issuer),
    (key, value) => uidOf(key, fixtures) ?? value,
  );

/** Each query with one example. A mask is sent with its body. */
function queriesOf(placed: DocumentedOperation): [key: string, value: string][][] {
  const given = parametersOf(placed).flatMap((one) =>
    one.in === "query" && one.example !== undefined ? [one] : [],
  );
  return given.map(({ name, example }) =>
    (Array.isArray(example) ? example : [example]).map((item) => [name, String(here(item))]),
  );
}

const bodiesOf = ({ operation }: DocumentedOperation): JsonValue[] =>
  Object.values(examplesOf(operation.requestBody?.content[jsonMediaType] ?? { schema: {} })).map(
    (one) => here(one) as JsonValue,
  );

/** The path and the query of a call that is about existing resources. */
async function addressOf(rpc: ContractRpc): Promise<{ path: string; token: string }> {
  const change = changes[rpc.name];
  if (!change) {
    return {
      path: restCall(rpc, await readRequestOf(rpc, fixtures, ofV1)).path,
      token: caller.token,
    };
  }
  const { request, claims, as } = await change.prepare(fixtures);
  const token = as?.token ?? (await tokenFor(caller.uid, claims));
  return { path: restCall(rpc, request).path, token };
}

function withQuery(path: string, pairs: [string, string][]): string {
  const [at = "", search = ""] = path.split("?");
  const query = new URLSearchParams(search);
  for (const [key] of pairs) query.delete(key);
  for (const [key, value] of pairs) query.append(key, value);
  return `${at}?${query}`;
}

/** Fields that a response calls invalid by themselves. They can refer to something that does not exist. */
const badFields = (body: { details?: { fieldViolations?: { field: string }[] }[] } | undefined) =>
  (body?.details ?? []).flatMap(({ fieldViolations = [] }) => fieldViolations);

const served = rpcs
  .filter(({ template }) => template !== "")
  .map((rpc): [string, ContractRpc, DocumentedOperation] => [rpc.name, rpc, operationOf(rpc)])
  .filter(([, , placed]) => queriesOfDocument(placed) + bodiesOfDocument(placed) > 0);

function queriesOfDocument(placed: DocumentedOperation): number {
  return parametersOf(placed).filter((one) => one.in === "query" && "example" in one).length;
}

function bodiesOfDocument({ operation }: DocumentedOperation): number {
  return Object.keys(operation.requestBody?.content[jsonMediaType]?.examples ?? {}).length;
}

test("most operations have examples", () => {
  expect(served.length).toBeGreaterThan(90);
});

describe("the platform accepts the examples of an operation", () => {
  for (const [some, tier] of tiers(served, ([, rpc]) => classOf(rpc)))
    test.for(some)("%s", tier, ([_, rpc, placed]) => expectAccepted(rpc, placed));

  async function expectAccepted(rpc: ContractRpc, placed: DocumentedOperation): Promise<void> {
    const method = rpc.verb;
    const bodies = bodiesOf(placed);
    const queries = queriesOf(placed);
    for (const body of bodies.length > 0 ? bodies : [undefined]) {
      for (const query of queries.length > 0 ? queries : [[]]) {
        const { path, token } = await addressOf(rpc);
        const asked = { method, token, ...(body === undefined ? {} : { body }) };
        const answer = await callRest(withQuery(path, query), asked);
        expect(badFields(answer.body), JSON.stringify([query, answer.body])).toEqual([]);
        expect(answer.status, JSON.stringify([query, answer.body])).not.toBe(500);
      }
    }
  }
});

describe("the platform accepts the examples of provisioning", () => {
  const each = operations
    .filter(({ path }) => path.startsWith("/scim/"))
    .map((one): [string, DocumentedOperation] => [one.operation.operationId, one]);
  test.each(each)("%s", async (_, placed) => {
    const user = await scim.create({ userName: `ann-${placed.operation.operationId}` });
    const isGroup = placed.path.includes("/Groups");
    const group = isGroup && (await scim.createGroup({ displayName: user.id }));
    const { id } = group || user;
    const path = placed.path.replace("{provider}", scim.idp).replace("{id}", id);
    const method = placed.verb.toUpperCase();
    const headers = { "content-type": "application/scim+json" };
    // The examples of groups name a user.
    const [example] = bodiesOf(placed);
    const text = JSON.stringify(example)?.replaceAll("2b3c4d5e6f708192", user.id);
    const body = text === undefined ? undefined : JSON.parse(text);
    for (const query of [[], ...queriesOf(placed)]) {
      const asked = { method, headers, token: scim.token, ...(body === undefined ? {} : { body }) };
      const answer = await callRest(withQuery(path, query as [string, string][]), asked);
      expect(answer.status, JSON.stringify([query, answer.body])).not.toBe(400);
      expect(answer.status, JSON.stringify([query, answer.body])).toBeLessThan(500);
    }
  });
});
