/**
 * What a token of ours was exchanged from: a login or an identity, and the identities after it. With every
 * call D1 is asked whether all of it still stands, so a token ends with whatever let its bearer in.
 */
import { type Placeholder, type SQL, sql } from "drizzle-orm";
import { identities } from "../../schema/tables/identities.ts";
import { identityProviders } from "../../schema/tables/identity_providers.ts";
import { scimUsers } from "../../schema/tables/scim_users.ts";

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
export const greatestChain = 8;

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
 * The condition that everything in a chain (JSON) still stands: each identity with the matchers it had, and
 * the login, whose person has to be active where the provider provisions its users.
 */
export function isUnbroken(chain: string | Placeholder): SQL {
  const link = (member: string) => sql.raw(`"link"."value" ->> '${member}'`);
  const isActive = sql`exists (select 1 from ${scimUsers} where ${scimUsers.parent} = ${link("idp")}
    and ${scimUsers.identityUid} = ${link("sub")} and ${scimUsers.active} = 1)`;
  const hasLogin = sql`exists (select 1 from ${identityProviders}
    where ${identityProviders.uid} = ${link("idp")}
      and ${identityProviders.issuer} = coalesce(${link("iss")}, ${identityProviders.issuer})
      and ${identityProviders.clientId} = coalesce(${link("aud")}, ${identityProviders.clientId})
      and (${identityProviders.scimEnabled} = 0 or ${isActive}))`;
  const hasIdentity = sql`exists (select 1 from ${identities} as "one" where "one"."uid" = ${link("sub")}
    and "one"."relationship_time" = coalesce(${link("at")}, "one"."relationship_time")
    and "one"."create_time" = coalesce(${link("born")}, "one"."create_time"))`;
  return sql`not exists (select 1 from json_each(${chain}) as "link"
    where not (${hasIdentity} and (${link("idp")} is null or ${hasLogin})))`;
}
