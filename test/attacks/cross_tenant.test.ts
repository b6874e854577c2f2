/**
 * A caller with full access to their own organization names resources of another one, in every field of every
 * RPC that takes a uid. The response is the same as for a uid that does not exist, byte for byte. Nothing of
 * the other organization is shown or written.
 */
import { type DescField, type JsonObject, ScalarType } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { signPageToken } from "../../src/paging/page_token.ts";
import { restCall } from "../contract/callers.ts";
import { type Fixtures, newFixtures, step, targetUid } from "../contract/fixtures.ts";
import { minimalRequest, patternOf } from "../contract/requests.ts";
import { type ContractRpc, classOf, isList, notOverRest, rpcs } from "../contract/rpcs.ts";
import { fieldPaths, fieldPathText, setFieldIn } from "../contract/v1_fields.ts";
import { exchangeForToken } from "../issuer/exchange_call.ts";
import { makeKeys } from "../world/keys.ts";
import { createResource, randomName, randomUid } from "../world/personas.ts";
import { sql } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { organizationSecrets, tableDigests } from "./own_rows.ts";
import { bearerHeader, type RawAnswer, sendRaw } from "./raw_call.ts";

let ours: Fixtures;
let theirs: Fixtures;
let before: Record<string, string>;
let secrets: string[];
beforeAll(async () => {
  [ours, theirs] = await Promise.all([newFixtures(), newFixtures()]);
  const { organization, token } = theirs;
  const more = { name: randomName("more") };
  for (const path of ["iam/v2/groups", "iam/v2/identities", "registry/v2/repos"]) {
    await createResource(`/${path}/${organization.uid}`, token, more);
  }
  before = await tableDigests(theirs.organization.uid, ours.organization);
  secrets = await organizationSecrets(theirs.organization.uid);
});

/** Fields that contain uids, or where a caller can try a uid. */
const uidName =
  /(^|_)(uid|uids|uidp|uidps|id|ids|parent|parents|group|groups|role|roles|identity|identities|scope|source|of)$/;
const holdsUid = (field: DescField) =>
  "scalar" in field &&
  field.scalar === ScalarType.STRING &&
  (uidName.test(field.name) || (patternOf(field)?.includes(uidStart) ?? false)) &&
  !otherIds.test(field.name);
/** The beginning of the rule of a field that contains a uid, whatever its name is. */
const uidStart = "[0-9a-f]{40}";
/** Fields with other names that contain ids. */
const otherIds = /^(advisory|document|key|external_group|client)_ids?$/;
/** The values of the other organization to try in a field with that name. */
function named(rpc: ContractRpc, field: string, fixtures: Fixtures): string[] {
  if (/identity_provider/.test(field)) return [fixtures.identityProvider];
  if (/role/.test(field)) return [fixtures.role];
  if (/identity/.test(field)) return [fixtures.identity];
  if (/repo|source/.test(field)) return [fixtures.repo];
  if (/artifact/.test(field)) return [fixtures.artifact];
  if (field === "after") return [fixtures.event];
  const places = [fixtures.organization.uid, fixtures.group];
  // A role can be bound on a repository too.
  if (/RoleBinding/.test(rpc.name)) places.push(fixtures.repo);
  if (/parent|group|scope|_of$/.test(field))
    return [...new Set([...places, ...placed(rpc, fixtures)])];
  return placed(rpc, fixtures).length > 0 ? placed(rpc, fixtures) : places;
}

function placed(rpc: ContractRpc, fixtures: Fixtures): string[] {
  try {
    return [targetUid(rpc, fixtures)];
  } catch {
    return [];
  }
}

/**
 * Uids of the same form that do not exist: next to an existing one, and in an organization that does not
 * exist.
 */
function twinsOf(uid: string): string[] {
  const [, ...steps] = uid.split("/");
  const elsewhere = [randomUid(), ...steps.map(step)].join("/");
  if (steps.length === 0) return [elsewhere];
  return [elsewhere, `${uid.slice(0, uid.lastIndexOf("/"))}/${step()}`];
}

const requestAt = (rpc: ContractRpc, fixtures: Fixtures): JsonObject =>
  minimalRequest(rpc, rpc.scope && !isList(rpc) ? targetUid(rpc, fixtures) : "");

/** Both ways to send a request: over REST if REST can express it, and as Connect's JSON. */
const transports: Record<
  string,
  (rpc: ContractRpc, request: JsonObject, token: string) => Promise<RawAnswer>
> = {
  REST(rpc, request, token) {
    const { path, asked } = restCall(rpc, request);
    const body = "body" in asked ? { body: JSON.stringify(asked.body) } : {};
    return sendRaw({ method: asked.method, path, headers: [bearerHeader(token)], ...body });
  },
  Connect: ({ method }, request, token) =>
    sendRaw({
      method: "POST",
      path: `/${method.parent.typeName}/${method.name}`,
      headers: [bearerHeader(token), ["content-type", "application/json"]],
      body: JSON.stringify(request),
    }),
};

/**
 * The part of a response that a stranger sees, without the clock, the counts of work, and their own input.
 */
function seen({ status, headers, text }: RawAnswer, uid: string, fresh: string): string {
  const { date, "server-timing": timing, ...others } = headers;
  // A decision id differs each time. Its length counts, which is in the content-length.
  const unsealed = text.replaceAll(/"(decision_?[iI]d)":"[\w-]+"/g, '"$1":"<decision>"');
  const whole = JSON.stringify([status, others, unsealed]).replaceAll(uid, "<uid>");
  // Connect repeats each detail as the bytes of its message.
  const plain = whole.replaceAll(fresh, "<name>").replaceAll(/\\"value\\":\\"[\w+/=-]*\\"/g, "");
  if (status !== 200) return plain;
  // A created or changed resource has its own uid and times.
  return plain
    .replaceAll(/20\d\d-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\/[0-9a-f]{16}\b/g, "/<step>")
    .replaceAll(/"etag":"\\"[^"\\]*\\""/g, '"etag":"<etag>"')
    .replaceAll(/[A-Z]\w+-[0-9a-f]{16}-[0-9a-z]{8}/g, "<etag>")
    .replaceAll(/whsec_[\w+/=]+|[a-z]+key_\w+/g, "<secret>")
    .replaceAll(/VENDOR(-[0-9a-z]{4}){3}/g, "<advisory>");
}

const attacks = rpcs
  .filter(({ open }) => !open)
  .flatMap((rpc) =>
    fieldPaths(rpc.method.input, holdsUid).map((path) => ({
      rpc,
      path,
      name: `${rpc.name}: ${fieldPathText(path)}`,
    })),
  )
  .map((attack, turn) => ({ ...attack, turn }));

describe("another organization's uid has the same response as one that does not exist", () => {
  for (const [some, tier] of tiers(attacks, ({ rpc }) => classOf(rpc)))
    test.for(some)("$name", tier, async ({ rpc, path, turn }) => {
      const both = notOverRest.includes(rpc.name) ? ["Connect"] : ["REST", "Connect"];
      // Version 1 calls version 2, so each of its fields goes one way, by turns.
      const ways = rpc.isV1 ? [both[turn % both.length] ?? ""] : both;
      for (const uid of named(rpc, path.at(-1)?.name ?? "", theirs)) {
        for (const way of ways) await expectSame(way, rpc, path, uid);
      }
    });

  /** Compares the responses about a uid and about a twin of it. Each way of sending has a twin of its own. */
  async function expectSame(way: string, rpc: ContractRpc, path: DescField[], uid: string) {
    const twins = twinsOf(uid);
    const twin = twins[way === "REST" ? 0 : twins.length - 1] ?? "";
    const others = secrets.filter((secret) => !uid.includes(secret));
    const texts: string[] = [];
    for (const one of [twin, uid]) {
      const text = await textOf(way, rpc, path, one);
      for (const secret of others) expect(text).not.toContain(secret);
      texts.push(text);
    }
    expect(texts[0], way).toBe(texts[1]);
  }

  /** The part that a stranger sees of the response to a call with that uid in the field. */
  async function textOf(way: string, rpc: ContractRpc, path: DescField[], uid: string) {
    // Names are taken once, so each request has names of its own.
    const fresh = `sample-${step()}`;
    const request = setFieldIn(requestAt(rpc, ours), path, uid);
    const named = JSON.parse(JSON.stringify(request).replaceAll("sample", fresh));
    const answer = await transports[way]?.(rpc, named, ours.token);
    if (!answer) throw new Error("no answer");
    const text = seen(answer, uid, fresh);
    expect(answer.status, text).toBeLessThan(500);
    return text;
  }
});

const pagedRpcs = rpcs.filter(
  ({ method, open }) => !open && method.input.fields.some(({ name }) => name === "page_token"),
);

/** The status of calls that end before they read their page token. */
const unread: Record<string, number> = {
  "TokenDiagnosisService/DiagnoseToken": 200,
  "ArtifactsService/ListArtifactVersions": 404,
};

/** Lists whose totals differ between the two organizations. */
const counted: [string, string][] = [
  ["groups", "/iam/v2/groups"],
  ["identities", "/iam/v2/identities"],
  ["repos", "/registry/v2/repos"],
];

describe("a page token of the other organization", () => {
  const pageOf = async (path: string, token: string, more = "") => {
    const { status, text } = await sendRaw({
      path: `${path}?page_size=1${more}`,
      headers: [bearerHeader(token)],
    });
    return { status, text, body: JSON.parse(text) };
  };

  test.each(counted)("is rejected: %s", async (_, path) => {
    for (const scope of ["", `&uidp.descendants_of=${theirs.organization.uid}`]) {
      const { nextPageToken } = (await pageOf(path, theirs.token, scope)).body;
      expect(nextPageToken).toBeTypeOf("string");
      const asked = await pageOf(path, ours.token, `${scope}&page_token=${nextPageToken}`);
      expect([asked.status, asked.body.message]).toEqual([
        400,
        expect.stringMatching(/page_token must be the next_page_token of a response to you/),
      ]);
      for (const secret of secrets) expect(asked.text).not.toContain(secret);
    }
  });

  for (const [some, tier] of tiers(pagedRpcs, classOf))
    test.for(some)(
      "has the response of one that the platform has not signed: $name",
      tier,
      async (rpc) => {
        const place = { after: [theirs.group, theirs.group] as [string, string] };
        const cursor = { ...place, skipped: 0, total: 1 };
        const request = (rpc.scope ? requestAt(rpc, ours) : minimalRequest(rpc, "")) as JsonObject;
        const texts: string[] = [];
        for (const keys of [inject("pageTokenKeys"), (await makeKeys()).pageTokenKeys]) {
          const pageToken = await signPageToken(cursor, "theirs", JSON.parse(keys), Date.now());
          const { path, asked } = restCall(rpc, { ...request, pageToken });
          const headers = [bearerHeader(ours.token)];
          const answer = await sendRaw({ method: asked.method, path, headers });
          expect(answer.status, answer.text).toBe(unread[rpc.name] ?? 400);
          texts.push(seen(answer, pageToken, ""));
        }
        expect(texts[0]).toBe(texts[1]);
      },
    );

  test("is rejected for a narrower token of the same caller", async () => {
    const { nextPageToken } = (await pageOf("/iam/v2/groups", theirs.token)).body;
    const { token } = await exchangeForToken(theirs.token, { scopes: theirs.organization.uid });
    const asked = await pageOf("/iam/v2/groups", token, `&page_token=${nextPageToken}`);
    expect(asked.status).toBe(400);
  });
});

/** Calls that create or change a binding to a person's uid. */
const bindings: [string, (person: string) => Promise<RawAnswer>][] = [
  [
    "CreateRoleBinding",
    (identityUid) => send("POST", ours.organization.uid, { identityUid, roleUid: ours.role }),
  ],
  ["UpdateRoleBinding", (identityUid) => send("PATCH", ours.roleBinding, { identityUid })],
];
const send = (method: string, uid: string, body: object) =>
  sendRaw({
    ...{ method, path: `/iam/v2/roleBindings/${uid}` },
    headers: [bearerHeader(ours.token)],
    body: JSON.stringify(body),
  });

describe("a person's uid, which is computed from issuer and subject, does not show whether the person exists here", () => {
  test.each(bindings)("%s", async (_, bind) => {
    const { text } = await bind(theirs.organization.owner.uid);
    const [{ name = "" } = {}] = await sql<{ name: string }>(
      "select name from identities where uid = ?",
      theirs.organization.owner.uid,
    );
    expect(text).not.toContain(name);
  });
});

afterAll(async () => {
  expect(await tableDigests(theirs.organization.uid, ours.organization)).toEqual(before);
});
