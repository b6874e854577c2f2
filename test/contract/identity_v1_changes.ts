/** One real change by every RPC of version 1 about identities and account associations. */
import { make, randomName } from "../world/personas.ts";
import { namedV1, type OwnChange } from "./change.ts";
import type { Stock } from "./stock.ts";

const made = async (path: string, { token }: Stock, body: object) =>
  String((await make(path, token, body)).id);

const newBot = (stock: Stock) =>
  made(`/iam/v1/identities/${stock.organization.uid}`, stock, { name: randomName("bot") });

const claimMatch = () => ({ issuer: "https://issuer.example", subject: randomName("subject") });

const identities: Record<string, OwnChange> = {
  "iam.Identities/Create": {
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        identity: { name: randomName("bot"), claimMatch: claimMatch() },
      },
    }),
  },
  "iam.Identities/Update": {
    prepare: async (stock) => ({
      request: { id: await newBot(stock), name: "bot", claimMatch: claimMatch() },
    }),
  },
  "iam.Identities/Delete": {
    prepare: async (stock) => namedV1(await newBot(stock)),
  },
  "events.Identities/UpdateMetadata": {
    prepare: () => ({
      request: { onboardingQuestions: { companyName: "c", hubspotUtk: "cookie" } },
      subject: "",
    }),
    group: "none",
    personal: true,
  },
};

const newGroup = (stock: Stock) =>
  made(`/iam/v1/groups/${stock.organization.uid}`, stock, { name: randomName("group") });

const amazon = { account: "123456789012" };

async function newAssociated(stock: Stock): Promise<string> {
  const group = await newGroup(stock);
  await make(`/iam/v1/account_associations/${group}`, stock.token, { name: "clouds", amazon });
  return group;
}

const ofGroup = (group: string, more: object = {}) => ({
  request: { group, ...more },
  subject: group,
});

const associations: Record<string, OwnChange> = {
  "iam.GroupAccountAssociations/Create": {
    group: "self",
    prepare: async (stock) => ofGroup(await newGroup(stock), { name: "clouds", amazon }),
    conflict: ({ accountAssociation: group }) => ({ group, name: "clouds", amazon }),
  },
  "iam.GroupAccountAssociations/Update": {
    group: "self",
    prepare: async (stock) => ofGroup(await newAssociated(stock), { name: "no clouds" }),
  },
  "iam.GroupAccountAssociations/Delete": {
    group: "self",
    prepare: async (stock) => ofGroup(await newAssociated(stock)),
    body: () => undefined,
    bodyType: "",
    idle: async (stock) => ({ group: await newGroup(stock) }),
  },
};

export const identityV1Changes: Record<string, OwnChange> = {
  ...identities,
  ...associations,
};
