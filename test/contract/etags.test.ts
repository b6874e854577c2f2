/** Etags in writes of version 2: `If-Match` and the field `etag` of every Update and Delete. */
import type { JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { newUser } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { askRest, callers, detail, violatedFields } from "./callers.ts";
import { changes } from "./changes/all.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
} from "./fixtures.ts";
import { organizationRows } from "./organization_rows.ts";
import { masked, setFieldAt } from "./requests.ts";
import { type ContractRpc, rpcs } from "./rpcs.ts";

let fixtures: Fixtures;
let token: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
});

const rowsNow = () => organizationRows(fixtures.organization.uid, { events: true });

/**
 * The metadata of a person has no Get, and its message has no update time. A quota has no uid, and its requests have an
 * etag of their own.
 */
const withoutVersion = [
  "IdentitiesService/UpdateIdentityMetadata",
  "QuotasService/UpdateQuota",
  "QuotasService/UpdateDefaultQuota",
];

const isWrite = ({ name, isV1, method }: ContractRpc) =>
  !isV1 && /^(?:Update|Delete)/.test(method.name) && !withoutVersion.includes(name);

/** The Get of what an Update or a Delete changes. */
const getOf = ({ method }: ContractRpc) =>
  rpcs.find(
    ({ name }) =>
      name === `${method.parent.name}/${method.name.replace(/^(?:Update|Delete)/, "Get")}`,
  );

const writes = rpcs.filter(isWrite).map((rpc): [string, ContractRpc] => [rpc.name, rpc]);
const byVerb = tiers(writes, ([, rpc]) => rpc.verb);

const uidOf = (request: JsonObject): string =>
  String(
    request.uid ??
      Object.values(request).flatMap((value) => (value as JsonObject | null)?.uid ?? [])[0],
  );

async function etagOf(rpc: ContractRpc, uid: string): Promise<string> {
  const get = getOf(rpc);
  if (!get) throw new Error(`no Get for ${rpc.name}`);
  const answer = await askRest(get, { uid }, token);
  expect(answer.status).toBe(200);
  return answer.headers.get("etag") ?? "none";
}

const prepare = async ({ name }: ContractRpc) => {
  const prepared = await changes[name]?.prepare(fixtures);
  if (!prepared) throw new Error(`no change for ${name}`);
  return prepared.request;
};

/** The request with the field `etag`: in the resource of an update, or in the request of a delete. */
function withField(rpc: ContractRpc, request: JsonObject, etag: string): JsonObject {
  const [resource] = rpc.method.input.fields;
  if (rpc.verb === "DELETE" || !resource) return { ...request, etag };
  const { [resource.jsonName]: sent, ...rest } = request;
  return { ...rest, [resource.jsonName]: { ...(sent as JsonObject), etag } };
}

const version = (etag: string) => etag.replace(/\..*|"$/g, "").replace(/^"/, "");

test("every Update and Delete of version 2 has a Get, and is in this table", () => {
  expect(writes.filter(([, rpc]) => !getOf(rpc))).toEqual([]);
  expect(writes.length).toBe(30);
});

for (const [some, tier] of byVerb)
  describe.for(some)("%s", tier, ([_, rpc]) => {
    test("with an etag that does not match: 412 over REST, ABORTED over every transport, and nothing is written", async () => {
      const request = await prepare(rpc);
      const current = version(await etagOf(rpc, uidOf(request)));
      const other = await prepare(rpc);
      const before = await rowsNow();
      const others = [
        await etagOf(rpc, uidOf(other)),
        `"${current}0"`,
        `W/"${current}"`,
        `"${current.slice(0, -1)}", "of,another"`,
      ];
      for (const etag of others) {
        for (const [name, ask] of Object.entries(callers)) {
          const outcome = await ask(rpc, request, token, { "if-match": etag });
          expect([name, etag, outcome.code]).toEqual([name, etag, 10]);
          expect(detail(outcome, "ErrorInfo")).toMatchObject({
            reason: "ETAG_MISMATCH",
            metadata: { etag: `"${current}"` },
          });
          expect(outcome.headers.get("etag")).toBe(`"${current}"`);
        }
        const { status } = await askRest(rpc, request, token, { "if-match": etag });
        expect(status).toBe(412);
      }
      expect(await rowsNow()).toEqual(before);
    });

    test.for(Object.entries(callers))(
      "with the current etag it writes, over %s",
      async ([, ask]) => {
        const request = await prepare(rpc);
        const etag = await etagOf(rpc, uidOf(request));
        const stated = `"of-another", ${etag}`;
        const outcome = await ask(rpc, masked(rpc, request), token, { "if-match": stated });
        expect([outcome.code, outcome.text]).toEqual([0, ""]);
        if (rpc.verb === "DELETE") return;
        const after = version(await etagOf(rpc, uidOf(request)));
        expect(after).not.toBe(version(etag));
        expect(version(outcome.headers.get("etag") ?? "")).toBe(after);
        const again = await askRest(rpc, request, token, { "if-match": etag });
        expect(again.status).toBe(412);
      },
    );

    test.for(Object.entries(callers))(
      "an outdated etag in the field writes nothing, and the current one writes, over %s",
      async ([, ask]) => {
        const request = await prepare(rpc);
        const sent = masked(rpc, request);
        const current = version(await etagOf(rpc, uidOf(request)));
        const other = version(await etagOf(rpc, uidOf(await prepare(rpc))));
        const before = await rowsNow();
        for (const etag of [`"${current}0"`, `"${other}"`, `W/"${current}"`]) {
          const outcome = await ask(rpc, withField(rpc, sent, etag), token);
          expect([etag, outcome.code]).toEqual([etag, 10]);
          expect(detail(outcome, "ErrorInfo")).toMatchObject({
            reason: "ETAG_MISMATCH",
            metadata: { etag: `"${current}"` },
          });
        }
        for (const etag of [current, `"${current}`, "*", `"a", "b"`, `"${"a".repeat(127)}"`]) {
          const outcome = await ask(rpc, withField(rpc, sent, etag), token);
          expect([etag, outcome.code, violatedFields(outcome)]).toEqual([etag, 3, ["etag"]]);
        }
        const stated = withField(rpc, sent, `"${current}"`);
        const against = await ask(rpc, stated, token, { "if-match": `"${other}"` });
        expect([against.code, violatedFields(against)]).toEqual([3, ["etag"]]);
        expect(await rowsNow()).toEqual(before);
        const outcome = await ask(rpc, stated, token, { "if-match": `"${other}", "${current}"` });
        expect([outcome.code, outcome.text]).toEqual([0, ""]);
        if (rpc.verb === "DELETE") return;
        const after = `"${version(await etagOf(rpc, uidOf(request)))}"`;
        expect(outcome.message).toMatchObject({ etag: after });
        expect(outcome.headers.get("etag")).toBe(after);
      },
    );

    test("the event of a call with the field does not contain it", async () => {
      const request = await prepare(rpc);
      const etag = `"${version(await etagOf(rpc, uidOf(request)))}"`;
      const { status } = await askRest(rpc, withField(rpc, request, etag), token);
      expect(status).toBe(200);
      const bodies = await sql<{ body: string }>(
        "select json_extract(data, '$.body') as body from events where subject = ? order by seq desc limit 1",
        uidOf(request),
      );
      expect(bodies).toHaveLength(1);
      expect(JSON.parse(bodies[0]?.body ?? "{}")).not.toHaveProperty("etag");
    });

    test("of crossed calls with one etag exactly one writes", async () => {
      const request = await prepare(rpc);
      const etag = await etagOf(rpc, uidOf(request));
      const calls = Array.from({ length: 4 }, () =>
        askRest(rpc, request, token, { "if-match": etag }),
      );
      const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
      expect(statuses[0]).toBe(200);
      for (const status of statuses.slice(1)) expect([404, 412]).toContain(status);
    });

    test("with `*` it writes, and with a malformed etag it is INVALID_ARGUMENT", async () => {
      const request = await prepare(rpc);
      for (const malformed of ["current", '"open', '"a" "b"', '"a", *', "W/"]) {
        const { status, body } = await askRest(rpc, request, token, { "if-match": malformed });
        expect([malformed, status, body.details[1].fieldViolations[0].field]).toEqual([
          malformed,
          400,
          "if-match",
        ]);
      }
      const { status } = await askRest(rpc, request, token, { "if-match": "*" });
      expect(status).toBe(200);
    });

    test("says nothing to a caller without access, and nothing about what does not exist", async () => {
      const request = await prepare(rpc);
      const stranger = await newUser();
      const etag = await etagOf(rpc, uidOf(request));
      for (const stated of [etag, '"other"']) {
        const headers = { "if-match": stated };
        const refused = await askRest(rpc, request, stranger.token, headers);
        expect([refused.status, refused.headers.get("etag")]).toEqual([403, null]);
        const missing = structuredClone(request);
        setFieldAt(missing, rpc.scope ?? [], `${uidOf(request).slice(0, -16)}${step()}`);
        const absent = await askRest(rpc, missing, token, headers);
        expect([403, 404, 412]).toContain(absent.status);
        expect(absent.headers.get("etag")).toBeNull();
      }
    });
  });

test("of an update and a delete with one etag, only one writes", async () => {
  const { uid: organization } = fixtures.organization;
  for (let round = 0; round < 20; round += 1) {
    const body = { name: `crossed-${step()}` };
    const made = await callRest(`/registry/v2/repos/${organization}`, { token, body });
    const path = `/registry/v2/repos/${made.body.uid}`;
    const headers = { "if-match": String(made.headers.get("etag")) };
    const description = { description: "changed" };
    const answers = await Promise.all([
      callRest(path, { method: "PATCH", token, headers, body: description }),
      callRest(path, { method: "DELETE", token, headers }),
    ]);
    const written = answers.filter(({ status }) => status === 200);
    expect([round, written.length]).toEqual([round, 1]);
  }
});

describe("an RPC without If-Match", () => {
  test("of version 2 refuses it if it writes", async () => {
    const group = { name: `never-${step()}` };
    const path = `/iam/v2/groups/${fixtures.organization.uid}`;
    const { status, body } = await callRest(path, {
      token,
      body: group,
      headers: { "if-match": "*" },
    });
    expect([status, body.message]).toEqual([
      400,
      "Invalid argument: if-match: CreateGroup does not support If-Match; remove it",
    ]);
  });

  test.for(withoutVersion)("refuses it, such as %s", async (name) => {
    const rpc = rpcs.find((one) => one.name === name);
    if (!rpc) throw new Error(`no ${name}`);
    const before = await rowsNow();
    const headers = { "if-match": "*" };
    const { status, body } = await askRest(rpc, await prepare(rpc), token, headers);
    expect([status, body.details[1].fieldViolations[0].field]).toEqual([400, "if-match"]);
    expect(await rowsNow()).toEqual(before);
  });

  test("of version 1 ignores it, as does a Get", async () => {
    const headers = { "if-match": "malformed" };
    const { uid } = fixtures.organization;
    for (const path of [`/iam/v2/groups/${uid}`, `/iam/v1/groups/${uid}`]) {
      const { status } = await callRest(path, { token, headers });
      expect([path, status === 412 || status === 400]).toEqual([path, false]);
    }
  });
});
