/** A repository whose old tag expires, for tests that need a plan of any kind. */
import { createResource, fakeDigest, randomName } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";

const longAgo = "2026-01-01T00:00:00.000Z";

/** Creates the repository in a group, with a rule and one tag that it lets expire. Returns the uid. */
export async function newExpiringRepo(
  group: string,
  token: string,
  conditions: object = {},
): Promise<string> {
  const name = randomName("expiring");
  const { uid } = await createResource(`/registry/v2/repos/${group}`, token, { name });
  const move = { repo: name, tag: "old", digest: fakeDigest("old"), updateTime: longAgo };
  await createResource(`/registry/v2/tagMoves/${group}:import`, token, { moves: [move] });
  await createResource(`/registry/v2/tagRules/${uid}`, token, {
    name: "builds",
    includeTags: ["old"],
    expire: { unmovedDays: 30, ...conditions },
  });
  return uid;
}

/** Makes a plan a minute older. All pulls are then known, so that it can be carried out. */
export const waitForPulls = (plan: string) =>
  sql(
    "update expiry_plans set create_time = create_time - 60000, pulls_known_time = 1 where uid = ?",
    plan,
  );

/** Makes a plan for such a repository, as if a minute ago. Returns the uid of the plan. */
export async function newPlan(group: string, token: string, conditions = {}): Promise<string> {
  const repo = await newExpiringRepo(group, token, conditions);
  const { uid } = await createResource(`/registry/v2/expiryPlans/${repo}`, token, {});
  await waitForPulls(uid);
  return uid;
}

/** Calls a method of a plan, which must succeed. */
export const change = (plan: string, token: string, method: string) =>
  createResource(`/registry/v2/expiryPlans/${plan}:${method}`, token, {});
