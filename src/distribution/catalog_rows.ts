/**
 * The statement that lists the names of repositories below some groups, in the order of their bytes. A page costs a few
 * rows for each group whose names can come after `last`, and for each of its own names. The number of repositories does
 * not matter.
 */
import { type SQL, sql } from "drizzle-orm";
import { GROUP_LEVELS, lengthAt } from "../../schema/tables/columns.ts";
import { counts } from "../../schema/tables/counts.ts";
import { groups } from "../../schema/tables/iam/groups.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import type { Database } from "../auth/call.ts";
import type { NamePage } from "./name_pages.ts";
import { maxLength } from "./repository.ts";

/** SQL: `isInGrammar` of repository.ts, for a text of any length. SQLite has no regular expressions. */
const isInGrammar = (text: SQL) => sql`(${text} glob '[a-z0-9]*' and ${text} glob '*[a-z0-9]'
  and ${text} not glob '*[^a-z0-9._/-]*' and ${text} not glob '*[./][._/-]*'
  and ${text} not glob '*_[./-]*' and ${text} not glob '*-[._/]*' and ${text} not glob '*___*')`;

/** SQL: the last step of the uid of the row `node`, or the whole uid of an organization. */
const step = sql`iif(length(node.uid) = 40, node.uid, substr(node.uid, -16))`;

/**
 * SQL: the component that leads to the group `node` (`groupPath` of repository.ts): its name, if that can be in an image
 * name. The uid comes first there, so a name that looks like a step of a uid can lead elsewhere.
 */
const component = sql`iif((length(node.uid) > 40 or node.verified) and ${isInGrammar(sql`node.name`)}
  and instr(node.name, '/') = 0 and (length(node.name) <> length(${step}) or node.name glob '*[^0-9a-f]*'),
  node.name, ${step})`;

/** SQL: the number of repositories directly in a group. */
const sizeOf = (uid: SQL) => sql`coalesce((select ${counts.children} from ${counts}
  where ${counts.ancestor} = ${uid} and ${counts.kind} = 'repos' and ${counts.class} = 0), 0)`;

/** The depths of groups. */
const depths = Array.from({ length: GROUP_LEVELS + 1 }, (_, depth) => depth);

/** SQL: an aggregate of the groups on the way to `starts.uid`, from the organization down. */
const onTheWay = (aggregate: SQL) => sql`(select ${aggregate} from (
  select ${component} as component, sum(length(${component}) + 1) over (order by length(node.uid)) as total
  from ${groups} as node where node.uid in (${sql.raw(
    depths.map((depth) => `substr(starts.uid, 1, ${lengthAt(depth)})`).join(", "),
  )}) order by length(node.uid)))`;

/** SQL: whether a name after `last` can begin with the prefix. */
const isAhead = (last: string) =>
  sql`(prefix > ${last} or substr(${last}, 1, length(prefix)) = prefix) and length(prefix) < ${maxLength}`;

/**
 * The groups of the scopes and everything below them. `prefix` is the beginning of the names there. `lengths` has three
 * digits for each group on the way: the length of its prefix. `above` is the number of repositories that come after
 * `last` in the groups above. For a scope that is a repository, the row is its group, and `only` is the repository.
 */
const treeOf = (scopes: string, last: string) => sql`starts(uid, only) as (
    select node.uid, null from json_each(${scopes}) as scope cross join ${groups} as node on node.uid = scope.value
    union all
    select node.parent, node.uid from json_each(${scopes}) as scope cross join ${repos} as node on node.uid = scope.value
  ),
  tree(uid, only, depth, prefix, lengths, size, above) as (
    select starts.uid, starts.only, (length(starts.uid) - 40) / 17,
      ${onTheWay(sql`group_concat(component || '/', '')`)}, ${onTheWay(sql`group_concat(printf('%03d', total), '')`)},
      ${sizeOf(sql`starts.uid`)}, 0
    from starts
    union all
    select node.uid, null, depth + 1, prefix || ${component} || '/',
      substr(lengths, 1, 3 * depth) || printf('%03d', length(prefix)), ${sizeOf(sql`node.uid`)},
      above + iif(prefix > ${last}, size, 0)
    from tree cross join ${groups} as node on node.parent = tree.uid
    where only is null and ${isAhead(last)}
  )`;

/**
 * SQL: whether the name leads to the repository `node` in `group`. A repository nearer to the organization can
 * have the same name, because names of repositories can contain slashes.
 */
const isAddress = (group: SQL) => sql`${isInGrammar(sql`node.name`)}
  and length(${group}.prefix || node.name) <= ${maxLength}
  and not exists (
    select 1 from (values ${sql.raw(depths.map((depth) => `(${depth})`).join(", "))}) as upper
      cross join ${repos} as nearer
      on nearer.parent = substr(${group}.uid, 1, 40 + 17 * upper.column1)
      and nearer.name = substr(${group}.prefix || node.name, substr(${group}.lengths, 1 + 3 * upper.column1, 3) + 1)
    where upper.column1 < ${group}.depth)`;

/**
 * Selects the names of a page and one more. The scopes are groups or repositories. A row with `isCut` says that names
 * from this text on were not looked at, because the groups before it have enough.
 */
export function selectNames(db: Database, scopes: string[], { count, last }: NamePage) {
  const most = sql.raw(String(count));
  const rows = sql`(
    with recursive ${treeOf(JSON.stringify(scopes), last)},
    page_groups as (
      select uid, depth, prefix, lengths, iif(prefix > ${last}, '', substr(${last}, length(prefix) + 1)) as after,
        coalesce(sum(iif(prefix > ${last}, size, 0))
          over (order by prefix rows between unbounded preceding and 1 preceding), 0) - above as before
      from tree where only is null and size > 0 and ${isAhead(last)}
    )
    select page_groups.prefix || listed.name as name, 0 as is_cut
      from page_groups cross join ${repos} as listed on listed.parent = page_groups.uid and listed.name in (
        select node.name from ${repos} as node
        where node.parent = page_groups.uid and node.name > page_groups.after and ${isAddress(sql`page_groups`)}
        order by node.name limit ${most} + 1)
      where page_groups.before <= ${most}
    union all
    select tree.prefix || node.name as name, 0
      from tree cross join ${repos} as node on node.uid = tree.only
      where tree.prefix || node.name > ${last} and ${isAddress(sql`tree`)}
    union all
    select prefix, 1 from (select min(prefix) as prefix from page_groups where before > ${most}) where prefix is not null
    order by name limit ${most} + 1
  ) as names`;
  return db
    .select({
      name: sql<string>`names.name`.as("name"),
      isCut: sql<number>`names.is_cut`.as("is_cut"),
    })
    .from(rows);
}
