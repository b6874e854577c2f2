/** Reads identity providers for a login. */
import { and, eq, inArray, or, sql } from "drizzle-orm";
import { groups } from "../../schema/tables/iam/groups.ts";
import { identityProviders } from "../../schema/tables/iam/identity_providers.ts";
import { roles } from "../../schema/tables/iam/roles.ts";
import { scimUsers } from "../../schema/tables/iam/scim_users.ts";
import { failedPrecondition } from "../aip/errors.ts";
import { isUid } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import { type Databases, rowsOfEach } from "../auth/databases.ts";
import { isVerifiedOrganization, namedUids } from "../auth/verified_names.ts";
import { tokenRefusal } from "./upstream.ts";

const columns = {
  uid: identityProviders.uid,
  group: sql<string>`${identityProviders.parent}`.as("group_uid"),
  name: identityProviders.name,
  issuer: identityProviders.issuer,
  clientId: identityProviders.clientId,
  clientSecret: identityProviders.clientSecret,
  additionalScopes: identityProviders.additionalScopes,
  groupsClaim: identityProviders.groupsClaim,
  correlationRule: identityProviders.correlationRule,
  pkceEnabled: identityProviders.pkceEnabled,
};

/** The statement that reads an identity provider. */
export const selectProvider = (db: Database, uid: string) =>
  db.select(columns).from(identityProviders).where(eq(identityProviders.uid, uid));

/** An identity provider. */
export type Provider = Awaited<ReturnType<typeof selectProvider>>[number];

/** The part of a provider that a login needs once the provider has answered. It contains no secret. */
export type LoginProvider = Pick<
  Provider,
  "uid" | "group" | "name" | "issuer" | "clientId" | "groupsClaim" | "correlationRule"
>;

/** Up to two providers of a verified organization. */
const selectProvidersOfOrganization = (db: Database, name: string) => {
  const organization = db
    .select({ uid: groups.uid })
    .from(groups)
    .where(and(eq(groups.name, name), isVerifiedOrganization));
  const ofIt = inArray(identityProviders.parent, organization);
  return db.select(columns).from(identityProviders).where(ofIt).limit(2);
};

/**
 * Finds the provider of a login by its uid, or by the uid or verified name of its group if that has only one.
 * Undefined if there is none. Throws FAILED_PRECONDITION if there are several.
 */
export async function findProvider(
  databases: Databases,
  provider: string,
): Promise<Provider | undefined> {
  const [name = provider] = await namedUids(databases, [provider]);
  const db = databases.databaseOf(name);
  const select = isUid(name)
    ? db
        .select(columns)
        .from(identityProviders)
        .where(or(eq(identityProviders.uid, name), eq(identityProviders.parent, name)))
        .limit(2)
    : selectProvidersOfOrganization(db, name);
  const providers = await select;
  if (providers.length > 1) {
    const text = "there are several identity providers; name one of them by its uid";
    throw failedPrecondition("IDENTITY_PROVIDER_AMBIGUOUS", text, name);
  }
  return providers[0];
}

/** Whether a verified organization with that name has an identity provider. */
export const hasIdentityProvider = async (databases: Databases, name: string) =>
  (await rowsOfEach(databases, (db) => selectProvidersOfOrganization(db, name))).length > 0;

/** The statement that reads whether a login through a provider is still valid. */
export const selectLoginStatus = (db: Database, provider: string, person: string) => {
  const isActive = sql<number>`exists (select 1 from ${scimUsers} where ${scimUsers.parent} = ${provider}
    and ${scimUsers.identityUid} = ${person} and ${scimUsers.active} = 1)`;
  return db
    .select({ scimEnabled: identityProviders.scimEnabled, isActive: isActive.as("is_active") })
    .from(identityProviders)
    .where(eq(identityProviders.uid, provider));
};

/**
 * Throws PERMISSION_DENIED if the provider no longer exists. Also throws it if the provider provisions its
 * users and this person is not an active one.
 */
export function requireActiveLogin(statuses: Awaited<ReturnType<typeof selectLoginStatus>>): void {
  const [status] = statuses;
  if (!status) throw tokenRefusal("the identity provider of the login was deleted");
  if (status.scimEnabled && !status.isActive) throw deactivatedUser();
}

/** The error for a person whom a provider with provisioning does not let in. */
export const deactivatedUser = () =>
  tokenRefusal("the user was deactivated, or the identity provider never provisioned the user");

/** The current provider, the name of its group, and its default role. */
export const selectStandingHere = (db: Database, provider: string) =>
  db
    .select({
      scimEnabled: identityProviders.scimEnabled,
      updateTime: identityProviders.updateTime,
      issuer: identityProviders.issuer,
      clientId: identityProviders.clientId,
      groupsClaim: identityProviders.groupsClaim,
      correlationRule: identityProviders.correlationRule,
      groupName: sql<string | null>`${groups.name}`.as("group_name"),
      groupDescription: sql<string | null>`${groups.description}`.as("group_description"),
      roleUid: sql<string | null>`${roles.uid}`.as("role_uid"),
      roleName: sql<string | null>`${roles.name}`.as("role_name"),
      roleDescription: sql<string | null>`${roles.description}`.as("role_description"),
    })
    .from(identityProviders)
    .leftJoin(groups, eq(groups.uid, identityProviders.parent))
    .leftJoin(roles, eq(roles.uid, identityProviders.defaultRole))
    .where(eq(identityProviders.uid, provider));

/** A provider with its group and its default role, as a login reads them. */
export type ProviderState = Awaited<ReturnType<typeof selectStandingHere>>[number];
