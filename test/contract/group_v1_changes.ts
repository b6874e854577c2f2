/** One real change by every RPC of version 1 about groups that has an event. */
import { make, randomName } from "../world/personas.ts";
import { type Change, namedV1 } from "./change.ts";
import type { Stock } from "./stock.ts";

const path = "/iam/v1/groups";

const newGroup = async ({ organization, token }: Stock): Promise<string> =>
  (await make(`${path}/${organization.uid}`, token, { name: randomName("group") })).id as string;

export const groupV1Changes: Record<string, Change> = {
  "iam.Groups/Create": {
    prepare: ({ organization }) => ({
      request: { parent: organization.uid, group: { name: randomName("group"), description: "d" } },
    }),
    type: "api.iam.group.created.v1",
    source: path,
    group: "self",
    body: "answer",
    bodyType: "platform.iam.Group",
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
    type: "api.iam.group.updated.v1",
    source: path,
    group: "self",
    body: "answer",
    bodyType: "platform.iam.Group",
    async conflict(stock) {
      const name = randomName("twin");
      await make(`${path}/${stock.organization.uid}`, stock.token, { name });
      return { id: stock.group, name };
    },
  },
  "iam.Groups/Delete": {
    prepare: async (stock) => namedV1(await newGroup(stock)),
    type: "api.iam.group.deleted.v1",
    source: path,
    group: "parent",
    body: "request",
    bodyType: "platform.iam.DeleteGroupRequest",
    conflict: ({ organization }) => ({ id: organization.uid }),
  },
};
