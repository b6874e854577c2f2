/** `GET /v2/<name>/tags/list` (OCI distribution, "Listing tags"). */
import { and, asc, gt, inArray, sql } from "drizzle-orm";
import { isInRepo, tags } from "../../schema/tables/registry/tags.ts";
import { quoted } from "../aip/quoted.ts";
import { isPublicImage, publicTags, reachRepository } from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { nameUnknown, queryInvalid } from "./errors.ts";
import { type ImageName, repoUidOf } from "./repository.ts";

/** The most tags in one response. */
const maxTags = 1000;

function readCount({ url }: RegistryContext): number {
  const text = url.searchParams.get("n") ?? "";
  if (text === "") return maxTags;
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text), maxTags);
  throw queryInvalid(`n must be a number of tags; you sent ${quoted(text)}`);
}

/** Returns `{name, tags}`, in the order of their bytes, with a Link header if there are more. */
export async function listTags(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
): Promise<Response> {
  const { db, url } = context;
  const count = readCount(context);
  const last = url.searchParams.get("last") ?? "";
  // SQLite looks up the repository once, and not for each comparison.
  const repo = sql`(select ${repoUidOf(db, image)} as "uid") as "place"`;
  const parent = isInRepo(sql`"place"."uid"`);
  const select = (condition = parent) =>
    db
      .select({ name: tags.name })
      .from(repo)
      .crossJoin(tags)
      .where(and(condition, gt(tags.name, last)))
      .orderBy(asc(tags.name))
      .limit(count + 1);
  const open = isPublicImage(context, image)
    ? [select(and(parent, inArray(tags.name, publicTags)))]
    : [];
  const reach = await reachRepository(context, bearer, image, "pull", [select(), ...open]);
  if (reach.place.repo === undefined) throw nameUnknown(image.full);
  const [all, publicOnes = []] = reach.rows;
  const names = (reach.isPublicOnly ? publicOnes : all).map(({ name }) => name);
  const shown = names.slice(0, count);
  const headers = new Headers();
  const end = shown.at(-1);
  if (names.length > count && end !== undefined) {
    const query = new URLSearchParams({ n: String(count), last: end });
    headers.set("link", `<${url.pathname}?${query}>; rel="next"`);
  }
  return Response.json({ name: image.full, tags: shown }, { headers });
}
