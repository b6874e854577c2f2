/** `GET /v2/<name>/tags/list` (OCI distribution, "Listing tags"). */
import { and, asc, gt, inArray, sql } from "drizzle-orm";
import { PUBLIC_TAGS } from "../../schema/tables/registry/public_digests.ts";
import { isInRepo, tags } from "../../schema/tables/registry/tags.ts";
import { isPublicImage, reachRepository } from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";
import { nameUnknown } from "./errors.ts";
import { namesResponse, readNamePage } from "./name_pages.ts";
import { type ImageName, repoUidOf } from "./repository.ts";

/** Returns `{name, tags}`, in the order of their bytes, with a Link header if there are more. */
export async function listTags(
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
): Promise<Response> {
  const { db } = context;
  const { count, last } = readNamePage(context);
  // SQLite looks up the repository once, and not for each comparison.
  const repo = sql`(select ${repoUidOf(db, image)} as "uid") as "target_repo"`;
  const parent = isInRepo(sql`"target_repo"."uid"`);
  const select = (condition = parent) =>
    db
      .select({ name: tags.name })
      .from(repo)
      .crossJoin(tags)
      .where(and(condition, gt(tags.name, last)))
      .orderBy(asc(tags.name))
      .limit(count + 1);
  const open = isPublicImage(context, image)
    ? [select(and(parent, inArray(tags.name, PUBLIC_TAGS)))]
    : [];
  const reach = await reachRepository(context, bearer, image, "pull", [select(), ...open]);
  if (reach.repositoryPath.repo === undefined) throw nameUnknown(image.full);
  const [all, publicTagRows = []] = reach.rows;
  const names = (reach.isPublicOnly ? publicTagRows : all).map(({ name }) => name);
  const shown = names.slice(0, count);
  const end = names.length > count ? shown.at(-1) : undefined;
  return namesResponse(context, { name: image.full, tags: shown }, { count, end });
}
