/**
 * The Tag History API (specification): the digests that a tag has pointed to, oldest first. The history
 * remains after the tag is deleted.
 */

import { and, asc, eq, gte, lte, ne } from "drizzle-orm";
import { tagMoves } from "../../schema/views/tag_moves.ts";
import { timeText } from "../aip/time_text.ts";
import { toCaller } from "../auth/grants.ts";
import { grantsOf, readGrantRows } from "../auth/grants_across.ts";
import {
  allowedActions,
  deniedTo,
  isPublicImage,
  isPublicTag,
  namingHint,
  neededFor,
  recordImageUse,
} from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { denied, historyUnknown, nameUnknown } from "./errors.ts";
import {
  type ImageName,
  type RepositoryPath,
  repoUidOf,
  selectRepositoryPath,
  toRepositoryPath,
} from "./repository.ts";
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
  refuseOtherImages(bearer, image);
  const isPublic = isPublicImage(context, image) && isPublicTag(tag);
  const { repositoryPath, moves } = await readMoves(context, bearer, image, tag, range, isPublic);
  if (repositoryPath.repo === undefined) throw nameUnknown(image.full);
  if (!repositoryPath.isTagKnown) throw historyUnknown(tag);
  const history = moves.slice(0, maxPageSize).map(({ updateTime, digest }) => ({
    updateTimestamp: timeText(updateTime),
    digest,
  }));
  const next = moves[maxPageSize];
  const headers = new Headers();
  if (next) headers.set("link", nextLink(context.url, next.updateTime));
  return Response.json({ history }, { headers });
}

/** A token from the token endpoint is for one image. A token that anyone can get is for public tags only. */
function refuseOtherImages({ access }: RegistryBearer, image: ImageName): void {
  const opens = access?.some(
    ({ name, actions }) => name === image.full && actions.includes("pull"),
  );
  if (opens === false) throw denied(`the token does not allow you to pull ${image.full}`);
}

/** Resolves the name and reads the records and the caller's grants, in one round trip. */
async function readMoves(
  context: RegistryContext,
  { credential }: RegistryBearer,
  image: ImageName,
  tag: string,
  { start, end }: TimeRange,
  isPublic: boolean,
): Promise<{ repositoryPath: RepositoryPath; moves: { updateTime: number; digest: string }[] }> {
  const { db } = context;
  if (!credential && !isPublic) throw denied(deniedText(context, image, tag));
  const path = selectRepositoryPath(db, image, tag);
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
  if (!credential) {
    const [rows, moves] = await db.batch([path, records]);
    return { repositoryPath: toRepositoryPath(rows), moves };
  }
  const root = context.databases.rootOf(db);
  const scope = root === undefined ? undefined : { around: root };
  const read = await readGrantRows(context, credential, scope, [path, records]);
  const [rows, moves] = read.rows;
  const caller = toCaller(grantsOf(read.found), credential, scope);
  const repositoryPath = toRepositoryPath(rows);
  const isAllowed = allowedActions(caller, ["pull"], repositoryPath.at).length > 0;
  if (!isPublic && !isAllowed)
    throw await deniedTo(
      context,
      credential,
      { image, method: "pull", capabilities: neededFor(["pull"]) },
      deniedText(context, image, tag),
    );
  if (isAllowed) recordImageUse(context, caller, read.found, "pull", repositoryPath.at);
  return { repositoryPath, moves };
}

/** The same bytes whether or not the organization, the repository and the tag exist. */
const deniedText = (context: RegistryContext, image: ImageName, tag: string) => {
  const needed = "the capabilities repo.list and tag.list on the repository or on a group above it";
  const pull = `to pull ${image.full}:${tag} you need ${needed}`;
  return `${pull}${namingHint(context, image)}`;
};

/** A link (RFC 8288) to the same request, starting at the first record that this response leaves out. */
function nextLink(url: URL, start: number): string {
  const query = new URLSearchParams({ start: new Date(start).toISOString() });
  const end = url.searchParams.get("end");
  if (end) query.set("end", end);
  return `<${url.pathname}?${query}>; rel="next"`;
}
