/** One real change for every RPC of version 1 about identity providers and their role mappings. */
import {
  identityProviderBody,
  newIdentityProvider,
} from "../../iam/identity_providers/openid_provider.ts";
import { bindPerson, createResource, newUser, randomName, roleUid } from "../../world/personas.ts";
import { type Fixtures, step } from "../fixtures.ts";
import { type ChangeContext, deleteOfV1, type OwnChange } from "./change.ts";

const providersPath = "/iam/v1/identityProviders";

const newProvider = async ({ organization }: Fixtures) =>
  (await newIdentityProvider(organization)).uid;

/** A provider with a SCIM token, in an organization with two owners. */
async function newTokened(fixtures: Fixtures) {
  const id = await newProvider(fixtures);
  const { etag } = await createResource(
    `${providersPath}/${id}:generateScimToken`,
    fixtures.token,
    {},
  );
  const place = { uid: fixtures.organization.uid, token: fixtures.token };
  await bindPerson(place, (await newUser()).uid, "owner");
  return { id, etag: String(etag) };
}

function withoutRule({ answer }: ChangeContext) {
  const { correlationRule: _, ...oidc } = answer.oidc;
  return { ...answer, oidc };
}

const withoutToken = ({ answer: { token: _, ...rest } }: ChangeContext) => rest;

const ofProvider = (id: string, more: object = {}) => ({
  request: { identityProviderId: id, ...more },
  subject: id,
});

const providers: Record<string, OwnChange> = {
  "iam.IdentityProviders/Create": {
    body: withoutRule,
    prepare: async ({ organization }) => ({
      request: { parentId: organization.uid, identityProvider: await identityProviderBody() },
    }),
    conflict: async ({ organization }) => ({
      parentId: organization.uid,
      identityProvider: await identityProviderBody({ issuer: "http://127.0.0.1:1" }),
    }),
  },
  "iam.IdentityProviders/Update": {
    body: withoutRule,
    prepare: async (fixtures) => ({
      request: { id: await newProvider(fixtures), ...(await identityProviderBody()) },
    }),
  },
  "iam.IdentityProviders/Delete": {
    prepare: async (fixtures) => deleteOfV1(await newProvider(fixtures)),
  },
  "iam.IdentityProviders/GenerateScimToken": {
    body: withoutToken,
    prepare: async (fixtures) => ofProvider(await newProvider(fixtures)),
    conflict: async (fixtures) => ofProvider((await newTokened(fixtures)).id).request,
  },
  "iam.IdentityProviders/RegenerateScimToken": {
    body: withoutToken,
    async prepare(fixtures) {
      const { id, etag } = await newTokened(fixtures);
      return ofProvider(id, { etag });
    },
  },
  "iam.IdentityProviders/RevokeScimToken": {
    body: withoutToken,
    prepare: async (fixtures) => ofProvider((await newTokened(fixtures)).id),
    async idle(fixtures) {
      const { id } = await newTokened(fixtures);
      await createResource(`${providersPath}/${id}:revokeScimToken`, fixtures.token, {});
      return ofProvider(id).request;
    },
  },
  "iam.IdentityProviders/SetScimEnabled": {
    body: withoutToken,
    async prepare(fixtures) {
      const { id, etag } = await newTokened(fixtures);
      return ofProvider(id, { etag, enabled: true });
    },
    async idle(fixtures) {
      const { id, etag } = await newTokened(fixtures);
      return ofProvider(id, { etag, enabled: false }).request;
    },
  },
};

const mapping = async ({ organization }: Fixtures) => ({
  externalGroupId: randomName("group"),
  roleUidp: await roleUid("viewer"),
  scope: organization.uid,
});

const mappingsPath = "/iam/v1/externalGroupRoleMappings";

async function newMapping(fixtures: Fixtures) {
  const given = await mapping(fixtures);
  const { id } = await createResource(
    `${mappingsPath}/${fixtures.identityProvider}`,
    fixtures.token,
    given,
  );
  return { id: String(id), given };
}

const aboutMapping = {
  group: "root",
  extensions: (subject: string) => ({ identityprovider: subject.slice(0, 57) }),
} as const;

const mappings: Record<string, OwnChange> = {
  "iam.ExternalGroupRoleMappings/Create": {
    ...aboutMapping,
    prepare: async (fixtures) => ({
      request: { parentId: fixtures.identityProvider, mapping: await mapping(fixtures) },
    }),
    conflict: async (fixtures) => ({
      parentId: fixtures.identityProvider,
      mapping: (await newMapping(fixtures)).given,
    }),
  },
  "iam.ExternalGroupRoleMappings/Delete": {
    ...aboutMapping,
    prepare: async (fixtures) => deleteOfV1((await newMapping(fixtures)).id),
    body: () => undefined,
    bodyType: "",
  },
  "iam.ExternalGroupRoleMappings/BatchDelete": {
    ...aboutMapping,
    async prepare(fixtures) {
      const { id } = await newMapping(fixtures);
      const parentId = fixtures.identityProvider;
      return { request: { parentId, ids: [id, `${parentId}/${step()}`] }, subject: parentId };
    },
    idle: ({ identityProvider: parentId }) => ({ parentId, ids: [`${parentId}/${step()}`] }),
  },
};

export const providerV1Changes: Record<string, OwnChange> = { ...providers, ...mappings };
