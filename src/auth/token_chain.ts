/**
 * The origin of our own token: a login or an identity, and the identities after it. With every call, D1 is
 * asked whether all of it is still valid. A token therefore ends with any part of its origin.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { type Database, isServed } from "./databases.ts";

/**
 * An identity that the bearer assumed. The bearer assumed the first one by a login or with a foreign token.
 */
export interface ChainLink {
  /** The uid of the identity. */
  sub: string;
  /** The `relationshipTime` of the matchers that accepted the bearer. */
  at?: number;
  /** For a login: the creation time of the person's identity, because a person who left can come back. */
  born?: number;
  /** For a login: the uid of the identity provider, its issuer and our client there. */
  idp?: string;
  iss?: string;
  aud?: string;
  /** For a login in a browser: the uid of its session. */
  sid?: string;
  /** For a key: its uid. */
  key?: string;
}

/** A longer chain cannot be exchanged again, because the token would be too long for a header. */
export const maxChainLength = 8;

/** The chain of our verified token. The own token of an identity has none. */
export const chainOf = (claims: { chain?: ChainLink[] }): ChainLink[] => claims.chain ?? [];

/** The people in the chain who came in without a login, with their own token. */
export const peopleOf = (chain: ChainLink[]): string[] =>
  chain.flatMap(({ sub, idp }) => (idp === undefined && !sub.includes("/") ? [sub] : []));

/** The uid whose location knows whether a link is valid. */
export const locationUidOf = ({ sub, idp = sub }: ChainLink): string => idp;

/**
 * Whether "link" is valid: the identity has the same matchers, and the login's person is active if the provider
 * provisions its users. A session is not ended. A key still exists, and its organization does not forbid keys.
 */
const isLinkValid = sql.raw(`(
      exists (select 1 from "identities" as "identity" where "identity"."uid" = "link"."value" ->> 'sub'
        and "identity"."relationship_time" = coalesce("link"."value" ->> 'at', "identity"."relationship_time")
        and "identity"."create_time" = coalesce("link"."value" ->> 'born', "identity"."create_time"))
      and ("link"."value" ->> 'idp' is null or exists (
        select 1 from "identity_providers"
        where "identity_providers"."uid" = "link"."value" ->> 'idp'
          and "identity_providers"."issuer"
            = coalesce("link"."value" ->> 'iss', "identity_providers"."issuer")
          and "identity_providers"."client_id"
            = coalesce("link"."value" ->> 'aud', "identity_providers"."client_id")
          and ("identity_providers"."scim_enabled" = 0 or exists (
            select 1 from "scim_users" where "scim_users"."parent" = "link"."value" ->> 'idp'
              and "scim_users"."identity_uid" = "link"."value" ->> 'sub'
              and "scim_users"."active" = 1))))
      and ("link"."value" ->> 'sid' is null or exists (
        select 1 from "sessions" where "sessions"."uid" = "link"."value" ->> 'sid'))
      and ("link"."value" ->> 'key' is null or exists (
        select 1 from "keys" join "groups" as "organization"
            on "organization"."uid" = substr("keys"."uid", 1, 40)
          where "keys"."uid" = "link"."value" ->> 'key' and "organization"."keys_disabled" = 0)))`);

/** The condition that everything in a chain is still valid. */
export const isChainValid = (chain: ChainLink[]): SQL => isChainValidIn(JSON.stringify(chain));

/** The same as {@link isChainValid}, for a chain in JSON or its place. */
export const isChainValidIn = (json: string | Placeholder): SQL =>
  sql`not exists (select 1 from json_each(${json}) as "link" where not ${isLinkValid})`;

/** The links of a chain that are valid in this database, by their positions in the chain. */
export const selectValidLinks = (db: Database, chain: ChainLink[]) =>
  db
    .select({ position: sql<number>`"link"."key"`.as("position") })
    .from(sql`json_each(${JSON.stringify(chain)}) as "link"`)
    .where(
      sql`${isLinkValid} and ${isServed(sql`coalesce("link"."value" ->> 'idp', "link"."value" ->> 'sub')`)}`,
    );
