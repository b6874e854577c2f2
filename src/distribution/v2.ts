/** `/v2/`: the version check, the content of images, and Tag History (OCI distribution, "Endpoints"). */

import { quoted } from "../aip/quoted.ts";
import type { Config } from "../config.ts";
import { anyone, bookmarkHeader, callerIn, callerName } from "../rpc/bookmark.ts";
import { registryBookmark } from "../rpc/nearest.ts";
import { type Action, reachRepository, requireIdentity } from "./access.ts";
import {
  anonymousSubject,
  catalogScope,
  type RegistryBearer,
  readBearer,
  tokenOf,
} from "./bearer.ts";
import { deleteBlob, getBlob, getPublicBlob } from "./blobs/blobs.ts";
import { completeDirectUpload, planDirectUpload } from "./blobs/direct_uploads.ts";
import { beginUpload, handleUpload } from "./blobs/uploads.ts";
import { listCatalog } from "./catalog.ts";
import { isGetOrHead, type RegistryContext } from "./context.ts";
import { isDigest } from "./digest.ts";
import {
  blobUnknown,
  manifestUnknown,
  methodUnsupported,
  nameUnknown,
  type RegistryError,
  unauthorized,
  unsupported,
} from "./errors.ts";
import { enterDatabaseOf } from "./image_database.ts";
import { getContents } from "./manifests/contents.ts";
import { deleteManifest } from "./manifests/delete.ts";
import { getManifest, getPublicManifest, isReference } from "./manifests/get.ts";
import { putManifest } from "./manifests/put.ts";
import { listReferrers } from "./manifests/referrers.ts";
import { mirroredName } from "./mirror/names.ts";
import { type ImageName, isInGrammar, scopeOf, wrongName } from "./repository.ts";
import { listTagHistory } from "./tag_history.ts";
import { listTags } from "./tags.ts";

/** `reference` is the rest of the path: a tag, a digest or the id of an upload. */
type Handler = (
  context: RegistryContext,
  bearer: RegistryBearer,
  image: ImageName,
  reference: string,
) => Promise<Response>;

/** The handler of a method, and the actions that its challenge names. The last of them decides about access. */
interface Method {
  handle: Handler;
  actions: [...Action[], Action];
}

/** An endpoint: its path, with the name and the reference, and its methods. */
export interface Endpoint {
  /** A short name for the log and the metrics. */
  label: string;
  path: RegExp;
  methods: Record<string, Method>;
  /**
   * The references that content can have, and the error for content that does not exist. Reads and deletions of any
   * other reference get this error, and their handlers get only references that can exist.
   */
  content?: { isReference: (text: string) => boolean; unknown: (text: string) => RegistryError };
  /** Answers a read of public content from the cache, if the cache has it. It is asked before any database. */
  fromCache?: (...read: Parameters<Handler>) => Promise<Response | undefined>;
  /** Reads may not fail with 404 (OCI distribution, "Listing Referrers"). */
  isNeverUnknown?: boolean;
}

const reading = (handle: Handler): Record<string, Method> => ({
  GET: { handle, actions: ["pull"] },
  HEAD: { handle, actions: ["pull"] },
});

const pushing = (handle: Handler): Method => ({ handle, actions: ["pull", "push"] });
const deleting = (handle: Handler): Method => ({ handle, actions: ["delete"] });

/** In this order: the name of an image can end in `/blobs/uploads`. */
export const newEndpoints = ({ vendor }: Pick<Config, "vendor">): Endpoint[] => [
  {
    label: "tag history",
    path: new RegExp(`^(.*)/_${vendor}/history/([^/]*)$`, "s"),
    methods: reading(listTagHistory),
  },
  {
    label: "direct upload",
    path: new RegExp(`^(.*)/_${vendor}/uploads/([^/]+)$`, "s"),
    methods: { POST: pushing(planDirectUpload), PUT: pushing(completeDirectUpload) },
  },
  {
    label: "image",
    path: new RegExp(`^(.*)/_${vendor}/images/([^/]*)$`, "s"),
    methods: reading(getContents),
    content: { isReference: isDigest, unknown: manifestUnknown },
  },
  { label: "tags", path: /^(.*)\/tags\/list()$/s, methods: reading(listTags) },
  {
    label: "referrers",
    path: /^(.*)\/referrers\/([^/]*)$/s,
    methods: reading(listReferrers),
    isNeverUnknown: true,
  },
  {
    label: "manifest",
    path: /^(.*)\/manifests\/([^/]*)$/s,
    methods: {
      ...reading(getManifest),
      PUT: pushing(putManifest),
      DELETE: deleting(deleteManifest),
    },
    content: { isReference, unknown: manifestUnknown },
    fromCache: getPublicManifest,
  },
  {
    label: "upload",
    path: /^(.*)\/blobs\/uploads\/?()$/s,
    methods: { POST: pushing(beginUpload) },
  },
  {
    label: "upload",
    path: /^(.*)\/blobs\/uploads\/([^/]+)$/s,
    methods: Object.fromEntries(
      ["GET", "HEAD", "PATCH", "PUT", "DELETE"].map((method) => [method, pushing(handleUpload)]),
    ),
  },
  {
    label: "blob",
    path: /^(.*)\/blobs\/([^/]*)$/s,
    methods: { ...reading(getBlob), DELETE: deleting(deleteBlob) },
    content: { isReference: isDigest, unknown: blobUnknown },
    fromCache: getPublicBlob,
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
  const named = callerIn(request.headers, () => tokenOf(header, config));
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
    if (name === undefined) continue;
    const action = endpoint.methods[context.request.method]?.actions.at(-1) ?? "pull";
    context.databases.trace?.note({ operation: `${action} ${endpoint.label}` });
    return handleImage(context, endpoint, name, reference);
  }
  const isCatalog = path === "_catalog";
  if (isCatalog) context.scope = catalogScope;
  const bearer = await requireBearer(context);
  if (path !== "" && !isCatalog) throw unsupported("this path is not one of a registry");
  if (!isGetOrHead(context)) throw methodUnsupported(context.request.method);
  if (isCatalog) return listCatalog(context, bearer);
  if (bearer.credential) await requireIdentity(context, bearer.credential);
  return Response.json({});
}

/** A name or a reference that cannot exist is unknown to reads and deletions, and invalid for writes. */
async function handleImage(
  context: RegistryContext,
  endpoint: Endpoint,
  name: string,
  reference: string,
): Promise<Response> {
  const { methods, isNeverUnknown = false } = endpoint;
  const ns = context.url.searchParams.get("ns") ?? "";
  const image = await mirroredName(context, name, ns);
  const { method } = context.request;
  const served = Object.hasOwn(methods, method) ? methods[method] : undefined;
  context.scope = challengeScope(context, image?.full ?? name, served?.actions ?? ["pull"]);
  const bearer = await requireBearer(context);
  if (!served) throw methodUnsupported(method, Object.keys(methods));
  const isWrite = method !== "DELETE" && !isGetOrHead(context);
  if (!image) {
    if (!bearer.credential) throw unauthorized("no public image has this name; log in");
    throw isWrite || isNeverUnknown ? wrongName(name) : nameUnknown(quoted(name));
  }
  const cached = await answerFromCache(endpoint, context, bearer, image, reference);
  if (cached) return cached;
  await enterDatabaseOf(context, image);
  const { content } = endpoint;
  if (content && !isWrite && !content.isReference(reference)) {
    const action = served.actions.at(-1) ?? "pull";
    const { repositoryPath } = await reachRepository(context, bearer, image, action, []);
    throw repositoryPath.repo === undefined
      ? nameUnknown(image.full)
      : content.unknown(quoted(reference));
  }
  return served.handle(context, bearer, image, reference);
}

function answerFromCache(
  { content, fromCache }: Endpoint,
  ...[context, bearer, image, reference]: Parameters<Handler>
): Promise<Response | undefined> | undefined {
  if (!isGetOrHead(context) || !content?.isReference(reference)) return undefined;
  return fromCache?.(context, bearer, image, reference);
}

/** The scope of the challenge. A mount also needs to pull from the other repository. */
function challengeScope({ url }: RegistryContext, name: string, actions: Action[]): string {
  const from = url.searchParams.has("mount") ? url.searchParams.get("from") : null;
  // Any other text could end the header's value, or begin a scope of its own.
  return [
    ...(isInGrammar(name) ? [scopeOf(name, actions)] : []),
    ...(isInGrammar(from ?? "") ? [scopeOf(from ?? "", ["pull"])] : []),
  ].join(" ");
}

async function requireBearer(context: RegistryContext): Promise<RegistryBearer> {
  const bearer = await readBearer(context);
  if (!bearer) throw unauthorized("the request has no Authorization header");
  return bearer;
}

/** A path that is not percent-encoded UTF-8 stays as it is. No image has a name with `%`. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
