/** One real change by every RPC about identity providers and their role mappings. */
import { identityProviderBody, newIdentityProvider } from "../iam/openid_provider.ts";
import { bindPerson, make, newUser, randomName, roleUid } from "../world/personas.ts";
import { type Change, named, type Told } from "./change.ts";
import { type Stock, step } from "./stock.ts";

const root = "/iam/v2/identityProviders";

const newProvider = async ({ organization }: Stock) =>
  (await newIdentityProvider(organization)).uid;

const mapping = async ({ organization }: Stock) => ({
  externalGroupId: randomName("group"),
  roleUid: await roleUid("viewer"),
  scope: organization.uid,
});

async function newMapping(stock: Stock) {
  const path = `/iam/v2/externalGroupRoleMappings/${stock.identityProvider}`;
  const given = await mapping(stock);
  return { uid: (await make(path, stock.token, given)).uid, given };
}

/** A provider with a SCIM token, in an organization with two owners. */
async function newTokened(stock: Stock) {
  const uid = await newProvider(stock);
  const { etag } = await make(`${root}/${uid}:generateScimToken`, stock.token, {});
  const place = { uid: stock.organization.uid, token: stock.token };
  await bindPerson(place, (await newUser()).uid, "owner");
  return { uid, etag: etag as string };
}

const withoutTimes = ({ answer: { createTime: _, updateTime: __, ...told } }: Told) => told;
const withoutToken = ({ answer: { token: _, ...told } }: Told) => told;

const about = (uid: string, more: object = {}) => ({
  request: { identityProviderUid: uid, ...more },
  subject: uid,
});

const providerEvent = {
  source: root,
  group: "parent",
  body: withoutTimes,
  bodyType: "platform.iam.v2.IdentityProvider",
} as const;

const scimEvent = (rpc: string, type: string) =>
  ({
    type: `api.iam.identity_providers.${type}.v1`,
    source: root,
    group: "parent",
    body: withoutToken,
    bodyType: `platform.iam.v2.${rpc}Response`,
  }) as const;

const providers: Record<string, Change> = {
  "IdentityProvidersService/CreateIdentityProvider": {
    ...providerEvent,
    prepare: async ({ organization }) => ({
      request: { parent: organization.uid, identityProvider: await identityProviderBody() },
    }),
    type: "api.iam.identity_providers.created.v1",
    conflict: async ({ organization }) => ({
      parent: organization.uid,
      identityProvider: await identityProviderBody({ issuer: "http://127.0.0.1:1" }),
    }),
  },
  "IdentityProvidersService/UpdateIdentityProvider": {
    ...providerEvent,
    prepare: async (stock) => ({
      request: {
        identityProvider: { uid: await newProvider(stock), oidc: { clientSecret: "other" } },
      },
    }),
    type: "api.iam.identity_providers.updated.v1",
  },
  "IdentityProvidersService/DeleteIdentityProvider": {
    prepare: async (stock) => named(await newProvider(stock)),
    type: "api.iam.identity_providers.deleted.v1",
    source: root,
    group: "parent",
    body: "request",
    bodyType: "platform.iam.v2.DeleteIdentityProviderRequest",
  },
  "IdentityProvidersService/GenerateScimToken": {
    ...scimEvent("GenerateScimToken", "scim_token.generated"),
    prepare: async (stock) => about(await newProvider(stock)),
    conflict: async (stock) => about((await newTokened(stock)).uid).request,
  },
  "IdentityProvidersService/RegenerateScimToken": {
    ...scimEvent("RegenerateScimToken", "scim_token.regenerated"),
    async prepare(stock) {
      const { uid, etag } = await newTokened(stock);
      return about(uid, { etag });
    },
  },
  "IdentityProvidersService/RevokeScimToken": {
    ...scimEvent("RevokeScimToken", "scim_token.revoked"),
    prepare: async (stock) => about((await newTokened(stock)).uid),
    async idle(stock) {
      const { uid } = await newTokened(stock);
      await make(`${root}/${uid}:revokeScimToken`, stock.token, {});
      return about(uid).request;
    },
  },
  "IdentityProvidersService/SetScimEnabled": {
    ...scimEvent("SetScimEnabled", "scim_enabled.updated"),
    async prepare(stock) {
      const { uid, etag } = await newTokened(stock);
      return about(uid, { etag, enabled: true });
    },
    async idle(stock) {
      const { uid, etag } = await newTokened(stock);
      return about(uid, { etag, enabled: false }).request;
    },
  },
};

const mappingEvent = {
  source: "/iam/v2/externalGroupRoleMappings",
  group: "root",
  extensions: (subject: string) => ({ identityprovider: subject.slice(0, 57) }),
  body: "answer",
  bodyType: "platform.iam.v2.ExternalGroupRoleMapping",
} as const;

const mappings: Record<string, Change> = {
  "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (stock) => ({
      request: { parent: stock.identityProvider, externalGroupRoleMapping: await mapping(stock) },
    }),
    type: "api.iam.external_group_role_mappings.created.v1",
    conflict: async (stock) => ({
      parent: stock.identityProvider,
      externalGroupRoleMapping: (await newMapping(stock)).given,
    }),
  },
  "ExternalGroupRoleMappingsService/UpdateExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (stock) => ({
      request: {
        externalGroupRoleMapping: {
          uid: (await newMapping(stock)).uid,
          externalGroupId: randomName("group"),
        },
      },
    }),
    type: "api.iam.external_group_role_mappings.updated.v1",
    async conflict(stock) {
      const [one, other] = [await newMapping(stock), await newMapping(stock)];
      const { externalGroupId } = other.given;
      return { externalGroupRoleMapping: { uid: one.uid, externalGroupId } };
    },
  },
  "ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (stock) => named((await newMapping(stock)).uid),
    type: "api.iam.external_group_role_mappings.deleted.v1",
    body: "request",
    bodyType: "platform.iam.v2.DeleteExternalGroupRoleMappingRequest",
  },
  "ExternalGroupRoleMappingsService/BatchDeleteExternalGroupRoleMappings": {
    ...mappingEvent,
    async prepare(stock) {
      const { uid } = await newMapping(stock);
      const parent = stock.identityProvider;
      return { request: { parent, names: [uid, `${parent}/${step()}`] }, subject: parent };
    },
    type: "api.iam.external_group_role_mappings.deleted.batch.v1",
    source: "/iam/v2/externalGroupRoleMappings:batchDelete",
    bodyType: "platform.iam.v2.BatchDeleteExternalGroupRoleMappingsResponse",
    idle: ({ identityProvider }) => ({
      parent: identityProvider,
      names: [`${identityProvider}/${step()}`],
    }),
  },
};

export const providerChanges: Record<string, Change> = { ...providers, ...mappings };
