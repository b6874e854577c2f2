/** Every RPC refuses callers without access, and input that it cannot read (design: section 10). */
import type { DescField, JsonObject } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { randomUid } from "../world/personas.ts";
import { tiers } from "../world/tiers.ts";
import {
  askRest,
  type CallOutcome,
  type CallRpc,
  callers,
  detail,
  violatedFields,
} from "./callers.ts";
import { comparableRefusal, lengthWithoutUid } from "./decisions.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
  targetUid,
} from "./fixtures.ts";
import { minimalRequest, patternOf, requiredFields, setFieldAt, withoutField } from "./requests.ts";
import {
  type ContractRpc,
  classOf,
  eachRpc,
  isList,
  notOverRest,
  ownCredentialRpcs,
  peopleRpcs,
  rpcOf,
  rpcs,
} from "./rpcs.ts";
import { badTokens } from "./tokens.ts";

let ours: Fixtures;
let theirs: Fixtures;
beforeAll(async () => {
  [ours, theirs] = await Promise.all([newFixtures(), newFixtures()]);
});

const closed = rpcs.filter((rpc) => !rpc.open);
const demanding = closed.filter((rpc) => rpc.capabilities.length > 0);
const placed = demanding.filter((rpc) => rpc.scope !== undefined);
const lists = demanding.filter((rpc) => isList(rpc) && rpc.scope === undefined);

/** The request: over REST if REST can express it, and over Connect. */
const waysOf = (rpc: ContractRpc): CallRpc[] =>
  notOverRest.includes(rpc.name) ? [callers.Connect] : [callers.REST, callers.Connect];

/** A valid request that acts on the fixtures. */
const requestTo = (rpc: ContractRpc, fixtures: Fixtures): JsonObject =>
  minimalRequest(rpc, rpc.scope && !isList(rpc) ? targetUid(rpc, fixtures) : "");

/** RPCs that treat another uid of the organization as a deleted one (contract: idempotent). */
const succeedWhenGone = [
  "RoleBindingsService/DeleteRoleBinding",
  "AccountAssociationsService/DeleteAccountAssociation",
  "iam.GroupAccountAssociations/Delete",
  "iam.RoleBindings/Delete",
];

/** RPCs about access, which follows from the path of a uid, so that any uid has an answer. */
const answeredByPath = ["AccessService/ExplainAccess", "AccessService/ListAccess"];

/** Open RPCs about something that a client waits for. */
const mayBeAbsent = ["auth.Auth/GetHeadlessSession"];

/** RPCs that only affect their caller, whatever access the caller has. */
const aboutOneself = ["auth.Auth/Delete", "SessionsService/EndSessions"];

/** The errors of open RPCs that read their own kind of credential. */
const ownRefusals = [Code.Unauthenticated, Code.PermissionDenied];

/** CreateGroup accepts a name as the parent, so no text is malformed. */
const takeAnyText = ["GroupsService/CreateGroup:parent", "iam.Groups/Create:parent"];

async function expectRefusal(asked: Promise<CallOutcome>, code: Code): Promise<CallOutcome> {
  const outcome = await asked;
  expect(Code[outcome.code]).toBe(Code[code]);
  expect(outcome.details[0]?.["@type"]).toBe("type.googleapis.com/google.rpc.ErrorInfo");
  return outcome;
}

describe("every RPC is served", () => {
  for (const [some, tier] of eachRpc(rpcs))
    test.for(some)("%s", tier, async ([_, rpc]) => {
      for (const ask of waysOf(rpc)) {
        const place = rpc.scope && !isList(rpc) ? `${ours.organization.uid}/${step()}` : "";
        const outcome = await ask(rpc, minimalRequest(rpc, place), ours.token);
        expect(Code[outcome.code]).not.toBe("Unimplemented");
        expect(Code[outcome.code]).not.toBe("Internal");
      }
    });
});

const kinds = Object.keys(badTokens).length;

/** RPCs with such tokens, alternately over REST and Connect. */
describe.each(Object.entries(badTokens).map(([name, bad], turn) => ({ name, bad, turn })))(
  "$name is UNAUTHENTICATED, with the reason, for",
  ({ bad, turn }) => {
    // Each RPC sees half of them, of version 1 one: that shows it closed, and the rest is the same
    // code for all.
    const asked = closed.filter((rpc, index) =>
      rpc.isV1 ? index % kinds === turn : (index + turn) % 2 === 0,
    );
    const rows = asked.map((rpc): [string, ContractRpc] => [rpc.name, rpc]);
    for (const [some, tier] of tiers(rows, ([, rpc]) => String(rpc.isV1)))
      test.for(some)("%s", tier, async ([_, rpc]) => {
        const place = rpc.scope ? ours.organization.uid : "";
        const token = await bad.make(ours.organization.owner.uid);
        const ways = waysOf(rpc);
        const ask = ways[(closed.indexOf(rpc) + turn) % ways.length] ?? callers.Connect;
        const answer = ask(rpc, minimalRequest(rpc, place), token);
        expect((await expectRefusal(answer, Code.Unauthenticated)).text).toMatch(bad.message);
      });
  },
);

for (const [some, tier] of eachRpc(rpcs.filter((rpc) => rpc.open)))
  test.for(some)("%s requires none of our tokens", tier, async ([name, rpc]) => {
    for (const ask of waysOf(rpc)) {
      for (const token of [undefined, "garbage"]) {
        const outcome = await ask(rpc, minimalRequest(rpc, ""), token);
        const isOwn = ownCredentialRpcs.includes(name);
        if (!isOwn)
          expect(mayBeAbsent.includes(name) ? [Code.NotFound] : [0]).toContain(outcome.code);
        else expect(ownRefusals).toContain(outcome.code);
      }
    }
  });

describe("a caller without a capability", () => {
  const byCapability = new Map<number, Promise<string>>();
  const tokenWithout = (missing: number) => {
    const made =
      byCapability.get(missing) ??
      newContractCaller(
        ours.organization.uid,
        allCapabilities.filter((one) => one !== missing),
      ).then(({ token }) => token);
    byCapability.set(missing, made);
    return made;
  };

  const needs = demanding.flatMap((rpc) =>
    rpc.capabilities.map((one): [string, number, ContractRpc] => [rpc.name, one, rpc]),
  );
  for (const [some, tier] of tiers(needs, ([, , rpc]) => classOf(rpc)))
    test.for(some)("cannot call %s (%i missing)", tier, async ([_, missing, rpc]) => {
      const token = await tokenWithout(missing);
      for (const ask of waysOf(rpc)) {
        await expectRefusal(ask(rpc, requestTo(rpc, ours), token), Code.PermissionDenied);
      }
    });

  const ofOrganizations = demanding.filter(({ name }) => !peopleRpcs.includes(name));
  for (const [some, tier] of eachRpc(ofOrganizations))
    test.for(some)(
      "a caller with exactly the capabilities of %s can call it",
      tier,
      async ([_, rpc]) => {
        const { token } = await newContractCaller(ours.organization.uid, rpc.capabilities);
        const request = requestTo(rpc, ours);
        if (rpc.scope && !isList(rpc)) {
          setFieldAt(request, rpc.scope, `${ours.organization.uid}/${step()}`);
        }
        for (const ask of waysOf(rpc).slice(0, 1)) {
          expect([0, Code.NotFound]).toContain((await ask(rpc, request, token)).code);
        }
      },
    );
});

/** Every other field that takes a uid: test/attacks/cross_tenant.test.ts. */
describe("another organization's uid", () => {
  for (const [some, tier] of eachRpc(placed))
    test.for(some)(
      "has the same response from %s as one that does not exist, except for the uid in its decision id",
      tier,
      async ([_, rpc]) => {
        const texts = new Set<string>();
        const lengths = new Set<number>();
        // A root-level uid may be a built-in role's, which everyone may read.
        const unknown = [randomUid(), `${theirs.organization.uid}/${step()}`];
        const isAnyones = rpc.name === "RolesService/GetRole";
        for (const uid of [targetUid(rpc, theirs), ...unknown.slice(isAnyones ? 1 : 0)]) {
          const request = requestTo(rpc, ours);
          setFieldAt(request, rpc.scope ?? [], uid);
          const { status, body } = await askRest(rpc, request, ours.token);
          expect(status).toBe(403);
          texts.add(await comparableRefusal(body, uid));
          lengths.add(lengthWithoutUid(body, uid));
          await expectRefusal(callers.Connect(rpc, request, ours.token), Code.PermissionDenied);
        }
        expect([...texts]).toEqual([expect.stringContaining('"isAboutUid":true')]);
        expect(lengths.size).toBe(1);
        expect([...texts].join()).not.toContain(theirs.organization.uid);
      },
    );

  const wholeOf = (rpc: ContractRpc): JsonObject => ({
    ...minimalRequest(rpc, ""),
    // That of any other is NOT_FOUND.
    ...(rpc.name === "ArtifactsService/ListArtifactVersions" && { artifactId: ours.artifact }),
    ...(rpc.method.input.fields.some(({ name }) => name === "page_size") && { pageSize: 200 }),
  });
  const sayable = lists.filter(({ name }) => !notOverRest.includes(name));
  for (const [some, tier] of eachRpc(sayable))
    test.for(some)("is in no row of %s", tier, async ([_, rpc]) => {
      const { status, body } = await askRest(rpc, wholeOf(rpc), ours.token);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toContain(theirs.organization.uid);
    });
});

/** A field that contains a uid or a list of uids: its path, and its name in a violation. */
interface UidField {
  path: DescField[];
  violationField: string;
}

const namesOf = (path: DescField[]) => path.map((field) => field.name).join(".");

/** Every field of a request that contains uids: its own, and those of its filter and its resource. */
function uidFields(rpc: ContractRpc): UidField[] {
  const { fields } = rpc.method.input;
  const parts = fields.filter((field) => field.name === "uidp" || field.name === rpc.body);
  const inParts = parts.flatMap((part) =>
    part.fieldKind === "message" ? part.message.fields.map((field) => [part, field]) : [],
  );
  return [...fields.map((field) => [field]), ...inParts].flatMap((path) => {
    const violationField = namesOf(path[0]?.name === rpc.body ? path.slice(1) : path);
    const field = path.at(-1);
    if (!field || takeAnyText.includes(`${rpc.name}:${violationField}`)) return [];
    const isUid = patternOf(field)?.startsWith("^[0-9a-f]{40}") || field === rpc.scope?.at(-1);
    if (!isUid || field.fieldKind === "message") return [];
    return [
      {
        path,
        violationField: field.fieldKind === "list" ? `${violationField}[0]` : violationField,
      },
    ];
  });
}

describe("a malformed uid is INVALID_ARGUMENT naming the field", () => {
  // Those of version 1: access_v1.test.ts.
  const ofUids = closed
    .filter((rpc) => !rpc.isV1)
    .flatMap((rpc) => uidFields(rpc).map((one) => ({ rpc, name: namesOf(one.path), ...one })));
  for (const [some, tier] of tiers(ofUids, ({ rpc }) => classOf(rpc)))
    test.for(some)("$rpc.name: $name", tier, async ({ rpc, path, violationField }) => {
      const malformed = [
        "malformed",
        "A".repeat(40),
        `${randomUid()}/x`,
        `${randomUid()}/${step()}0`,
      ];
      const ways = waysOf(rpc);
      for (const [turn, uid] of malformed.entries()) {
        const request = requestTo(rpc, ours);
        setFieldAt(request, path, path.at(-1)?.fieldKind === "list" ? [uid] : uid);
        const ask = ways[turn % ways.length] ?? callers.Connect;
        const outcome = await expectRefusal(ask(rpc, request, ours.token), Code.InvalidArgument);
        expect(violatedFields(outcome)).toContain(violationField);
        expect(outcome.text).toContain(violationField);
      }
    });
});

describe("an unknown uid in the caller's own organization is NOT_FOUND with its ResourceInfo", () => {
  // A read of version 1 answers empty: see access_v1.test.ts.
  const known = placed.filter(
    (rpc) =>
      !isList(rpc) && !(rpc.isV1 && rpc.verb === "GET") && !answeredByPath.includes(rpc.name),
  );
  for (const [some, tier] of eachRpc(known))
    test.for(some)("%s", tier, async ([name, rpc]) => {
      const uid = `${ours.organization.uid}/${step()}`;
      const request = requestTo(rpc, ours);
      setFieldAt(request, rpc.scope ?? [], uid);
      const { token } = await newContractCaller(ours.organization.uid, allCapabilities);
      for (const ask of waysOf(rpc)) {
        if (succeedWhenGone.includes(name)) {
          expect((await ask(rpc, request, token)).code).toBe(0);
          continue;
        }
        const outcome = await expectRefusal(ask(rpc, request, token), Code.NotFound);
        expect(detail(outcome, "ResourceInfo")).toMatchObject({
          resourceType: expect.stringMatching(/^[a-z]+\.platform\.example\/[A-Z][A-Za-z]+$/),
          resourceName: expect.stringMatching(name.startsWith("Images") ? /^sha256:/ : uid),
        });
      }
    });
});

describe("a request without a required field is INVALID_ARGUMENT naming the field", () => {
  const required = closed.flatMap((rpc) => requiredFields(rpc).map((one) => ({ rpc, ...one })));
  for (const [some, tier] of tiers(required, ({ rpc }) => classOf(rpc)))
    test.for(some)("$rpc.name: $path", tier, async ({ rpc, path, violationField }) => {
      const whole = requestTo(rpc, ours);
      const request = withoutField(whole, rpc.method.input, path);
      const asks = isSayable(rpc, path) ? waysOf(rpc) : [callers.Connect];
      for (const ask of asks) {
        const outcome = await expectRefusal(ask(rpc, request, ours.token), Code.InvalidArgument);
        expect(violatedFields(outcome)).toContain(violationField);
      }
    });

  /** Over REST there is always a body, and only the last variable of a path can be missing. */
  function isSayable(rpc: ContractRpc, path: string[]): boolean {
    if (path.join(".") === rpc.body) return false;
    if (!rpc.template.includes(`{${path.join(".")}`)) return true;
    return rpc.verb !== "GET" && rpc.template.endsWith("}");
  }

  test("the smallest request fails for no other reason", async () => {
    for (const rpc of closed) {
      const outcome = await callers.Connect(rpc, requestTo(rpc, theirs), ours.token);
      // A call about everything in the caller's reach finds nothing for a name that does not exist.
      const isOwn = aboutOneself.includes(rpc.name);
      const inReach = (rpc.capabilities.length === 0 || !rpc.scope) && !isOwn;
      const refusal = inReach ? Code.NotFound : Code.PermissionDenied;
      expect([0, refusal], rpc.name).toContain(outcome.code);
    }
  });
});

describe("a full replacement without a required field", () => {
  test.each([
    ["GroupsService/UpdateGroup", ["name"]],
    ["IdentitiesService/UpdateIdentity", ["name"]],
    ["RolesService/UpdateRole", ["name", "capabilities"]],
    ["RoleBindingsService/UpdateRoleBinding", ["identity_uid"]],
    ["GroupInvitesService/UpdateGroupInvite", ["role_uid"]],
    ["ReposService/UpdateRepo", ["name"]],
  ])("%s is INVALID_ARGUMENT naming %j", async (name, fields) => {
    const rpc = rpcOf(name);
    const request = { ...requestTo(rpc, ours), updateMask: "*" };
    const { status, body } = await askRest(rpc, request, ours.token);
    expect(status).toBe(400);
    const outcome = {
      code: body.code,
      text: body.message,
      details: body.details,
      headers: new Headers(),
    };
    expect(fields).toContain(violatedFields(outcome)[0]);
  });
});
