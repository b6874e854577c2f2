/**
 * Every operation responds as the OpenAPI document says: once with success, and with its typical errors in
 * the exact words of their examples. UPDATE_GOLDEN=1 records those words, and examples of successful
 * responses, for the generator (schema/openapi/recorded.json). `npm run gen` then puts them into the
 * document.
 */
import { writeFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { derivedOf, derivedParts } from "../../../schema/openapi/derived.ts";
import {
  answersOf,
  type RecordedAnswers,
  recordedAnswers,
} from "../../../schema/openapi/refusals.ts";
import { sample } from "../../../schema/openapi/sample.ts";
import { decisionIdOf } from "../../iam/access/calls.ts";
import { type Answer, tokenFor } from "../../world/platform.ts";
import { askRest } from "../callers.ts";
import { changes } from "../changes/all.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
  targetUid,
} from "../fixtures.ts";
import { ownCalls } from "../own_calls.ts";
import { readRequestOf } from "../reads.ts";
import { minimalRequest, setFieldAt } from "../requests.ts";
import { type ContractRpc, eachRpc, isList, ownCredentialRpcs, rpcs } from "../rpcs.ts";
import { addScannedImage, v1Reads } from "../v1_reads.ts";
import { answerOf, answerViolations, examplesOf, operationOf } from "./document.ts";
import { examplesOfCall } from "./examples.ts";

const isRecording = process.env.UPDATE_GOLDEN !== undefined;

let fixtures: Fixtures;
let reader: { uid: string; name: string; token: string };
/** The resource to change, so that the other fixtures stay unchanged, and the caller who changes it. */
let changing: Fixtures;
let writer: typeof reader;
let unboundCaller: { token: string };
let ofV1: ReturnType<typeof v1Reads>;
beforeAll(async () => {
  fixtures = await newFixtures();
  reader = await newContractCaller(fixtures.organization.uid, allCapabilities);
  changing = await newFixtures();
  writer = await newContractCaller(changing.organization.uid, allCapabilities);
  unboundCaller = await newContractCaller(fixtures.organization.uid, []);
  ofV1 = v1Reads(fixtures, await addScannedImage(fixtures), reader.uid);
});

const overRest = rpcs.filter(({ template }) => template !== "");
const nameOf = ({ method }: ContractRpc) => `${method.parent.typeName}/${method.name}`;

/** A response that must match the document. */
function expectDocumented(rpc: ContractRpc, answer: Answer): void {
  expect(answerViolations(operationOf(rpc), answer), JSON.stringify(answer.body)).toEqual([]);
}

/** The response bodies in the examples of a status. */
function examplesOfStatus(rpc: ContractRpc, status: number): unknown[] {
  const { content = {} } = answerOf(operationOf(rpc), status).answer;
  return Object.values(content).flatMap((one) => Object.values(examplesOf(one)));
}

/** A successful request, and its caller. */
async function goodCall(rpc: ContractRpc): Promise<{ request: JsonObject; token: string }> {
  const own = ownCalls[rpc.name];
  if (own) return { token: reader.token, ...(await own(fixtures)) };
  const change = changes[rpc.name];
  if (!change) return { request: await readRequestOf(rpc, fixtures, ofV1), token: reader.token };
  const { request, claims, as } = await change.prepare(changing);
  return { request, token: as?.token ?? (await tokenFor(writer.uid, claims)) };
}

describe("a successful call returns a documented response", () => {
  for (const [some, tier] of eachRpc(overRest))
    test.for(some)("%s", tier, async ([_, rpc]) => {
      const { request, token } = await goodCall(rpc);
      const answer = await askRest(rpc, request, token);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      if (isRecording) return record(rpc, await examplesOfCall(rpc, request, answer));
      expectDocumented(rpc, answer);
      const { answer: example } = recordedAnswers[nameOf(rpc)] ?? {};
      if (example) expect(Object.keys(answer.body).sort()).toEqual(Object.keys(example).sort());
    });
});

const placed = (rpc: ContractRpc): JsonObject =>
  minimalRequest(rpc, rpc.scope && !isList(rpc) ? targetUid(rpc, fixtures) : "");

describe.concurrent("a call without a token fails as in the example", () => {
  const closed = overRest.filter(({ open, name }) => !open || ownCredentialRpcs.includes(name));
  for (const [some, tier] of eachRpc(closed))
    test.for(some)("%s", tier, async ([_, rpc]) => {
      const answer = await askRest(rpc, placed(rpc));
      expect(answer.status).toBe(401);
      expectDocumented(rpc, answer);
      expect(examplesOfStatus(rpc, 401)).toContainEqual(answer.body);
    });
});

describe.concurrent("a call without the capability fails as in the example", () => {
  const demanding = overRest.filter(({ open, capabilities }) => !open && capabilities.length > 0);
  for (const [some, tier] of eachRpc(demanding))
    test.for(some)("%s", tier, async ([_, rpc]) => {
      const answer = await askRest(rpc, await readableBy(rpc), unboundCaller.token);
      expect(answer.status, JSON.stringify(answer.body)).toBe(403);
      expectDocumented(rpc, answer);
      const id = decisionIdOf(answer.body);
      expect(id).not.toBe("");
      const text = JSON.stringify(answer.body).replace(id, sample.decisionId);
      expect(examplesOfStatus(rpc, 403)).toContainEqual(JSON.parse(text));
    });

  /** It meets its rules, so that it fails because of its caller. */
  async function readableBy(rpc: ContractRpc): Promise<JsonObject> {
    return changes[rpc.name] ? placed(rpc) : readRequestOf(rpc, fixtures, ofV1);
  }
});

const records: Record<string, RecordedAnswers> = {};
afterAll(() => {
  if (!isRecording) return;
  const beyond = overRest.map((rpc) => [nameOf(rpc), beyondProto(rpc)] as const);
  const documented = beyond.filter(([, record]) => Object.keys(record).length > 0);
  const sorted = Object.fromEntries(documented.sort(([a], [b]) => (a < b ? -1 : 1)));
  const file = new URL("../../../schema/openapi/recorded.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
});

/**
 * The recorded response of an RPC that does not follow from its proto. Null means that the proto would
 * describe a wrong response.
 */
function beyondProto(rpc: ContractRpc): RecordedAnswers {
  const own = { ...records[nameOf(rpc)] };
  const derived = derivedOf(rpc.method);
  for (const part of derivedParts) {
    if (JSON.stringify(own[part]) === JSON.stringify(derived[part])) delete own[part];
    else own[part] ??= null;
  }
  return own;
}

function record(rpc: ContractRpc, part: RecordedAnswers): void {
  const name = nameOf(rpc);
  records[name] = { ...records[name], ...part };
}

type Details = { fieldViolations: NonNullable<RecordedAnswers["invalid"]> }[];
const violationsIn = ({ body }: Answer) => (body.details as Details)[1]?.fieldViolations ?? [];

/** Requests with mistakes. The first one that is refused becomes the example. */
function badRequests(rpc: ContractRpc): JsonObject[] {
  const { input } = rpc.method;
  const field = input.fields.find(({ name }) => name === rpc.body);
  const isUpdate = input.fields.some(({ name }) => name === "update_mask");
  const bad: JsonObject[] = [];
  if (field?.fieldKind === "message" && !isUpdate)
    bad.push({ ...placed(rpc), [field.jsonName]: {} });
  if (field?.fieldKind === "list") bad.push({ ...placed(rpc), [field.jsonName]: [{}] });
  if (input.fields.some(({ name }) => name === "page_size") && !rpc.isV1) {
    bad.push({ ...placed(rpc), pageSize: 1000 });
  }
  if (rpc.scope && !isList(rpc)) {
    const request = placed(rpc);
    setFieldAt(request, rpc.scope, "malformed");
    bad.push(request);
  }
  if (input.fields.some(({ name }) => name === "uidp")) {
    bad.push({ ...placed(rpc), uidp: { childrenOf: "malformed" } });
  }
  return [...(worst[rpc.name] ?? []), ...bad, {}];
}

/** Requests of RPCs whose requests name no resource. */
const worst: Record<string, JsonObject[]> = {
  "AccessService/GetAccessDecision": [{ id: "A".repeat(43), resourceUid: "malformed" }],
  "auth.Auth/Delete": [{ id: "malformed" }],
  "auth.Auth/GetHeadlessSession": [{ code: "malformed" }],
  "IdentitiesService/LookupIdentity": [{ issuer: "nowhere", subject: "ann" }],
  "iam.Identities/Lookup": [{ issuer: "nowhere", subject: "ann" }],
  "GroupInvitesService/AcceptGroupInvite": [{ code: "" }],
  "SessionsService/SearchSessions": [{ groupUid: "malformed" }],
  "auth.Auth/Register": [{ identityId: "malformed" }],
  "iam.GroupAccountAssociations/List": [{ group: "malformed" }],
  "iam.GroupInvites/List": [{ id: "malformed" }],
  "libraries.Artifacts/List": [{ ecosystems: ["COBOL"] }],
  "libraries.Artifacts/GetArtifactCount": [{ ecosystems: ["COBOL"] }],
  "libraries.Artifacts/ListVersions": [{ id: "%FF" }],
  "events.Identities/UpdateMetadata": [{ name: 5 }],
  "ExpiryPlansService/CreateExpiryPlan": [{ parent: "malformed" }],
  "advisory.SecurityAdvisory/ListDocuments": [{ cves: [""] }],
  "advisory.SecurityAdvisory/ListVulnerabilityMetadata": [{ pageToken: "malformed" }],
};

/** RPCs without a field that can be wrong. Their errors name no field. */
const faultless = [
  "PingService/Ping",
  "ping.PingService/Ping",
  "auth.Auth/Validate",
  "GroupsService/LookupGroup",
  "GroupsService/CheckEligibility",
  "iam.Groups/LookupGroup",
  "iam.Groups/CheckEligibility",
];

describe.concurrent("a bad field is rejected as in the example", () => {
  const faulty = overRest.filter(({ name }) => !faultless.includes(name));
  for (const [some, tier] of eachRpc(faulty))
    test.for(some)("%s", tier, async ([_, rpc]) => {
      let answer: Answer | undefined;
      for (const request of badRequests(rpc)) {
        answer = await askRest(rpc, request, reader.token);
        if (answer.status === 400) break;
      }
      expect(answer?.status, JSON.stringify(answer?.body)).toBe(400);
      if (!answer) return;
      if (isRecording) return record(rpc, { invalid: violationsIn(answer) });
      expectDocumented(rpc, answer);
      expect(examplesOfStatus(rpc, 400)).toContainEqual(answer.body);
    });
});

type RefusalBody = {
  code: number;
  message: string;
  details: { resourceType?: string; violations?: { type: string; description: string }[] }[];
};

/** The part of an error that does not depend on the resource. */
function kindOf({ code, message, details }: RefusalBody) {
  const [info, more] = details;
  const [start] = message.split(" ", 2);
  const violations = more?.violations?.map(
    ({ type, description }) => `${type}: ${description.replace(/https?:\S+|child .+/g, "…")}`,
  );
  return { code, start, info, type: more?.resourceType, violations: [...new Set(violations)] };
}

describe.concurrent("a call that the state forbids fails as in an example", () => {
  const refusable = overRest.filter(({ name }) => changes[name]?.conflict);
  for (const [some, tier] of eachRpc(refusable))
    test.for(some)("%s", tier, async ([name, rpc]) => {
      const request = await changes[name]?.conflict?.(changing);
      const answer = await askRest(rpc, request ?? {}, writer.token);
      expect([400, 404, 409], JSON.stringify(answer.body)).toContain(answer.status);
      expectDocumented(rpc, answer);
      const examples = examplesOfStatus(rpc, answer.status) as RefusalBody[];
      expect(examples.map(kindOf)).toContainEqual(kindOf(answer.body as RefusalBody));
    });
});

describe.concurrent("the fields that order a list are those of the document", () => {
  const ordered = overRest.filter(
    ({ method, isV1 }) => !isV1 && method.input.fields.some(({ name }) => name === "order_by"),
  );
  for (const [some, tier] of eachRpc(ordered))
    test.for(some)("%s", tier, async ([_, rpc]) => {
      const request = await readRequestOf(rpc, fixtures, ofV1);
      const answer = await askRest(rpc, { ...request, orderBy: "nothing" }, reader.token);
      expect(answer.status).toBe(400);
      const [{ description = "" } = {}] = violationsIn(answer);
      const [, list = ""] = /one of (.+);/.exec(description) ?? [];
      const orders = list.split(", ");
      if (isRecording) return record(rpc, { orders });
      expect(answersOf(rpc.method).orders).toEqual(orders);
    });
});

/** These succeed for a deleted resource (contract: idempotent). */
const forgiving = [
  "RoleBindingsService/DeleteRoleBinding",
  "AccountAssociationsService/DeleteAccountAssociation",
  "iam.GroupAccountAssociations/Delete",
  "iam.RoleBindings/Delete",
];

/** Access follows from the path of a uid, so these have an answer for every uid. */
const answeredByPath = ["AccessService/ExplainAccess", "AccessService/ListAccess"];

const nothing = "A".repeat(43);

/** Requests for a missing resource, for RPCs that do not name it by a place. */
const absent: Record<string, JsonObject> = {
  "AccessService/GetAccessDecision": { id: nothing },
  "GroupInvitesService/AcceptGroupInvite": { code: nothing },
  "GroupsService/LookupGroup": {},
  "auth.Auth/GetHeadlessSession": { code: nothing },
  "auth.Auth/Register": { code: nothing },
  "ArtifactsService/ListArtifactVersions": { artifactId: "0".repeat(40) },
  "GroupsService/RequestGroupAccess": { groupUid: "0".repeat(40) },
  "iam.Groups/RequestGroupAccess": { groupId: "0".repeat(40) },
};

/** The token of another issuer, if an RPC reads one. */
async function holderOf({ name }: ContractRpc): Promise<string | undefined> {
  if (name !== "auth.Auth/Register") return undefined;
  const prepared = await changes[name]?.prepare(fixtures);
  absent[name] = { ...absent[name], identityId: prepared?.request.identityId ?? "" };
  return prepared?.as?.token;
}

describe.concurrent("an unknown resource fails as in the example", () => {
  const documented = overRest.filter(
    (rpc) =>
      rpc.name in absent ||
      (rpc.scope &&
        !rpc.open &&
        !isList(rpc) &&
        !forgiving.includes(rpc.name) &&
        !answeredByPath.includes(rpc.name) &&
        rpc.name !== "auth.Auth/Delete" &&
        !(rpc.isV1 && rpc.verb === "GET")),
  );
  for (const [some, tier] of eachRpc(documented))
    test.for(some)("%s", tier, async ([name, rpc]) => {
      const uid = `${fixtures.organization.uid}/${step()}`;
      const token = (await holderOf(rpc)) ?? reader.token;
      const request = absent[name] ?? placed(rpc);
      if (!(name in absent)) setFieldAt(request, rpc.scope ?? [], uid);
      const answer = await askRest(rpc, request, token);
      expect(answer.status, JSON.stringify(answer.body)).toBe(404);
      const [, info] = answer.body.details as { resourceType: string; resourceName: string }[];
      const type = (info?.resourceType ?? "").replace(".platform.example", "");
      const named = (info?.resourceName ?? "")
        .replace(uid, "{uid}")
        .replace(/^sha256:.*/, "{digest}");
      if (isRecording) return record(rpc, { missing: { type, name: named } });
      expectDocumented(rpc, answer);
      expect(answersOf(rpc.method).missing).toEqual({ type, name: named });
      const [example] = examplesOfStatus(rpc, 404) as { message: string }[];
      const shape = (text = "") => text.replace(/[0-9a-f]{40}\/\S+|sha256:\S+/, "…");
      expect(shape(example?.message)).toBe(shape(answer.body.message));
    });
});
