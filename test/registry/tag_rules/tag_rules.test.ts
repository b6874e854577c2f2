/** The resource TagRule: its fields, its scopes, who may change it, and the rules that contradict each other. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

let organization: Organization;
let token: string;
let repo: string;
beforeAll(async () => {
  organization = await newOrganization("rules");
  ({ token } = organization.owner);
  repo = (await createResource(`/registry/v2/repos/${organization.uid}`, token, { name: "app" }))
    .uid;
});

const at = "/registry/v2/tagRules";
const newScope = async () =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("g") }))
    .uid;
const newRule = (parent: string, rule: object) =>
  callRest(`${at}/${parent}`, { token, body: { name: randomName("rule"), ...rule } });
const violations = (body: { details: { violations?: object[]; fieldViolations?: object[] }[] }) =>
  body.details.flatMap((one) => one.violations ?? one.fieldViolations ?? []);

test("a rule comes back as it was written, and can be changed and deleted", async () => {
  const rule = {
    name: "releases",
    description: "Releases stay",
    includeRepos: ["prod-*", "app"],
    excludeRepos: ["prod-test"],
    includeTags: ["v*"],
    excludeTags: ["*-rc*"],
    keep: { writeOnce: true },
  };
  const parent = await newScope();
  const made = await createResource(`${at}/${parent}`, token, rule);
  expect(made).toMatchObject(rule);
  expect(made.uid).toMatch(new RegExp(`^${parent}/[0-9a-f]{16}$`));
  const body = { keep: { forward: "FORWARD_ORDER_VERSION" }, excludeTags: [] };
  const changed = await callRest(`${at}/${made.uid}`, { method: "PATCH", token, body });
  const { uid, createTime } = made;
  const { excludeTags: _, ...kept } = rule;
  const { updateTime, etag, ...shown } = changed.body;
  expect(shown).toEqual({ ...kept, keep: body.keep, uid, createTime });
  expect([typeof updateTime, typeof etag]).toEqual(["string", "string"]);
  const read = await callRest(`${at}/${made.uid}`, { token });
  expect(read.body).toEqual(changed.body);
  const listed = await callRest(`${at}?uidp.childrenOf=${parent}`, { token });
  expect(listed.body.tagRules).toEqual([changed.body]);
  await callRest(`${at}/${made.uid}`, { method: "DELETE", token });
  expect((await callRest(`${at}/${made.uid}`, { token })).status).toBe(404);
});

test("the rules of a group and of its repositories are one list", async () => {
  const parent = await newScope();
  const { uid } = await createResource(`/registry/v2/repos/${parent}`, token, { name: "app" });
  const keep = { writeOnce: true };
  const rules = [
    (await newRule(parent, { keep })).body.uid,
    (await newRule(uid, { keep })).body.uid,
  ];
  const below = await callRest(`${at}?uidp.descendantsOf=${parent}&orderBy=create_time`, { token });
  expect(below.body.tagRules.map((rule: { uid: string }) => rule.uid)).toEqual(rules);
  expect(below.body.totalCount).toBe("2");
  const own = await callRest(`${at}?uidp.childrenOf=${uid}`, { token });
  expect(own.body.tagRules.map((rule: { uid: string }) => rule.uid)).toEqual([rules[1]]);
});

test("the rules of a repository go with it", async () => {
  const { uid } = await createResource(`/registry/v2/repos/${organization.uid}`, token, {
    name: randomName("app"),
  });
  const { body } = await newRule(uid, { keep: { writeOnce: true } });
  await callRest(`/registry/v2/repos/${uid}`, { method: "DELETE", token });
  expect((await callRest(`${at}/${body.uid}`, { token })).status).toBe(404);
});

describe("a rule is refused", () => {
  test.each<[string, object, string]>([
    ["without a kind", {}, "kind"],
    ["without a condition", { keep: {} }, "keep.condition"],
    ["with a condition that is false", { keep: { writeOnce: false } }, "keep.write_once"],
    ["with an unknown order", { keep: { forward: "FORWARD_ORDER_UNSPECIFIED" } }, "keep.forward"],
    ["with another role", { keep: { roleUid: "0".repeat(40) } }, "keep.role_uid"],
    ["with an empty requirement", { keep: { requirement: {} } }, "keep.requirement"],
    [
      "with another character in a pattern",
      { includeTags: ["v?"], keep: { writeOnce: true } },
      "include_tags[0]",
    ],
    [
      "with a period that is too long",
      { keep: { promotion: { from: "a*", hours: 8761 } } },
      "keep.promotion.hours",
    ],
  ])("%s", async (_, rule, field) => {
    const { status, body } = await newRule(organization.uid, rule);
    expect([status, violations(body)[0]]).toMatchObject([400, { field }]);
  });

  test("with patterns of repositories, if it belongs to one", async () => {
    const { status, body } = await newRule(repo, {
      includeRepos: ["a"],
      keep: { writeOnce: true },
    });
    expect([status, violations(body)[0]]).toMatchObject([400, { field: "include_repos" }]);
  });

  test("if the scope has a rule with its name, and allowed in another scope", async () => {
    const [parent, other] = [await newScope(), await newScope()];
    const rule = { name: "same", keep: { writeOnce: true } };
    expect((await newRule(parent, rule)).status).toBe(200);
    expect((await newRule(parent, rule)).status).toBe(409);
    expect((await newRule(other, rule)).status).toBe(200);
  });

  test("if it contradicts another rule of the scope, with both names", async () => {
    const parent = await newScope();
    const first = { name: "first", includeTags: ["v*"], keep: { writeOnce: true } };
    const { uid } = await createResource(`${at}/${parent}`, token, first);
    const keep = { forward: "FORWARD_ORDER_VERSION" };
    const second = { name: "second", includeTags: ["*1"], keep };
    const { status, body } = await newRule(parent, second);
    expect([status, violations(body)]).toMatchObject([
      400,
      [{ type: "CONTRADICTION", subject: uid }],
    ]);
    expect(body.message).toMatch(/"second" contradicts the rule "first"/);
    const apart = await createResource(`${at}/${parent}`, token, {
      ...second,
      includeTags: ["w1"],
    });
    const path = `${at}/${apart.uid}`;
    const moved = await callRest(path, { method: "PATCH", token, body: { includeTags: ["v1"] } });
    expect(moved.status).toBe(400);
    expect((await newRule(await newScope(), second)).status).toBe(200);
  });

  test("one of two that contradict each other and are created at the same time", async () => {
    const parent = await newScope();
    const orders = ["FORWARD_ORDER_VERSION", "FORWARD_ORDER_IMAGE_TIME"];
    const made = orders.map((forward) => newRule(parent, { keep: { forward } }));
    const statuses = (await Promise.all(made)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 400]);
  });
});

test("an editor reads rules and cannot change them, and a stranger sees none", async () => {
  const { body } = await newRule(organization.uid, {
    includeTags: ["editor"],
    keep: { writeOnce: true },
  });
  const editor = await newIdentity(organization, "editor");
  const asked = { token: editor.token };
  expect((await callRest(`${at}/${body.uid}`, asked)).status).toBe(200);
  expect((await callRest(`${at}/${body.uid}`, { ...asked, method: "DELETE" })).status).toBe(403);
  const stranger = (await newOrganization()).owner;
  expect((await callRest(`${at}/${body.uid}`, { token: stranger.token })).status).toBe(403);
});

describe("an owner overrides a rule with a reason", () => {
  const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
  const moveTo = (letter: string, asked: object, query = "") =>
    callRest(`/registry/v2/tags/${repo}${query}`, {
      ...{ token, body: { name: "held", digest: digest(letter) } },
      ...asked,
    });

  test("and the history and an event say so, but a pusher cannot", async () => {
    await moveTo("a", {});
    const { body: rule } = await newRule(repo, {
      includeTags: ["held"],
      keep: { writeOnce: true },
    });
    const query = "?overrideReason=urgent+fix";
    const pusher = await newIdentity(organization, "registry.push");
    expect((await moveTo("b", {})).status).toBe(400);
    expect((await moveTo("b", { token: pusher.token }, query)).status).toBe(400);
    expect((await moveTo("b", {}, query)).status).toBe(200);
    const moves = await callRest(`/registry/v2/tagMoves?uidp.childrenOf=${repo}&tag=held`, {
      token,
    });
    const shown = moves.body.tagMoves.map((move: Record<string, string>) => [
      ...[move.digest, move.overriddenRule, move.overrideReason],
    ]);
    expect(shown).toEqual([
      [digest("b"), rule.name, "urgent fix"],
      [digest("a"), undefined, undefined],
    ]);
    const path = `/events/v2/events?uidp.descendantsOf=${organization.uid}&tag=held`;
    const { events } = (await callRest(path, { token })).body;
    const isOverride = ({ type }: { type: string }) => type.endsWith(".tag.overridden.v1");
    const [event, ...others] = events.filter(isOverride);
    expect([others, event?.body]).toMatchObject([
      [],
      { tags: ["held"], tagRuleUid: rule.uid, tagRule: rule.name, overrideReason: "urgent fix" },
    ]);
    expect(event.body.refusal).toMatch(/can be set only once/);
  });

  test("a reason changes nothing where no rule refuses", async () => {
    const answer = await moveTo(
      "a",
      { body: { name: "free", digest: digest("a") } },
      "?overrideReason=x",
    );
    expect(answer.status).toBe(200);
    const moves = await callRest(`/registry/v2/tagMoves?uidp.childrenOf=${repo}&tag=free`, {
      token,
    });
    expect(moves.body.tagMoves[0].overrideReason).toBeUndefined();
    expect(await roleUid("owner")).toMatch(/^4e13/);
  });
});
