/** The statements that fill the database with the fixtures (fixtures.ts). */
import type { DatabaseSync } from "node:sqlite";
import { OWNER_ROLE } from "../../schema/tables/iam/roles.ts";
import type { TableLoad } from "./bulk_load.ts";
import { areaSql, fixtures, holderIn, startTime } from "./fixtures.ts";
import { artifactLoads, feedLoads } from "./loads_advisories.ts";
import { bindingLoads, peopleLoads } from "./loads_iam.ts";
import { imageLoads, registryLoads } from "./loads_registry.ts";

const { root, chain, areas } = fixtures;

/** The role of the operator of the platform (migration 0005). */
const operatorRole = "0d0fcd23ba11ba9ae9af494459be5c9872701241";

/** Returns the groups and callers that every size has. */
function fixedRows(namespace: string): TableLoad[] {
  const groups = [root, ...chain, ...areas, fixtures.other];
  const rows = groups.map((uid) => {
    const name = uid === root ? namespace : `group ${uid.slice(-16)}`;
    return `('${uid}', '${name}', ${uid === root ? 1 : 0}, ${startTime}, ${startTime})`;
  });
  const people = [fixtures.owner, fixtures.member].map(
    (uid) => `('${uid}', 'person ${uid.slice(0, 1)}', ${startTime}, ${startTime}, ${startTime})`,
  );
  const held: [string, string][] = [
    [root, fixtures.owner],
    ...areas.map((area): [string, string] => [area, fixtures.member]),
  ];
  const bindings = [
    ...held.map(
      ([group, identity]) =>
        `('${holderIn(group)}', '${identity}', '${OWNER_ROLE}', ${startTime}, ${startTime})`,
    ),
    // Only the operator's role can write a readme.
    `('${root}/${"e".repeat(16)}', '${fixtures.owner}', '${operatorRole}', ${startTime}, ${startTime})`,
  ];
  return [
    {
      table: "groups",
      sql: `insert into groups (uid, name, verified, create_time, update_time) values ${rows}`,
    },
    {
      table: "identities",
      sql: `insert into identities (uid, name, last_seen_time, create_time, update_time) values ${people}`,
    },
    {
      table: "role_bindings",
      sql: `insert into role_bindings (uid, identity_uid, role_uid, create_time, update_time) values ${bindings}`,
    },
  ];
}

/** Creates `places`: for each row its number and its parent, in the order of the uids. */
function makePlaces(db: DatabaseSync, rows: number): void {
  const levels = chain.map((uid, index) => `when ${index + 8} then '${uid}'`).join(" ");
  const area = areaSql("(i / 20 * 5 + i % 20 - 13) % 50");
  db.exec(`create temp table places (i integer primary key, parent text not null);
    insert into places
    with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i + 1 < ${rows})
    select i, case i % 20 ${levels} when 12 then '${fixtures.group}' when 18 then '${fixtures.other}'
      when 19 then '${fixtures.other}' else iif(i % 20 < 8, '${root}', ${area}) end from numbers;
    create index temp.places_in_order on places (parent, i);
    create temp table parents as select distinct parent from places order by parent`);
}

/** Returns every statement that creates the fixtures. Parents come before their children. */
export function fixtureLoads(db: DatabaseSync, rows: number, namespace: string): TableLoad[] {
  makePlaces(db, rows);
  return [
    ...fixedRows(namespace),
    ...peopleLoads(),
    ...bindingLoads(rows),
    ...registryLoads(),
    ...imageLoads(),
    ...feedLoads(),
    ...artifactLoads(),
  ];
}
