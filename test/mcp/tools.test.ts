/** The generated tools agree with the protos, and the platform accepts what their schemas describe. */
import type { JsonObject } from "@bufbuild/protobuf";
import Ajv from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { argumentProblem } from "../../mcp/arguments.ts";
import { operationOf } from "../../mcp/call.ts";
import { toolsOf } from "../../mcp/tools.ts";
import { domains } from "../../schema/deployment/workers.ts";
import { domainOf } from "../../src/mcp/endpoint.ts";
import { changes } from "../contract/changes/all.ts";
import { type Fixtures, newFixtures } from "../contract/fixtures.ts";
import { rpcs } from "../contract/rpcs.ts";

const all = toolsOf("write");
const reads = toolsOf("read");
const ajv = new Ajv({ strict: false, validateFormats: false });

const rpcOfTool = ({ rpc }: { rpc: string }) =>
  rpcs.find(({ method }) => `${method.parent.typeName}/${method.name}` === rpc);

/** Methods whose response, or request, contains a secret. */
const secret = [
  "CreateSubscription",
  "RotateSubscriptionSecret",
  "CreateGroupInvite",
  "CreateKey",
  "AcceptGroupInvite",
  "GenerateScimToken",
  "RegenerateScimToken",
  "Exchange",
  "ExchangeRefreshToken",
  "GetHeadlessSession",
];

test("the questions come first, and have clear names", () => {
  const names = reads.map(({ name }) => name);
  const questions = ["list_tag_moves", "list_past_tags", "list_findings", "list_packages"];
  const last = Math.max(...questions.map((name) => names.indexOf(name)));
  expect(questions.filter((name) => !names.includes(name))).toEqual([]);
  expect(last).toBeLessThan(names.indexOf("list_repos"));
  for (const { name } of all) expect(name).toMatch(/^[a-z]+(_[a-z]+)+$/);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

test("no tool returns a secret", () => {
  const methods = all.map(({ rpc }) => rpc.split("/")[1]);
  expect(methods.filter((name) => secret.includes(name ?? ""))).toEqual([]);
});

test("a tool that only reads calls a GET, or an RPC that emits no event", () => {
  for (const tool of reads) {
    const { verb } = operationOf(tool);
    expect([tool.name, verb === "GET" || rpcOfTool(tool)?.event]).toEqual([
      tool.name,
      verb === "GET" ? true : undefined,
    ]);
  }
});

test("the Worker is bound to the Worker of every domain that serves a tool", () => {
  const bound = domains.mcp?.calls ?? [];
  expect(all.map(domainOf).filter((domain) => !bound.includes(domain))).toEqual([]);
});

test("every tool belongs to version 2 and is served", () => {
  for (const tool of all) expect([tool.name, rpcOfTool(tool)?.isV1]).toEqual([tool.name, false]);
});

describe("the schema of a tool is valid, and accepts the requests of the tests", () => {
  let fixtures: Fixtures;
  beforeAll(async () => {
    fixtures = await newFixtures();
  });
  const writes = all.filter(({ annotations }) => !annotations.readOnlyHint);
  test.each(writes.map((tool) => [tool.name, tool] as const))("%s", async (_, tool) => {
    const validate = ajv.compile(tool.inputSchema);
    const change = changes[rpcOfTool(tool)?.name ?? ""];
    if (!change) return;
    const { request } = (await change.prepare(fixtures)) as { request: JsonObject };
    expect([validate(request), validate.errors]).toEqual([true, null]);
    expect(argumentProblem(tool.inputSchema, request)).toBeUndefined();
  });
});

describe("wrong arguments are refused before a request is made", () => {
  const schema = all.find(({ name }) => name === "list_findings")?.inputSchema ?? {};
  const deep = JSON.parse(`${'{"uidp":'.repeat(50)}1${"}".repeat(50)}`);
  test.each([
    [{ pagesize: 1 }, /arguments has no member "pagesize"; its members are: uidp/],
    [{ uidp: { within: "x" } }, /uidp has no member "within"/],
    [{ uidp: "x" }, /uidp must be an object/],
    [{ uidp: [] }, /uidp must be an object/],
    [{ uidp: { ids: "x" } }, /uidp\.ids must be an array/],
    [{ uidp: { ids: ["\ud800"] } }, /uidp\.ids\[0\] is not valid Unicode/],
    [{ purl: { a: 1 } }, /purl must be a string/],
    [JSON.parse('{"__proto__": {"a": 1}}'), /has no member "__proto__"/],
    [{ constructor: 1 }, /has no member "constructor"/],
    [deep, /has no member|levels deep/],
  ])("%j", (given, problem) => {
    expect(argumentProblem(schema, given)).toMatch(problem);
  });

  test("arguments of any depth get a response", () => {
    const open = { additionalProperties: true, type: "object" };
    const bottomless = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`);
    expect(argumentProblem(open, bottomless)).toMatch(/more than 16 levels deep/);
  });
});
