/** One real change by every RPC of account associations and terms that has an event. */
import { make, randomName } from "../world/personas.ts";
import { named, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const newGroup = async ({ organization, token }: Stock) =>
  (await make(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("group") })).uid;

const amazon = { account: "123456789012" };

async function newAssociated(stock: Stock): Promise<string> {
  const group = await newGroup(stock);
  await make(`/iam/v2/accountAssociations/${group}`, stock.token, { name: "clouds", amazon });
  return group;
}

/** By the RPC's name. */
export const accountChanges: Record<string, OwnChange> = {
  "AccountAssociationsService/CreateAccountAssociation": {
    group: "self",
    prepare: async (stock) => ({
      request: { parent: await newGroup(stock), accountAssociation: { name: "clouds", amazon } },
    }),
    conflict: ({ accountAssociation: parent }) => ({
      parent,
      accountAssociation: { name: "clouds", amazon },
    }),
  },
  "AccountAssociationsService/UpdateAccountAssociation": {
    group: "self",
    prepare: async (stock) => ({
      request: {
        accountAssociation: { uid: await newAssociated(stock), description: "changed" },
      },
    }),
  },
  "AccountAssociationsService/DeleteAccountAssociation": {
    group: "self",
    prepare: async (stock) => named(await newAssociated(stock)),
    body: () => undefined,
    bodyType: "",
    idle: async (stock) => ({ uid: await newGroup(stock) }),
  },
  "TermsService/AcceptTerms": {
    prepare: async (stock) => {
      const subject = await newGroup(stock);
      return { request: { group: subject, documentIds: ["sfdpa.v1"] }, subject };
    },
    group: "self",
    idle: async (stock) => {
      const group = await newGroup(stock);
      const documentIds = ["sfdpa.v1"];
      await make(`/iam/v2/terms/${group}`, stock.token, { documentIds });
      return { group, documentIds };
    },
  },
};
