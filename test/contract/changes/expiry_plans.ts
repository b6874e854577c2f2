/** One real change for every RPC of expiry plans. */
import { change, newExpiringRepo, newPlan } from "../../registry/expiry/expiring_repo.ts";
import type { Fixtures } from "../fixtures.ts";
import type { OwnChange } from "./change.ts";

const make = ({ organization, token }: Fixtures, conditions = {}) =>
  newPlan(organization.uid, token, conditions);

/** A plan that has deleted its tag. */
async function makeDone(fixtures: Fixtures): Promise<string> {
  const uid = await make(fixtures);
  await change(uid, fixtures.token, "carryOut");
  return uid;
}

export const expiryPlanChanges: Record<string, OwnChange> = {
  "ExpiryPlansService/CreateExpiryPlan": {
    prepare: async ({ organization, token }) => ({
      request: {
        parent: await newExpiringRepo(organization.uid, token),
        expiryPlan: { description: "Old builds" },
      },
    }),
    group: "grandparent",
    conflict: async (fixtures) => ({ parent: (await make(fixtures)).slice(0, -17) }),
  },
  "ExpiryPlansService/ApproveExpiryPlan": {
    prepare: async (fixtures) => ({ request: { uid: await make(fixtures, { approval: true }) } }),
    group: "grandparent",
    conflict: async (fixtures) => ({ uid: await make(fixtures) }),
  },
  "ExpiryPlansService/CarryOutExpiryPlan": {
    prepare: async (fixtures) => ({ request: { uid: await make(fixtures) } }),
    group: "grandparent",
    alsoEmits: ["api.platform.registry.tag.deleted.v1"],
    conflict: async (fixtures) => ({ uid: await make(fixtures, { approval: true }) }),
  },
  "ExpiryPlansService/CancelExpiryPlan": {
    prepare: async (fixtures) => ({ request: { uid: await make(fixtures) } }),
    group: "grandparent",
    conflict: async (fixtures) => ({ uid: await makeDone(fixtures) }),
  },
  "ExpiryPlansService/UndoExpiryPlan": {
    prepare: async (fixtures) => ({ request: { uid: await makeDone(fixtures) } }),
    group: "grandparent",
    alsoEmits: ["api.platform.registry.tag.created.v1"],
    conflict: async (fixtures) => ({ uid: await make(fixtures) }),
  },
};
