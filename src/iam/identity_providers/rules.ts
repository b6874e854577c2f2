/** Checks an identity provider before it is written. */

import { eq, sql } from "drizzle-orm";
import {
  type IdentityProvider,
  type IdentityProvider_OIDC,
  IdentityProvider_OIDC_CorrelationRule as Rule,
} from "../../../schema/gen/platform/iam/v2/identity_providers_pb.js";
import { externalGroupRoleMappings as mappings } from "../../../schema/tables/iam/external_group_role_mappings.ts";
import { identityProviders } from "../../../schema/tables/iam/identity_providers.ts";
import { OWNER_ROLE, roles } from "../../../schema/tables/iam/roles.ts";
import type { RowOf } from "../../../schema/tables/list_indexes.ts";
import { failedPrecondition, invalidArgument } from "../../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../../aip/uid_path.ts";
import { accessDenied } from "../../auth/access_decision.ts";
import type { Call, Database } from "../../auth/call.ts";
import { type Caller, holds } from "../../auth/grants.ts";
import { type DiscoveryDocument, fetchDiscovery } from "../../auth/issuers.ts";
import { endpointRules, issuerRules, urlRefusal } from "../../auth/outgoing/destination.ts";
import { RefusedDestination } from "../../auth/outgoing/outgoing.ts";

export type ProviderRow = RowOf<typeof identityProviders>;

/** The configuration in a validated message. OpenID Connect is the only kind. */
export function oidcOf({ configuration }: IdentityProvider): IdentityProvider_OIDC {
  if (configuration.case === "oidc") return configuration.value;
  throw invalidArgument("oidc", "oidc is required");
}

/** scope-token of RFC 6749 section 3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/**
 * Checks what the rules of the proto cannot express about a configuration. `hasSecret` says whether there is
 * a secret after the write. `issuer` is the stored issuer. It is allowed even if it is older than the rules
 * for destinations, because each request to it is checked again.
 */
export function checkOidc(
  { config }: Call,
  oidc: IdentityProvider_OIDC,
  { hasSecret, issuer }: { hasSecret: boolean; issuer?: string },
): void {
  const refusal = oidc.issuer === issuer ? undefined : urlRefusal(config, oidc.issuer, issuerRules);
  if (refusal !== undefined) throw invalidIssuer(refusal);
  const bad = oidc.additionalScopes.findIndex((scope) => !scopeToken.test(scope));
  if (bad >= 0) {
    const field = `oidc.additional_scopes[${bad}]`;
    throw invalidArgument(
      field,
      `${field} must be printable ASCII without spaces, double quotes or backslashes (RFC 6749 section 3.3)`,
    );
  }
  if (!hasSecret && !oidc.pkceEnabled) {
    throw invalidArgument(
      "oidc.client_secret",
      "oidc.client_secret is required unless oidc.pkce_enabled is true",
    );
  }
}

const invalidIssuer = (refusal: string) => invalidArgument("oidc.issuer", `oidc.issuer ${refusal}`);

/** The rule to store: the new one, or the current one if there is none. Throws if the rule would change. */
export function applyCorrelationRule(
  oidc: IdentityProvider_OIDC,
  before: number | undefined,
): void {
  oidc.correlationRule ||= before ?? Rule.SUB_EQUALS_EXTERNAL_ID;
  if (before !== undefined && oidc.correlationRule !== before) {
    throw invalidArgument(
      "oidc.correlation_rule",
      "oidc.correlation_rule cannot change after the identity provider was created",
    );
  }
}

/** The statement that reads a role by its uid, the owner role, and a provider's current default role. */
export const selectDefaultRoles = (db: Database, uid: string, provider = "") =>
  db
    .select({ uid: roles.uid, capabilities: roles.capabilities })
    .from(roles)
    .where(
      sql`${roles.uid} in (${uid}, ${OWNER_ROLE}, (select ${identityProviders.defaultRole} from ${identityProviders} where ${identityProviders.uid} = ${provider}))`,
    );

/** The statement that reads the scopes and capabilities in the role mappings of a provider. */
export const selectMappedGrants = (db: Database, provider: string) =>
  db
    .select({ scope: mappings.scope, capabilities: roles.capabilities })
    .from(mappings)
    .innerJoin(roles, eq(roles.uid, mappings.roleUid))
    .where(eq(mappings.parent, provider));

type Role = { uid: string; capabilities: number[] };

/** Throws unless the default role can be used in the group and the caller may bind it. */
export function checkDefaultRole(
  caller: Caller,
  roleRows: Role[],
  uid: string,
  group: string,
): void {
  const role = roleRows.find((row) => row.uid === uid);
  const shared = parentOf(uid) === "" || isAtOrAbove(parentOf(uid), group);
  if (!role || !shared) {
    throw invalidArgument(
      "default_role",
      "default_role must be a built-in role, or a role of the group or of a group above it",
    );
  }
  if (!holds(caller, role.capabilities, group)) {
    const text = "the role in default_role has capabilities that you do not have on the group";
    throw accessDenied(text, {
      capabilities: role.capabilities,
      resource: group,
    });
  }
}

/**
 * Anyone who decides which tokens and claims are trusted can come in as any person, including the owners of
 * the group. The caller therefore needs all capabilities of an owner, and those of the default role and the
 * mappings. Throws PERMISSION_DENIED otherwise. `roleRows` is the result of {@link selectDefaultRoles}.
 */
export function refuseProviderTakeover(
  caller: Caller,
  roleRows: Role[],
  mapped: { scope: string; capabilities: number[] }[],
  group: string,
): void {
  const grants = [
    ...roleRows.map(({ capabilities }) => ({ scope: group, capabilities })),
    ...mapped,
  ];
  const refused = grants.find(({ scope, capabilities }) => !holds(caller, capabilities, scope));
  if (!refused) return;
  const text =
    "to change how people log in, you need all capabilities of an owner of the group, and all that the identity provider gives";
  const { capabilities, scope } = refused;
  throw accessDenied(text, { capabilities, resource: scope });
}

/** Whether the change affects logins: the provider, the client, the scopes or the groups claim. */
export const changesSignIn = (row: ProviderRow, oidc: IdentityProvider_OIDC) =>
  row.issuer !== oidc.issuer ||
  row.clientId !== oidc.clientId ||
  row.groupsClaim !== oidc.groupsClaim ||
  JSON.stringify(row.additionalScopes) !== JSON.stringify(oidc.additionalScopes);

/**
 * Reads the provider's discovery document. Throws FAILED_PRECONDITION if no one could log in: the document is
 * missing, names no endpoints, or says that the PKCE method S256 is not supported. Throws INVALID_ARGUMENT if
 * the issuer's name leads into a private network.
 */
export async function checkDiscovery(
  { config, databases }: Pick<Call, "config" | "databases">,
  oidc: IdentityProvider_OIDC,
) {
  const { issuer, pkceEnabled } = oidc;
  const refuse = (text: string) =>
    failedPrecondition("DISCOVERY", `the discovery document of ${issuer} ${text}`, issuer);
  let document: DiscoveryDocument;
  try {
    document = await fetchDiscovery(config, issuer, databases.trace);
  } catch (error) {
    if (error instanceof RefusedDestination) throw invalidIssuer(error.predicate);
    throw refuse("cannot be read");
  }
  if (document.issuer !== issuer) throw refuse("names another issuer");
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    const url = document[name];
    if (typeof url !== "string") throw refuse(`has no ${name}`);
    const refusal = urlRefusal(config, url, endpointRules);
    if (refusal !== undefined) throw refuse(`cannot be used: its ${name} ${refusal}`);
  }
  const methods = document.code_challenge_methods_supported;
  if (pkceEnabled && Array.isArray(methods) && !methods.includes("S256")) {
    const text = "does not list the PKCE method S256; set oidc.pkce_enabled to false";
    throw failedPrecondition("PKCE", `the discovery document of ${issuer} ${text}`, issuer);
  }
}
