/**
 * The Tag History API (specification): the digests that a tag has pointed to, oldest first. The
 * history outlives the tag.
 */
import { and, asc, eq, gte, lte } from "drizzle-orm";
import { tagMoves } from "../../schema/tables/tag_moves.ts";
import { selectGrants } from "../auth/grant_rows.ts";
import { toCaller } from "../auth/grants.ts";
import { actionsHeld, isPublic, isPublicTag, namingHint } from "./access.ts";
import type { Bearer } from "./bearer.ts";
import { denied, manifestUnknown, nameUnknown, tagInvalid } from "./errors.ts";
import { type Range, readRange } from "./range.ts";
import { type ImageName, type Place, repoUidOf, selectPath, toPlace } from "./repository.ts";
import type { Visit } from "./visit.ts";

/** Records of one answer. */
const greatestPage = 1000;

const tagForm = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/** Reads a tag (contract: field validation). Throws TAG_INVALID. */
export function readTag(text: string): string {
  if (tagForm.test(text)) return text;
  throw tagInvalid("a tag is 1 to 128 letters, digits, dots, dashes and underscores");
}

/** Answers `{history: [{updateTimestamp, digest}]}`, with a Link to the rest where there is more. */
export async function tagHistory(
  visit: Visit,
  bearer: Bearer,
  image: ImageName,
  tag: string,
): Promise<Response> {
  const range = readRange(visit.url.searchParams);
  refuseOtherImages(bearer, image);
  const isOpen = isPublic(visit, image) && isPublicTag(tag);
  const { place, moves } = await readMoves(visit, bearer, image, tag, range, isOpen);
  if (place.repo === undefined) throw nameUnknown(image.full);
  if (!place.isTagKnown) throw manifestUnknown(tag);
  const history = moves.slice(0, greatestPage).map(({ updateTime, digest }) => ({
    updateTimestamp: new Date(updateTime).toISOString(),
    digest,
  }));
  const next = moves[greatestPage];
  const headers = new Headers();
  if (next) headers.set("link", nextLink(visit.url, next.updateTime));
  return Response.json({ history }, { headers });
}

/** A token of the token endpoint is for one image; one that anyone gets, for public tags only. */
function refuseOtherImages({ access }: Bearer, image: ImageName): void {
  const opens = access?.some(
    ({ name, actions }) => name === image.full && actions.includes("pull"),
  );
  if (opens === false) throw denied(`the token is not for pulling ${image.full}`);
}

/** The place and its records, and the grants of whoever asks, in one round trip. */
async function readMoves(
  visit: Visit,
  { credential }: Bearer,
  image: ImageName,
  tag: string,
  { start, end }: Range,
  isOpen: boolean,
): Promise<{ place: Place; moves: { updateTime: number; digest: string }[] }> {
  const { db } = visit;
  if (!credential && !isOpen) throw noAccess(visit, image, tag);
  const path = selectPath(db, image, tag);
  const records = db
    .select({ updateTime: tagMoves.updateTime, digest: tagMoves.digest })
    .from(tagMoves)
    .where(
      and(
        eq(tagMoves.repoUid, repoUidOf(db, image)),
        eq(tagMoves.tag, tag),
        gte(tagMoves.updateTime, start),
        lte(tagMoves.updateTime, end),
      ),
    )
    .orderBy(asc(tagMoves.updateTime))
    .limit(greatestPage + 1);
  if (!credential) {
    const [rows, moves] = await db.batch([path, records]);
    return { place: toPlace(rows), moves };
  }
  const [granted, rows, moves] = await db.batch([selectGrants(db, credential), path, records]);
  const caller = toCaller(granted, credential);
  const place = toPlace(rows);
  if (!isOpen && actionsHeld(caller, ["pull"], place.at).length === 0)
    throw noAccess(visit, image, tag);
  return { place, moves };
}

/** The same bytes whether organization, repo and tag exist or not. */
const noAccess = (visit: Visit, image: ImageName, tag: string) => {
  const needs = "needs repo.list and tag.list on the repo or on a group above it";
  return denied(`pulling ${image.full}:${tag} ${needs}${namingHint(visit, image)}`);
};

/** RFC 8288: the same request, from the first record that this answer leaves out. */
function nextLink(url: URL, start: number): string {
  const query = new URLSearchParams({ start: new Date(start).toISOString() });
  const end = url.searchParams.get("end");
  if (end) query.set("end", end);
  return `<${url.pathname}?${query}>; rel="next"`;
}
