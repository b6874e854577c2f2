import { create } from "@bufbuild/protobuf";
import { eq } from "drizzle-orm";
import {
  type IdentityProvider_OIDC,
  IdentityProviderSchema,
  IdentityProvidersService,
  type ListIdentityProvidersRequest,
  type UpdateIdentityProviderRequest,
} from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { newUid, parentOf } from "../../aip/uid_path.ts";
import type { Call, CallAnywhere } from "../../auth/call.ts";
import { selectIfOwned } from "../../auth/owners.ts";
import { clientSecretPurpose, seal } from "../../auth/secrets.ts";
import { commit, keepOwner } from "../../outbox/commit.ts";
import { list } from "../../paging/list.ts";
import { defineListing } from "../../paging/listing.ts";
import { createdMessage, creation, newMessage } from "../../resource/create.ts";
import { writeDelete } from "../../resource/delete.ts";
import { find, parentGroup } from "../../resource/find.ts";
import { maskedUpdate, writeUpdate } from "../../resource/update.ts";
import { service } from "../../rpc/service.ts";
import { deletionAtOnce, deletionInBatches, selectHasManyRows } from "./deletion.ts";
import { identityProvider, toIdentityProvider, toProviderColumns } from "./message.ts";
import {
  applyCorrelationRule,
  changesSignIn,
  checkDefaultRole,
  checkDiscovery,
  checkOidc,
  oidcOf,
  type ProviderRow,
  refuseProviderTakeover,
  selectDefaultRoles,
  selectMappedGrants,
} from "./rules.ts";
import { scimTokenHandlers } from "./scim_tokens.ts";

const listing = defineListing({
  table: identityProviders,
});

/** Encrypts a client secret for its provider. The login decrypts it with the same purpose. */
const sealClientSecret = (call: Call, uid: string, secret: string) =>
  seal(call.config, clientSecretPurpose(uid), secret);

/**
 * The encrypted secret after an update. It is the new secret if there is one, empty if the mask names the
 * field without a value, and otherwise the current one (contract: OIDC.client_secret). A secret belongs to
 * its issuer and is never sent to another.
 */
async function updatedClientSecret(
  call: Call,
  row: ProviderRow,
  oidc: IdentityProvider_OIDC,
  { updateMask }: UpdateIdentityProviderRequest,
): Promise<string> {
  if (oidc.clientSecret !== "") return sealClientSecret(call, row.uid, oidc.clientSecret);
  if (oidc.issuer !== row.issuer) return "";
  const isNamed = (path: string) => /^oidc\.client(_s|S)ecret$/.test(path);
  return updateMask?.paths.some(isNamed) ? "" : row.clientSecret;
}

/** A page of providers. With `now`, each has the state of its SCIM credential at that time. */
export async function listProviders(
  request: ListIdentityProvidersRequest,
  call: CallAnywhere,
  now?: number,
) {
  const named = request.name === "" ? undefined : eq(identityProviders.name, request.name);
  const page = await list(call, request, listing, {
    filters: [named],
    index: named ? "scope_index" : "order_index",
  });
  const providers = page.rows.map((row) => toIdentityProvider(call.config, row, now));
  return { identityProviders: providers, ...page.envelope };
}

export const identityProvidersService = service(IdentityProvidersService, {
  ...scimTokenHandlers,

  async getIdentityProvider({ uid }, call) {
    const { row } = await find(call, identityProvider, uid);
    return toIdentityProvider(call.config, row, call.now);
  },

  listIdentityProviders: (request, call) => listProviders(request, call),

  async createIdentityProvider({ parent, identityProvider: input }, call) {
    const provider = newMessage(identityProvider, input);
    const { caller, extraReads } = await find(call, parentGroup, parent, {
      extraReads: [selectDefaultRoles(call.db, provider.defaultRole)],
    });
    const [roles] = extraReads;
    const oidc = oidcOf(provider);
    applyCorrelationRule(oidc, undefined);
    checkOidc(call, oidc, { hasSecret: oidc.clientSecret !== "" });
    checkDefaultRole(caller, roles, provider.defaultRole, parent);
    refuseProviderTakeover(caller, roles, [], parent);
    await checkDiscovery(call, oidc);
    const uid = newUid(parent);
    const row = {
      uid,
      ...toProviderColumns(provider),
      clientSecret:
        oidc.clientSecret === "" ? "" : await sealClientSecret(call, uid, oidc.clientSecret),
      createTime: call.now,
      updateTime: call.now,
    };
    const { message, statements } = creation(call, identityProvider, caller, row);
    await commit(call, statements);
    if (call.validateOnly && message.scim) message.scim.endpointUrl = "";
    return createdMessage(call, message);
  },

  async updateIdentityProvider(request, call) {
    const input = request.identityProvider ?? create(IdentityProviderSchema);
    const { caller, row, extraReads } = await find(call, identityProvider, input.uid, {
      extraReads: [
        selectDefaultRoles(call.db, input.defaultRole, input.uid),
        selectMappedGrants(call.db, input.uid),
        selectIfOwned(call, parentOf(input.uid)),
      ],
    });
    const [roles, mapped, owned] = extraReads;
    const group = parentOf(row.uid);
    const update = maskedUpdate(call, identityProvider, row, input, request.updateMask);
    const provider = update.after;
    const oidc = oidcOf(provider);
    applyCorrelationRule(oidc, row.correlationRule);
    if (changesSignIn(row, oidc)) refuseProviderTakeover(caller, roles, mapped, group);
    const clientSecret = await updatedClientSecret(call, row, oidc, request);
    checkOidc(call, oidc, { hasSecret: clientSecret !== "", issuer: row.issuer });
    if (provider.defaultRole !== row.defaultRole) {
      checkDefaultRole(caller, roles, provider.defaultRole, group);
    }
    const turnsOnPkce = oidc.pkceEnabled && !row.pkceEnabled;
    if (turnsOnPkce || oidc.issuer !== row.issuer) await checkDiscovery(call, oidc);
    return writeUpdate(call, identityProvider, caller, update, {
      columns: { clientSecret },
      hasChanged: clientSecret !== row.clientSecret,
      // The identity of a person belongs to one issuer.
      extraWrites: oidc.issuer === row.issuer ? [] : keepOwner(call, owned),
    });
  },

  /**
   * Deletes its role mappings, its provisioned users and its login records too, and revokes the refresh
   * tokens of the people in those records.
   */
  async deleteIdentityProvider(request, call) {
    const { uid } = request;
    const { caller, extraReads } = await find(call, identityProvider, uid, {
      extraReads: [selectIfOwned(call, parentOf(uid)), selectHasManyRows(call, uid)],
    });
    const [owned, [rows]] = extraReads;
    const contents = rows?.isLarge ? deletionInBatches : deletionAtOnce;
    const { before, extraWrites: after } = contents(call, caller, uid);
    return writeDelete(call, identityProvider, caller, request, {
      before,
      extraWrites: [...after, ...keepOwner(call, owned)],
    });
  },
});
