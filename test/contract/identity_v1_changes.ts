/** One real change by every RPC of version 1 about identities and account associations. */
import { make, randomName } from "../world/personas.ts";
import { type Change, namedV1 } from "./change.ts";
import type { Stock } from "./stock.ts";

const made = async (path: string, { token }: Stock, body: object) =>
  String((await make(path, token, body)).id);

const newBot = (stock: Stock) =>
  made(`/iam/v1/identities/${stock.organization.uid}`, stock, { name: randomName("bot") });

const aboutIdentity = {
  source: "/iam/v1/identities",
  group: "parent",
  body: "answer",
  bodyType: "platform.iam.Identity",
} as const;

const claimMatch = () => ({ issuer: "https://issuer.example", subject: randomName("subject") });

const identities: Record<string, Change> = {
  "iam.Identities/Create": {
    ...aboutIdentity,
    prepare: ({ organization }) => ({
      request: {
        parentId: organization.uid,
        identity: { name: randomName("bot"), claimMatch: claimMatch() },
      },
    }),
    type: "api.iam.identity.created.v1",
  },
  "iam.Identities/Update": {
    ...aboutIdentity,
    prepare: async (stock) => ({
      request: { id: await newBot(stock), name: "bot", claimMatch: claimMatch() },
    }),
    type: "api.iam.identity.updated.v1",
  },
  "iam.Identities/Delete": {
    ...aboutIdentity,
    prepare: async (stock) => namedV1(await newBot(stock)),
    type: "api.iam.identity.deleted.v1",
    body: "request",
    bodyType: "platform.iam.DeleteIdentityRequest",
  },
  "events.Identities/UpdateMetadata": {
    prepare: () => ({
      request: { onboardingQuestions: { companyName: "c", hubspotUtk: "cookie" } },
      subject: "",
    }),
    type: "api.iam.identity.metadata.updated.v1",
    source: "/iam/v1/identities/metadata",
    group: "none",
    audience: "internal",
    body: "answer",
    bodyType: "platform.events.IdentityMetadata",
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

const aboutAssociation = {
  source: "/iam/v1/account_associations",
  group: "self",
  body: "answer",
  bodyType: "platform.iam.AccountAssociations",
} as const;

const associations: Record<string, Change> = {
  "iam.GroupAccountAssociations/Create": {
    ...aboutAssociation,
    prepare: async (stock) => ofGroup(await newGroup(stock), { name: "clouds", amazon }),
    type: "api.iam.account_associations.created.v1",
    conflict: ({ accountAssociation: group }) => ({ group, name: "clouds", amazon }),
  },
  "iam.GroupAccountAssociations/Update": {
    ...aboutAssociation,
    prepare: async (stock) => ofGroup(await newAssociated(stock), { name: "no clouds" }),
    type: "api.iam.account_associations.updated.v1",
  },
  "iam.GroupAccountAssociations/Delete": {
    ...aboutAssociation,
    prepare: async (stock) => ofGroup(await newAssociated(stock)),
    type: "api.iam.account_associations.deleted.v1",
    body: () => undefined,
    bodyType: "",
    idle: async (stock) => ({ group: await newGroup(stock) }),
  },
};

export const identityV1Changes: Record<string, Change> = {
  ...identities,
  ...associations,
};
