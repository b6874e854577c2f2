/** Lists neither show nor count rows that the caller may not see, in any scope, filter and order. */
import type { DescField, JsonObject } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { askRest } from "../contract/callers.ts";
import {
  allCapabilities,
  type Fixtures,
  fixturesOf,
  newContractCaller,
} from "../contract/fixtures.ts";
import { minimalRequest } from "../contract/requests.ts";
import { type ContractRpc, eachRpc, isList, notOverRest, rpcs } from "../contract/rpcs.ts";
import {
  createResource,
  newOrganization,
  newUser,
  type Organization,
  randomName,
  roleUid,
} from "../world/personas.ts";
import { type Answer, tokenFor } from "../world/platform.ts";
import { organizationSecrets } from "./own_rows.ts";
import { mapLimited } from "./raw_call.ts";

/** The fixtures contain no tag at the end of its life. */
const endOfLife = { name: "0.9", digest: `sha256:${"e".repeat(64)}`, deprecated: true };

let organization: Organization;
let left: Fixtures;
let right: Fixtures;
let leftUid = "";
let rightUid = "";
/** Data that only callers with access to more than the left group may see. */
let hidden: string[];
const tokens: Record<string, string> = {};
/** The group where a caller has access, including everything below it, if it is not the left one. */
const homes: Record<string, string> = {};
const stranger = "the owner of another organization";
beforeAll(async () => {
  organization = await newOrganization();
  const { uid, owner } = organization;
  const group = (name: string) =>
    createResource(`/iam/v2/groups/${uid}`, owner.token, { name: randomName(name) });
  [leftUid, rightUid] = [(await group("left")).uid, (await group("right")).uid];
  await fixturesOf(organization);
  left = await fixturesOf(organization, leftUid);
  right = await fixturesOf(organization, rightUid);
  for (const { repo } of [left, right])
    await createResource(`/registry/v2/tags/${repo}`, owner.token, endOfLife);
  const known = await organizationSecrets(leftUid);
  hidden = (await organizationSecrets(rightUid)).filter((secret) => !known.includes(secret));
  const other = await newOrganization();
  const bound = await newContractCaller(leftUid, allCapabilities);
  const person = await newUser();
  const binding = { identityUid: person.uid, roleUid: await roleUid("owner") };
  await createResource(`/iam/v2/roleBindings/${leftUid}`, owner.token, binding);
  Object.assign(tokens, {
    "an identity of the left group": bound.token,
    "a person bound at the left group": person.token,
    "the owner, narrowed to the left group": await tokenFor(owner.uid, { scopes: [leftUid] }),
    "the owner, narrowed to the left group twice": await tokenFor(owner.uid, {
      scopes: [leftUid, left.group],
    }),
    [stranger]: other.owner.token,
  });
  homes[stranger] = other.uid;
});

const callers = [
  "an identity of the left group",
  "a person bound at the left group",
  "the owner, narrowed to the left group",
  "the owner, narrowed to the left group twice",
  stranger,
];

/** They see the same as others, so they send a third of the requests. */
const thinly = ["a person bound at the left group", "the owner, narrowed to the left group twice"];

const lists = rpcs.filter(
  (rpc) =>
    isList(rpc) && rpc.capabilities.length > 0 && !rpc.scope && !notOverRest.includes(rpc.name),
);
/** Libraries are visible to everyone. */
const ofGroups = lists.filter(({ name }) => !/^(libraries\.|ArtifactsService)/.test(name));

const fieldsOf = ({ method }: ContractRpc) => method.input.fields;
const paging = ["page_size", "page_token", "order_by", "skip", "uidp"];

/** Every form of a scope, around the hidden rows and around the visible ones. */
function scopes(rpc: ContractRpc): JsonObject[] {
  if (!fieldsOf(rpc).some(({ name }) => name === "uidp")) return [];
  const isOfRepos = /Tags/.test(rpc.name);
  const places = [organization.uid, leftUid, rightUid, isOfRepos ? right.repo : right.group];
  const uidsOf = (fixtures: Fixtures, group: string) =>
    Object.values(fixtures).filter((uid) => typeof uid === "string" && isAtOrBelow(uid, group));
  const rows = uidsOf(right, rightUid) as string[];
  const own = uidsOf(left, leftUid) as string[];
  return [
    ...["descendantsOf", "childrenOf", "ancestorsOf"].flatMap((form) =>
      places.map((uid) => ({ uidp: { [form]: uid } })),
    ),
    { uidp: { inRoot: true } },
    { uidp: { ids: rows } },
    { uidp: { ids: [...rows, ...own] } },
  ];
}

/** Filters in addition to the scope, each with the value of a hidden row. */
function filters(rpc: ContractRpc, rows: Record<string, unknown>[]): JsonObject[] {
  return fieldsOf(rpc).flatMap((field: DescField): JsonObject[] => {
    if (paging.includes(field.name)) return [];
    const isText = field.fieldKind === "scalar" || field.fieldKind === "list";
    const values = rows.map(
      (row) => row[field.localName] ?? row[field.localName.replace(/s$/, "")],
    );
    const held = [...new Set(values.filter((value) => typeof value === "string"))].slice(0, 2);
    if (!isText) return [];
    // These calls take a digest only with its repository.
    const isOfRepo = field.name === "digest" && /ListFindings|ListPackages/.test(rpc.name);
    return held.map((value) => ({
      [field.jsonName]: field.fieldKind === "list" ? [value] : value,
      ...(isOfRepo ? { uidp: { childrenOf: right.repo } } : {}),
    }));
  });
}

const rowsIn = ({ body }: Answer): Record<string, unknown>[] =>
  Object.values((body ?? {}) as object).find(Array.isArray) ?? [];
const uidOf = (row: Record<string, unknown>) => String(row.uid ?? row.id ?? row.group ?? "");

/** The orders, from the error for an invalid one. */
async function orders(rpc: ContractRpc): Promise<JsonObject[]> {
  const field = fieldsOf(rpc).find(({ name }) => name === "order_by");
  if (field?.fieldKind !== "scalar") return [];
  const { body } = await askRest(
    rpc,
    { ...minimalRequest(rpc, ""), orderBy: "nothing" },
    organization.owner.token,
  );
  const names: string[] = /one of ([a-z_, ]+)/.exec(body.message)?.[1]?.split(", ") ?? [];
  expect(names).not.toEqual([]);
  return names.map((name, at) => ({ orderBy: at % 2 === 0 ? name : `${name} desc` }));
}

async function formsOf(rpc: ContractRpc): Promise<JsonObject[]> {
  const sized: JsonObject = rpc.isV1 ? {} : { pageSize: 200 };
  const all = { uidp: { descendantsOf: organization.uid } };
  const smallest = minimalRequest(rpc, "");
  const whole = await askRest(
    rpc,
    { ...smallest, ...sized, ...(scopes(rpc).length > 0 ? all : {}) },
    organization.owner.token,
  );
  const secret = rowsIn(whole).filter((row) => !isAtOrBelow(uidOf(row), leftUid));
  const forms = [{}, ...scopes(rpc), ...filters(rpc, secret)];
  const ordered = (await orders(rpc)).map((order, at) =>
    at % 3 === 0 && scopes(rpc).length > 0 ? { ...order, ...all } : order,
  );
  return [...forms, ...ordered].map((form) => ({ ...smallest, ...sized, ...form }));
}

const isAtOrBelow = (uid: string, group: string) => uid === group || uid.startsWith(`${group}/`);

for (const [some, tier] of eachRpc(ofGroups))
  describe.for(some)("%s", tier, ([_, rpc]) => {
    let forms: JsonObject[];
    beforeAll(async () => {
      forms = await formsOf(rpc);
    });

    test.each(callers)("shows and counts nothing to %s that belongs to others", async (who) => {
      const asked = thinly.includes(who) ? forms.filter((_, at) => at % 3 === 0) : forms;
      const answers = await mapLimited(asked, async (form) => ({
        form,
        answer: await askRest(rpc, form, tokens[who]),
      }));
      for (const { form, answer } of answers) {
        const asking = `${JSON.stringify(form)}: ${JSON.stringify(answer.body)}`;
        expect([200, 403], asking).toContain(answer.status);
        const asked = JSON.stringify(form);
        const text = JSON.stringify(answer.body ?? {});
        for (const secret of hidden)
          if (!asked.includes(secret)) expect(text, asking).not.toContain(secret);
        const rows = rowsIn(answer);
        // Built-in roles are visible to everyone.
        const strange = rows
          .map(uidOf)
          .filter((uid) => uid.includes("/") && !isAtOrBelow(uid, homes[who] ?? leftUid));
        expect(strange, asking).toEqual([]);
        if (answer.body?.totalCount !== undefined)
          expect(Number(answer.body.totalCount), asking).toBe(rows.length);
      }
    });

    test("shows nothing to a caller without its capability", async () => {
      for (const missing of rpc.capabilities) {
        const { token } = await newContractCaller(
          organization.uid,
          allCapabilities.filter((one) => one !== missing),
        );
        const narrowed = await tokenFor(organization.owner.uid, {
          capabilities: allCapabilities.filter((one) => one !== missing),
        });
        const answers = await mapLimited(
          forms.filter((_, at) => at % 3 === 0),
          (form) => askRest(rpc, form, token),
        );
        const others = await mapLimited(forms.slice(0, 3), (form) => askRest(rpc, form, narrowed));
        expect(new Set([...answers, ...others].map(({ status }) => status))).toEqual(
          new Set([403]),
        );
      }
    });
  });

/**
 * The fixtures contain no fix of an image. test/advisory/resolved_vulns.test.ts has one, and callers without
 * access. Their SBOM and their report are empty. The tests in test/registry/findings have others.
 */
const hasNoRows = [
  "SecurityAdvisoryService/ListResolvedVulnsReports",
  "FindingsService/ListFindings",
  "PackagesService/ListPackages",
];

test("the lists are not all empty: they show the left group's own rows", async () => {
  for (const rpc of ofGroups) {
    const [form = {}] = await formsOf(rpc);
    const { status, body } = await askRest(rpc, form, tokens["an identity of the left group"]);
    expect([rpc.name, status]).toEqual([rpc.name, 200]);
    if (rpc.isV1 || hasNoRows.includes(rpc.name)) continue;
    // Events and moves are listed without a total.
    const rows = body.totalCount ?? rowsIn({ body } as Answer).length;
    expect([rpc.name, Number(rows) > 0]).toEqual([rpc.name, true]);
  }
});
