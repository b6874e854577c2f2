/** Reads how a repository is mirrored: its own upstream, or that of a mirror of a prefix above its name. */
import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import {
  type Upstream,
  UpstreamSchema,
} from "../../../schema/gen/platform/registry/v2/repos_pb.js";
import { mirroredTags, upstreamStates } from "../../../schema/tables/registry/mirrors.ts";
import { repos } from "../../../schema/tables/registry/repos.ts";
import { rootOf } from "../../aip/uid_path.ts";
import { messageFromStored } from "../../aip/well_formed.ts";
import type { Database } from "../../auth/call.ts";
import type { Config } from "../../config.ts";
import { openUpstreamPassword } from "../../registry/repos/upstream.ts";
import {
  addressBelow,
  originOfHost,
  readAddress,
  textOfAddress,
  type UpstreamAddress,
} from "../../registry/repos/upstream_address.ts";
import { matches } from "../../registry/tag_rules/patterns.ts";
import type { RegistryContext } from "../context.ts";
import type { RepositoryPath } from "../repository.ts";
import type { FailureReason } from "./failures.ts";

/** The upstream of one image. */
export interface Mirror {
  /** The uid of the repository. Undefined if the first image that is fetched creates it. */
  repo: string | undefined;
  /** The group and the name that it has, or will have. */
  parent: string;
  name: string;
  /** The repository with the address and the password, as it was read. */
  holder: { uid: string; name: string; updateTime: number };
  /** The address of the image as text, such as `docker.io/library/nginx`. */
  address: string;
  /** The path of the image at the registry. */
  path: string;
  origin: string;
  username: string;
  /** Encrypted. Empty without one. */
  password: string;
  /** How old a tag can be before it is compared with the upstream, in milliseconds. */
  revalidateAfter: number;
  /** All mirrors of an organization with the same account have the same limits. */
  account: string;
  /** The last failure of a mirror with this account, and until when the upstream is not asked. */
  failure: { retryTime: number; reason: FailureReason; error: string } | undefined;
  /** When the upstream last answered, as it is stored. */
  answerTime: number;
  /** When the tag was compared with the upstream, and why it is not where the upstream has it. */
  tag: { checkTime: number; problem: string } | undefined;
}

/** How old a tag can be by default, in milliseconds. */
const defaultAge = 5 * 60_000;

const own = alias(repos, "own");
const holder = alias(repos, "holder");

const columns = (reference: string) => ({
  repo: sql<string>`${own.uid}`.as("own_uid"),
  parent: sql<string>`${own.parent}`.as("own_parent"),
  name: sql<string>`${own.name}`.as("own_name"),
  upstream: sql<string>`${own.upstream}`.as("own_upstream"),
  holderUid: sql<string>`${holder.uid}`.as("holder_uid"),
  holderName: sql<string>`${holder.name}`.as("holder_name"),
  holderTime: sql<number>`${holder.updateTime}`.as("holder_time"),
  holderUpstream: sql<string | null>`${holder.upstream}`.as("holder_upstream"),
  password: sql<string>`${holder.upstreamPassword}`.as("holder_password"),
  account: sql<string | null>`${upstreamStates.account}`.as("state_account"),
  failure: sql<
    string | null
  >`(select json_array("limited"."retry_time", "limited"."reason", "limited"."error", "limited"."repo_uid")
    from ${upstreamStates} as "limited" where "limited"."account" = ${upstreamStates.account}
      and ("limited"."reason" <> 'refused' or "limited"."repo_uid" = ${holder.uid})
    order by "limited"."retry_time" desc limit 1)`.as("state_failure"),
  answerTime: sql<number | null>`${upstreamStates.checkTime}`.as("state_time"),
  checkTime: sql<number | null>`(select ${mirroredTags.checkTime} from ${mirroredTags}
    where ${isTagOf(reference)})`.as("tag_time"),
  problem: sql<string | null>`(select ${mirroredTags.problem} from ${mirroredTags}
    where ${isTagOf(reference)})`.as("tag_problem"),
});

const isTagOf = (reference: string) =>
  and(eq(mirroredTags.repo, own.uid), eq(mirroredTags.tag, reference));

/** The statement that reads the mirrors that meet a condition, each with the repository that has its address. */
export const selectMirrors = (db: Database, condition: SQL | undefined, reference: string) =>
  db
    .select(columns(reference))
    .from(own)
    .innerJoin(
      holder,
      sql`${holder.uid} = coalesce(nullif(${own.upstream} ->> '$.sourceUid', ''), ${own.uid})`,
    )
    .leftJoin(upstreamStates, eq(upstreamStates.repo, holder.uid))
    .where(and(sql`${own.upstream} is not null`, condition));

type Row = Awaited<ReturnType<typeof selectMirrors>>[number];

/** The names of the repositories that could be a mirror of a prefix above the name. */
const prefixesOf = (name: string): string[] => {
  const words = name.split("/");
  return words.slice(1).map((_, count) => words.slice(0, count + 1).join("/"));
};

/** The statement that reads the mirror of the longest prefix above the name of a repository that does not exist. */
export const selectPrefix = (db: Database, parent: string, name: string) =>
  selectMirrors(
    db,
    and(
      eq(own.parent, parent),
      sql`${own.name} in (select value from json_each(${JSON.stringify(prefixesOf(name))}))`,
      sql`${own.upstream} ->> '$.prefix'`,
    ),
    "",
  )
    .orderBy(sql`length(${own.name}) desc`)
    .limit(1);

/**
 * The mirror that a name leads to. Undefined if the repository is not a mirror. Also undefined if the repository does not
 * exist, and there is no mirror above its name or the patterns of that one leave the image out.
 */
export async function findMirror(
  { db, config }: Pick<RegistryContext, "db" | "config">,
  { repo, accessUid, rest }: Pick<RepositoryPath, "repo" | "accessUid" | "rest">,
  reference: string,
): Promise<Mirror | undefined> {
  if (repo !== undefined) {
    const [row] = await selectMirrors(db, eq(own.uid, repo), reference);
    return row && toMirror(config, row);
  }
  if (accessUid === "" || !rest.includes("/")) return undefined;
  const [row] = await selectPrefix(db, accessUid, rest);
  return row && toMirrorBelow(config, row, rest);
}

/** The JSON of a column that is selected as SQL. */
const upstreamOf = (json: string): Upstream => messageFromStored(UpstreamSchema, JSON.parse(json));

/** The mirror of a row. Undefined if it takes its upstream from a repository that is not a mirror any more. */
export function toMirror(config: Config, row: Row): Mirror | undefined {
  const { address, prefix, sourceUid } = upstreamOf(row.upstream);
  const own = readAddress(address, false);
  const holding = row.holderUpstream === null ? undefined : upstreamOf(row.holderUpstream);
  if (!own || prefix || !holding) return undefined;
  if (sourceUid !== "" && !isBelow(holding, own)) return undefined;
  return {
    ...common(config, row, holding, own),
    repo: row.repo,
    parent: row.parent,
    name: row.name,
  };
}

/** The mirror of an image below the prefix of a row. */
function toMirrorBelow(config: Config, row: Row, name: string): Mirror | undefined {
  const holding = upstreamOf(row.upstream);
  const above = readAddress(holding.address, true);
  const own = above && addressBelow(above, name.slice(row.name.length + 1));
  if (!own || !isBelow(holding, own)) return undefined;
  return { ...common(config, row, holding, own), repo: undefined, parent: row.parent, name };
}

/** Whether the mirror of a prefix mirrors an image: it is below the address, and one of the patterns matches its path. */
function isBelow({ address, prefix, images }: Upstream, { host, path }: UpstreamAddress): boolean {
  const above = prefix ? readAddress(address, true) : undefined;
  if (above?.host !== host) return false;
  const start = above.path === "" ? "" : `${above.path}/`;
  return (
    path.startsWith(start) && matches({ include: images, exclude: [] }, path.slice(start.length))
  );
}

function common(
  config: Config,
  row: Row,
  { username, revalidateAfter }: Upstream,
  own: { host: string; path: string },
) {
  const { host, path } = own;
  const seconds = revalidateAfter ? Number(revalidateAfter.seconds) : undefined;
  return {
    holder: { uid: row.holderUid, name: row.holderName, updateTime: row.holderTime },
    address: textOfAddress(own),
    ...{ path, username, password: row.password },
    origin: originOfHost(config, host),
    revalidateAfter: seconds === undefined ? defaultAge : seconds * 1000,
    account: `${rootOf(row.holderUid)} ${host} ${username}`,
    failure: failureOf(row, textOfAddress(own)),
    answerTime: row.answerTime ?? 0,
    tag:
      row.checkTime === null ? undefined : { checkTime: row.checkTime, problem: row.problem ?? "" },
  };
}

/** The error of another mirror names its image, which callers of this one may not know of. */
function failureOf({ failure, holderUid }: Row, address: string): Mirror["failure"] {
  if (failure === null) return undefined;
  const [retryTime, reason, error, repo] = JSON.parse(failure) as [
    ...[retryTime: number, reason: FailureReason | "", error: string, repo: string],
  ];
  if (reason === "") return undefined;
  const general = `the upstream of ${address} is ${reason}, as another mirror of the organization has found`;
  return { retryTime, reason, error: repo === holderUid ? error : general };
}

/** The credentials as a value of an Authorization header. Undefined without any. */
export async function basicOf(
  config: Config,
  { holder, username, password }: Mirror,
): Promise<string | undefined> {
  const opened = await openUpstreamPassword(config, holder.uid, password);
  if (opened === undefined) return undefined;
  const bytes = new TextEncoder().encode(`${username}:${opened}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
