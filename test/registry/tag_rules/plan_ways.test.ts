/** Expiry plans ask the rules that keep tags, of each kind: also rules that are newer than the plan. */
import { expect, test } from "vitest";
import { createResource, randomName } from "../../world/personas.ts";
import { AgedRepo } from "../expiry/aged_repo.ts";

/** Rules that keep `v1`. `refusesUndo` says whether they also refuse to set it to the image that it had. */
const rules: Record<string, { keep: object; refusesUndo: boolean }> = {
  "write once": { keep: { writeOnce: true }, refusesUndo: false },
  "forward by version": { keep: { forward: "FORWARD_ORDER_VERSION" }, refusesUndo: false },
  "a role that no one has": { keep: { roleUid: "" }, refusesUndo: true },
  promotion: { keep: { promotion: { from: "staging-*", hours: 1 } }, refusesUndo: true },
  requirement: { keep: { requirement: { sbom: true } }, refusesUndo: true },
};

/** A repository with the tags `v1` and `w1`, which have not moved for 60 days and expire after 30. */
async function newRepo(): Promise<AgedRepo> {
  const repo = await AgedRepo.create();
  for (const tag of ["v1", "w1"]) await repo.tag((await repo.image()).digest, tag, 60);
  await repo.rule({ expire: { unmovedDays: 30 } }, { includeTags: ["*1"] });
  return repo;
}

async function keepV1({ organization, token }: AgedRepo, keep: object): Promise<void> {
  const role = { name: randomName("role"), capabilities: ["CAP_REPO_LIST"] };
  const held =
    "roleUid" in keep
      ? { roleUid: (await createResource(`/iam/v2/roles/${organization}`, token, role)).uid }
      : keep;
  const rule = { name: "kept", includeTags: ["v1"], keep: held };
  await createResource(`/registry/v2/tagRules/${organization}`, token, rule);
}

const outcomes = async (repo: AgedRepo, plan: string) =>
  (await repo.items(plan)).flatMap(({ tag, outcome, note }) => (tag ? [[tag, outcome, note]] : []));

const cases = Object.entries(rules);

test.each(cases)("a plan has no tag that a rule of the kind %s keeps", async (_, { keep }) => {
  const repo = await newRepo();
  await keepV1(repo, keep);
  const { uid, items } = await repo.plan();
  expect(items.flatMap(({ tag = [] }) => tag)).toEqual(["w1"]);
  await repo.carryOut(uid);
  expect([await repo.pull("v1"), await repo.pull("w1")]).toEqual([200, 404]);
});

test.each(cases)(
  "a rule of the kind %s that is newer than the plan keeps its tag",
  async (_, { keep }) => {
    const repo = await newRepo();
    const { uid } = await repo.plan();
    await keepV1(repo, keep);
    await repo.carryOut(uid);
    expect(await outcomes(repo, uid)).toEqual([
      ["v1", "EXPIRY_OUTCOME_LEFT", expect.stringContaining('the rule "kept"')],
      ["w1", "EXPIRY_OUTCOME_DELETED", undefined],
    ]);
    expect([await repo.pull("v1"), await repo.pull("w1")]).toEqual([200, 404]);
  },
);

test.each(cases)(
  "an undo obeys a rule of the kind %s that is newer",
  async (_, { keep, refusesUndo }) => {
    const repo = await newRepo();
    const { uid } = await repo.plan();
    await repo.carryOut(uid);
    await keepV1(repo, keep);
    await repo.undo(uid);
    const v1 = refusesUndo
      ? ["v1", "EXPIRY_OUTCOME_NOT_RESTORED", expect.stringContaining('the rule "kept"')]
      : ["v1", "EXPIRY_OUTCOME_RESTORED", undefined];
    expect(await outcomes(repo, uid)).toEqual([v1, ["w1", "EXPIRY_OUTCOME_RESTORED", undefined]]);
    expect([await repo.pull("v1"), await repo.pull("w1")]).toEqual([refusesUndo ? 404 : 200, 200]);
  },
);
