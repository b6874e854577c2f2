/** One real change for every RPC of trust policies. A scope has room for ten, so each change has a group of its own. */
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { creation, makeStandard } from "../standard.ts";
import { deleteOf, type OwnChange } from "./change.ts";

const service = "TrustPoliciesService";

const newGroup = async ({ organization, token }: Fixtures): Promise<string> =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("group") }))
    .uid;

const make = async (fixtures: Fixtures) =>
  makeStandard(service, await newGroup(fixtures), fixtures.token);

export const trustPolicyChanges: Record<string, OwnChange> = {
  [`${service}/CreateTrustPolicy`]: {
    prepare: async (fixtures) => ({ request: creation(service, await newGroup(fixtures))[1] }),
    async conflict(fixtures) {
      const group = await newGroup(fixtures);
      const { name } = await makeStandard(service, group, fixtures.token);
      return creation(service, group, { name })[1];
    },
  },
  [`${service}/UpdateTrustPolicy`]: {
    prepare: async (fixtures) => ({
      request: { trustPolicy: { uid: (await make(fixtures)).uid, description: "changed" } },
    }),
    async conflict(fixtures) {
      const group = await newGroup(fixtures);
      const one = await makeStandard(service, group, fixtures.token);
      const other = await makeStandard(service, group, fixtures.token);
      return { trustPolicy: { uid: one.uid, name: other.name } };
    },
  },
  [`${service}/DeleteTrustPolicy`]: {
    prepare: async (fixtures) => deleteOf((await make(fixtures)).uid),
  },
};
