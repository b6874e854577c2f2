/** Every RPC with `validate_only` checks what the real call checks, and writes nothing (AIP-163). */

import type { JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { isEmptyUnlessValidating } from "../../schema/describe/protos.ts";
import { newUser } from "../world/personas.ts";
import { baseUrl, callRest, tokenFor } from "../world/platform.ts";
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
import { masked, requiredFields, setFieldAt, withoutField } from "./requests.ts";
import { type ContractRpc, rpcs } from "./rpcs.ts";

let fixtures: Fixtures;
let token: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
});

/** The call of a change, and the token of its caller. */
async function prepare(change: EventChange) {
  const { request, claims, as } = await change.prepare(fixtures);
  if (!claims) return { request, token: as?.token ?? token };
  const person = await newContractCaller(fixtures.organization.uid, allCapabilities);
  return { request, token: await tokenFor(person.uid, claims) };
}

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

test("every write of version 2 can only validate", () => {
  const writes = rpcs.filter(({ isV1, open, name }) => !isV1 && !open && name in changes);
  expect(cases.map(([name]) => name).sort()).toEqual(writes.map(({ name }) => name).sort());
});

const showsAccessChanges = ({ method }: ContractRpc) =>
  method.output.fields.some(({ name }) => name === "access_changes") &&
  method.name !== "AcceptGroupInvite";

describe("a valid call with validate_only changes nothing and emits nothing", () => {
  for (const [some, tier] of byVerb(cases))
    test.for(some)("%s, over every transport", tier, async ([_, change, rpc]) => {
      const { request, token } = await prepare(change);
      const before = await rowsNow();
      for (const [name, ask] of Object.entries(callers)) {
        const outcome = await ask(rpc, validating(masked(rpc, request)), token);
        expect([name, outcome.code, outcome.text]).toEqual([name, 0, ""]);
        if (showsAccessChanges(rpc)) expect(outcome.message).toHaveProperty("accessChanges");
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
        const { request, token } = await prepare(change);
        const { path, asked } = restCall(rpc, request);
        const before = await rowsNow();
        for (const key of ["validateOnly", "validate_only"]) {
          const body = { ...(asked as { body?: object }).body, [key]: true };
          const answer = await callRest(path, { ...asked, token, body });
          expect(answer.status).toBe(200);
          if (showsAccessChanges(rpc)) expect(answer.body.accessChanges).toBeDefined();
          const twice = await callRest(
            `${path}${path.includes("?") ? "&" : "?"}validateOnly=false`,
            { ...asked, token, body },
          );
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

/** They change a plan in batches. Without them it is as it is before the first batch. */
const inBatches = ["CarryOutExpiryPlan", "UndoExpiryPlan"];

describe("the response of a valid call", () => {
  for (const [some, tier] of byVerb(
    cases.filter(([, , { method }]) => !inBatches.includes(method.name)),
  ))
    test.for(some)(
      "%s is that of the real call, with accessChanges",
      tier,
      async ([_, change, rpc]) => {
        const { request, token } = await prepare(change);
        const { body: checked } = await askRest(rpc, validating(request), token);
        const { body: real, headers } = await askRest(rpc, request, token);
        if (isEmptyUnlessValidating(rpc.method)) {
          expect([real, headers.get("content-type")]).toEqual([undefined, null]);
          expect(Object.keys(checked)).toEqual(["accessChanges"]);
          return;
        }
        if (real === undefined) {
          expect(checked).toBeUndefined();
          return;
        }
        expect(comparable(checked)).toEqual(comparable(real));
        for (const name of generated) if (!(name in checked)) expect(checked[name] ?? "").toBe("");
        const { uid = "" } = checked;
        if (uid !== "") expect(uid).toBe(real.uid);
      },
    );

  /** Members that the server generates. A call that only validates returns none of them. */
  const generated = ["secret", "code", "keyId", "token", "eventId", "deliveryUid", "endpointUrl"];

  /** The response without what differs between two calls, such as its times. */
  const comparable = (row: JsonObject): JsonObject => {
    const { accessChanges: _, uid: __, eventCount: ___, more: ____, ...rest } = row;
    const kept = Object.entries(rest).filter(
      ([name, value]) => !generated.includes(name) && !isResourceEtag(name, value),
    );
    return Object.fromEntries(kept.map(([name, value]) => [name, compared(name, value)]));
  };

  /** A call that only validates leaves no version. */
  const isResourceEtag = (name: string, value: unknown) =>
    name === "etag" && /^"[A-Z]/.test(String(value));

  const compared = (name: string, value: JsonObject[string]): JsonObject[string] => {
    if (name === "etag" || /time$|expiration$/i.test(name)) return "now";
    if (name === "scim") return comparable(value as JsonObject);
    if (Array.isArray(value))
      return value.map((one) => (typeof one === "object" ? comparable(one as JsonObject) : one));
    return value;
  };
});

describe("an invalid call fails with the same bytes, with and without validate_only", () => {
  for (const [some, tier] of byVerb(cases.filter(([, change]) => !change.personal)))
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
          // The batch can have the role in place of its requests.
          .filter(({ path }) => path.join(".") !== "requests.role_binding.role_uid")
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
    const path = `/registry/v2/readmes/${fixtures.repo}:render`;
    const body = { content: "text", validateOnly: true };
    const inBody = await callRest(path, { token, body });
    expect([inBody.status, inBody.body.message]).toEqual([
      400,
      "Invalid argument: validate_only: RenderReadme does not support validate_only; remove it",
    ]);
    const inQuery = await callRest(`${path}?validateOnly=true`, { token, body: { content: "" } });
    expect([inQuery.status, inQuery.body.details[1].fieldViolations[0].field]).toEqual([
      400,
      "validateOnly",
    ]);
  });

  test("in the body of a DELETE that is not JSON, and deletes nothing", async () => {
    const path = `${baseUrl()}/iam/v2/roles/${fixtures.role}`;
    const headers = { authorization: `Bearer ${token}` };
    const malformed = await fetch(path, { method: "DELETE", headers, body: "validate_only=true" });
    expect(malformed.status).toBe(400);
    expect((await callRest(`/iam/v2/roles/${fixtures.role}`, { token })).status).toBe(200);
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
