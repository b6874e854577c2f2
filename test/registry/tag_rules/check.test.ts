/** CheckTag says what the change then does, and changes nothing. */
import { beforeAll, describe, expect, test } from "vitest";
import { newIdentity, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { digestOfTag, imageBuilt, keep, newRuledRepo, push, type RuledRepo } from "./ruled_repo.ts";

let organization: Organization;
beforeAll(async () => {
  organization = await newOrganization("check");
});

type Change = { moveTo: string } | { delete: true };

const ask = ({ uid, token }: RuledRepo, tag: string, change: object, as = token) =>
  callRest(`/registry/v2/tagRules/${uid}:check`, { token: as, body: { tag, ...change } });

/** The error of the change, or an empty text if it is made. */
async function make({ uid, token }: RuledRepo, tag: string, change: Change): Promise<string> {
  if ("moveTo" in change) {
    const body = { name: tag, digest: change.moveTo };
    const made = await callRest(`/registry/v2/tags/${uid}`, { token, body });
    return made.status === 200 ? "" : made.body.message;
  }
  const listed = await callRest(`/registry/v2/tags?uidp.childrenOf=${uid}&name=${tag}`, { token });
  const path = `/registry/v2/tags/${listed.body.tags[0].uid}`;
  const made = await callRest(path, { method: "DELETE", token });
  return made.status === 200 ? "" : made.body.message;
}

/** A repository with two images, of which the tag `v1` points to the first. The second one is older. */
async function newPlace() {
  const repo = await newRuledRepo(organization);
  const [first, second] = [imageBuilt("2026-02-01T00:00:00Z"), imageBuilt("2026-01-01T00:00:00Z")];
  await push(repo, first, "v1");
  await push(repo, second, "1.0.0");
  return { repo, first: first.digest, second: second.digest };
}

const conditions: [string, object | undefined][] = [
  ["no rule", undefined],
  ["write once", { writeOnce: true }],
  ["forward by version", { forward: "FORWARD_ORDER_VERSION" }],
  ["forward by time", { forward: "FORWARD_ORDER_IMAGE_TIME" }],
  ["promotion", { promotion: { from: "1.*", hours: 0 } }],
  ["promotion after an hour", { promotion: { from: "1.*", hours: 1 } }],
  ["a requirement", { requirement: { label: { name: "team", value: "a" } } }],
  [
    "a requirement that allows it",
    { requirement: { noFindings: { minSeverity: "FINDING_SEVERITY_LOW", allowUnknown: true } } },
  ],
];
const changes: [string, string, (place: { first: string; second: string }) => Change][] = [
  ["a move", "v1", ({ second }) => ({ moveTo: second })],
  ["a move to where it is", "v1", ({ first }) => ({ moveTo: first })],
  ["a new tag", "v2", ({ second }) => ({ moveTo: second })],
  ["a deletion", "v1", () => ({ delete: true })],
];
const rows = conditions.flatMap(([name, condition]) =>
  changes.map(([what, tag, change]) => ({ title: `${name}, ${what}`, condition, tag, change })),
);

test.each(rows)("it says what the change then does: $title", async ({ condition, tag, change }) => {
  const { repo, ...digests } = await newPlace();
  const rule = condition && (await keep(repo, condition, ["v*"]));
  const asked = change(digests);
  const before = await digestOfTag(repo, tag);
  const { status, body } = await ask(repo, tag, asked);
  expect([status, body.currentDigest]).toEqual([200, before]);
  expect(await digestOfTag(repo, tag)).toBe(before);
  const error = await make(repo, tag, asked);
  const { allowed = false, overridable = false, reason, tagRuleUid } = body;
  expect({ allowed, overridable }).toEqual({ allowed: error === "", overridable: error !== "" });
  if (error !== "")
    expect([error, tagRuleUid]).toEqual([expect.stringContaining(reason), rule?.uid]);
});

describe("the reason", () => {
  test("without a rule, and for a rule that allows it", async () => {
    const { repo, second } = await newPlace();
    expect((await ask(repo, "v2", { moveTo: second })).body).toEqual({
      ...{ allowed: true, overridable: false, reason: "no rule is about it" },
    });
    const rule = await keep(repo, { writeOnce: true }, ["v*"]);
    expect((await ask(repo, "v2", { moveTo: second })).body).toEqual({
      ...{ allowed: true, overridable: false, tagRuleUid: rule.uid, reason: "the rule allows it" },
    });
  });

  test("of a refusal names the rule, its scope, why, since when and the command", async () => {
    const { repo, second } = await newPlace();
    const rule = await keep(repo, { writeOnce: true }, ["v*"]);
    const { reason } = (await ask(repo, "v1", { moveTo: second })).body;
    const date = String(rule.updateTime).slice(0, 10);
    expect(reason).toBe(
      `the rule "${rule.name}" of ${repo.name} keeps ${repo.name}:v1 since ${date}: it can be set only once; ` +
        `see platformctl tag-rules get ${rule.uid}`,
    );
  });
});

test("someone without the capability to override gets the same answer, and cannot override", async () => {
  const { repo, second } = await newPlace();
  await keep(repo, { writeOnce: true }, ["v*"]);
  const editor = (await newIdentity(organization, "editor")).token;
  const [own, theirs] = [
    await ask(repo, "v1", { moveTo: second }),
    await ask(repo, "v1", { moveTo: second }, editor),
  ];
  expect(own.body).toMatchObject({ allowed: false, overridable: true });
  expect(theirs.body).toEqual({ ...own.body, overridable: false });
});

test("a role of the caller counts, and not that of another one", async () => {
  const { repo, second } = await newPlace();
  const roles = await callRest("/iam/v2/roles?name=owner", { token: repo.token });
  const [owner] = roles.body.roles.filter(({ uid }: { uid: string }) => uid.length === 40);
  await keep(repo, { roleUid: owner.uid }, ["v*"]);
  const editor = (await newIdentity(organization, "editor")).token;
  expect((await ask(repo, "v1", { moveTo: second })).body.allowed).toBe(true);
  const { body } = await ask(repo, "v1", { moveTo: second }, editor);
  expect(body.allowed).toBe(false);
  expect(body.reason).toContain("only identities with the role owner may change it");
});

test("a repository that does not exist, bad requests and strangers are refused", async () => {
  const { repo, second } = await newPlace();
  const stranger = (await newOrganization()).owner.token;
  const gone = { ...repo, uid: `${organization.uid}/0000000000000000` };
  const statuses = [
    await ask(gone, "v1", { moveTo: second }),
    await ask(repo, "v1", {}),
    await ask(repo, "v1", { delete: false }),
    await ask(repo, "v1", { moveTo: "latest" }),
    await ask(repo, "-", { moveTo: second }),
    await ask(repo, "v1", { moveTo: second }, stranger),
  ].map(({ status }) => status);
  expect(statuses).toEqual([404, 400, 400, 400, 400, 403]);
});
