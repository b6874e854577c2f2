/**
 * What a token of ours was exchanged from: a login or an identity, and the identities after it. With every
 * call D1 is asked whether all of it still stands, so a token ends with whatever let its bearer in.
 */
import { type SQL, sql } from "drizzle-orm";

/** An identity that the bearer became, the first one by a login or by a token from elsewhere. */
export interface ChainLink {
  /** Its uid. */
  sub: string;
  /** `relationshipTime` of the matchers that let the bearer in. */
  at?: number;
  /** Of a login: when the person's identity was made, as a person who left may come again. */
  born?: number;
  /** Of a login: the uid of the identity provider, its issuer and our client there. */
  idp?: string;
  iss?: string;
  aud?: string;
}

/** A longer chain is not exchanged further: the token would outgrow a header. */
export const maxChainLength = 8;

/**
 * The chain of a verified token of ours. Tokens of earlier releases have none; those of a login name their
 * identity provider all the same.
 */
export const chainOf = (claims: { sub?: string; idp?: string; chain?: ChainLink[] }): ChainLink[] =>
  claims.chain ?? (claims.idp && claims.sub ? [{ sub: claims.sub, idp: claims.idp }] : []);

/** People of the chain who came in without a login, by a token of their own. */
export const peopleOf = (chain: ChainLink[]): string[] =>
  chain.flatMap(({ sub, idp }) => (idp === undefined && !sub.includes("/") ? [sub] : []));

/**
 * The condition that everything in a chain still stands: each identity with the matchers it had, and
 * the login, whose person has to be active where the provider provisions its users.
 */
export function isChainValid(chain: ChainLink[]): SQL {
  return sql`not exists (select 1 from json_each(${JSON.stringify(chain)}) as "link"
    where not (
      exists (select 1 from "identities" as "one" where "one"."uid" = "link"."value" ->> 'sub'
        and "one"."relationship_time" = coalesce("link"."value" ->> 'at', "one"."relationship_time")
        and "one"."create_time" = coalesce("link"."value" ->> 'born', "one"."create_time"))
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
              and "scim_users"."active" = 1))))))`;
}
