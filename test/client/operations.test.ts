/** The client has every operation of version 2. Each reaches its RPC, and its types are true. */
import { type DescMessage, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { type Client, type OperationName, operations, PlatformError } from "platform-api/client";
import { beforeAll, describe, expect, test } from "vitest";
import { isAlwaysShown } from "../../schema/client/fields.ts";
import { type CallOutcome, callers } from "../contract/callers.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  targetUid,
} from "../contract/fixtures.ts";
import { minimalRequest } from "../contract/requests.ts";
import { type ContractRpc, rpcs } from "../contract/rpcs.ts";
import { newUser } from "../world/personas.ts";
import { sql } from "../world/platform.ts";
import { clientOf, viaMethod } from "./calls.ts";

const fullName = ({ method }: ContractRpc) => `${method.parent.typeName}/${method.name}`;
const served = rpcs.filter(
  ({ method, verb }) => method.parent.file.proto.package.endsWith(".v2") && verb !== "",
);
const rpcOf = new Map(served.map((rpc) => [fullName(rpc), rpc]));
const names = Object.keys(operations) as OperationName[];

test("the table has exactly the RPCs of version 2 that are served over REST", () => {
  expect(served.length).toBeGreaterThan(80);
  expect(names.map((name) => operations[name].rpc).sort()).toEqual([...rpcOf.keys()].sort());
});

let fixtures: Fixtures;
let anybody: string;
let allowed: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  anybody = (await newUser()).token;
  allowed = (await newContractCaller(fixtures.organization.uid, allCapabilities)).token;
});

/** Requests that do not follow from the descriptors. */
const known: Partial<Record<OperationName, () => JsonObject | Promise<JsonObject>>> = {
  "ping.ping": () => ({}),
  "artifacts.list": () => ({ ecosystems: ["ECOSYSTEM_PYTHON"] }),
  "artifacts.listArtifactVersions": () => ({ artifactId: fixtures.artifact }),
  "images.getSize": image,
  "images.getArchitectures": image,
};

async function image(): Promise<JsonObject> {
  const query = "select digest from manifests where uid = ?";
  const [row] = await sql<{ digest: string }>(query, fixtures.manifest);
  return { repoUid: fixtures.repo, digest: row?.digest ?? "" };
}

async function requestOf(name: OperationName, rpc: ContractRpc): Promise<JsonObject> {
  const own = await known[name]?.();
  if (own) return own;
  if (rpc.scope) return minimalRequest(rpc, targetUid(rpc, fixtures));
  const request = minimalRequest(rpc, fixtures.organization.uid);
  const takesPlace = rpc.method.input.fields.some((field) => field.name === "uidp");
  return takesPlace ? { ...request, uidp: { descendantsOf: fixtures.organization.uid } } : request;
}

type Call = (client: Client, name: OperationName, request: JsonObject) => Promise<unknown>;
const byName: Call = (client, name, request) => client.call(name, request);
const byMethod: Call = (client, name, request) =>
  viaMethod(client, name, operations[name], request);

/** The outcome of a call, as the class of its error. */
async function outcomeOf(call: Promise<unknown>) {
  try {
    return { answer: await call };
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    const { name, message, details } = error;
    return { error: { name, message, details: details.slice(1, -1) } };
  }
}

const refusalOf = ({ code, text, details }: CallOutcome) => ({
  error: { name: Code[code], message: text, details: details.slice(1, -1) },
});

const each = names.map((name): [OperationName, ContractRpc] => [
  name,
  rpcOf.get(operations[name].rpc) as ContractRpc,
]);

describe("an operation fails as its RPC does, by its method and by its name", () => {
  const guarded = each.filter(([, { open, capabilities }]) => !open && capabilities.length > 0);

  test.each(guarded)("%s", async (name, rpc) => {
    const request = await requestOf(name, rpc);
    const refused = refusalOf(await callers.Connect(rpc, request, anybody));
    const found = await outcomeOf(byMethod(clientOf(anybody), name, request));
    // A list of what is nowhere held is empty, or refused, as the RPC decides.
    if (refused.error.name === undefined) expect(found).not.toHaveProperty("error");
    else expect(found).toMatchObject({ error: refused.error });
    expect(await outcomeOf(byName(clientOf(anybody), name, request))).toMatchObject(
      "error" in found ? { error: { name: found.error.name, message: found.error.message } } : {},
    );
  });
});

/** Operations whose response is about the caller, or whose resource the fixtures do not have. */
const refusedHere: OperationName[] = [
  "access.getAccessDecision",
  "groupInvites.acceptGroupInvite",
  "groups.lookupGroup",
  "groups.requestGroupAccess",
  "groups.checkEligibility",
  "images.getArchitectures",
];

describe("an operation returns the response of its RPC", () => {
  const reads = each.filter(([, { event }]) => !event);

  test.each(reads)("%s", async (name, rpc) => {
    const request = await requestOf(name, rpc);
    const { output } = rpc.method;
    const found = await outcomeOf(byName(clientOf(allowed), name, request));
    const expected = await callers.Connect(rpc, request, allowed);
    if ("error" in found) {
      expect(refusedHere).toContain(name);
      expect(found).toMatchObject(refusalOf(expected));
      return;
    }
    if (output.typeName === "google.api.HttpBody") return expect(found.answer).toHaveProperty("id");
    expect(toJson(output, fromJson(output, found.answer as JsonObject))).toEqual(expected.message);
    // Connect leaves out numbers that are zero.
    if (operations[name].verb === "GET") {
      expect(missingIn(output, found.answer as JsonObject)).toEqual([]);
    }
  });
});

/** Members that are required by the types and absent from the response. */
function missingIn(desc: DescMessage, json: JsonObject, path = ""): string[] {
  if (desc.typeName.startsWith("google.")) return [];
  return desc.fields.flatMap((field) => {
    const at = `${path}.${field.jsonName}`;
    const value = json[field.jsonName];
    if (value === undefined) return isAlwaysShown(field) ? [at] : [];
    if (!field.message) return [];
    const inner = field.fieldKind === "message" ? [value] : Object.values(value as object);
    return inner.flatMap((one) => missingIn(field.message as DescMessage, one as JsonObject, at));
  });
}
