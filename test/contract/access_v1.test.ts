/** The tests of access.test.ts for version 1, whose messages have no rules. */
import { type DescField, fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { randomUid } from "../world/personas.ts";
import { tiers } from "../world/tiers.ts";
import {
  askRest,
  type CallOutcome,
  type CallRpc,
  Code,
  callers,
  violatedFields,
} from "./callers.ts";
import { type Fixtures, newFixtures, step, targetUid } from "./fixtures.ts";
import { minimalRequest, withoutField } from "./requests.ts";
import { type ContractRpc, classOf, eachRpc, isList, notOverRest, rpcOf, rpcs } from "./rpcs.ts";
import {
  fieldPathsIn,
  fieldPathText,
  noUids,
  setFieldIn,
  uidFieldsOf,
  uidPaths,
  violationName,
} from "./v1_fields.ts";
import { addScannedImage, type ScannedImage, v1Reads } from "./v1_reads.ts";

let ours: Fixtures;
let theirs: Fixtures;
let scanned: ScannedImage;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([newFixtures(), newFixtures()]);
  scanned = await addScannedImage(theirs);
});

const v1 = rpcs.filter(({ isV1, open }) => isV1 && !open);
const requestTo = (rpc: ContractRpc, fixtures: Fixtures): JsonObject =>
  minimalRequest(rpc, rpc.scope && !isList(rpc) ? targetUid(rpc, fixtures) : "");
/** With the field, and without the field that makes it void. */
const askingBy = (rpc: ContractRpc, path: DescField[], uid: string): JsonObject =>
  setFieldIn(
    rpc.name === "registry.Vulnerabilities/ListVulnReports" ? {} : requestTo(rpc, ours),
    path,
    uid,
  );
const waysOf = (rpc: ContractRpc): CallRpc[] =>
  notOverRest.includes(rpc.name) ? [callers.Connect] : [callers.REST, callers.Connect];

/** Fields of the smallest request that can be left out. */
const mayBeEmpty: Record<string, string> = {
  "iam.Groups/Create: parent": "an organization is a group without a parent",
  "iam.IdentityProviders/SetScimEnabled: enabled": "false is off",
  "libraries.Artifacts/GetArtifactCount: ecosystems": "none are all",
  "libraries.Artifacts/List: ecosystems": "none are all",
  "registry.Registry/CreateTag: tag.digest": "a tag may point nowhere yet",
  "registry.Registry/UpdateTag: digest": "a tag keeps the digest it has",
  "registry.Vulnerabilities/ListCumulativeVulnCountReports: tag": "none are all",
  "registry.Vulnerabilities/ListVulnCountReports: tag": "none are all",
  "vulnerabilities.v1.Advisories/CreateAdvisoryEvent: advisory_event.fixed.fixed_version":
    "not every fix has a version",
  "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent: fixed.fixed_version":
    "not every fix has a version",
};

/** Errors with another name for the missing part: the place without the resource, or one of two fields. */
const violationNames: Record<string, string> = {
  "events.Subscriptions/Create: subscription": "sink",
  "iam.Groups/Create: group": "name",
  "iam.RoleBindings/Create: role_binding": "identity",
  "iam.Roles/Create: role": "name",
  "registry.Registry/CreateRepo: repo": "name",
  "registry.Registry/CreateTag: tag": "name",
  "registry.Vulnerabilities/ListVulnReports: digest": "repo_id",
};

/** These accept a scope of any text, and list the existing rows. */
const parts = v1.flatMap((rpc) =>
  fieldPathsIn(minimalRequest(rpc, "anywhere"), rpc.method.input).map((path) => ({
    rpc,
    path,
    name: `${rpc.name}: ${fieldPathText(path)}`,
  })),
);

describe("a request without a required field is INVALID_ARGUMENT naming the field", () => {
  const needed = parts.filter(({ name }) => !mayBeEmpty[name]);
  for (const [some, tier] of tiers(needed, ({ rpc }) => classOf(rpc)))
    test.for(some)("$name", tier, async ({ rpc, path, name }) => {
      const names = path.map((field) => field.name);
      const request = withoutField(requestTo(rpc, ours), rpc.method.input, names);
      // Over REST a path variable is always there, and so is a body.
      const isSaid = rpc.template.includes(`{${names[0]}=`) || fieldPathText(path) === rpc.body;
      for (const ask of isSaid ? [callers.Connect] : waysOf(rpc)) {
        const outcome = await refused(ask(rpc, request, ours.token));
        expect(violatedFields(outcome)).toContain(violationNames[name] ?? violationName(rpc, path));
      }
    });

  test.each(Object.entries(mayBeEmpty))("except for %s: %s", async (name) => {
    const part = parts.find((one) => one.name === name);
    if (!part) throw new Error(`nothing asks for ${name}`);
    const { rpc, path } = part;
    const names = path.map((field) => field.name);
    const request = withoutField(requestTo(rpc, ours), rpc.method.input, names);
    const { code } = await callers.Connect(rpc, request, ours.token);
    expect(Code[code]).not.toBe("InvalidArgument");
  });

  test("every other name is of a field that is tested", () => {
    const names = parts.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(violationNames)));
  });
});

async function refused(asked: Promise<CallOutcome>): Promise<CallOutcome> {
  const outcome = await asked;
  expect(Code[outcome.code]).toBe("InvalidArgument");
  return outcome;
}

const uidFields = uidFieldsOf(v1);

describe("a malformed uid is INVALID_ARGUMENT naming the field", () => {
  for (const [some, tier] of tiers(uidFields, ({ rpc }) => classOf(rpc)))
    test.for(some)("$name", tier, async ({ rpc, path, violationField }) => {
      const listed = path.at(-1)?.fieldKind === "list" ? `${violationField}[0]` : violationField;
      const malformed = [
        "malformed",
        "A".repeat(40),
        `${randomUid()}/x`,
        `${randomUid()}/${step()}0`,
      ];
      for (const [turn, uid] of malformed.entries()) {
        const request = askingBy(rpc, path, uid);
        // A path variable of one segment holds no slash.
        const isUnsayable =
          rpc.template.includes(`{${fieldPathText(path)}=*}`) && uid.includes("/");
        const ways = isUnsayable ? [callers.Connect] : waysOf(rpc);
        const ask = ways[turn % ways.length] ?? callers.Connect;
        const outcome = await refused(ask(rpc, request, ours.token));
        expect(violatedFields(outcome)).toContain(listed);
      }
    });

  test("every exception is one", () => {
    const all = v1.flatMap((rpc) =>
      uidPaths(rpc.method.input).map((path) => `${rpc.name}: ${fieldPathText(path)}`),
    );
    for (const [pattern] of noUids) expect(all.some((name) => pattern.test(name))).toBe(true);
  });
});

describe("a read of an unknown resource is an empty 200", () => {
  /** RPCs whose response shows zero values as numbers, or repeats the request. */
  const shapes: Record<string, (uid: string) => JsonObject> = {
    "registry.Registry/GetManifestDigestCount": () => ({ count: "0" }),
    "registry.Registry/GetRepoCountBySource": () => ({ count: "0" }),
    "registry.Registry/GetRepoTagsSummary": () => ({ tagCount: "0" }),
    "registry.Registry/GetSize": () => ({ size: "0" }),
    "vulnerabilities.v1.Advisories/List": () => ({ totalCount: "0" }),
    "vulnerabilities.v1.Advisories/ListAdvisoryEvents": (parentId) => ({ parentId }),
  };
  const reads = v1.filter(({ verb, scope, method }) => {
    const isById = method.input.fields.some(({ name }) => name === "id");
    return verb === "GET" && (scope !== undefined || isById);
  });

  for (const [some, tier] of eachRpc(reads))
    test.for(some)("%s", tier, async ([name, rpc]) => {
      const uid = name.startsWith("libraries.")
        ? randomUid()
        : `${ours.organization.uid}/${step()}`;
      const byId = rpc.method.input.fields.filter(({ name }) => name === "id");
      const request = setFieldIn(requestTo(rpc, ours), rpc.scope ?? byId, uid);
      const { status, body } = await askRest(rpc, request, ours.token);
      expect([status, body]).toEqual([200, shapes[name]?.(uid) ?? {}]);
      const { message, text } = await callers.Connect(rpc, request, ours.token);
      const { output } = rpc.method;
      expect([text, message]).toEqual(["", toJson(output, fromJson(output, body))]);
    });
});

test("another organization's repository, or its image read by digest or name, is in no row", async () => {
  const reads = v1Reads(theirs, scanned, "");
  for (const { name } of v1.filter((rpc) => isList(rpc) && rpc.capabilities.length > 0)) {
    const rpc = rpcOf(name);
    const request = reads[name]?.request ?? minimalRequest(rpc, "");
    const { code, message } = await callers.Connect(rpc, request, ours.token);
    expect([name, code]).toEqual([name, 0]);
    for (const text of [theirs.organization.uid, scanned.manifest, scanned.repoName]) {
      expect(JSON.stringify(message), name).not.toContain(text);
    }
  }
});
