/** Every RPC with `validate_only` checks what the real call checks, and writes nothing (AIP-163). */

import type { JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { isEmptyUnlessValidating } from "../../schema/describe/protos.ts";
import { newUser } from "../world/personas.ts";
import { baseUrl, callRest, sql } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { askRest, callers, restCall } from "./callers.ts";
import { changes } from "./changes/all.ts";
import type { EventChange } from "./changes/change.ts";
import { withoutDecisionId } from "./decisions.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
} from "./fixtures.ts";
import { organizationRows } from "./organization_rows.ts";
import { requiredFields, setFieldAt, withoutField } from "./requests.ts";
import { type ContractRpc, rpcs } from "./rpcs.ts";

let fixtures: Fixtures;
let token: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
});

const cases = rpcs
  .filter(({ method }) => method.input.fields.some(({ name }) => name === "validate_only"))
  .map((rpc): [string, EventChange, ContractRpc] => {
    const change = changes[rpc.name];
    if (!change) throw new Error(`no change for ${rpc.name}`);
    return [rpc.name, change, rpc];
  });

const byVerb = (some: typeof cases) => tiers(some, ([, , rpc]) => rpc.verb);

const rowsNow = () => organizationRows(fixtures.organization.uid, { events: true });
const validating = (request: JsonObject): JsonObject => ({ ...request, validateOnly: true });

test("the writes of version 2 of roles, role bindings, role mappings, identities and quotas can only validate, and so can a batch of deleted role mappings", () => {
  const resources = ["Role", "RoleBinding", "ExternalGroupRoleMapping", "Identity"];
  const all = resources.flatMap((name) =>
    ["Create", "Update", "Delete"].map((verb) => verb + name),
  );
  const batch = "BatchDeleteExternalGroupRoleMappings";
  const quotas = ["UpdateQuota", "UpdateDefaultQuota"];
  expect(cases.map(([, , { method }]) => method.name).sort()).toEqual(
    [...all, ...quotas, batch].sort(),
  );
});

/** A write about access says what it would give and take away. */
const isAboutAccess = ({ method }: ContractRpc) =>
  isEmptyUnlessValidating(method) ||
  method.output.fields.some(({ name }) => name === "access_changes");

describe("a valid call with validate_only changes nothing and emits nothing", () => {
  for (const [some, tier] of byVerb(cases))
    test.for(some)("%s, over every transport", tier, async ([_, change, rpc]) => {
      const { request } = await change.prepare(fixtures);
      const before = await rowsNow();
      for (const [name, ask] of Object.entries(callers)) {
        const outcome = await ask(rpc, validating(request), token);
        expect([name, outcome.code, outcome.text]).toEqual([name, 0, ""]);
        expect("accessChanges" in (outcome.message as object)).toBe(isAboutAccess(rpc));
      }
      expect(await rowsNow()).toEqual(before);
      const real = await askRest(rpc, request, token);
      expect(real.status).toBe(200);
      expect(await rowsNow()).not.toEqual(before);
    });

  for (const [some, tier] of byVerb(cases))
    test.for(some)(
      "%s, with validate_only in the body of a REST call",
      tier,
      async ([_, change, rpc]) => {
        const { request } = await change.prepare(fixtures);
        const { path, asked } = restCall(rpc, request);
        const before = await rowsNow();
        for (const key of ["validateOnly", "validate_only"]) {
          const body = { ...(asked as { body?: object }).body, [key]: true };
          const answer = await callRest(path, { ...asked, token, body });
          expect([answer.status, answer.body.accessChanges !== undefined]).toEqual([
            200,
            isAboutAccess(rpc),
          ]);
          const twice = await callRest(`${path}?validateOnly=false`, { ...asked, token, body });
          expect([twice.status, twice.body.message]).toEqual([
            400,
            rpc.body === "*"
              ? "Invalid argument: validateOnly: validate_only is part of the body; remove it from the query"
              : "Invalid argument: validate_only: validate_only is given more than once; send it once, in the query",
          ]);
          const wrong = await callRest(path, { ...asked, token, body: { ...body, [key]: "yes" } });
          expect([wrong.status, wrong.body.message]).toEqual([
            400,
            'Invalid argument: validate_only: validate_only must be true or false; you sent "yes"',
          ]);
        }
        expect(await rowsNow()).toEqual(before);
      },
    );
});

describe("the response of a valid call", () => {
  for (const [some, tier] of byVerb(cases))
    test.for(some)(
      "%s is that of the real call, with accessChanges",
      tier,
      async ([_, change, rpc]) => {
        const { request } = await change.prepare(fixtures);
        const { body: checked } = await askRest(rpc, validating(request), token);
        const { body: real, headers } = await askRest(rpc, request, token);
        if (isEmptyUnlessValidating(rpc.method)) {
          expect([real, headers.get("content-type")]).toEqual([undefined, null]);
          expect(Object.keys(checked)).toEqual(["accessChanges"]);
          return;
        }
        const { accessChanges: _changes, ...rest } = checked;
        const { uid, ...others } = real;
        const withoutTimes = (row: JsonObject) => ({ ...row, ...times(rpc, row) });
        expect(withoutTimes(rest)).toEqual(
          withoutTimes(rpc.method.name.startsWith("Create") ? others : { uid, ...others }),
        );
      },
    );

  /** The times of two calls differ. */
  const times = (_: ContractRpc, row: JsonObject) =>
    Object.fromEntries(
      ["createTime", "updateTime", "lastSeenTime", "etag"]
        .filter((name) => name in row)
        .map((name) => [name, "now"]),
    );
});

describe("an invalid call fails with the same bytes, with and without validate_only", () => {
  for (const [some, tier] of byVerb(cases))
    test.for(some)("%s", tier, async ([_, change, rpc]) => {
      const { request } = await change.prepare(fixtures);
      const at = (uid: string) => {
        const moved = structuredClone(request);
        setFieldAt(moved, rpc.scope ?? [], uid);
        return moved;
      };
      const stranger = await newUser();
      const powerless = await newContractCaller(fixtures.organization.uid, [1]);
      const conflict = await change.conflict?.(fixtures);
      const invalid: [string, JsonObject, string | undefined][] = [
        ["without a token", request, undefined],
        ["of a stranger", request, stranger.token],
        ["without the capability", request, powerless.token],
        ["about an unknown uid", at(`${fixtures.organization.uid}/${step()}`), token],
        ["about a malformed uid", at("malformed"), token],
        ...requiredFields(rpc)
          .filter(({ path }) => path.length > 1 || path[0] !== rpc.scope?.[0]?.name)
          .map(({ path }): [string, JsonObject, string] => [
            `without ${path.join(".")}`,
            withoutField(request, rpc.method.input, path),
            token,
          ]),
        ...(conflict ? [["in a conflict", conflict, token] as [string, JsonObject, string]] : []),
      ];
      const before = await rowsNow();
      for (const [name, one, as] of invalid) {
        const checked = await askRest(rpc, validating(one), as);
        const real = await askRest(rpc, one, as);
        // A binding that does not exist can be deleted.
        if (change.idle && real.status === 200) continue;
        const seen = withoutDecisionId(real.body);
        expect([name, checked.status, withoutDecisionId(checked.body)]).toEqual([
          ...[name, real.status, seen],
        ]);
        expect([name, real.status]).not.toEqual([name, 200]);
      }
      expect(await rowsNow()).toEqual(before);
    });
});

describe("an RPC of version 2 without validate_only refuses it", () => {
  test("in the query, and in the body", async () => {
    const path = `/iam/v2/groups/${fixtures.organization.uid}`;
    const name = `never-${step()}`;
    const inQuery = await callRest(`${path}?validateOnly=true`, { token, body: { name } });
    expect([inQuery.status, inQuery.body.details[1].fieldViolations[0].field]).toEqual([
      400,
      "validateOnly",
    ]);
    const inBody = await callRest(path, { token, body: { name, validateOnly: true } });
    expect([inBody.status, inBody.body.message]).toEqual([
      400,
      "Invalid argument: validate_only: CreateGroup does not support validate_only; remove it",
    ]);
    expect(await sql("select uid from groups where name = ?", name)).toEqual([]);
  });

  test("in the body of a DELETE, and deletes nothing", async () => {
    const { organization, repo, role } = fixtures;
    const group = await callRest(`/iam/v2/groups/${organization.uid}`, {
      token,
      body: { name: `kept-${step()}` },
    });
    for (const path of [`/iam/v2/groups/${group.body.uid}`, `/registry/v2/repos/${repo}`]) {
      const body = { validate_only: true };
      const refused = await callRest(path, { method: "DELETE", token, body });
      expect([refused.status, refused.body.message]).toEqual([
        400,
        expect.stringMatching(/does not support validate_only; remove it$/),
      ]);
      expect((await callRest(path, { token })).status).toBe(200);
    }
    const path = `${baseUrl()}/iam/v2/roles/${role}`;
    const headers = { authorization: `Bearer ${token}` };
    const malformed = await fetch(path, { method: "DELETE", headers, body: "validate_only=true" });
    expect(malformed.status).toBe(400);
    expect((await callRest(`/iam/v2/roles/${role}`, { token })).status).toBe(200);
  });

  test("and a batch refuses it in its requests", async () => {
    const { uid: parent } = fixtures.organization;
    const roleBinding = { identityUid: fixtures.identity, roleUid: fixtures.role };
    const body = { parent, requests: [{ roleBinding, validateOnly: true }] };
    const before = await rowsNow();
    const answer = await callRest("/iam/v2/roleBindings:batchCreate", { token, body });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      "Invalid argument: requests[0].validate_only: validate_only must not be set in a batch",
    ]);
    expect(await rowsNow()).toEqual(before);
  });
});
