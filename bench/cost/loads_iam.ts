/** Rows of identity and access: groups, people, roles, providers and role bindings. */
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import type { TableLoad } from "./bulk_load.ts";
import {
  areaSql,
  fixtures,
  fromFewPlaces,
  fromPlaces,
  holder,
  maxOtherRows,
  resourceColumns,
  shuffledSql,
  uidSql,
} from "./fixtures.ts";

/** Returns a load that puts one row into each place: additional columns and their values. */
const perPlace = (
  table: string,
  kind: string,
  columns: Record<string, string>,
  places = fromFewPlaces,
): TableLoad => ({
  table,
  sql: `insert into ${table} (${resourceColumns.names}, ${Object.keys(columns)})
    select ${resourceColumns.of(uidSql("parent", kind))}, ${Object.values(columns)} ${places}`,
});

/** Only `repo.list`. More capabilities make the row of a role larger, but no call more expensive. */
const capabilities = "(select json_array(value) from roles, json_each(roles.capabilities) limit 1)";

export const peopleLoads = (): TableLoad[] => [
  {
    table: "groups",
    // The deepest group cannot contain groups.
    sql: `insert into groups (${resourceColumns.names}, name)
      select ${resourceColumns.of(uidSql("parent", "01"))}, 'group-' || ${shuffledSql}
      from (select i, iif(parent = '${fixtures.chain[3]}', '${fixtures.chain[2]}', parent) as parent from places)
      order by parent, i`,
  },
  perPlace(
    "identities",
    "02",
    {
      name: `'identity-' || ${shuffledSql}`,
      last_seen_time: "0",
      issuer: "'https://issuer-' || (i % 100) || '.example'",
      subject: "'subject-' || i",
    },
    fromPlaces,
  ),
  perPlace("roles", "03", { name: `'role-' || ${shuffledSql}`, capabilities }),
  perPlace("group_invites", "0b", {
    role_uid: `'${OWNER_ROLE}'`,
    inviter_uid: `'${fixtures.owner}'`,
    expiration_time: "4102444800000 + i",
    key_id: `'key-' || ${shuffledSql}`,
    code_digest: "printf('%064x', i)",
  }),
  {
    table: "terms_acceptances",
    // A group can accept each of the few documents once.
    sql: `insert into terms_acceptances (${resourceColumns.names}, doc_id, accepted_by)
      select ${resourceColumns.of(uidSql("parent", "13"))}, 'document-' || i, '${fixtures.owner}'
      from parents cross join (select value as i from json_each('[0,1,2]'))`,
  },
  perPlace("subscriptions", "0f", { sink: `'https://hooks.example/' || ${shuffledSql}` }),
  ...providerLoads(),
  {
    table: "account_associations",
    // Each group has one association, with the same uid.
    sql: `insert into account_associations (uid, name, accounts, create_time, update_time)
      select uid, 'clouds-' || name, '{"amazon":{"account":"123456789012"}}', create_time, update_time
      from groups where rowid % max(1, (select count(*) from groups) / ${maxOtherRows}) = 0 or rowid <= (select count(*) from parents)`,
  },
  {
    table: "identity_metadata",
    sql: `insert into identity_metadata select uid, '{}', update_time from identities limit ${maxOtherRows}`,
  },
];

const providerColumns = {
  name: `'provider-' || ${shuffledSql}`,
  default_role: `'${OWNER_ROLE}'`,
  issuer: "'https://provider-' || i || '.example'",
  client_id: "'client'",
};

function providerLoads(): TableLoad[] {
  const own = `insert into identity_providers (${resourceColumns.names}, ${Object.keys(providerColumns)})`;
  return [
    perPlace("identity_providers", "0c", providerColumns),
    {
      table: "identity_providers",
      sql: `${own} select ${resourceColumns.of(holder)}, ${Object.values(providerColumns)}
        from (select -1 - rowid as i, parent from parents)`,
    },
    {
      table: "external_group_role_mappings",
      sql: `insert into external_group_role_mappings (${resourceColumns.names}, external_group_id, role_uid, scope)
        select ${resourceColumns.of(uidSql(holder, "0d"))}, 'external-' || ${shuffledSql},
          '${OWNER_ROLE}', parent ${fromFewPlaces}`,
    },
    {
      table: "keys",
      sql: `insert into keys (${resourceColumns.names}, name, digest, scopes, actions, networks, expire_time, creator_uid)
        select ${resourceColumns.of(uidSql(uidSql("parent", "02"), "0f"))}, 'key-' || ${shuffledSql},
          printf('%064x', i), '[]', '[]', '[]', 4102444800000, '' ${fromFewPlaces}`,
    },
    {
      table: "sign_ins",
      sql: `insert into sign_ins
        select ${holder}, ${uidSql("parent", "02")}, 1, 1 ${fromFewPlaces}`,
    },
  ];
}

/**
 * One role binding for each row. In addition, one in a hundred identities, ten thousand of a million, has 1 to 50 role
 * bindings on the fifty sibling groups.
 */
export function bindingLoads(rows: number): TableLoad[] {
  const columns = `${resourceColumns.names}, identity_uid, role_uid`;
  return [
    {
      table: "role_bindings",
      sql: `insert into role_bindings (${columns})
        select ${resourceColumns.of(uidSql("parent", "04"))}, ${uidSql("parent", "02")}, '${OWNER_ROLE}' ${fromPlaces}`,
    },
    {
      table: "role_bindings",
      sql: `insert into role_bindings (${columns})
        with recursive times (at) as (select 0 union all select at + 1 from times where at < 49)
        select ${resourceColumns.of(`${areaSql("at")} || '/' || printf('14%014x', i)`)},
          ${uidSql("parent", "02")}, (select uid from roles where name = 'viewer' and parent = '')
        from places join times on at <= i % 50 where i < ${Math.ceil(rows / 100)}
        order by at, i`,
    },
  ];
}
