/**
 * For every refusal of the access matrix: the decision id explains it to an owner, and the named fix makes the
 * same call succeed.
 */
import type { JsonObject } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import {
  Capability,
  CapabilitySchema,
} from "../../schema/gen/platform/capabilities/v1/capability_pb.js";
import { isInternalOnly } from "../../schema/options.ts";
import { decisionIdOf, decisionPath, type Explanation } from "../iam/access/calls.ts";
import { createResource, newUser } from "../world/personas.ts";
import { callRest, tokenFor } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { callers } from "./callers.ts";
import { decisionOf } from "./decisions.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  targetUid,
} from "./fixtures.ts";
import { minimalRequest, setFieldAt } from "./requests.ts";
import { type ContractRpc, classOf, eachRpc, isList, notOverRest, rpcs } from "./rpcs.ts";

let ours: Fixtures;
beforeAll(async () => {
  ours = await newFixtures();
});

const demanding = rpcs.filter((rpc) => !rpc.open && rpc.capabilities.length > 0);
const overRest = demanding.filter(({ name }) => !notOverRest.includes(name));

/** Only a person without an organization can call it, and it needs no role. */
const needsNoRole = ["iam.GroupInvites/CreateWithGroup"];

const requestTo = (rpc: ContractRpc): JsonObject =>
  minimalRequest(rpc, rpc.scope && !isList(rpc) ? targetUid(rpc, ours) : "");

/** Calls that need an internal capability, which no fix can give. */
const needsOperator = ({ name, capabilities }: ContractRpc) =>
  name === "RolesService/CreateRole" ||
  capabilities.some((number) => internal.includes(Capability[number] ?? ""));

/** The most fixes for one call. A call can check access in several places, one after the other. */
const mostFixes = 4;

async function explainRefusal(body: unknown): Promise<Explanation> {
  const decision = await decisionOf(body);
  expect(decision, JSON.stringify(body)).toBeDefined();
  const place = decision?.resource === "" ? ours.organization.uid : "";
  const answer = await callRest(decisionPath(decisionIdOf(body), place), { token: ours.token });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body.explanation.allowed ?? false, answer.body.explanation.summary).toBe(false);
  return answer.body.explanation;
}

/** Does what the fix says: an owner creates the role binding, and the person accepts it. */
async function apply({ fix, summary }: Explanation): Promise<void> {
  expect(fix?.kind, summary).toBe("KIND_CREATE_ROLE_BINDING");
  const { identityUid = "", roleUid, groupUid, needsAcceptance } = fix ?? {};
  const path = `/iam/v2/roleBindings/${groupUid}`;
  const { uid } = await createResource(path, ours.token, { identityUid, roleUid });
  if (!needsAcceptance) return;
  await createResource("/iam/v2/groupInvites:accept", await tokenFor(identityUid), { code: uid });
}

/** The capabilities that only the operator can give. No role that an owner can bind has them. */
const internal = CapabilitySchema.values
  .filter((value) => isInternalOnly(value) || value.number === Capability.CAP_INTERNAL)
  .map(({ name }) => name);

/** Calls until nothing is refused, and applies the fix of each refusal. Returns the number of fixes. */
async function fixUntilAllowed(rpc: ContractRpc, request: JsonObject, token: string) {
  const ask = notOverRest.includes(rpc.name) ? callers.Connect : callers.REST;
  for (let fixes = 0; fixes <= mostFixes; fixes += 1) {
    const outcome = await ask(rpc, request, token);
    if (outcome.code !== Code.PermissionDenied) return fixes;
    const explanation = await explainRefusal(outcome);
    if (explanation.missingCapabilities?.some((one) => internal.includes(one))) {
      expect(explanation.fix?.kind).toBe("KIND_NO_ROLE");
      return "only the operator";
    }
    await apply(explanation);
  }
  throw new Error(`${rpc.name} is refused after ${mostFixes} fixes`);
}

describe("the fix of a refusal makes the call succeed", () => {
  const matrix = overRest
    .filter(({ name }) => !needsNoRole.includes(name))
    .flatMap((rpc) =>
      rpc.capabilities.map((one): [string, number, ContractRpc] => [rpc.name, one, rpc]),
    );
  for (const [some, tier] of tiers(matrix, ([, , rpc]) => classOf(rpc)))
    test.for(some)("of an identity that calls %s without %i", tier, async ([_, missing, rpc]) => {
      const isInternal = internal.includes(Capability[missing] ?? "");
      // A role has an internal capability only with CAP_INTERNAL.
      const without = allCapabilities.filter(
        (number) =>
          number !== missing && !(isInternal && internal.includes(Capability[number] ?? "")),
      );
      const { token } = await newContractCaller(ours.organization.uid, without);
      const expected = isInternal ? "only the operator" : 1;
      expect(await fixUntilAllowed(rpc, requestTo(rpc), token)).toBe(expected);
    });

  const placed = overRest.filter((rpc) => rpc.scope !== undefined);
  for (const [some, tier] of eachRpc(placed))
    test.for(some)("of a person from outside who calls %s", tier, async ([_, rpc]) => {
      const request = requestTo(rpc);
      setFieldAt(request, rpc.scope ?? [], targetUid(rpc, ours));
      const fixes = await fixUntilAllowed(rpc, request, (await newUser()).token);
      if (!needsOperator(rpc)) expect(fixes).toBeGreaterThan(0);
      else expect(fixes).toBe("only the operator");
    });
});
