/** `/v2/`: the version check, Tag History, and a refusal for the rest (OCI distribution). */
import { selectGrants } from "../auth/grant_rows.ts";
import { toCaller } from "../auth/grants.ts";
import { type Bearer, readBearer } from "./bearer.ts";
import { methodUnsupported, nameInvalid, unauthorized, unsupported } from "./errors.ts";
import { pullScope, readImageName } from "./repository.ts";
import { readTag, tagHistory } from "./tag_history.ts";
import { isRead, type Visit } from "./visit.ts";

/** Answers everything below `/v2/`. */
export async function registry(visit: Visit): Promise<Response> {
  const path = decoded(visit.url.pathname).replace(/^\/v2\/?/, "");
  const history = new RegExp(`^(.*)/_${visit.config.vendor}/history/([^/]*)$`, "s").exec(path);
  if (history) {
    const [, name = "", tag = ""] = history;
    const image = readImageName(name);
    visit.scope = pullScope(image);
    const bearer = await demanded(visit);
    if (!isRead(visit)) throw methodUnsupported(visit.request.method);
    return tagHistory(visit, bearer, image, readTag(tag));
  }
  visit.scope = scopeOf(path);
  const bearer = await demanded(visit);
  if (path !== "") throw unsupported("this registry serves the history of tags only");
  if (!isRead(visit)) throw methodUnsupported(visit.request.method);
  await refuseGone(visit, bearer);
  return Response.json({});
}

async function demanded(visit: Visit): Promise<Bearer> {
  const bearer = await readBearer(visit);
  if (!bearer) throw unauthorized("the request carries no Authorization header");
  return bearer;
}

/** An identity that was deleted is no longer logged in. */
async function refuseGone({ db }: Visit, { credential }: Bearer): Promise<void> {
  if (credential) toCaller((await db.batch([selectGrants(db, credential)]))[0], credential);
}

/** The scope that a pull of this path would need, where it is an image's. */
function scopeOf(path: string): string {
  const [, name = ""] = /^(.+)\/(?:manifests|blobs|tags|referrers)\//.exec(path) ?? [];
  try {
    return pullScope(readImageName(name));
  } catch {
    return "";
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw nameInvalid("the path is not percent-encoded UTF-8");
  }
}
