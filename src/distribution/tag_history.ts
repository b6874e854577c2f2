/**
 * The Tag History API (specification): the digests that a tag has pointed to, oldest first. The history
 * remains after the tag is deleted.
 */

import { and, asc, eq, gte, lte, ne } from "drizzle-orm";
import { tagMoves } from "../../schema/views/tag_moves.ts";
import { quoted } from "../aip/quoted.ts";
import { timeText } from "../aip/time_text.ts";
import type { Credential } from "../auth/call.ts";
import { toCaller } from "../auth/grants.ts";
import { grantsOf, readGrantRows } from "../auth/grants_across.ts";
import {
  decide,
  deniedTo,
  isPublicImage,
  isPublicTag,
  namingHint,
  neededFor,
  recordImageUse,
} from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { denied, historyUnknown, nameUnknown, type RegistryError } from "./errors.ts";
import {
  type ImageName,
  type RepositoryPath,
  repoUidOf,
  selectRepositoryPath,
  toRepositoryPath,
} from "./repository.ts";
import { isTag } from "./tag.ts";
import { readTimeRange, type TimeRange } from "./time_range.ts";

/** The number of records in one response. */
const maxPageSize = 1000;

/** Returns `{history: [{updateTimestamp, digest}]}`, with a Link header if there are more records. */
export async function listTagHistory(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  tag: string,
): Promise<Response> {
  const range = readTimeRange(context.url.searchParams);
  // No tag has an empty name.
  const known = isTag(tag) ? tag : "";
  const { repositoryPath, moves } = await readMoves(context, bearer, image, known, range);
  if (repositoryPath.repo === undefined) throw nameUnknown(image.full);
  if (!repositoryPath.isTagKnown) throw historyUnknown(known === "" ? quoted(tag) : tag);
  const history = moves.slice(0, maxPageSize).map(({ updateTime, digest }) => ({
    updateTimestamp: timeText(updateTime),
    digest,
  }));
  const next = moves[maxPageSize];
  const headers = new Headers();
  if (next) headers.set("link", nextLink(context.url, next.updateTime));
  return Response.json({ history }, { headers });
}

/** Resolves the name and reads the records and the caller's grants, in one round trip. */
async function readMoves(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  tag: string,
  { start, end }: TimeRange,
): Promise<{ repositoryPath: RepositoryPath; moves: { updateTime: number; digest: string }[] }> {
  const { db } = context;
  const { credential } = bearer;
  const isPublic = isPublicImage(context, image) && isPublicTag(tag);
  if (!credential && !isPublic) throw await refusal(context, credential, image, tag);
  const path = selectRepositoryPath(db, image, { tag });
  const records = db
    .select({ updateTime: tagMoves.updateTime, digest: tagMoves.digest })
    .from(tagMoves)
    .where(
      and(
        eq(tagMoves.repoUid, repoUidOf(db, image)),
        eq(tagMoves.tag, tag),
        gte(tagMoves.updateTime, start),
        lte(tagMoves.updateTime, end),
        ne(tagMoves.digest, ""),
      ),
    )
    .orderBy(asc(tagMoves.updateTime))
    .limit(maxPageSize + 1);
  const root = context.databases.rootOf(db);
  const scope = root === undefined ? undefined : { around: root };
  const read = credential
    ? await readGrantRows(context, credential, scope, [path, records])
    : { grants: [], rows: await db.batch([path, records]) };
  const [rows, moves] = read.rows;
  const caller = credential && toCaller(grantsOf(read.grants), credential, scope);
  const repositoryPath = toRepositoryPath(rows);
  const { accessUid } = repositoryPath;
  const decision = decide(bearer, caller, "pull", { name: image.full, accessUid, isPublic });
  if (decision === "unnamed") throw denied(`the token does not allow you to pull ${image.full}`);
  if (decision === "denied") throw await refusal(context, credential, image, tag);
  if (caller && decision === "all") recordImageUse(context, caller, read.grants, "pull", accessUid);
  return { repositoryPath, moves };
}

/** DENIED, with the same bytes whether or not the organization, the repository and the tag exist. */
async function refusal(
  context: RegistryContext,
  credential: Credential | undefined,
  image: ImageName,
  tag: string,
): Promise<RegistryError> {
  const needed = "the capabilities repo.list and tag.list on the repository or on a group above it";
  const pull = `to pull ${tag === "" ? image.full : `${image.full}:${tag}`} you need ${needed}`;
  const text = `${pull}${namingHint(context, image)}`;
  if (!credential) return denied(text);
  const asked = { image, method: "pull", capabilities: neededFor(["pull"]) };
  return deniedTo(context, credential, asked, text);
}

/** A link (RFC 8288) to the same request, starting at the first record that this response leaves out. */
function nextLink(url: URL, start: number): string {
  const query = new URLSearchParams({ start: new Date(start).toISOString() });
  const end = url.searchParams.get("end");
  if (end) query.set("end", end);
  return `<${url.pathname}?${query}>; rel="next"`;
}
