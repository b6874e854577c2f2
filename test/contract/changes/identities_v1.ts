/** One real change for every RPC of version 1 about identities and account associations. */
import { createResource, randomName } from "../../world/personas.ts";
import type { Fixtures } from "../fixtures.ts";
import { deleteOfV1, type OwnChange } from "./change.ts";

const made = async (path: string, { token }: Fixtures, body: object) =>
  String((await createResource(path, token, body)).id);

const newBot = (fixtures: Fixtures) =>
  made(`/iam/v1/identities/${fixtures.organization.uid}`, fixtures, { name: randomName("bot") });

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
    prepare: async (fixtures) => ({
      request: { id: await newBot(fixtures), name: "bot", claimMatch: claimMatch() },
    }),
  },
  "iam.Identities/Delete": {
    prepare: async (fixtures) => deleteOfV1(await newBot(fixtures)),
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

const newGroup = (fixtures: Fixtures) =>
  made(`/iam/v1/groups/${fixtures.organization.uid}`, fixtures, { name: randomName("group") });

const amazon = { account: "123456789012" };

async function newAssociated(fixtures: Fixtures): Promise<string> {
  const group = await newGroup(fixtures);
  await createResource(`/iam/v1/account_associations/${group}`, fixtures.token, {
    name: "clouds",
    amazon,
  });
  return group;
}

const ofGroup = (group: string, more: object = {}) => ({
  request: { group, ...more },
  subject: group,
});

const associations: Record<string, OwnChange> = {
  "iam.GroupAccountAssociations/Create": {
    group: "self",
    prepare: async (fixtures) => ofGroup(await newGroup(fixtures), { name: "clouds", amazon }),
    conflict: ({ accountAssociation: group }) => ({ group, name: "clouds", amazon }),
  },
  "iam.GroupAccountAssociations/Update": {
    group: "self",
    prepare: async (fixtures) => ofGroup(await newAssociated(fixtures), { name: "no clouds" }),
  },
  "iam.GroupAccountAssociations/Delete": {
    group: "self",
    prepare: async (fixtures) => ofGroup(await newAssociated(fixtures)),
    body: () => undefined,
    bodyType: "",
    idle: async (fixtures) => ({ group: await newGroup(fixtures) }),
  },
};

export const identityV1Changes: Record<string, OwnChange> = {
  ...identities,
  ...associations,
};
