/** One real change by every RPC about identity providers and their role mappings. */
import { identityProviderBody, newIdentityProvider } from "../iam/openid_provider.ts";
import { bindPerson, make, newUser, randomName, roleUid } from "../world/personas.ts";
import { named, type OwnChange, type Told } from "./change.ts";
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
    prepare: async (stock) => ({
      request: {
        identityProvider: { uid: await newProvider(stock), oidc: { clientSecret: "other" } },
      },
    }),
  },
  "IdentityProvidersService/DeleteIdentityProvider": {
    prepare: async (stock) => named(await newProvider(stock)),
  },
  "IdentityProvidersService/GenerateScimToken": {
    body: withoutToken,
    prepare: async (stock) => about(await newProvider(stock)),
    conflict: async (stock) => about((await newTokened(stock)).uid).request,
  },
  "IdentityProvidersService/RegenerateScimToken": {
    body: withoutToken,
    async prepare(stock) {
      const { uid, etag } = await newTokened(stock);
      return about(uid, { etag });
    },
  },
  "IdentityProvidersService/RevokeScimToken": {
    body: withoutToken,
    prepare: async (stock) => about((await newTokened(stock)).uid),
    async idle(stock) {
      const { uid } = await newTokened(stock);
      await make(`${root}/${uid}:revokeScimToken`, stock.token, {});
      return about(uid).request;
    },
  },
  "IdentityProvidersService/SetScimEnabled": {
    body: withoutToken,
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
  group: "root",
  extensions: (subject: string) => ({ identityprovider: subject.slice(0, 57) }),
} as const;

const mappings: Record<string, OwnChange> = {
  "ExternalGroupRoleMappingsService/CreateExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (stock) => ({
      request: { parent: stock.identityProvider, externalGroupRoleMapping: await mapping(stock) },
    }),
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
    async conflict(stock) {
      const [one, other] = [await newMapping(stock), await newMapping(stock)];
      const { externalGroupId } = other.given;
      return { externalGroupRoleMapping: { uid: one.uid, externalGroupId } };
    },
  },
  "ExternalGroupRoleMappingsService/DeleteExternalGroupRoleMapping": {
    ...mappingEvent,
    prepare: async (stock) => named((await newMapping(stock)).uid),
  },
  "ExternalGroupRoleMappingsService/BatchDeleteExternalGroupRoleMappings": {
    ...mappingEvent,
    async prepare(stock) {
      const { uid } = await newMapping(stock);
      const parent = stock.identityProvider;
      return { request: { parent, names: [uid, `${parent}/${step()}`] }, subject: parent };
    },
    idle: ({ identityProvider }) => ({
      parent: identityProvider,
      names: [`${identityProvider}/${step()}`],
    }),
  },
};

export const providerChanges: Record<string, OwnChange> = { ...providers, ...mappings };
