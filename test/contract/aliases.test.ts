/** v2beta1 is the former name of v2 (specification, Versioning 2), and works over every transport. */
import { describe, expect, test } from "vitest";
import { callRest, sql, vendor } from "../world/platform.ts";
import { restCall } from "./callers.ts";
import { withoutDecisionId } from "./decisions.ts";
import { newFixtures } from "./fixtures.ts";
import { minimalRequest } from "./requests.ts";
import { eachRpc, notOverRest, rpcs } from "./rpcs.ts";

const fixtures = await newFixtures();
const { token } = fixtures.organization.owner;

const v2 = rpcs.filter(({ method }) => method.parent.file.proto.package.endsWith(".v2"));
const former = (path: string) => path.replace(/(?<=[./])v2(?=[./])/, "v2beta1");

/** A response over Connect without the encoded details, which repeat the readable ones. */
const withoutEncoded = (body: unknown): string =>
  String(JSON.stringify(body)).replaceAll(/"value":"[\w+/=]+"/g, '"value":"…"');

/** The part of a response to compare, without values that differ in every call. */
async function answerOf(path: string, asked: Parameters<typeof callRest>[1]) {
  const { status, headers, body } = await callRest(path, asked);
  return {
    status,
    type: headers.get("content-type"),
    body: JSON.parse(withoutDecisionId(withoutEncoded(body))),
  };
}

async function expectSame(path: string, other: string, asked: Parameters<typeof callRest>[1]) {
  const answer = await answerOf(path, asked);
  expect(other).not.toBe(path);
  expect(answer.body?.details?.[0]?.reason).not.toBe("ROUTE_NOT_FOUND");
  expect(await answerOf(other, asked), other).toEqual(answer);
}

test("every domain has services", () => {
  const domains = new Set(v2.map(({ method }) => method.parent.typeName.split(".")[1]));
  expect([...domains].sort()).toEqual(
    ["advisory", "events", "iam", "libraries", "ping", "registry", "vulnerabilities"].sort(),
  );
});

for (const [some, tier] of eachRpc(v2.filter(({ name }) => !notOverRest.includes(name))))
  test.for(some)("%s over REST has the same response", tier, async ([_, rpc]) => {
    const { path, asked } = restCall(rpc, minimalRequest(rpc, fixtures.organization.uid));
    await expectSame(path, former(path), asked);
    if (rpc.verb === "GET") await expectSame(path, former(path), { ...asked, token });
  });

for (const [some, tier] of eachRpc(v2))
  test.for(some)(
    "%s over Connect has the same response, with and without the vendor's name",
    tier,
    async ([_, rpc]) => {
      const path = `/${rpc.method.parent.typeName}/${rpc.method.name}`;
      const body = minimalRequest(rpc, fixtures.organization.uid);
      const asked = { body, headers: { "content-type": "application/json" } };
      const as = rpc.verb === "GET" ? { ...asked, token } : asked;
      await expectSame(path, former(path), as);
      await expectSame(path, former(path).replace("/", `/${vendor}.`), as);
    },
  );

describe("a change", () => {
  test.each([
    ["REST", (parent: string) => [`/iam/v2beta1/groups/${parent}`, { name: "by rest" }] as const],
    [
      "Connect",
      (parent: string) =>
        [
          `/${vendor}.platform.iam.v2beta1.GroupsService/CreateGroup`,
          { parent, group: { name: "by connect" } },
        ] as const,
    ],
  ])("over %s emits the event of version 2", async (_, callOf) => {
    const [path, body] = callOf(fixtures.organization.uid);
    const made = await callRest(path, {
      token,
      body,
      headers: { "content-type": "application/json" },
    });
    expect(made.status).toBe(200);
    const events = await sql("select type, source from events where subject = ?", made.body.uid);
    expect(events).toEqual([
      {
        type: `dev.${vendor}.api.iam.group.created.v1`,
        source: "http://localhost:8787/iam/v2/groups",
      },
    ]);
  });
});

test("an advisory can be exported in other formats under its earlier name too", async () => {
  const path = `/vulnerabilities/v2beta1/advisories/${"0".repeat(40)}?format=none`;
  await expectSame(former(path).replace("v2beta1", "v2"), path, { token });
});

test.each([
  "/iam/v2beta2/groups",
  "/iam/v1/v2beta1/groups",
  "/v2beta1/iam/groups",
  "/scim/v2beta1/x/Users",
  "/platform.iam.v1beta1.GroupsService/ListGroups",
  "/other.platform.iam.v2beta1.GroupsService/ListGroups",
])("nothing else is an alias: %s", async (path) => {
  const { status } = await callRest(path, { token, method: "GET" });
  expect(status).toBe(404);
});
