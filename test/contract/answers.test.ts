/**
 * Every RPC succeeds in some test. RPCs with an event succeed in outbox.test.ts, which fails for an RPC
 * without a case. All reads succeed here, over REST and Connect. The few RPCs that need more than fixtures
 * have their own tests.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { DescField, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
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
import { readRequestOf, readRequests, readsOutsideFixtures } from "./reads.ts";
import { minimalRequest } from "./requests.ts";
import { type ContractRpc, classOf, eachRpc, isList, notOverRest, rpcOf, rpcs } from "./rpcs.ts";
import { addScannedImage, v1Reads } from "./v1_reads.ts";

let fixtures: Fixtures;
let token: string;
let ofV1: ReturnType<typeof v1Reads>;
beforeAll(async () => {
  fixtures = await newFixtures();
  const caller = await newContractCaller(fixtures.organization.uid, allCapabilities);
  token = caller.token;
  ofV1 = v1Reads(fixtures, await addScannedImage(fixtures), caller.uid);
});

const silent = rpcs.filter(({ event }) => !event);
const here = silent.filter(({ name }) => !readsOutsideFixtures.includes(name));
/** Everyone can read documents of another organization, and no vulnerability was resolved in its images. */
const publicDocuments = [
  "advisory.SecurityAdvisory/ListDocuments",
  "advisory.SecurityAdvisory/ListResolvedVulnsReports",
  "advisory.SecurityAdvisory/ListVulnerabilityMetadata",
];

/**
 * This applies to version 2. The fixtures do not contain the uid of a library's version, or of a deprecated tag, which
 * only the reads of version 1 create.
 */
const isElsewhere = ({ name, method }: ContractRpc) =>
  method.parent.name === "SecurityAdvisoryService" ||
  method.parent.name === "EndOfLifeTagsService" ||
  name === "ArtifactsService/ListArtifactVersions";

/** The resource that a read of the fixtures must return, by itself or in a list. */
const expectedIn = (rpc: ContractRpc) =>
  !rpc.isV1 && (rpc.method.name.startsWith("Get") || isList(rpc)) ? placeIfAny(rpc) : undefined;

function placeIfAny(rpc: ContractRpc): string | undefined {
  const { fields } = rpc.method.output;
  const rows = fields.find(({ fieldKind }) => fieldKind === "list");
  const row = isList(rpc) ? rows?.message : rpc.method.output;
  const hasUidField = row?.fields.some(({ name }) => name === "uid") && !isElsewhere(rpc);
  return hasUidField ? targetUid(rpc, fixtures) : undefined;
}

/** The uids of the response itself and of its rows. */
function uidsIn(message: JsonValue | undefined): unknown[] {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return [];
  const rows = Object.values(message).filter(Array.isArray).flat() as JsonObject[];
  return [message.uid, ...rows.map((row) => row?.uid)];
}

describe("a read returns the stored resources, the same over REST and Connect", () => {
  for (const [some, tier] of eachRpc(here))
    test.for(some)("%s", tier, async ([name, rpc]) => {
      const request = await readRequestOf(rpc, fixtures, ofV1);
      const asks = notOverRest.includes(name) ? [callers.Connect] : [callers.REST, callers.Connect];
      const outcomes = await Promise.all(asks.map((ask) => ask(rpc, request, token)));
      for (const { code, text, message } of outcomes) {
        expect({ code, text }).toEqual({ code: 0, text: "" });
        const expected = expectedIn(rpc);
        if (expected) expect(uidsIn(message)).toContain(expected);
        if (ofV1[name]) expect(message).toMatchObject(ofV1[name].shows);
        expect(message).toEqual(outcomes[0]?.message);
      }
    });
});

/** Members that only the response to the write has: secrets, and what the write does to access. */
const onlyInAnswers = ["secret", "code", "accessChanges"];
/** Members that only the read has: they count other rows. */
const onlyInReads = ["signatureCount"];

/** Lists of version 1 leave out the state of the SCIM credential. */
const onlyInGets = "credentialState";

/** The message without some members, at any depth. */
const without = (message: JsonObject, names: string[]): JsonObject =>
  JSON.parse(JSON.stringify(message, (name, value) => (names.includes(name) ? undefined : value)));

/** The RPC that reads what the response to a write shows: a Get, or a List with rows of that type. */
function readerOf({ method }: ContractRpc) {
  const reads = rpcs.filter((rpc) => rpc.verb === "GET" && rpc.method.parent === method.parent);
  const get = reads.find((rpc) => rpc.method.output === method.output && !rpc.isV1);
  const hasRows = ({ message, fieldKind }: DescField) =>
    fieldKind === "list" && message === method.output;
  return get ?? reads.find((rpc) => rpc.isV1 && rpc.method.output.fields.some(hasRows));
}

/** The request of that RPC. Version 1 finds a resource with a List. */
function readBack(read: ContractRpc, answer: JsonObject): JsonObject {
  if (!read.isV1) return minimalRequest(read, String(answer.uid));
  if (read.method.name === "ListAdvisoryEvents") {
    return { parentId: String(answer.id).slice(0, -17) };
  }
  return answer.group ? { group: answer.group } : { uidp: { childrenOf: parentIn(answer) } };
}

const parentIn = ({ id }: JsonObject) => String(id).slice(0, -17);

describe("the response to a write is what the next read shows", () => {
  const written = Object.entries(changes).flatMap(([name, change]) => {
    const rpc = rpcOf(name);
    const read = readerOf(rpc);
    return read ? [[name, change, rpc, read] as const] : [];
  });

  /** The tests of quotas compare them with their lists. */
  const quotas = ["QuotasService/UpdateQuota", "QuotasService/UpdateDefaultQuota"];

  test("for every Create and Update of version 2, except of what no RPC reads", () => {
    const named = rpcs.filter(({ isV1, method }) => !isV1 && /^(Create|Update)/.test(method.name));
    const compared = written.map(([name]) => name);
    const others = named.filter(({ name }) => !compared.includes(name));
    expect(others.map(({ name }) => name)).toEqual([
      ...quotas,
      "IdentitiesService/UpdateIdentityMetadata",
    ]);
  });

  for (const [some, tier] of tiers([...written], ([, , rpc]) => classOf(rpc)))
    test.for(some)("%s", tier, async ([_, change, rpc, read]) => {
      const { request } = await change.prepare(fixtures);
      const { status, body } = await askRest(rpc, request, token);
      expect(status, JSON.stringify(body)).toBe(200);
      const shown = await askRest(read, readBack(read, body), token);
      const rows = Object.values(shown.body as JsonObject)
        .filter(Array.isArray)
        .flat();
      const found = read.isV1 ? (rows as JsonObject[]) : [shown.body as JsonObject];
      expect(found.map((one) => without(one, onlyInReads))).toContainEqual(
        without(body, read.isV1 ? [...onlyInAnswers, onlyInGets] : onlyInAnswers),
      );
    });
});

test("every read of version 1 must return something from the fixtures", () => {
  const reads = here.filter(({ isV1 }) => isV1).map(({ name }) => name);
  expect([...Object.keys(ofV1), ...publicDocuments].sort()).toEqual(reads.sort());
});

describe("a separate test calls", () => {
  const root = new URL("..", import.meta.url);
  const texts = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts") && !path.startsWith("contract/"))
    .map((path) => readFileSync(new URL(path, root), "utf8"));

  /** The end of the path of an RPC, or a method of its client. */
  const isCalledIn = ({ method, template }: ContractRpc, text: string) =>
    text.includes(template.replace(/^.*\}/, "")) || text.includes(`.${method.localName}(`);

  const named = silent.filter(({ name }) => readsOutsideFixtures.includes(name));
  test.each(named.map((rpc): [string, ContractRpc] => [rpc.name, rpc]))("%s", (_, rpc) => {
    expect(texts.some((text) => isCalledIn(rpc, text))).toBe(true);
  });

  test("every listed RPC exists", () => {
    for (const name of [...Object.keys(readRequests), ...readsOutsideFixtures])
      expect(rpcOf(name).name).toBe(name);
  });
});
