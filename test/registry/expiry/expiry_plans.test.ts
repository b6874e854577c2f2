/** The calls of expiry plans: who may make them, and what they refuse. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Organization } from "../../world/personas.ts";
import { createResource, newIdentity, newOrganization, randomName } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { change, newExpiringRepo, newPlan } from "./expiring_repo.ts";

const at = "/registry/v2/expiryPlans";

let organization: Organization;
let token: string;
let other: string;
beforeAll(async () => {
  organization = await newOrganization("expiry-plans");
  ({ token } = organization.owner);
  other = (await newIdentity(organization, "owner")).token;
});

const newRepo = (conditions = {}) => newExpiringRepo(organization.uid, token, conditions);
const make = (conditions = {}) => newPlan(organization.uid, token, conditions);
const ask = (path: string, body?: object, as = token) =>
  callRest(`${at}/${path}`, body ? { token: as, body } : { token: as });

/** The status of a call, and the type of its violation. */
async function outcome(path: string, body: object = {}, as = token) {
  const answer = await ask(path, body, as);
  const [, detail] = answer.body.details ?? [];
  return [answer.status, detail?.violations?.[0]?.type ?? ""];
}

const rowsOf = (repo: string) =>
  sql(
    `select (select json_group_array(json_array(uid, state, update_time, deleted_count)) from expiry_plans where parent = ?1) as plans,
      (select json_group_array(json_array(number, outcome)) from expiry_items where plan_uid > ?1 || '/' and plan_uid < ?1 || '0') as items,
      (select count(*) from tags where parent = ?1) as tags,
      (select count(*) from events where repo_uid = ?1) as events`,
    repo,
  );
const repoOf = (plan: string) => plan.slice(0, -17);

async function makeDone(): Promise<string> {
  const plan = await make();
  await change(plan, token, "carryOut");
  return plan;
}

test("a plan has its counts, its maker and its times, and a Get returns it", async () => {
  const repo = await newRepo();
  const { body } = await ask(repo, { description: "Old builds" });
  expect(body).toMatchObject({
    uid: expect.stringMatching(new RegExp(`^${repo}/[0-9a-f]{16}$`)),
    ...{ state: "EXPIRY_PLAN_STATE_READY", description: "Old builds" },
    ...{ tagCount: 1, manifestCount: 0, needsApproval: false, daily: false, truncated: false },
    ...{ creatorUid: organization.owner.uid, etag: expect.stringMatching(/^"ExpiryPlan-/) },
  });
  expect(body.undoExpireTime).toBeUndefined();
  expect((await ask(body.uid)).body).toEqual(body);
});

describe("a plan is not made", () => {
  test("for a group, or for a repository that does not exist", async () => {
    const missing = `${organization.uid}/${"0".repeat(16)}`;
    for (const parent of [organization.uid, missing]) expect((await outcome(parent))[0]).toBe(404);
  });

  test("with a description of two lines or of 513 characters, and with one of 512 it is", async () => {
    const repo = await newRepo();
    for (const description of ["a\nb", "a".repeat(513)])
      expect((await outcome(repo, { description }))[0]).toBe(400);
    expect(await outcome(repo, { description: "a".repeat(512) })).toEqual([200, ""]);
  });

  test("without a rule, and none is left behind", async () => {
    const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
      name: randomName("ruleless"),
    });
    expect(await outcome(uid)).toEqual([400, "NO_EXPIRE_RULE"]);
    expect(await outcome(uid, {})).toEqual([400, "NO_EXPIRE_RULE"]);
    expect(await rowsOf(uid)).toMatchObject([{ plans: "[]", items: "[]" }]);
  });

  test("while another one is open: one of two at once fails, and the next one after a cancel does not", async () => {
    const repo = await newRepo();
    const both = await Promise.all([outcome(repo), outcome(repo)]);
    expect(both.sort()).toEqual([
      [200, ""],
      [400, "PLAN_OPEN"],
    ]);
    expect(await outcome(`${repo}?validate_only=true`)).toEqual([400, "PLAN_OPEN"]);
    const { body } = await ask(`?uidp.children_of=${repo}`);
    await change(body.expiryPlans[0].uid, token, "cancel");
    expect(await outcome(repo)).toEqual([200, ""]);
  });
});

describe("in each state", () => {
  const states: Record<string, () => Promise<string>> = {
    ready: () => make(),
    "waiting for approval": () => make({ approval: true }),
    done: makeDone,
    canceled: async () => {
      const plan = await make();
      await change(plan, token, "cancel");
      return plan;
    },
    undone: async () => {
      const plan = await makeDone();
      await change(plan, token, "undo");
      return plan;
    },
  };
  const wrong = [400, "PLAN_STATE"];
  const fine = [200, ""];
  const nothing = [400, "NOTHING_TO_UNDO"];
  test.each([
    ["ready", wrong, fine, fine, nothing],
    ["waiting for approval", fine, wrong, fine, nothing],
    ["done", wrong, wrong, wrong, fine],
    ["canceled", wrong, wrong, wrong, nothing],
    ["undone", wrong, wrong, wrong, wrong],
  ])("%s, a plan allows what follows it", async (state, approve, carryOut, cancel, undo) => {
    const plan = await states[state]?.();
    const repo = repoOf(plan ?? "");
    const before = await rowsOf(repo);
    const expected = Object.entries({ approve, carryOut, cancel, undo });
    for (const [method, result] of expected)
      expect([method, await outcome(`${plan}:${method}`, { validateOnly: true }, other)]).toEqual([
        method,
        result,
      ]);
    expect(await rowsOf(repo)).toEqual(before);
    for (const [method, result] of expected) {
      if (result !== fine) expect(await outcome(`${plan}:${method}`, {}, other)).toEqual(result);
    }
    expect(await rowsOf(repo)).toEqual(before);
    for (const [method, result] of expected) {
      const again = await states[state]?.();
      if (result === fine) expect(await outcome(`${again}:${method}`, {}, other)).toEqual(fine);
    }
  });
});

test("the maker of a plan cannot approve it, and another person can, once", async () => {
  const plan = await make({ approval: true });
  expect(await outcome(`${plan}:approve`)).toEqual([400, "OWN_PLAN"]);
  const both = await Promise.all([1, 2].map(() => outcome(`${plan}:approve`, {}, other)));
  expect(both.map(([status]) => status)).toContain(200);
  expect(both.filter(([status]) => status === 200)).toHaveLength(1);
  expect((await ask(plan)).body).toMatchObject({ state: "EXPIRY_PLAN_STATE_READY" });
  expect(await outcome(`${plan}:carryOut`)).toEqual([200, ""]);
});

test("a call that only validates returns the counts of the plan, and stores nothing", async () => {
  const repo = await newRepo();
  const before = await rowsOf(repo);
  const { body } = await ask(`${repo}?validate_only=true`, {});
  expect(body).toMatchObject({ tagCount: 1, state: "EXPIRY_PLAN_STATE_READY" });
  expect(body.uid).toBeUndefined();
  expect(await rowsOf(repo)).toEqual(before);
});

describe("a list", () => {
  test("has the plans of a repository, the newest first, in pages, in either order", async () => {
    const repo = await newRepo();
    const made: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      const { body } = await ask(repo, { description: `plan ${at}` });
      made.push(body.uid);
      await change(body.uid, token, "cancel");
    }
    const query = `?uidp.children_of=${repo}&page_size=2`;
    const read = async (order: string) => {
      const first = (await ask(`${query}${order}`)).body;
      const second = (await ask(`${query}${order}&page_token=${first.nextPageToken}`)).body;
      expect([first.totalCount, second.nextPageToken]).toEqual(["3", undefined]);
      return [...first.expiryPlans, ...second.expiryPlans].map(({ uid }) => uid);
    };
    expect(await read("")).toEqual(made.toReversed());
    expect(await read("&order_by=create_time%20asc")).toEqual(made);
    expect(await read("&order_by=uid")).toEqual([...made].sort());
    expect((await ask(`${query}&order_by=state`)).status).toBe(400);
    const below = (await ask(`?uidp.descendants_of=${organization.uid}&page_size=200`)).body;
    expect(below.expiryPlans.map(({ uid }: { uid: string }) => uid)).toEqual(
      expect.arrayContaining(made),
    );
  });

  test("of the items has each once, in their order, also of one outcome, and takes no token of another plan", async () => {
    const names = Array.from({ length: 5 }, (_, at) => `old-${at}`);
    const repo = await newRepo();
    const [{ name = "" } = {}] = await sql<{ name: string }>(
      "select name from repos where uid = ?",
      repo,
    );
    const digest = `sha256:${"1".repeat(64)}`;
    const moves = names.map((tag) => ({
      repo: name,
      tag,
      digest,
      updateTime: "2026-01-01T00:00:00Z",
    }));
    await createResource(`/registry/v2/tagMoves/${organization.uid}:import`, token, { moves });
    await createResource(`/registry/v2/tagRules/${repo}`, token, {
      name: "more",
      includeTags: ["old-*"],
      expire: { unmovedDays: 30 },
    });
    const { body: plan } = await ask(repo, {});
    const page = async (query: string) => (await ask(`${plan.uid}:items?page_size=2${query}`)).body;
    const tags: string[] = [];
    let next = "";
    do {
      const body = await page(`&page_token=${next}`);
      expect(body.items.length).toBeLessThanOrEqual(2);
      tags.push(...body.items.map(({ tag }: { tag: string }) => tag));
      next = body.nextPageToken;
    } while (next);
    expect(tags).toEqual(
      (await ask(`${plan.uid}:items`)).body.items.map(({ tag }: { tag: string }) => tag),
    );
    expect([...tags].sort()).toEqual(["old", ...names]);
    expect((await page("&outcome=EXPIRY_OUTCOME_DELETED")).items ?? []).toEqual([]);
    expect((await page("&outcome=EXPIRY_OUTCOME_PLANNED")).items).toHaveLength(2);
    const { nextPageToken } = await page("");
    const foreign = await ask(`${await make()}:items?page_size=2&page_token=${nextPageToken}`);
    const filtered = await ask(
      `${plan.uid}:items?page_size=2&outcome=EXPIRY_OUTCOME_PLANNED&page_token=${nextPageToken}`,
    );
    expect([foreign.status, filtered.status]).toEqual([400, 400]);
  });
});

describe("a role", () => {
  test.each([
    ["owner", true],
    ["editor", false],
    ["viewer", false],
    ["registry.pull", false],
    ["registry.push", false],
  ])("%s may read plans, and may write them: %s", async (role, writes) => {
    const { token: as } = await newIdentity(organization, role);
    const allowed = writes ? 200 : 403;
    const status = async (path: string, body?: object) => (await ask(path, body, as)).status;
    const waiting = await make({ approval: true });
    expect([await status(waiting), await status(`${waiting}:items`)]).toEqual([200, 200]);
    const { body } = await ask(`?uidp.children_of=${repoOf(waiting)}`, undefined, as);
    expect(body.expiryPlans).toHaveLength(1);
    expect(await status(`${waiting}:approve`, {})).toBe(allowed);
    expect(await status(`${waiting}:cancel`, {})).toBe(allowed);
    expect(await status(await newRepo(), {})).toBe(allowed);
    const ready = await make();
    expect(await status(`${ready}:carryOut`, {})).toBe(allowed);
    if (!writes) await change(ready, token, "carryOut");
    expect(await status(`${ready}:undo`, {})).toBe(allowed);
  });
});
