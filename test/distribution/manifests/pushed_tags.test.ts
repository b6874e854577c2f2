/** Pushes and deletions that a tag rule refuses, and the header by which an owner makes them anyway. */
import { beforeAll, describe, expect, test } from "vitest";
import {
  digestOfTag,
  keep,
  newRuledRepo,
  push,
  pushBlobs,
  type RuledRepo,
} from "../../registry/tag_rules/ruled_repo.ts";
import { newIdentity, newOrganization, type Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { type Image, manifestType, newImageOf, outcome, putManifest, send } from "../client.ts";
import { registryToken } from "../stored_images.ts";
import { eventsOf } from "../stored_rows.ts";

let organization: Organization;
/** Someone who may push and has no capability to override. */
let pusher: string;
beforeAll(async () => {
  organization = await newOrganization("pushes");
  pusher = await registryToken((await newIdentity(organization, "registry.push")).uid);
});

const writeOnce = { writeOnce: true };
const staging = { promotion: { from: "staging-*", hours: 1 } };

/** A repository whose tag `v1` points to an image, with the blobs of a second image. */
async function newPlace(condition: object) {
  const repo = await newRuledRepo(organization);
  const [first, second] = [newImageOf(), newImageOf()];
  await push(repo, first, "v1");
  await pushBlobs(repo, second);
  const rule = await keep(repo, condition, ["v*"]);
  return { repo, first, second, rule };
}

const put = ({ target }: RuledRepo, image: Image, headers: Record<string, string> = {}) =>
  send(target, "manifests/v1", {
    method: "PUT",
    body: image.text,
    headers: { "content-type": manifestType, ...headers },
  });

const reason = (text: string) => ({ "platform-override-reason": text });

const historyOf = async ({ uid, token }: RuledRepo) => {
  const path = `/registry/v2/tagMoves?uidp.childrenOf=${uid}&tag=v1`;
  const { body } = await callRest(path, { token });
  return body.tagMoves.map((move: Record<string, string>) => [
    ...[move.digest ?? "", move.overriddenRule, move.overrideReason],
  ]);
};

describe("a push that a rule refuses", () => {
  test.each([
    ["403 for a promotion", staging, 403, "no tag staging-* has pointed to the image for 1 hour"],
    ["409 for a tag that can be set once", writeOnce, 409, "it can be set only once"],
  ])("gets %s, with one line that says why", async (_, condition, status, why) => {
    const { repo, first, second, rule } = await newPlace(condition);
    const answer = await put(repo, second);
    expect(answer.status).toBe(status);
    const since = String(rule.updateTime).slice(0, 10);
    const message =
      `the rule "${rule.name}" of ${repo.name} keeps ${repo.name}:v1 since ${since}: ${why}; ` +
      `see platformctl tag-rules get ${rule.uid}`;
    const { errors } = (await answer.json()) as { errors: object[] };
    expect(errors).toEqual([expect.objectContaining({ code: "DENIED", message })]);
    expect(message).not.toContain("\n");
    expect(await digestOfTag(repo, "v1")).toBe(first.digest);
  });

  test("stores no manifest, and an event of the push with the refusal", async () => {
    const { repo, second, rule } = await newPlace(writeOnce);
    expect(await outcome(put(repo, second))).toEqual([409, "DENIED"]);
    expect((await send(repo.target, `manifests/${second.digest}`)).status).toBe(404);
    await expect
      .poll(async () => (await eventsOf(repo.target)).map(({ type, tag }) => `${type} ${tag}`))
      .toContain("dev.vendor.registry.push.v1 v1");
    await expect
      .poll(async () => {
        const events = (await eventsOf(repo.target)).filter(({ type }) => type.endsWith("push.v1"));
        return JSON.parse(events.at(-1)?.data ?? "{}").body.error;
      })
      .toEqual({
        ...{ status: 409, code: "DENIED" },
        message: expect.stringContaining(`the rule "${rule.name}"`),
      });
  });

  test("sets none of the tags of the request, also those that no rule is about", async () => {
    const { repo, first, second } = await newPlace(writeOnce);
    const path = `${second.digest}?tag=free&tag=v1`;
    expect(await outcome(putManifest(repo.target, path, second.text))).toEqual([409, "DENIED"]);
    expect([await digestOfTag(repo, "free"), await digestOfTag(repo, "v1")]).toEqual([
      undefined,
      first.digest,
    ]);
  });

  test("is accepted by digest, without a tag", async () => {
    const { repo, second } = await newPlace(writeOnce);
    const answer = await putManifest(repo.target, second.digest, second.text);
    expect(answer.status).toBe(201);
  });
});

test.each([
  ["write once", writeOnce],
  ["promotion", staging],
  ["a requirement", { requirement: { sbom: true } }],
])("a push of the digest that the tag has is accepted: %s", async (_, condition) => {
  const { repo, first } = await newPlace(condition);
  for (const _ of [1, 2]) expect((await put(repo, first)).status).toBe(201);
  expect(await historyOf(repo)).toHaveLength(1);
});

describe("the header Platform-Override-Reason", () => {
  test.each([
    ["409", writeOnce],
    ["403", staging],
  ])("lets an owner push what gets %s, and the history says so", async (_, condition) => {
    const { repo, first, second, rule } = await newPlace(condition);
    expect((await put(repo, second, reason("urgent fix"))).status).toBe(201);
    expect(await digestOfTag(repo, "v1")).toBe(second.digest);
    expect(await historyOf(repo)).toEqual([
      [second.digest, rule.name, "urgent fix"],
      [first.digest, undefined, undefined],
    ]);
    const events = await eventsOf(repo.target);
    const overrides = events.filter(({ type }) => type.endsWith(".tag.overridden.v1"));
    expect(overrides.map(({ tag, data }) => [tag, JSON.parse(data).body])).toMatchObject([
      ["v1", { tags: ["v1"], tagRuleUid: rule.uid, overrideReason: "urgent fix" }],
    ]);
  });

  test("lets an owner delete a kept tag, and its manifest", async () => {
    for (const reference of ["v1", ""]) {
      const { repo, first, rule } = await newPlace(writeOnce);
      const path = `manifests/${reference || first.digest}`;
      const remove = (headers = {}) => send(repo.target, path, { method: "DELETE", headers });
      expect(await outcome(remove())).toEqual([409, "DENIED"]);
      expect((await remove(reason("gone"))).status).toBe(202);
      expect(await historyOf(repo)).toEqual([
        ["", rule.name, "gone"],
        [first.digest, undefined, undefined],
      ]);
    }
  });

  test("counts only with the capability tag.override", async () => {
    const { repo, first, second } = await newPlace(writeOnce);
    const theirs = { ...repo, target: { ...repo.target, token: pusher } };
    expect(await outcome(put(theirs, second, reason("urgent fix")))).toEqual([409, "DENIED"]);
    expect(await digestOfTag(repo, "v1")).toBe(first.digest);
  });

  test("has at most 512 characters", async () => {
    const { repo, second } = await newPlace(writeOnce);
    const [status] = await outcome(put(repo, second, reason("x".repeat(513))));
    expect(status).toBe(400);
    expect((await put(repo, second, reason("x".repeat(512)))).status).toBe(201);
  });

  test("changes nothing if it is empty, and if no rule refuses", async () => {
    const { repo, first, second } = await newPlace(writeOnce);
    expect(await outcome(put(repo, second, reason("  ")))).toEqual([409, "DENIED"]);
    expect((await put(repo, first, reason("again"))).status).toBe(201);
    expect(await historyOf(repo)).toEqual([[first.digest, undefined, undefined]]);
  });
});
