/** Resolves image names of the registry to repositories. */

import { and, type Placeholder, type SQL, sql } from "drizzle-orm";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { hearsPulls, subscriptions } from "../../schema/tables/events/subscriptions.ts";
import { expiryPlans, isOpen } from "../../schema/tables/registry/expiry_plans.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { tagNames, tagRepos } from "../../schema/tables/registry/tag_records.ts";
import { type Given, preparedSelect } from "../aip/prepared_select.ts";
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

/** The part of a name that the SQL depends on. */
export interface NameShape {
  isUid: boolean;
  /** How many groups can be on the path: all segments, or as many as there can be levels. */
  levels: number;
}

/** `rest` is the path below the organization. `steps` and `rests` are JSON lists of it for each level. */
export type NameValue = "namespace" | "rest" | "steps" | "rests";

export const shapeOf = ({ namespace, image }: ImageName): NameShape => ({
  isUid: isUid(namespace),
  levels: Math.min(image.length, GROUP_LEVELS + 1),
});

/** The values of the statements that {@link repoUidIn} is a part of. */
export function nameValues({ namespace, image }: ImageName): Record<NameValue, string> {
  const rests = image.slice(0, GROUP_LEVELS + 1).map((_, depth) => image.slice(depth).join("/"));
  const [rest = ""] = rests;
  const lists = rests.length === 1 ? ["", ""] : [image, rests].map((list) => JSON.stringify(list));
  return { namespace, rest, steps: lists[0] ?? "", rests: lists[1] ?? "" };
}

/**
 * The groups along the name, with the organization first. `depth`, `uid`, and `rest`, which is the name of
 * the repository if it is in that group. Empty if the organization does not exist. A segment is the name of a
 * group or the last step of its uid. A group thus has an address even if its name cannot be in an image name.
 * The uid comes first, because no one can choose it.
 */
function groupPath({ isUid: hasUid, levels }: NameShape, given: Given<NameValue>): SQL {
  const named = hasUid
    ? sql`uid = ${given.namespace}`
    : sql`verified = 1 and name = ${given.namespace} and length(uid) = 40`;
  // An image directly in its organization is the usual case. A recursive query would take longer to compile.
  if (levels === 1)
    return sql`(select 0 as depth, uid, ${given.rest} as rest from groups where ${named}) as path`;
  const step = (list: string | Placeholder) => sql`json_extract(${list}, '$[' || depth || ']')`;
  return sql`(
    with recursive steps(depth, uid) as (
      select 0, uid from groups where ${named}
      union all
      select depth + 1, coalesce(
        (select groups.uid from groups where groups.uid = steps.uid || '/' || ${step(given.steps)}),
        (select groups.uid from groups where groups.parent = steps.uid and groups.parent <> ''
          and groups.name = ${step(given.steps)})) as below
      from steps where depth < ${sql.raw(String(levels - 1))} and below is not null
    )
    select depth, uid, ${step(given.rests)} as rest from steps
  ) as path`;
}

const isRepoOfPath = and(sql`${repos.parent} = path.uid`, sql`${repos.name} = path.rest`);

const hasHistory = (tag: string | Placeholder) =>
  sql`exists (select 1 from ${tagRepos} cross join ${tagNames} on ${tagNames.repo} = ${tagRepos.id}
    where ${tagRepos.repoUid} = ${repos.uid} and ${tagNames.tag} = ${tag})`;

const isHeard = sql`exists (select 1 from ${subscriptions}
  where ${subscriptions.ancestor0} = substr(${repos.uid}, 1, 40) and ${hearsPulls})`;

const isAwaited = sql`exists (select 1 from ${expiryPlans}
  where ${expiryPlans.parent} = ${repos.uid} and ${isOpen})`;

const pathSelect = preparedSelect(
  (
    db: Database,
    { isPull, hasTag, ...shape }: NameShape & { isPull: boolean; hasTag: boolean },
    given: Given<NameValue | "tag">,
  ) =>
    db
      .select({
        // A batch returns rows by column name, so the two uids need different names.
        group: sql<string>`path.uid`.as("at"),
        rest: sql<string>`path.rest`.as("rest"),
        repo: repos.uid,
        isMirror: sql<number>`${repos.upstream} is not null`.as("is_mirror"),
        isKnown: sql<number>`${hasTag ? hasHistory(given.tag) : sql`0`}`.as("is_known"),
        isHeard: sql<number>`${isPull ? isHeard : sql`0`}`.as("is_heard"),
        isAwaited: sql<number>`${isPull ? isAwaited : sql`0`}`.as("is_awaited"),
      })
      .from(groupPath(shape, given))
      .leftJoin(repos, isRepoOfPath)
      .orderBy(sql`path.depth`),
);

/**
 * The statement that resolves the name. It returns one row for each group along the name, the organization
 * first, with the repository if it is in that group. `isKnown` says whether the tag has ever existed. For a pull,
 * `isHeard` says whether a subscription receives its event, and `isAwaited` whether an expiry plan must know of it.
 */
export const selectRepositoryPath = (
  db: Database,
  name: ImageName,
  { tag = "", isPull = false } = {},
) => pathSelect(db, { ...shapeOf(name), isPull, hasTag: tag !== "" }, { ...nameValues(name), tag });

/** The uid of the repository that is nearest to the organization, as a subquery. */
export const repoUidOf = (db: Database, name: ImageName) =>
  repoUidIn(db, shapeOf(name), nameValues(name));

/** The same as {@link repoUidOf}, for a statement of {@link preparedSelect}. */
export const repoUidIn = (db: Database, shape: NameShape, given: Given<NameValue>) =>
  sql`(${db
    .select({ uid: repos.uid })
    .from(groupPath(shape, given))
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
