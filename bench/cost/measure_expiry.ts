/** Measures the calls of expiry plans, for a repository with two tags that expire. */
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import { type BenchPlatform, letPullsBeKnown } from "../stage.ts";
import type { MeasuringCaller } from "./caller.ts";
import { fixtures } from "./fixtures.ts";
import { pageSize } from "./lists.ts";

const of = "registry.v2.ExpiryPlansService";
const batches = { name: "of two tags", kind: "batches" } as const;

/** Creates the repository, and the rule about its tags. */
async function newRepo(caller: MeasuringCaller): Promise<string> {
  const repo = { name: "expiring" };
  const made = await caller.ask("registry.v2.ReposService/CreateRepo", {
    parent: fixtures.group,
    repo,
  });
  const digest = `sha256:${"e".repeat(64)}`;
  const moves = ["one", "two"].map((tag) => ({
    ...{ repo: repo.name, tag, digest, updateTime: "2020-01-01T00:00:00Z" },
  }));
  await caller.ask("registry.v2.TagMovesService/ImportTagMoves", {
    parent: fixtures.group,
    moves,
  });
  const parent = String(made.body?.uid);
  await caller.ask("registry.v2.TagRulesService/CreateTagRule", {
    parent,
    tagRule: { name: "builds", expire: { unmovedDays: 30, approval: true } },
  });
  return parent;
}

/** The token of another owner, who may approve plans. */
async function newApprover(platform: BenchPlatform, caller: MeasuringCaller): Promise<string> {
  const uid = "7".repeat(40);
  await platform.db
    .prepare(
      "insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'approver', 1, 1, 1)",
    )
    .bind(uid)
    .all();
  const groupInvite = { roleUid: OWNER_ROLE, ttl: "3600s" };
  const request = { parent: fixtures.group, groupInvite };
  const { body } = await caller.ask("iam.v2.GroupInvitesService/CreateGroupInvite", request);
  const token = await platform.tokenFor(uid);
  const accept = { code: body?.code };
  await caller.ask("iam.v2.GroupInvitesService/AcceptGroupInvite", accept, token);
  return token;
}

export async function measureExpiryPlans(
  platform: BenchPlatform,
  caller: MeasuringCaller,
): Promise<void> {
  const [parent, approver] = [await newRepo(caller), await newApprover(platform, caller)];
  const plan = async () =>
    (await caller.measure(`${of}/CreateExpiryPlan`, batches, { parent })).body.uid;
  await caller.write(`${of}/CancelExpiryPlan`, { uid: await plan() });
  const uid = await plan();
  await caller.get(`${of}/GetExpiryPlan`, { uid });
  await caller.get(`${of}/ListExpiryPlanItems`, { planUid: uid });
  const uidp = { descendantsOf: fixtures.root };
  const ofRoot = { kind: "list", pageSize, name: "of the root" } as const;
  await caller.measure(`${of}/ListExpiryPlans`, ofRoot, { uidp, pageSize });
  await caller.write(`${of}/ApproveExpiryPlan`, { uid }, "", approver);
  await letPullsBeKnown(platform, uid);
  await caller.measure(`${of}/CarryOutExpiryPlan`, batches, { uid });
  await caller.measure(`${of}/UndoExpiryPlan`, batches, { uid });
}
