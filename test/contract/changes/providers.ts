/** One real change for every RPC about identity providers and their role mappings. */
import {
  identityProviderBody,
  newIdentityProvider,
} from "../../iam/identity_providers/openid_provider.ts";
import { bindPerson, createResource, newUser, randomName, roleUid } from "../../world/personas.ts";
import { type Fixtures, step } from "../fixtures.ts";
import { type ChangeContext, deleteOf, type OwnChange } from "./change.ts";

const root = "/iam/v2/identityProviders";

const newProvider = async ({ organization }: Fixtures) =>
  (await newIdentityProvider(organization)).uid;

const mapping = async ({ organization }: Fixtures) => ({
  externalGroupId: randomName("group"),
  roleUid: await roleUid("viewer"),
  scope: organization.uid,
});

async function newMapping(fixtures: Fixtures) {
  const path = `/iam/v2/externalGroupRoleMappings/${fixtures.identityProvider}`;
  const given = await mapping(fixtures);
  return { uid: (await createResource(path, fixtures.token, given)).uid, given };
}

/** A provider with a SCIM token, in an organization with two owners. */
async function newTokened(fixtures: Fixtures) {
  const uid = await newProvider(fixtures);
  const { etag } = await createResource(`${root}/${uid}:generateScimToken`, fixtures.token, {});
  const place = { uid: fixtures.organization.uid, token: fixtures.token };
  await bindPerson(place, (await newUser()).uid, "owner");
  return { uid, etag: etag as string };
}

const withoutTimes = ({ answer: { createTime: _, updateTime: __, ...rest } }: ChangeContext) =>
  rest;
const withoutToken = ({ answer: { token: _, ...rest } }: ChangeContext) => rest;

const about = (uid: string, more: object = {}) => ({
  request: { identityProviderUid: uid, ...more },
  subject: uid,
});

const providers: Record<string, OwnChange> = {
  "IdentityProvidersService/CreateIdentityProvider": {
    body: withoutTimes,
    prepare: async ({ organization }) => ({
      request: { parent: organization.uid, identityProvider: await identityProviderBody() },
    }),
    conflict: async ({ organization }) => ({
      parent: organization.uid,
      identityProvider: await identityProviderBody({ issuer: "http://127.0.0.1:1" }),
    }),
  },
  "IdentityProvidersService/UpdateIdentityProvider": {
    body: withoutTimes,
    prepare: async (fixtures) => ({
      request: {
        identityProvider: { uid: await newProvider(fixtures), oidc: { clientSecret: "other" } },
      },
    }),
  },
  "IdentityProvidersService/DeleteIdentityProvider": {
    prepare: async (fixtures) => deleteOf(await newProvider(fixtures)),
  },
  "IdentityProvidersService/GenerateScimToken": {
    body: withoutToken,
    prepare: async (fixtures) => about(await newProvider(fixtures)),
    conflict: async (fixtures) => about((await newTokened(fixtures)).uid).request,
  },
  "IdentityProvidersService/RegenerateScimToken": {
    body: withoutToken,
    async prepare(fixtures) {
      const { uid, etag } = await newTokened(fixtures);
      return about(uid, { etag });
    },
  },
  "IdentityProvidersService/RevokeScimToken": {
    body: withoutToken,
    prepare: async (fixtures) => about((await newTokened(fixtures)).uid),
    async idle(fixtures) {
      const { uid } = await newTokened(fixtures);
      await createResource(`${root}/${uid}:revokeScimToken`, fixtures.token, {});
      return about(uid).request;
    },
  },
  "IdentityProvidersService/SetScimEnabled": {
    body: withoutToken,
    async prepare(fixtures) {
      const { uid, etag } = await newTokened(fixtures);
      return about(uid, { etag, enabled: true });
    },
    async idle(fixtures) {
      const { uid, etag } = await newTokened(fixtures);
      return about(uid, { etag, enabled: false }).request;
    },
  },
};

const mappingEvent = {
  group: "root",
  extensions: (subject: string) => ({ identityprovider: subject.slice(0, 57) }),
} as const;

const mappings: Record<string, OwnChange> = {
  "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (fixtures) => ({
      request: {
        parent: fixtures.identityProvider,
        externalGroupRoleMapping: await mapping(fixtures),
      },
    }),
    conflict: async (fixtures) => ({
      parent: fixtures.identityProvider,
      externalGroupRoleMapping: (await newMapping(fixtures)).given,
    }),
  },
  "ExternalGroupRoleMappingsService/UpdateExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (fixtures) => ({
      request: {
        externalGroupRoleMapping: {
          uid: (await newMapping(fixtures)).uid,
          externalGroupId: randomName("group"),
        },
      },
    }),
    async conflict(fixtures) {
      const [one, other] = [await newMapping(fixtures), await newMapping(fixtures)];
      const { externalGroupId } = other.given;
      return { externalGroupRoleMapping: { uid: one.uid, externalGroupId } };
    },
  },
  "ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (fixtures) => deleteOf((await newMapping(fixtures)).uid),
  },
  "ExternalGroupRoleMappingsService/BatchDeleteExternalGroupRoleMappings": {
    ...mappingEvent,
    async prepare(fixtures) {
      const { uid } = await newMapping(fixtures);
      const parent = fixtures.identityProvider;
      return { request: { parent, names: [uid, `${parent}/${step()}`] }, subject: parent };
    },
    idle: ({ identityProvider }) => ({
      parent: identityProvider,
      names: [`${identityProvider}/${step()}`],
    }),
  },
};

export const providerChanges: Record<string, OwnChange> = { ...providers, ...mappings };
