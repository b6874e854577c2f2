/** `/v2/`: the version check, Tag History, and an error for every other path (OCI distribution). */
import { selectGrants } from "../auth/grant_rows.ts";
import { toCaller } from "../auth/grants.ts";
import { type RegistryBearer, readBearer } from "./bearer.ts";
import { isGetOrHead, type RegistryContext } from "./context.ts";
import { methodUnsupported, nameInvalid, unauthorized, unsupported } from "./errors.ts";
import { pullScope, readImageName } from "./repository.ts";
import { listTagHistory, readTag } from "./tag_history.ts";

/** Serves everything below `/v2/`. */
export async function handleV2(context: RegistryContext): Promise<Response> {
  const path = decodePath(context.url.pathname).replace(/^\/v2\/?/, "");
  const history = new RegExp(`^(.*)/_${context.config.vendor}/history/([^/]*)$`, "s").exec(path);
  if (history) {
    const [, name = "", tag = ""] = history;
    const image = readImageName(name);
    context.scope = pullScope(image);
    const bearer = await requireBearer(context);
    if (!isGetOrHead(context)) throw methodUnsupported(context.request.method);
    return listTagHistory(context, bearer, image, readTag(tag));
  }
  context.scope = scopeOf(path);
  const bearer = await requireBearer(context);
  if (path !== "") throw unsupported("this registry serves only tag history");
  if (!isGetOrHead(context)) throw methodUnsupported(context.request.method);
  await refuseDeletedIdentity(context, bearer);
  return Response.json({});
}

async function requireBearer(context: RegistryContext): Promise<RegistryBearer> {
  const bearer = await readBearer(context);
  if (!bearer) throw unauthorized("the request has no Authorization header");
  return bearer;
}

/** A deleted identity is no longer logged in. */
async function refuseDeletedIdentity(
  { db }: RegistryContext,
  { credential }: RegistryBearer,
): Promise<void> {
  if (credential) toCaller((await db.batch([selectGrants(db, credential)]))[0], credential);
}

/** The scope for a pull of this path, if it is the path of an image. */
function scopeOf(path: string): string {
  const [, name = ""] = /^(.+)\/(?:manifests|blobs|tags|referrers)\//.exec(path) ?? [];
  try {
    return pullScope(readImageName(name));
  } catch {
    return "";
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw nameInvalid("the path must be percent-encoded UTF-8");
  }
}
