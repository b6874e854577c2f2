/** SCIM 2.0 at `/scim/v2/<uid of the identity provider>/`: users only (RFC 7644). */
import { type IRequest, Router } from "itty-router";
import { configOf, type Env } from "../../config.ts";
import { meterText, openDatabase } from "../../rpc/database.ts";
import {
  listResourceTypes,
  listSchemas,
  showResourceType,
  showSchema,
  showServiceProviderConfig,
} from "./configuration.ts";
import { presentedDigest } from "./credential.ts";
import { ScimError, toErrorResponse } from "./errors.ts";
import type { ScimCall } from "./exchange.ts";
import { listUsers, searchUsers } from "./list.ts";
import { createUser, deleteUser, getUser, patchUser, replaceUser } from "./users.ts";
import { decodedStep } from "./well_formed.ts";

type Handler = (call: ScimCall) => Promise<Response>;
type Routed = IRequest & Request;

const provider = "/scim/v2/(?<provider>[0-9a-f]{40}(?:/[0-9a-f]{16})+)";
const at = (path: string) => new RegExp(`^${provider}${path}/?$`);

/** Runs a handler as the bearer of a SCIM token. */
const as =
  (handle: Handler) =>
  async (request: Routed, env: Env): Promise<Response> => {
    const config = configOf(env);
    const { db, meter } = openDatabase(env.DB);
    const { provider = "", id = "" } = request.params;
    const response = await presentedDigest(request.headers)
      .then((digest) =>
        handle({
          request,
          url: new URL(request.url),
          config,
          db,
          now: Date.now(),
          digest,
          provider,
          users: `${config.baseUrl}/scim/v2/${provider}/Users`,
          id: decodedStep("id", id),
        }),
      )
      .catch(toErrorResponse);
    if (config.meter) response.headers.set("server-timing", meterText(meter));
    return response;
  };

const notSupported: Handler = async ({ request }) => {
  throw new ScimError(405, `${request.method} is not supported here`);
};
const noBulk: Handler = async () => {
  throw new ScimError(501, "bulk operations are not supported");
};
const notMe: Handler = async () => {
  throw new ScimError(501, "/Me is not supported: a token stands for no user");
};

const users = at("/Users");
const user = at("/Users/(?<id>[0-9a-f]{16})");

const routes: [string, RegExp, Handler][] = [
  ["GET", users, listUsers],
  ["POST", users, createUser],
  ["POST", at("/Users/\\.search"), searchUsers],
  ["GET", user, getUser],
  ["PUT", user, replaceUser],
  ["PATCH", user, patchUser],
  ["DELETE", user, deleteUser],
  ["GET", at("/ServiceProviderConfig"), showServiceProviderConfig],
  ["GET", at("/ResourceTypes"), listResourceTypes],
  ["GET", at("/ResourceTypes/(?<id>[^/]+)"), showResourceType],
  ["GET", at("/Schemas"), listSchemas],
  ["GET", at("/Schemas/(?<id>[^/]+)"), showSchema],
  ["ALL", at("/Bulk"), noBulk],
  ["ALL", at("/Me"), notMe],
  ["ALL", users, notSupported],
  ["ALL", user, notSupported],
  ["ALL", at("/(?:ServiceProviderConfig|ResourceTypes|Schemas)(?:/[^/]+)?"), notSupported],
];

const notServed = (request: Routed) =>
  toErrorResponse(new ScimError(404, `nothing is served at ${new URL(request.url).pathname}`));

/** Answers every request below `/scim/`. Its errors are SCIM's. */
export const scimRouter = Router<Routed, [Env], Response>({
  // The types of the router have no tuple of its routes that map makes of a list.
  routes: routes.map(([verb, path, handle]) => [verb, path, [as(handle)], path.source]) as never,
  catch: toErrorResponse,
}).all("*", notServed);
