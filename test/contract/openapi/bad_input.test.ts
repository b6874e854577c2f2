/**
 * The OpenAPI document contains the errors of an operation for bad calls, with their status and their form.
 */
import { beforeAll, describe, expect, test } from "vitest";
import { newImage, registryToken } from "../../distribution/stored_images.ts";
import { newClient } from "../../iam/scim/client.ts";
import { heard } from "../../world/heard.ts";
import { callRest } from "../../world/platform.ts";
import { tiers } from "../../world/tiers.ts";
import { badCalls } from "../bad_inputs.ts";
import { allCapabilities, type Fixtures, newContractCaller, newFixtures } from "../fixtures.ts";
import {
  answerViolations,
  type DocumentedOperation,
  openapi,
  operations,
  parametersOf,
} from "./document.ts";

let fixtures: Fixtures;
let token: string;
let scim: Awaited<ReturnType<typeof newClient>>;
let pull: string;
beforeAll(async () => {
  fixtures = await newFixtures();
  ({ token } = await newContractCaller(fixtures.organization.uid, allCapabilities));
  scim = await newClient();
  await newImage(fixtures.organization);
  pull = await registryToken(fixtures.organization.owner.uid);
});

const security = ({ operation }: DocumentedOperation) =>
  (operation.security ?? openapi.security).flatMap((one) => Object.keys(one));

function tokenOf(placed: DocumentedOperation): string | undefined {
  const kinds = security(placed);
  if (kinds.includes("scimToken")) return scim.token;
  if (kinds.includes("registryToken")) return pull;
  return kinds.length > 0 ? token : undefined;
}

/** The values in the form that a path has, with slashes if the variable allows them. */
function valuesOf(placed: DocumentedOperation, variable: string): string[] {
  const { description = "" } = parametersOf(placed).find(({ name }) => name === variable) ?? {};
  const values = placesOf(placed, variable);
  return description.includes("lashes stand") ? values : values.map(encodeURIComponent);
}

/** Values of a variable: one that exists, and others that do not. */
function placesOf({ path, verb }: DocumentedOperation, variable: string): string[] {
  const { uid } = fixtures.organization;
  if (path.startsWith("/scim/")) {
    return variable === "provider" ? [scim.idp, `${uid}/0123456789abcdef`] : ["0123456789abcdef"];
  }
  if (path.startsWith("/v2/")) {
    return { namespace: [uid], image: ["image"], tag: ["latest", "never"] }[variable] ?? [];
  }
  const nothing = `${uid}/0123456789abcdef`;
  return verb === "delete" ? [nothing] : [uid, nothing, fixtures.repo, fixtures.identityProvider];
}

/** Operations of one kind read their requests in the same way. */
const kindOf = (placed: DocumentedOperation) =>
  [...security(placed), placed.verb, placed.path.split("/")[2]].join();

describe.concurrent("a bad call fails as documented", () => {
  const each = operations.map((one): [string, DocumentedOperation] => [
    one.operation.operationId,
    one,
  ]);
  for (const [some, tier] of tiers(each, ([, placed]) => kindOf(placed)))
    test.for(some)("%s", tier, async ([_, placed]) => {
      const calls = badCalls(placed, (variable) => valuesOf(placed, variable));
      expect(calls.length).toBeGreaterThan(0);
      const faults: string[] = [];
      for (const { kind, path, options } of calls) {
        const answer = await heard(() => callRest(path, { ...options, token: tokenOf(placed) }));
        const body = answer.body === "" ? undefined : answer.body;
        for (const fault of answerViolations(placed, { ...answer, body })) {
          faults.push(`${kind}: ${answer.status} ${fault}`.slice(0, 400));
        }
      }
      expect(faults).toEqual([]);
    });
});
