import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { resourceColumns } from "../columns.ts";
import { groupIndexes, groupKeys } from "../list_indexes.ts";
import { countRows, requireParent, requireRow, unlessEmpty } from "../triggers.ts";
import { groups } from "./groups.ts";
import { roles } from "./roles.ts";

/**
 * Identity providers, each with the state of its provisioning (SCIM). Only the SHA-256 of a SCIM token is
 * stored, in hexadecimal. An empty digest means that there is no token.
 */
export const identityProviders = sqliteTable(
  "identity_providers",
  {
    ...resourceColumns(),
    ...groupKeys(),
    name: text("name").notNull(),
    description: text("description").notNull().default(""),
    defaultRole: text("default_role").notNull(),
    issuer: text("issuer").notNull(),
    clientId: text("client_id").notNull(),
    /** The secret as a JWE (src/auth/secrets.ts), bound to the uid. Empty without a secret. */
    clientSecret: text("client_secret").notNull().default(""),
    additionalScopes: text("additional_scopes", { mode: "json" })
      .$type<string[]>()
      .notNull()
      .default([]),
    groupsClaim: text("groups_claim").notNull().default(""),
    /** Number of CorrelationRule, never 0. */
    correlationRule: integer("correlation_rule").notNull().default(1),
    pkceEnabled: integer("pkce_enabled", { mode: "boolean" }).notNull().default(false),
    scimEnabled: integer("scim_enabled", { mode: "boolean" }).notNull().default(false),
    /** Increases with every change of the SCIM configuration. 0 if no token was ever issued. */
    scimVersion: integer("scim_version").notNull().default(0),
    scimTokenDigest: text("scim_token_digest").notNull().default(""),
    /** Null if the token never expires, or if there is none. */
    scimTokenExpireTime: integer("scim_token_expire_time"),
    scimTokenRevokeTime: integer("scim_token_revoke_time"),
    /** The time of the next event about the expiry. Null if none follows (src/iam/expiry). */
    scimTokenNoticeTime: integer("scim_token_notice_time"),
    scimPreviousTokenDigest: text("scim_previous_token_digest").notNull().default(""),
    scimPreviousTokenExpireTime: integer("scim_previous_token_expire_time"),
  },
  (t) => [
    ...groupIndexes("identity_providers", t, { orders: { name: t.name } }),
    index("identity_providers_by_issuer").on(t.issuer),
    index("identity_providers_by_default_role").on(t.defaultRole),
    index("identity_providers_by_notice")
      .on(t.scimTokenNoticeTime)
      .where(sql`"scim_token_notice_time" is not null`),
  ],
);

export const triggers = () => [
  countRows(identityProviders),
  requireParent(identityProviders, groups),
  requireRow(identityProviders.defaultRole, roles, "role", {
    where: unlessEmpty,
    mayChange: true,
    restrict: true,
  }),
];
