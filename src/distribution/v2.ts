/** `/v2/`: the version check, the content of images, and Tag History (OCI distribution, "Endpoints"). */
import type { Config } from "../config.ts";
import { anyone, bookmarkHeader, callerIn, callerName } from "../rpc/bookmark.ts";
import { registryBookmark } from "../rpc/nearest.ts";
import { requireIdentity } from "./access.ts";
import { anonymousSubject, type RegistryBearer, readBearer, tokenOf } from "./bearer.ts";
import { deleteBlob, getBlob } from "./blobs/blobs.ts";
import { completeDirectUpload, planDirectUpload } from "./blobs/direct_uploads.ts";
import { beginUpload, handleUpload } from "./blobs/uploads.ts";
import { isGetOrHead, type RegistryContext } from "./context.ts";
import { methodUnsupported, nameInvalid, unauthorized, unsupported } from "./errors.ts";
import { getContents } from "./manifests/contents.ts";
import { deleteManifest } from "./manifests/delete.ts";
import { getManifest } from "./manifests/get.ts";
import { putManifest } from "./manifests/put.ts";
import { listReferrers } from "./manifests/referrers.ts";
import { enterDatabaseOf } from "./place.ts";
import { type ImageName, readImageName, scopeOf } from "./repository.ts";
import { readTag } from "./tag.ts";
import { listTagHistory } from "./tag_history.ts";
import { listTags } from "./tags.ts";

/** `reference` is the rest of the path: a tag, a digest or the id of an upload. */
type Handler = (
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  reference: string,
) => Promise<Response>;

/** An endpoint: its path, with the name and the reference, and what its methods do and need. */
interface Endpoint {
  path: RegExp;
  methods: Record<string, { handle: Handler; actions: string }>;
}

const reading = (handle: Handler) => ({
  GET: { handle, actions: "pull" },
  HEAD: { handle, actions: "pull" },
});

const pushing = (handle: Handler) => ({ handle, actions: "pull,push" });

/** In this order: the name of an image can end in `/blobs/uploads`. */
const newEndpoints = ({ vendor }: Config): Endpoint[] => [
  {
    path: new RegExp(`^(.*)/_${vendor}/history/([^/]*)$`, "s"),
    methods: reading((context, bearer, image, tag) =>
      listTagHistory(context, bearer, image, readTag(tag)),
    ),
  },
  {
    path: new RegExp(`^(.*)/_${vendor}/uploads/([^/]+)$`, "s"),
    methods: { POST: pushing(planDirectUpload), PUT: pushing(completeDirectUpload) },
  },
  {
    path: new RegExp(`^(.*)/_${vendor}/images/([^/]*)$`, "s"),
    methods: reading(getContents),
  },
  { path: /^(.*)\/tags\/list()$/s, methods: reading(listTags) },
  { path: /^(.*)\/referrers\/([^/]*)$/s, methods: reading(listReferrers) },
  {
    path: /^(.*)\/manifests\/([^/]*)$/s,
    methods: {
      ...reading(getManifest),
      PUT: pushing(putManifest),
      DELETE: { handle: deleteManifest, actions: "delete" },
    },
  },
  { path: /^(.*)\/blobs\/uploads\/?()$/s, methods: { POST: pushing(beginUpload) } },
  {
    path: /^(.*)\/blobs\/uploads\/([^/]+)$/s,
    methods: Object.fromEntries(
      ["GET", "HEAD", "PATCH", "PUT", "DELETE"].map((method) => [method, pushing(handleUpload)]),
    ),
  },
  {
    path: /^(.*)\/blobs\/([^/]*)$/s,
    methods: { ...reading(getBlob), DELETE: { handle: deleteBlob, actions: "delete" } },
  },
];

const known = new WeakMap<Config, Endpoint[]>();

/** The endpoints, which are created once for a configuration. */
function endpointsOf(config: Config): Endpoint[] {
  const all = known.get(config) ?? newEndpoints(config);
  known.set(config, all);
  return all;
}

/** Serves everything below `/v2/`. Reads of the API that come later can see what the request has written. */
export async function handleV2(context: RegistryContext): Promise<Response> {
  const response = await respond(context);
  const { config, request, now } = context;
  if (!response.ok || config.replicaMaxAge === undefined) return response;
  const header = request.headers.get("authorization") ?? "";
  const named = callerIn(request.headers, () => tokenOf(header));
  // Everyone can get the token of this subject.
  const isAnyone = named === callerName(config.issuerUrl, anonymousSubject);
  const caller = isAnyone ? anyone : named;
  const bookmark = await registryBookmark(config, request, {
    states: context.seenStates(),
    caller,
    now,
  });
  if (bookmark !== undefined) response.headers.set(bookmarkHeader, bookmark);
  return response;
}

async function respond(context: RegistryContext): Promise<Response> {
  const path = decodePath(context.url.pathname).replace(/^\/v2\/?/, "");
  for (const endpoint of endpointsOf(context.config)) {
    const [, name, reference = ""] = endpoint.path.exec(path) ?? [];
    if (name !== undefined) return handleImage(context, endpoint, name, reference);
  }
  const bearer = await requireBearer(context);
  if (path !== "") throw unsupported("this path is not one of a registry");
  if (!isGetOrHead(context)) throw methodUnsupported(context.request.method);
  if (bearer.credential) await requireIdentity(context, bearer.credential);
  return Response.json({});
}

async function handleImage(
  context: RegistryContext,
  { methods }: Endpoint,
  name: string,
  reference: string,
): Promise<Response> {
  const image = readImageName(name);
  const { method } = context.request;
  const served = Object.hasOwn(methods, method) ? methods[method] : undefined;
  context.scope = challengeScope(context, image, served?.actions ?? "pull");
  const bearer = await requireBearer(context);
  if (!served) throw methodUnsupported(method, Object.keys(methods));
  await enterDatabaseOf(context, image);
  return served.handle(context, bearer, image, reference);
}

/** The scope of the challenge. A mount also needs to pull from the other repository. */
function challengeScope({ url }: RegistryContext, image: ImageName, actions: string): string {
  const own = scopeOf(image, actions);
  const from = url.searchParams.get("from");
  if (!url.searchParams.has("mount") || !from) return own;
  return `${own} ${scopeOf(readImageName(from), "pull")}`;
}

async function requireBearer(context: RegistryContext): Promise<RegistryBearer> {
  const bearer = await readBearer(context);
  if (!bearer) throw unauthorized("the request has no Authorization header");
  return bearer;
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw nameInvalid("the path must be percent-encoded UTF-8");
  }
}
