/** Every change writes its event in the same transaction, and a call that changes nothing writes none. */
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventBodies, promisedMembers } from "../../schema/client/events.ts";
import { readProtos } from "../../schema/describe/protos.ts";
import { expectLog } from "../world/logs.ts";
import { newUser, type Persona, randomUid } from "../world/personas.ts";
import { callRest, sql, tokenFor } from "../world/platform.ts";
import { tiers } from "../world/tiers.ts";
import { askRest, callers } from "./callers.ts";
import { changes, described } from "./changes/all.ts";
import type { ChangeContext, EventChange } from "./changes/change.ts";
import {
  allCapabilities,
  type Fixtures,
  newContractCaller,
  newFixtures,
  step,
} from "./fixtures.ts";
import { organizationRows } from "./organization_rows.ts";
import { setFieldAt } from "./requests.ts";
import { type ContractRpc, classOf, notOverRest, rpcOf, rpcs } from "./rpcs.ts";

let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await newFixtures();
});

interface Event {
  id: string;
  type: string;
  source: string;
  subject: string;
  group_uid: string;
  audience: string;
  extensions: string;
  digest: string;
  previous_digest: string;
  body_type: string;
  data: string;
  time: number;
}

/** A tag that leaves a digest says which one. */
const digestBefore = ({ digest = "", previous_digest = "" }: Partial<Event> = {}) =>
  previous_digest !== "" && previous_digest !== digest ? { previousdigest: previous_digest } : {};

/** The events of an identity's actions, among the newest: the table is large. */
const eventsOf = (actor: string) =>
  sql<Event>(
    `select * from (select * from events order by seq desc limit 2000)
     where json_extract(data, '$.actor.subject') = ? order by seq`,
    actor,
  );

const root = fileURLToPath(new URL("../..", import.meta.url));
const clientBodies = eventBodies(readProtos(root));

/** The client's type of the event: the members that the body always has, and those that it never has. */
function expectClientType(change: EventChange, data: { body?: JsonObject }) {
  if (change.audience === "internal") return;
  const body = clientBodies.find(
    ({ type, message }) => type === change.type && (message?.typeName ?? "") === change.bodyType,
  );
  expect(body, `client/gen/events.ts has no ${change.type} with ${change.bodyType}`).toBeDefined();
  if (!body) return;
  const members = Object.keys(data.body ?? {});
  expect(members).toEqual(expect.arrayContaining(promisedMembers(body)));
  const { only = members, without = [] } = body;
  expect(members.filter((name) => !only.includes(name) || without.includes(name))).toEqual([]);
}

const newActor = () => newContractCaller(fixtures.organization.uid, allCapabilities);

const cases = Object.entries(changes).map(([name, change]): [string, EventChange, ContractRpc] => [
  name,
  change,
  rpcOf(name),
]);

const byClass = (some: typeof cases) => tiers(some, ([, , rpc]) => classOf(rpc));

const groupOf = (change: EventChange, subject: string) => {
  if (change.group === "none") return "";
  if (change.group === "self") return subject;
  const [first = ""] = subject.split(",");
  if (change.group === "grandparent") return first.slice(0, -34);
  return change.group === "root" ? first.slice(0, 40) : first.slice(0, -17);
};

function bodyOf({ body }: EventChange, context: ChangeContext) {
  if (typeof body === "function") return body(context);
  return body === "answer" ? context.answer : context.request;
}

/** A response without the etags of resources, which only responses contain. */
const withoutEtags = (answer: unknown) =>
  JSON.parse(
    JSON.stringify(answer ?? null, (name, value) =>
      name === "etag" && /^"[A-Z]/.test(value) ? undefined : value,
    ),
  );

/** These use POST and write nothing (contract: no v2 event). */
const readsByPost = [
  "TagRulesService/CheckTag",
  "TagRulesService/PreviewTagRule",
  "AccessService/TestPermissions",
  "AccountAssociationsService/CheckAccountAssociation",
  "ReadmesService/RenderReadme",
  "iam.GroupAccountAssociations/Check",
  "TokenDiagnosisService/DiagnoseToken",
];

test("every RPC that changes data writes an event, and has exactly one case here", () => {
  const changing = rpcs.filter(
    ({ event, verb, name }) => event || (verb !== "GET" && !readsByPost.includes(name)),
  );
  expect(Object.keys(changes).sort()).toEqual(changing.map(({ name }) => name).sort());
  expect(described.filter((name) => !(name in changes))).toEqual([]);
});

/** Calls the RPC over REST, or over Connect if it has no path. */
async function ask(rpc: ContractRpc, request: JsonObject, token: string) {
  if (!notOverRest.includes(rpc.name)) return askRest(rpc, request, token);
  const { code, text, message } = await callers["Connect JSON"](rpc, request, token);
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  const body: any = code === 0 ? message : { code, message: text };
  return { status: code === 0 ? 200 : 500, body };
}

describe("the event of", () => {
  for (const [some, tier] of byClass(cases))
    test.for(some)("the event of %s is one row with the change", tier, async ([_, change, rpc]) => {
      const prepared = await change.prepare(fixtures);
      const { request, subject: context, claims, as } = prepared;
      const actor = as ?? (await newActor());
      const before = Date.now();
      const token = as?.token ?? (await tokenFor(actor.uid, claims));
      const answer = await ask(rpc, request, token);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const own = `dev.vendor.${change.type}`;
      const events = await eventsOf(actor.uid);
      const [event, ...more] = events.sort(
        (a, b) => Number(b.type === own) - Number(a.type === own),
      );
      const alsoEmitted = change.alsoEmits ?? [];
      expect(more.map(({ type }) => type)).toEqual(alsoEmitted.map((type) => `dev.vendor.${type}`));
      const subject =
        context ?? change.subjectOf?.(answer.body) ?? answer.body.uid ?? answer.body.id;
      const acts = claims?.act ? { act: { ...(claims.act as object), email: claims.email } } : {};
      expect(event).toMatchObject({
        type: own,
        source: `http://localhost:8787${change.source}`,
        subject,
        group_uid: prepared.group ?? groupOf(change, subject),
        audience: change.audience ?? "customer",
        extensions: JSON.stringify({
          ...(prepared.extensions ?? change.extensions?.(subject)),
          ...digestBefore(event),
        }),
        body_type: change.bodyType,
      });
      expect(JSON.parse(event?.data ?? "")).toEqual({
        actor: { subject: actor.uid, ...acts },
        body: bodyOf(change, {
          actor: actor.uid,
          name: actor.name,
          claims: claims ?? {},
          request,
          answer: withoutEtags(answer.body),
        }),
      });
      expectClientType(change, JSON.parse(event?.data ?? ""));
      expect(event?.id).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
      expect(event?.time).toBeGreaterThanOrEqual(before - 5_000);
      expect(event?.time).toBeLessThanOrEqual(Date.now() + 5_000);
    });

  test("an organization's creation has the organization as its group", async () => {
    const user = await newUser();
    const made = await callRest("/iam/v2/groups", {
      token: user.token,
      body: { name: "organization" },
    });
    expect(await eventsOf(user.uid)).toMatchObject([
      { subject: made.body.uid, group_uid: made.body.uid, body_type: "platform.iam.v2.Group" },
    ]);
  });

  test("an organization's removal has the group /", async () => {
    const user = await newUser();
    const made = await callRest("/iam/v2/groups", {
      token: user.token,
      body: { name: "organization" },
    });
    const gone = await callRest(`/iam/v2/groups/${made.body.uid}`, {
      method: "DELETE",
      token: user.token,
    });
    expect(gone.status).toBe(200);
    const [, removal] = await eventsOf(user.uid);
    expect(removal).toMatchObject({
      type: "dev.vendor.api.iam.group.deleted.v1",
      subject: made.body.uid,
      group_uid: "/",
    });
  });

  test("the event of a change with an exchanged token names the original token", async () => {
    const actor = await newActor();
    const act = { iss: "https://issuer.example", sub: "repo:a/b", aud: "x" };
    const token = await tokenFor(actor.uid, { act, email: "bot@example.com" });
    const body = { name: "acted" };
    const { status } = await callRest(`/registry/v2/repos/${fixtures.organization.uid}`, {
      token,
      body,
    });
    expect(status).toBe(200);
    const [event] = await eventsOf(actor.uid);
    expect(JSON.parse(event?.data ?? "").actor).toEqual({
      subject: actor.uid,
      act: { ...act, email: "bot@example.com" },
    });
  });
});

describe("a rejected call writes no event", () => {
  for (const [some, tier] of byClass(cases.filter(([, change]) => !change.personal)))
    test.for(some)(
      "%s: for others' resources, unknown, malformed or conflicting ones",
      tier,
      async ([name, change, rpc]) => {
        const [actor, stranger] = await Promise.all([newActor(), newCallerElsewhere()]);
        const { request } = await change.prepare(fixtures);
        const at = (uid: string) => {
          const moved = structuredClone(request);
          setFieldAt(moved, rpc.scope ?? [], uid);
          return moved;
        };
        const statuses = [
          (await askRest(rpc, request, stranger.token)).status,
          (await askRest(rpc, at(`${fixtures.organization.uid}/${step()}`), actor.token)).status,
          (await askRest(rpc, at("malformed"), actor.token)).status,
        ];
        const isCreateGroup = /^(GroupsService\/CreateGroup|iam.Groups\/Create)$/.test(name);
        expect(statuses).toEqual([
          403,
          change.idle && rpc.verb === "DELETE" ? 200 : 404,
          isCreateGroup ? 403 : 400,
        ]);
        if (change.conflict) {
          const { status, body } = await askRest(rpc, await change.conflict(fixtures), actor.token);
          expect([400, 409]).toContain(status);
          expect(["ALREADY_EXISTS", "FAILED_PRECONDITION"]).toContain(body.details[0].reason);
        }
        expect(await eventsOf(actor.uid)).toEqual([]);
        expect(await eventsOf(stranger.uid)).toEqual([]);
      },
    );
});

const newCallerElsewhere = async (): Promise<Persona> =>
  newContractCaller((await newUserOrganization()).uid, allCapabilities);

async function newUserOrganization(): Promise<{ uid: string }> {
  const { token } = await newUser();
  const { body } = await callRest("/iam/v2/groups", { token, body: { name: "elsewhere" } });
  return body;
}

describe("a call that changes nothing writes no event", () => {
  for (const [some, tier] of byClass(cases.filter(([, change]) => change.idle)))
    test.for(some)("%s", tier, async ([_, change, rpc]) => {
      const actor = await newActor();
      const request = await change.idle?.(fixtures);
      const { status } = await askRest(rpc, request ?? {}, actor.token);
      expect(status).toBe(200);
      expect(await eventsOf(actor.uid)).toEqual([]);
    });
});

describe("an update that changes nothing writes no event, and the update time stays", () => {
  /** An approved event cannot be changed here, not even to the same values. */
  const once = "vulnerabilities.v1.Advisories/UpdateAdvisoryEvent";
  const updates = cases.filter(([name]) => /[/]Update/.test(name) && name !== once);

  /** Makes the change. The request that `again` builds from it must change nothing. */
  async function expectNothing(
    change: EventChange,
    rpc: ContractRpc,
    again: (request: JsonObject, uid: string) => JsonObject,
  ) {
    const { request, claims, as } = await change.prepare(fixtures);
    const actor = as ?? (await newActor());
    const token = as?.token ?? (await tokenFor(actor.uid, claims));
    const first = await askRest(rpc, request, token);
    const events = await eventsOf(actor.uid);
    expect([first.status, events.length]).toEqual([200, 1]);
    const second = await askRest(rpc, again(request, first.body.uid), token);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await eventsOf(actor.uid)).toEqual(events);
  }

  for (const [some, tier] of byClass(updates))
    test.for(some)("%s sent again", tier, ([_, change, rpc]) =>
      expectNothing(change, rpc, (request) => {
        // A new secret is encrypted again, so it counts as another one.
        const text = JSON.stringify(request, (key, value) => {
          return key === "clientSecret" ? undefined : value;
        });
        return JSON.parse(text.replace('"oidc":{}', '"description":""'));
      }),
    );

  const masked = updates.filter(
    ([, , { verb, isV1, method }]) =>
      verb === "PATCH" && !isV1 && method.input.fields.some(({ name }) => name === "update_mask"),
  );
  for (const [some, tier] of byClass(masked))
    test.for(some)("%s of an unknown resource", tier, ([_, change, rpc]) =>
      expectNothing(change, rpc, (request, uid) => {
        const [resource = ""] = Object.keys(request);
        const nothing = { [resource]: {} };
        if (rpc.scope) setFieldAt(nothing, rpc.scope, uid);
        return nothing;
      }),
    );
});

/** They write a plan in batches, and the event with the last one. A repeated call continues. */
const inBatches = ["CreateExpiryPlan", "CarryOutExpiryPlan", "UndoExpiryPlan"];

describe("if the event cannot be written, nothing changes", () => {
  let own: Fixtures;
  // One trigger for all, since each change of the schema costs every test that runs meanwhile.
  const refused = `refused_${randomUid()}`;
  beforeAll(async () => {
    own = await newFixtures();
    await expectLog("the outbox refuses");
    await sql(`create table ${refused} (actor text primary key)`);
    await sql(
      `create trigger ${refused}_actors before insert on events
       when json_extract(new.data, '$.actor.subject') in (select actor from ${refused})
       begin select raise(abort, '${refused}'); end`,
    );
  });
  afterAll(async () => {
    await sql(`drop trigger ${refused}_actors`);
    await sql(`drop table ${refused}`);
  });

  for (const [some, tier] of byClass(cases))
    test.for(some)("%s", tier, async ([_, change, rpc]) => {
      const { request, claims, as, rows } = await change.prepare(own);
      const readRows = rows ?? (() => organizationRows(own.organization.uid));
      const actor = as ?? (await newContractCaller(own.organization.uid, allCapabilities));
      const token = as?.token ?? (await tokenFor(actor.uid, claims));
      const before = await readRows();
      await sql(`insert into ${refused} values (?)`, actor.uid);
      const logged = await expectLog(refused);
      const answer = await ask(rpc, request, token);
      const after = await readRows();
      await sql(`delete from ${refused}`);
      expect(answer).toMatchObject({ status: 500, body: { code: 13, message: "Internal error" } });
      expect(await logged()).toContain("at ");
      if (!inBatches.includes(rpc.method.name)) expect(after).toEqual(before);
      const accepted = await ask(rpc, request, token);
      expect(accepted.status).toBe(200);
      if (!change.onlyEvent) expect(await readRows()).not.toEqual(before);
    });
});
