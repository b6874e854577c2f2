/** One real change by every RPC of version 1 about groups that has an event. */
import { make, randomName } from "../world/personas.ts";
import { namedV1, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const path = "/iam/v1/groups";

const newGroup = async ({ organization, token }: Stock): Promise<string> =>
  (await make(`${path}/${organization.uid}`, token, { name: randomName("group") })).id as string;

export const groupV1Changes: Record<string, OwnChange> = {
  "iam.Groups/Create": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, group: { name: randomName("group"), description: "d" } },
    }),
    group: "self",
    async conflict(stock) {
      const name = randomName("twin");
      await make(`${path}/${stock.organization.uid}`, stock.token, { name });
      return { parent: stock.organization.uid, group: { name } };
    },
  },
  "iam.Groups/Update": {
    prepare: async (stock) => ({
      request: { id: await newGroup(stock), name: randomName("group"), description: "changed" },
    }),
    group: "self",
    async conflict(stock) {
      const name = randomName("twin");
      await make(`${path}/${stock.organization.uid}`, stock.token, { name });
      return { id: stock.group, name };
    },
  },
  "iam.Groups/Delete": {
    prepare: async (stock) => namedV1(await newGroup(stock)),
    conflict: ({ organization }) => ({ id: organization.uid }),
  },
};
