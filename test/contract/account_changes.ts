/** One real change by every RPC of account associations and terms that has an event. */
import { make, randomName } from "../world/personas.ts";
import { type Change, named } from "./change.ts";
import type { Stock } from "./stock.ts";

const newGroup = async ({ organization, token }: Stock) =>
  (await make(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("group") })).uid;

const amazon = { account: "123456789012" };

async function newAssociated(stock: Stock): Promise<string> {
  const group = await newGroup(stock);
  await make(`/iam/v2/accountAssociations/${group}`, stock.token, { name: "clouds", amazon });
  return group;
}

const common = { source: "/iam/v2/accountAssociations", group: "self" } as const;
const bodyType = "platform.iam.v2.AccountAssociation";

/** By the RPC's name. */
export const accountChanges: Record<string, Change> = {
  "AccountAssociationsService/CreateAccountAssociation": {
    ...common,
    prepare: async (stock) => ({
      request: { parent: await newGroup(stock), accountAssociation: { name: "clouds", amazon } },
    }),
    type: "api.iam.account_associations.created.v1",
    body: "answer",
    bodyType,
    conflict: ({ accountAssociation: parent }) => ({
      parent,
      accountAssociation: { name: "clouds", amazon },
    }),
  },
  "AccountAssociationsService/UpdateAccountAssociation": {
    ...common,
    prepare: async (stock) => ({
      request: {
        accountAssociation: { uid: await newAssociated(stock), description: "changed" },
      },
    }),
    type: "api.iam.account_associations.updated.v1",
    body: "answer",
    bodyType,
  },
  "AccountAssociationsService/DeleteAccountAssociation": {
    ...common,
    prepare: async (stock) => named(await newAssociated(stock)),
    type: "api.iam.account_associations.deleted.v1",
    body: () => undefined,
    bodyType: "",
    idle: async (stock) => ({ uid: await newGroup(stock) }),
  },
  "TermsService/AcceptTerms": {
    prepare: async (stock) => {
      const subject = await newGroup(stock);
      return { request: { group: subject, documentIds: ["sfdpa.v1"] }, subject };
    },
    type: "api.iam.terms.accepted.v1",
    source: "/iam/v2/terms",
    group: "self",
    body: "answer",
    bodyType: "platform.iam.v2.AcceptTermsResponse",
    idle: async (stock) => {
      const group = await newGroup(stock);
      const documentIds = ["sfdpa.v1"];
      await make(`/iam/v2/terms/${group}`, stock.token, { documentIds });
      return { group, documentIds };
    },
  },
};
