/** Resolves image names of the registry to repositories. */

import { and, type SQL, sql } from "drizzle-orm";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { hearsPulls, subscriptions } from "../../schema/tables/events/subscriptions.ts";
import { expiryPlans, isOpen } from "../../schema/tables/registry/expiry_plans.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { tagNames, tagRepos } from "../../schema/tables/registry/tag_records.ts";
import { quoted } from "../aip/quoted.ts";
import { isUid } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import { nameInvalid, type RegistryError } from "./errors.ts";

/** `<namespace>/<image>`: the uid or verified name of an organization, and the path below it. */
export interface ImageName {
  full: string;
  namespace: string;
  /** One or more path segments. */
  image: string[];
  /** The name that the client has sent, if a mirror answers for it (src/distribution/mirror/names.ts). */
  asked?: string;
  /** The name of the mirror of a prefix from which anyone can pull it, if it has it from there. */
  openMirror?: string | undefined;
}

/** A uid with all levels of groups, a slash and the longest name of a repository. */
export const maxLength = 40 + 17 * GROUP_LEVELS + 1 + 255;
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const grammar = new RegExp(`^${component}(?:/${component})*$`);

/**
 * Whether the text follows the grammar of names (OCI distribution, "Pulling manifests"), with which a name can have only
 * one component.
 */
export const isInGrammar = (text: string): boolean =>
  text.length <= maxLength && grammar.test(text);

/** Reads a percent-decoded name. Undefined if no repository can have it. */
export function toImageName(text: string): ImageName | undefined {
  if (!isInGrammar(text)) return undefined;
  const [namespace = "", ...image] = text.split("/");
  return image.length > 0 ? { full: text, namespace, image } : undefined;
}

/** NAME_INVALID for a text that {@link toImageName} does not read. */
export const wrongName = (text: string): RegistryError =>
  nameInvalid(
    text.length > maxLength
      ? `the name must have at most ${maxLength} characters; you sent ${text.length}`
      : "the name must have the form <namespace>/<image>, in lowercase letters and digits " +
          `separated by dots, hyphens, underscores or slashes; you sent ${quoted(text)}`,
  );

/** The token scope for actions on the image with this name. */
export const scopeOf = (name: string, actions: string[]) =>
  `repository:${name}:${actions.join(",")}`;

/**
 * The groups along the name, with the organization first. `depth`, `uid`, and `rest`, which is the name of
 * the repository if it is in that group. Empty if the organization does not exist. A segment is the name of a
 * group or the last step of its uid. A group thus has an address even if its name cannot be in an image name.
 * The uid comes first, because no one can choose it.
 */
function groupPath({ namespace, image }: ImageName): SQL {
  const rests = image.slice(0, GROUP_LEVELS + 1).map((_, depth) => image.slice(depth).join("/"));
  const named = isUid(namespace)
    ? sql`uid = ${namespace}`
    : sql`verified = 1 and name = ${namespace} and length(uid) = 40`;
  // An image directly in its organization is the usual case. A recursive query would take longer to compile.
  if (rests.length === 1)
    return sql`(select 0 as depth, uid, ${rests[0]} as rest from groups where ${named}) as path`;
  const step = (list: string[]) => sql`json_extract(${JSON.stringify(list)}, '$[' || depth || ']')`;
  return sql`(
    with recursive steps(depth, uid) as (
      select 0, uid from groups where ${named}
      union all
      select depth + 1, coalesce(
        (select groups.uid from groups where groups.uid = steps.uid || '/' || ${step(image)}),
        (select groups.uid from groups where groups.parent = steps.uid and groups.parent <> ''
          and groups.name = ${step(image)})) as below
      from steps where depth < ${sql.raw(String(rests.length - 1))} and below is not null
    )
    select depth, uid, ${step(rests)} as rest from steps
  ) as path`;
}

const isRepoOfPath = and(sql`${repos.parent} = path.uid`, sql`${repos.name} = path.rest`);

const hasHistory = (tag: string) =>
  sql`exists (select 1 from ${tagRepos} cross join ${tagNames} on ${tagNames.repo} = ${tagRepos.id}
    where ${tagRepos.repoUid} = ${repos.uid} and ${tagNames.tag} = ${tag})`;

const isHeard = sql`exists (select 1 from ${subscriptions}
  where ${subscriptions.ancestor0} = substr(${repos.uid}, 1, 40) and ${hearsPulls})`;

const isAwaited = sql`exists (select 1 from ${expiryPlans}
  where ${expiryPlans.parent} = ${repos.uid} and ${isOpen})`;

/**
 * The statement that resolves the name. It returns one row for each group along the name, the organization
 * first, with the repository if it is in that group. `isKnown` says whether the tag has ever existed. For a pull,
 * `isHeard` says whether a subscription receives its event, and `isAwaited` whether an expiry plan must know of it.
 */
export const selectRepositoryPath = (
  db: Database,
  name: ImageName,
  { tag = "", isPull = false } = {},
) =>
  db
    .select({
      // A batch returns rows by column name, so the two uids need different names.
      group: sql<string>`path.uid`.as("at"),
      rest: sql<string>`path.rest`.as("rest"),
      repo: repos.uid,
      isMirror: sql<number>`${repos.upstream} is not null`.as("is_mirror"),
      isKnown: sql<number>`${tag === "" ? sql`0` : hasHistory(tag)}`.as("is_known"),
      isHeard: sql<number>`${isPull ? isHeard : sql`0`}`.as("is_heard"),
      isAwaited: sql<number>`${isPull ? isAwaited : sql`0`}`.as("is_awaited"),
    })
    .from(groupPath(name))
    .leftJoin(repos, isRepoOfPath)
    .orderBy(sql`path.depth`);

/** The uid of the repository that is nearest to the organization, as a subquery. */
export const repoUidOf = (db: Database, name: ImageName) =>
  sql`(${db
    .select({ uid: repos.uid })
    .from(groupPath(name))
    // In this order, because SQLite would otherwise look up the path for every repository.
    .crossJoin(repos)
    .where(isRepoOfPath)
    .orderBy(sql`path.depth`)
    .limit(1)})`;

type Row = Awaited<ReturnType<typeof selectRepositoryPath>>[number];

/** The result of resolving a name. */
export interface RepositoryPath {
  /** The uid of the repository. Undefined if it does not exist. */
  repo: string | undefined;
  /**
   * The uid that decides about access: the repository, otherwise the last existing group. Empty if there is
   * none.
   */
  accessUid: string;
  /** The name that the repository has, or would have, in the last existing group. */
  rest: string;
  /** Whether the repository is a mirror of another registry. */
  isMirror: boolean;
  isTagKnown: boolean;
  isHeard: boolean;
  isAwaited: boolean;
}

/** Reads the rows of {@link selectRepositoryPath}. */
export function toRepositoryPath(rows: Row[]): RepositoryPath {
  const repoRow = rows.find((row) => row.repo !== null);
  const accessUid = repoRow?.repo ?? rows.at(-1)?.group ?? "";
  const rest = (repoRow ?? rows.at(-1))?.rest ?? "";
  return {
    ...{ repo: repoRow?.repo ?? undefined, accessUid, rest },
    isMirror: repoRow?.isMirror === 1,
    isTagKnown: repoRow?.isKnown === 1,
    isHeard: repoRow?.isHeard === 1,
    isAwaited: repoRow?.isAwaited === 1,
  };
}
