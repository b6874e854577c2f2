/** One real change for every RPC of account associations and terms that has an event. */
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOf, type OwnChange } from "./change.ts";

const newGroup = async ({ organization, token }: Fixtures) =>
  (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: randomName("group") }))
    .uid;

const amazon = { account: "123456789012" };

async function newAssociated(fixtures: Fixtures): Promise<string> {
  const group = await newGroup(fixtures);
  await createResource(`/iam/v2/accountAssociations/${group}`, fixtures.token, {
    name: "clouds",
    amazon,
  });
  return group;
}

/** By the name of the RPC. */
export const accountChanges: Record<string, OwnChange> = {
  "AccountAssociationsService/CreateAccountAssociation": {
    group: "self",
    prepare: async (fixtures) => ({
      request: { parent: await newGroup(fixtures), accountAssociation: { name: "clouds", amazon } },
    }),
    conflict: ({ accountAssociation: parent }) => ({
      parent,
      accountAssociation: { name: "clouds", amazon },
    }),
  },
  "AccountAssociationsService/UpdateAccountAssociation": {
    group: "self",
    prepare: async (fixtures) => ({
      request: {
        accountAssociation: { uid: await newAssociated(fixtures), description: "changed" },
      },
    }),
  },
  "AccountAssociationsService/DeleteAccountAssociation": {
    group: "self",
    prepare: async (fixtures) => deleteOf(await newAssociated(fixtures)),
    body: () => undefined,
    bodyType: "",
    idle: async (fixtures) => ({ uid: await newGroup(fixtures) }),
  },
  "TermsService/AcceptTerms": {
    prepare: async (fixtures) => {
      const subject = await newGroup(fixtures);
      return { request: { group: subject, documentIds: ["sfdpa.v1"] }, subject };
    },
    group: "self",
    idle: async (fixtures) => {
      const group = await newGroup(fixtures);
      const documentIds = ["sfdpa.v1"];
      await createResource(`/iam/v2/terms/${group}`, fixtures.token, { documentIds });
      return { group, documentIds };
    },
  },
};
