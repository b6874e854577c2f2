/** One real change for every RPC of version 1 about groups that has an event. */
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOfV1, type OwnChange } from "./change.ts";

const path = "/iam/v1/groups";

const newGroup = async ({ organization, token }: Fixtures): Promise<string> =>
  (await createResource(`${path}/${organization.uid}`, token, { name: randomName("group") }))
    .id as string;

export const groupV1Changes: Record<string, OwnChange> = {
  "iam.Groups/Create": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, group: { name: randomName("group"), description: "d" } },
    }),
    group: "self",
    async conflict(fixtures) {
      const name = randomName("twin");
      await createResource(`${path}/${fixtures.organization.uid}`, fixtures.token, { name });
      return { parent: fixtures.organization.uid, group: { name } };
    },
  },
  "iam.Groups/Update": {
    prepare: async (fixtures) => ({
      request: { id: await newGroup(fixtures), name: randomName("group"), description: "changed" },
    }),
    group: "self",
    async conflict(fixtures) {
      const name = randomName("twin");
      await createResource(`${path}/${fixtures.organization.uid}`, fixtures.token, { name });
      return { id: fixtures.group, name };
    },
  },
  "iam.Groups/Delete": {
    prepare: async (fixtures) => deleteOfV1(await newGroup(fixtures)),
    conflict: ({ organization }) => ({ id: organization.uid }),
  },
};
