/** Image names of the registry, and the repo that each of them means. */
import { and, type SQL, sql } from "drizzle-orm";
import { GROUP_LEVELS } from "../../schema/tables/columns.ts";
import { repos } from "../../schema/tables/registry/repos.ts";
import { tagMoves } from "../../schema/tables/registry/tag_moves.ts";
import { isUid } from "../aip/uid_path.ts";
import type { Database } from "../auth/call.ts";
import { nameInvalid } from "./errors.ts";

/** `<namespace>/<image>`: an organization's uid or verified name, and the path below it. */
export interface ImageName {
  full: string;
  namespace: string;
  /** One or more steps. */
  image: string[];
}

/** A uid, a slash and the longest name of a repo. */
const maxLength = 40 + 1 + 255;
const component = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const namePattern = new RegExp(`^${component}(?:/${component})+$`);

/** Reads a name that is percent-decoded. Throws NAME_INVALID (OCI distribution, "Pulling manifests"). */
export function readImageName(text: string): ImageName {
  if (text.length > maxLength) {
    throw nameInvalid(`the name is longer than ${maxLength} characters`);
  }
  if (!namePattern.test(text)) {
    throw nameInvalid(
      "the name is not of the form <namespace>/<image> in lower-case words, " +
        "parted by dots, dashes, underscores or slashes",
    );
  }
  const [namespace = "", ...image] = text.split("/");
  return { full: text, namespace, image };
}

/** The scope of a token for pulling the image. */
export const pullScope = ({ full }: ImageName) => `repository:${full}:pull`;

/**
 * The groups that the name leads through, the organization first: `depth`, `uid`, and `rest`, the
 * name of the repo that the group would have. Without the organization there are none. The join names its
 * order: SQLite would rather read every group for each step.
 */
function groupPath({ namespace, image }: ImageName): SQL {
  const rests = image.slice(0, GROUP_LEVELS + 1).map((_, depth) => image.slice(depth).join("/"));
  const named = isUid(namespace)
    ? sql`uid = ${namespace}`
    : sql`verified = 1 and name = ${namespace} and length(uid) = 40`;
  const step = (list: string[]) => sql`json_extract(${JSON.stringify(list)}, '$[' || depth || ']')`;
  return sql`(
    with recursive steps(depth, uid) as (
      select 0, uid from groups where ${named}
      union all
      select depth + 1, groups.uid from steps cross join groups
        on groups.parent = steps.uid and groups.name = ${step(image)}
      where depth < ${sql.raw(String(rests.length - 1))}
    )
    select depth, uid, ${step(rests)} as rest from steps
  ) as path`;
}

const isRepoOfPath = and(sql`${repos.parent} = path.uid`, sql`${repos.name} = path.rest`);

/**
 * The statement that reads where the name leads: one row for each group on its way, the
 * organization first, with the repo that is meant if it lies there. `isKnown`: its tag once was.
 */
export const selectRepositoryPath = (db: Database, name: ImageName, tag = "") =>
  db
    .select({
      // A batch answers rows by column name, so the two uids need names of their own.
      group: sql<string>`path.uid`.as("at"),
      repo: repos.uid,
      isKnown: sql<number>`exists (select 1 from ${tagMoves}
        where ${tagMoves.repoUid} = ${repos.uid} and ${tagMoves.tag} = ${tag})`.as("is_known"),
    })
    .from(groupPath(name))
    .leftJoin(repos, isRepoOfPath)
    .orderBy(sql`path.depth`);

/** The uid of the repo, as a subselect: the one nearest to the organization. */
export const repoUidOf = (db: Database, name: ImageName) =>
  sql`(${db
    .select({ uid: repos.uid })
    .from(groupPath(name))
    // In this order: SQLite would rather look up the path for each repo that there is.
    .crossJoin(repos)
    .where(isRepoOfPath)
    .orderBy(sql`path.depth`)
    .limit(1)})`;

type Row = Awaited<ReturnType<typeof selectRepositoryPath>>[number];

/** Where a name leads. */
export interface RepositoryPath {
  /** Uid of the repo; undefined where there is none. */
  repo: string | undefined;
  /** The uid that decides who may: the repo's, else that of the last group there is; empty: none. */
  at: string;
  isTagKnown: boolean;
}

/** Reads the rows of {@link selectRepositoryPath}. */
export function toRepositoryPath(rows: Row[]): RepositoryPath {
  const found = rows.find((row) => row.repo !== null);
  const at = found?.repo ?? rows.at(-1)?.group ?? "";
  return { repo: found?.repo ?? undefined, at, isTagKnown: found?.isKnown === 1 };
}
