/** SCIM 2.0 at `/scim/v2/<uid of the identity provider>/`, for users and groups (RFC 7644). */
import { type IRequest, Router } from "itty-router";
import { rootOf } from "../../aip/uid_path.ts";
import { configOf, type Env } from "../../config.ts";
import { limitOf } from "../../limits/rate_limit.ts";
import { openDatabase, serverTiming } from "../../rpc/database.ts";
import type { Execution } from "../../rpc/runtime.ts";
import {
  listResourceTypes,
  listSchemas,
  showResourceType,
  showSchema,
  showServiceProviderConfig,
} from "./configuration.ts";
import { presentedDigest } from "./credential.ts";
import { ScimError, toScimErrorResponse } from "./errors.ts";
import type { ScimCall } from "./exchange.ts";
import { listGroups, searchGroups } from "./group_list.ts";
import { createGroup, deleteGroup, getGroup, patchGroup, replaceGroup } from "./groups.ts";
import { listUsers, searchUsers } from "./list.ts";
import { createUser, deleteUser, getUser, patchUser, replaceUser } from "./users.ts";
import { decodePathStep } from "./well_formed.ts";

type Handler = (call: ScimCall) => Promise<Response>;
type RoutedRequest = IRequest & Request;

const providerPath = "/scim/v2/(?<provider>[0-9a-f]{40}(?:/[0-9a-f]{16})+)";
const pathPattern = (path: string) => new RegExp(`^${providerPath}${path}/?$`);

/** Runs a handler with the access of a SCIM token. */
const withScimCall =
  (handle: Handler) =>
  async (request: RoutedRequest, env: Env, execution: Execution): Promise<Response> => {
    const config = configOf(env);
    const { databases, meter } = openDatabase(env, execution);
    const { provider: providerPath = "", id = "" } = request.params;
    const db = databases.databaseOf(providerPath);
    const now = Date.now();
    const { headers, method } = request;
    const rateClass = method === "GET" ? "list" : "write";
    const operation = rateClass === "list" ? "scim read" : "scim write";
    execution.trace?.note({ operation, class: rateClass });
    const after = (work: () => Promise<unknown>) => execution.waitUntil(work());
    const limit = limitOf({ env, config, databases, rateClass, headers, now, after });
    const response = await presentedDigest(headers)
      .then(async (digest) => {
        // Only the database knows the tokens of SCIM.
        await limit.unverified();
        return handle({
          request,
          url: new URL(request.url),
          config,
          db,
          now,
          digest,
          noteCaller: () => noteProvider(execution, providerPath),
          provider: providerPath,
          users: `${config.baseUrl}/scim/v2/${providerPath}/Users`,
          groups: `${config.baseUrl}/scim/v2/${providerPath}/Groups`,
          id: decodePathStep("id", id),
        });
      })
      .catch((thrown) => toScimErrorResponse(thrown, headers));
    if (config.meter) response.headers.set("server-timing", serverTiming(meter));
    return response;
  };

/** The bearer of a SCIM token is the identity provider. */
const noteProvider = ({ trace }: Execution, provider: string): void =>
  trace?.note({ caller: provider, organization: rootOf(provider) });

const methodNotSupported: Handler = async ({ request }) => {
  throw new ScimError(405, `${request.method} is not supported at this path`);
};
const bulkNotSupported: Handler = async () => {
  throw new ScimError(501, "bulk operations are not supported");
};
const meNotSupported: Handler = async () => {
  throw new ScimError(501, "/Me is not supported, because a SCIM token does not belong to a user");
};

const usersPath = pathPattern("/Users");
const userPath = pathPattern("/Users/(?<id>[0-9a-f]{16})");
const groupsPath = pathPattern("/Groups");
const groupPath = pathPattern("/Groups/(?<id>[0-9a-f]{16})");

const routes: [string, RegExp, Handler][] = [
  ["GET", usersPath, listUsers],
  ["POST", usersPath, createUser],
  ["POST", pathPattern("/Users/\\.search"), searchUsers],
  ["GET", userPath, getUser],
  ["PUT", userPath, replaceUser],
  ["PATCH", userPath, patchUser],
  ["DELETE", userPath, deleteUser],
  ["GET", groupsPath, listGroups],
  ["POST", groupsPath, createGroup],
  ["POST", pathPattern("/Groups/\\.search"), searchGroups],
  ["GET", groupPath, getGroup],
  ["PUT", groupPath, replaceGroup],
  ["PATCH", groupPath, patchGroup],
  ["DELETE", groupPath, deleteGroup],
  ["GET", pathPattern("/ServiceProviderConfig"), showServiceProviderConfig],
  ["GET", pathPattern("/ResourceTypes"), listResourceTypes],
  ["GET", pathPattern("/ResourceTypes/(?<id>[^/]+)"), showResourceType],
  ["GET", pathPattern("/Schemas"), listSchemas],
  ["GET", pathPattern("/Schemas/(?<id>[^/]+)"), showSchema],
  ["ALL", pathPattern("/Bulk"), bulkNotSupported],
  ["ALL", pathPattern("/Me"), meNotSupported],
  ["ALL", usersPath, methodNotSupported],
  ["ALL", userPath, methodNotSupported],
  ["ALL", groupsPath, methodNotSupported],
  ["ALL", groupPath, methodNotSupported],
  [
    "ALL",
    pathPattern("/(?:ServiceProviderConfig|ResourceTypes|Schemas)(?:/[^/]+)?"),
    methodNotSupported,
  ],
];

const pathNotFound = (request: RoutedRequest) =>
  toScimErrorResponse(
    new ScimError(404, `there is no resource at ${new URL(request.url).pathname}`),
    request.headers,
  );

/** Serves every request below `/scim/`. Its errors are those of SCIM. */
export const scimRouter = Router<RoutedRequest, [Env, Execution], Response>({
  // The types of the router require a tuple of its routes, and map returns a list.
  routes: routes.map(([verb, path, handle]) => [
    verb,
    path,
    [withScimCall(handle)],
    path.source,
  ]) as never,
  catch: (thrown, request) => toScimErrorResponse(thrown, request.headers),
}).all("*", pathNotFound);
