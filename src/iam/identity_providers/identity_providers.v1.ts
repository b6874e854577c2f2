import {
  DeleteIdentityProviderRequestSchema,
  type IdentityProvider,
  type IdentityProvider_OIDC,
  IdentityProviderSchema,
  IdentityProviders,
} from "../../../schema/gen/platform/iam/identity_providers_pb.js";
import type {
  IdentityProvider_OIDC as OidcV2,
  IdentityProvider as ProviderV2,
  IdentityProvider_SCIM as ScimV2,
} from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { wholeMessage } from "../../aip/whole_message.ts";
import type { EventDraft } from "../../auth/call.ts";
import { service } from "../../rpc/service.ts";
import { callV2, filterOf, invokeV2, requestEvent } from "../../rpc/version1.ts";
import {
  listProviders,
  identityProvidersService as providersService,
} from "./identity_providers.ts";
import { scimTokenHandlersV1 } from "./scim_tokens.v1.ts";

/** The members of a configuration. They are the same in both versions, as are the numbers of the enum. */
function oidcOf(oidc: IdentityProvider_OIDC | OidcV2) {
  const { issuer, clientId, clientSecret, additionalScopes, groupsClaim, pkceEnabled } = oidc;
  const correlationRule = oidc.correlationRule as number;
  return {
    issuer,
    clientId,
    clientSecret,
    additionalScopes,
    groupsClaim,
    correlationRule,
    pkceEnabled,
  };
}

function scimOf(scim: ScimV2) {
  const { enabled, endpointUrl, tokenExpireTime, previousTokenExpireTime, etag } = scim;
  const credentialState = scim.credentialState as number;
  return {
    enabled,
    endpointUrl,
    tokenExpireTime,
    previousTokenExpireTime,
    credentialState,
    etag,
  };
}

function toV1(provider: ProviderV2): IdentityProvider {
  const { uid: id, name, description, defaultRole, configuration, scim } = provider;
  return wholeMessage(IdentityProviderSchema, {
    id,
    name,
    description,
    defaultRole,
    configuration: configuration.case
      ? { case: configuration.case, value: oidcOf(configuration.value) }
      : { case: undefined },
    scim: scim && scimOf(scim),
  });
}

/** A client cannot set the copy of the SCIM state. */
function toV2({ id: uid, name, description, defaultRole, configuration }: IdentityProvider) {
  return {
    uid,
    name,
    description,
    defaultRole,
    ...(configuration.case && {
      configuration: { case: configuration.case, value: oidcOf(configuration.value) },
    }),
  };
}

/**
 * The fields that a PUT replaces: everything that a client of version 1 can set. The secret is not in the
 * mask. An empty secret, which is all that a client can read, therefore keeps the current one (contract:
 * OIDC.client_secret).
 */
const updateMask = { paths: ["name", "description", "default_role", "oidc"] };

const fieldNames = { parent: "parent_id" };

/** Without the correlation rule (contract: v1 event table). */
function toEventV1(draft: EventDraft): EventDraft {
  const message = toV1(draft.body?.message as ProviderV2);
  if (message.configuration.case === "oidc") message.configuration.value.correlationRule = 0;
  return { ...draft, body: { desc: IdentityProviderSchema, message } };
}

export const identityProvidersV1 = service(IdentityProviders, {
  ...scimTokenHandlersV1,

  async create({ parentId: parent, identityProvider }, call) {
    const request = {
      parent,
      ...(identityProvider && { identityProvider: toV2(identityProvider) }),
    };
    const mapping = { names: fieldNames, event: toEventV1 };
    return toV1(await callV2(providersService, "createIdentityProvider", request, call, mapping));
  },

  async update(provider, call) {
    const request = { identityProvider: toV2(provider), updateMask };
    const mapping = { event: toEventV1 };
    return toV1(await callV2(providersService, "updateIdentityProvider", request, call, mapping));
  },

  async list({ id, name, uidp: uidpFilter }, call) {
    const { uidp, keeps, names: fieldNames } = filterOf(id, uidpFilter);
    const { identityProviders } = await invokeV2(
      providersService,
      "listIdentityProviders",
      { name, uidp },
      { ...call, unpaged: true, mapping: { names: fieldNames } },
      // Version 1 has no Get that would show the state of the SCIM credential.
      (request, callOfV2) => listProviders(request, callOfV2, id === "" ? undefined : call.now),
    );
    return { items: identityProviders.filter(({ uid }) => keeps(uid)).map(toV1) };
  },

  delete: (request, call) =>
    callV2(providersService, "deleteIdentityProvider", { uid: request.id }, call, {
      event: requestEvent(DeleteIdentityProviderRequestSchema, request),
    }),
});
