import { create } from "@bufbuild/protobuf";
import { and, eq, sql } from "drizzle-orm";
import {
  type IdentityProvider_OIDC,
  IdentityProviderSchema,
  IdentityProvidersService,
  type ListIdentityProvidersRequest,
  type UpdateIdentityProviderRequest,
} from "../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { groups } from "../../schema/tables/groups.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { notFound } from "../aip/errors.ts";
import { applyMask, changesNothing } from "../aip/field_mask.ts";
import { newUid, parentOf } from "../aip/uid_path.ts";
import { validate } from "../aip/validation.ts";
import { authorizeAndRead } from "../auth/access.ts";
import type { Call } from "../auth/call.ts";
import { selectOwned } from "../auth/owners.ts";
import { clientSecretOf, seal } from "../auth/secrets.ts";
import { commit, commitIfChanged, keepOwner, nextTime } from "../outbox/commit.ts";
import { insertEvent } from "../outbox/outbox.ts";
import { list } from "../paging/list.ts";
import { defineListing } from "../paging/listing.ts";
import { service } from "../rpc/service.ts";
import { deleteBesideProviders } from "./identity_provider_deletion.ts";
import { toColumns, toEventBody, toIdentityProvider } from "./identity_provider_message.ts";
import {
  checkDefaultRole,
  checkDiscovery,
  checkOidc,
  isOtherSignIn,
  oidcOf,
  type Row,
  refuseTakeover,
  selectMapped,
  selectRoles,
  settleCorrelation,
} from "./identity_provider_rules.ts";
import { scimTokenHandlers } from "./scim_tokens.ts";

const listing = defineListing({
  table: identityProviders,
  longColumns: {
    name: identityProviders.name,
    description: identityProviders.description,
    issuer: identityProviders.issuer,
    clientId: identityProviders.clientId,
    clientSecret: identityProviders.clientSecret,
    additionalScopes: identityProviders.additionalScopes,
    groupsClaim: identityProviders.groupsClaim,
  },
});

const selectProvider = (call: Call, uid: string) =>
  call.db.select().from(identityProviders).where(eq(identityProviders.uid, uid));

/** Seals a client secret for its provider; the login opens it with the same purpose. */
const sealed = (call: Call, uid: string, secret: string) =>
  seal(call.config, clientSecretOf(uid), secret);

/** Columns of a provider to which no SCIM token was ever issued. */
const withoutScim = {
  scimEnabled: false,
  scimVersion: 0,
  scimTokenDigest: "",
  scimTokenExpireTime: null,
  scimTokenRevokeTime: null,
  scimPreviousTokenDigest: "",
  scimPreviousTokenExpireTime: null,
};

/**
 * The sealed secret after an update: a new one where one is given, none where the mask names the
 * field and it is empty, else the one there is (contract: OIDC.client_secret). A secret is for the
 * issuer it was given for, and is not sent to another.
 */
async function secretAfter(
  call: Call,
  row: Row,
  oidc: IdentityProvider_OIDC,
  { updateMask }: UpdateIdentityProviderRequest,
): Promise<string> {
  if (oidc.clientSecret !== "") return sealed(call, row.uid, oidc.clientSecret);
  if (oidc.issuer !== row.issuer) return "";
  const isNamed = (path: string) => /^oidc\.client(_s|S)ecret$/.test(path);
  return updateMask?.paths.some(isNamed) ? "" : row.clientSecret;
}

/** A page of providers; with `now`, each with the state of its SCIM credential at that time. */
export async function listProviders(
  request: ListIdentityProvidersRequest,
  call: Call,
  now?: number,
) {
  const named = request.name === "" ? undefined : eq(identityProviders.name, request.name);
  const page = await list(call, request, listing, {
    filters: [named],
    index: named ? "scope_index" : "order_index",
  });
  const found = page.rows.map((row) => toIdentityProvider(call.config, row, now));
  return { identityProviders: found, ...page.envelope };
}

export const identityProvidersService = service(IdentityProvidersService, {
  ...scimTokenHandlers,

  async getIdentityProvider({ uid }, call) {
    const { rows } = await authorizeAndRead(call, uid, [selectProvider(call, uid)]);
    const [row] = rows[0];
    if (!row) throw notFound("iam/IdentityProvider", uid);
    return toIdentityProvider(call.config, row, call.now);
  },

  listIdentityProviders: (request, call) => listProviders(request, call),

  async createIdentityProvider({ parent, identityProvider: given }, call) {
    const blank = create(IdentityProviderSchema);
    const provider = applyMask(IdentityProviderSchema, blank, given ?? blank, undefined);
    const { caller, rows } = await authorizeAndRead(call, parent, [
      call.db.select({ uid: groups.uid }).from(groups).where(eq(groups.uid, parent)),
      selectRoles(call.db, provider.defaultRole),
    ]);
    const [[group], roles] = rows;
    if (!group) throw notFound("iam/Group", parent);
    const oidc = oidcOf(provider);
    settleCorrelation(oidc, undefined);
    checkOidc(call, oidc, { hasSecret: oidc.clientSecret !== "" });
    checkDefaultRole(caller, roles, provider.defaultRole, parent);
    refuseTakeover(caller, roles, [], parent);
    await checkDiscovery(call.config, oidc);
    const uid = newUid(parent);
    const row = {
      uid,
      ...toColumns(provider),
      ...withoutScim,
      clientSecret: oidc.clientSecret === "" ? "" : await sealed(call, uid, oidc.clientSecret),
      createTime: call.now,
      updateTime: call.now,
    };
    const message = toIdentityProvider(call.config, row as Row, call.now);
    await commit(call, [
      call.db.insert(identityProviders).values(row),
      insertEvent(call, caller, { subject: uid, group: parent, body: toEventBody(message) }),
    ]);
    return message;
  },

  async updateIdentityProvider(request, call) {
    const given = request.identityProvider ?? create(IdentityProviderSchema);
    const { caller, rows } = await authorizeAndRead(call, given.uid, [
      selectProvider(call, given.uid),
      selectRoles(call.db, given.defaultRole, given.uid),
      selectMapped(call.db, given.uid),
      selectOwned(call, parentOf(given.uid)),
    ]);
    const [[before], roles, mapped, owned] = rows;
    if (!before) throw notFound("iam/IdentityProvider", given.uid);
    const group = parentOf(before.uid);
    const current = toIdentityProvider(call.config, before, call.now);
    const provider = applyMask(IdentityProviderSchema, current, given, request.updateMask);
    validate(IdentityProviderSchema, provider);
    const oidc = oidcOf(provider);
    settleCorrelation(oidc, before.correlationRule);
    if (isOtherSignIn(before, oidc)) {
      refuseTakeover(caller, roles, mapped, group);
    }
    const clientSecret = await secretAfter(call, before, oidc, request);
    checkOidc(call, oidc, { hasSecret: clientSecret !== "", issuer: before.issuer });
    if (provider.defaultRole !== before.defaultRole) {
      checkDefaultRole(caller, roles, provider.defaultRole, group);
    }
    const turnsOnPkce = oidc.pkceEnabled && !before.pkceEnabled;
    if (turnsOnPkce || oidc.issuer !== before.issuer) await checkDiscovery(call.config, oidc);
    const isSameSecret = clientSecret === before.clientSecret;
    if (isSameSecret && changesNothing(IdentityProviderSchema, current, provider)) return current;
    const updateTime = nextTime(call, before.updateTime);
    const changes = { ...toColumns(provider), clientSecret, updateTime };
    const message = toIdentityProvider(call.config, { ...before, ...changes }, call.now);
    await commitIfChanged(call, [
      call.db
        .update(identityProviders)
        .set(changes)
        .where(
          and(
            eq(identityProviders.uid, before.uid),
            eq(identityProviders.updateTime, before.updateTime),
          ),
        ),
      insertEvent(call, caller, { subject: before.uid, group, body: toEventBody(message) }),
      // People are those of an issuer.
      ...(oidc.issuer === before.issuer ? [] : keepOwner(call, owned)),
    ]);
    return message;
  },

  /**
   * Takes along its role mappings, its provisioned users and the record of who signed in, and
   * revokes the refresh tokens of those.
   */
  async deleteIdentityProvider(request, call) {
    const { uid } = request;
    const { caller, rows } = await authorizeAndRead(call, uid, [
      selectProvider(call, uid),
      selectOwned(call, parentOf(uid)),
    ]);
    if (!rows[0][0]) throw notFound("iam/IdentityProvider", uid);
    await commitIfChanged(call, [
      call.db.delete(identityProviders).where(eq(identityProviders.uid, uid)),
      insertEvent(call, caller, {
        subject: uid,
        group: parentOf(uid),
        body: { desc: call.method.input, message: request },
      }),
      ...deleteBesideProviders(call, sql`(${uid})`),
      ...keepOwner(call, rows[1]),
    ]);
    return {};
  },
});
