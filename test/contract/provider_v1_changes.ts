/** One real change by every RPC of version 1 about identity providers and their role mappings. */
import { identityProviderBody, newIdentityProvider } from "../iam/openid_provider.ts";
import { bindPerson, make, newUser, randomName, roleUid } from "../world/personas.ts";
import { namedV1, type OwnChange, type Told } from "./change.ts";
import { type Stock, step } from "./stock.ts";

const providersPath = "/iam/v1/identityProviders";

const newProvider = async ({ organization }: Stock) =>
  (await newIdentityProvider(organization)).uid;

/** A provider with a SCIM token, in an organization with two owners. */
async function newTokened(stock: Stock) {
  const id = await newProvider(stock);
  const { etag } = await make(`${providersPath}/${id}:generateScimToken`, stock.token, {});
  const place = { uid: stock.organization.uid, token: stock.token };
  await bindPerson(place, (await newUser()).uid, "owner");
  return { id, etag: String(etag) };
}

function withoutRule({ answer }: Told) {
  const { correlationRule: _, ...oidc } = answer.oidc;
  return { ...answer, oidc };
}

const withoutToken = ({ answer: { token: _, ...told } }: Told) => told;

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
    prepare: async (stock) => ({
      request: { id: await newProvider(stock), ...(await identityProviderBody()) },
    }),
  },
  "iam.IdentityProviders/Delete": {
    prepare: async (stock) => namedV1(await newProvider(stock)),
  },
  "iam.IdentityProviders/GenerateScimToken": {
    body: withoutToken,
    prepare: async (stock) => ofProvider(await newProvider(stock)),
    conflict: async (stock) => ofProvider((await newTokened(stock)).id).request,
  },
  "iam.IdentityProviders/RegenerateScimToken": {
    body: withoutToken,
    async prepare(stock) {
      const { id, etag } = await newTokened(stock);
      return ofProvider(id, { etag });
    },
  },
  "iam.IdentityProviders/RevokeScimToken": {
    body: withoutToken,
    prepare: async (stock) => ofProvider((await newTokened(stock)).id),
    async idle(stock) {
      const { id } = await newTokened(stock);
      await make(`${providersPath}/${id}:revokeScimToken`, stock.token, {});
      return ofProvider(id).request;
    },
  },
  "iam.IdentityProviders/SetScimEnabled": {
    body: withoutToken,
    async prepare(stock) {
      const { id, etag } = await newTokened(stock);
      return ofProvider(id, { etag, enabled: true });
    },
    async idle(stock) {
      const { id, etag } = await newTokened(stock);
      return ofProvider(id, { etag, enabled: false }).request;
    },
  },
};

const mapping = async ({ organization }: Stock) => ({
  externalGroupId: randomName("group"),
  roleUidp: await roleUid("viewer"),
  scope: organization.uid,
});

const mappingsPath = "/iam/v1/externalGroupRoleMappings";

async function newMapping(stock: Stock) {
  const given = await mapping(stock);
  const { id } = await make(`${mappingsPath}/${stock.identityProvider}`, stock.token, given);
  return { id: String(id), given };
}

const aboutMapping = {
  group: "root",
  extensions: (subject: string) => ({ identityprovider: subject.slice(0, 57) }),
} as const;

const mappings: Record<string, OwnChange> = {
  "iam.ExternalGroupRoleMappings/Create": {
    ...aboutMapping,
    prepare: async (stock) => ({
      request: { parentId: stock.identityProvider, mapping: await mapping(stock) },
    }),
    conflict: async (stock) => ({
      parentId: stock.identityProvider,
      mapping: (await newMapping(stock)).given,
    }),
  },
  "iam.ExternalGroupRoleMappings/Delete": {
    ...aboutMapping,
    prepare: async (stock) => namedV1((await newMapping(stock)).id),
    body: () => undefined,
    bodyType: "",
  },
  "iam.ExternalGroupRoleMappings/BatchDelete": {
    ...aboutMapping,
    async prepare(stock) {
      const { id } = await newMapping(stock);
      const parentId = stock.identityProvider;
      return { request: { parentId, ids: [id, `${parentId}/${step()}`] }, subject: parentId };
    },
    idle: ({ identityProvider: parentId }) => ({ parentId, ids: [`${parentId}/${step()}`] }),
  },
};

export const providerV1Changes: Record<string, OwnChange> = { ...providers, ...mappings };
