/** Handles one request to the registry host, from its bytes to its response. */
import type { Call, Database } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import { type Config, configOf, type Env, requireBucket } from "../config.ts";
import { type CallLimit, limitOf } from "../limits/rate_limit.ts";
import { type OpenDatabase, openDatabase, serverTiming } from "../rpc/database.ts";
import { urlOf } from "../rpc/request_url.ts";
import { type Execution, newWorks } from "../rpc/runtime.ts";
import { newStorageMeter, openStorage, type Storage, type StorageMeter } from "./blobs/storage.ts";
import { toRegistryErrorResponse } from "./errors.ts";

/** The arguments of a handler. */
export interface RegistryContext {
  readonly config: Config;
  /** The database of the image's organization, once it is known. Before that, the first database. */
  db: Database;
  readonly databases: Databases;
  /** The states of the databases that the request has seen so far. */
  readonly seenStates: OpenDatabase["seenStates"];
  readonly storage: Storage;
  /** The queue of pulls. Undefined if the deployment has none. */
  readonly pullQueue: Env["PULLS"];
  readonly waitUntil: Execution["waitUntil"];
  /** Does work when the request is over. The response does not wait for it. */
  readonly after: Call["after"];
  /** Counts the request of a caller, or of a network without one. */
  readonly limit: CallLimit;
  /** Counts the exchange of a token, like one at the issuer. */
  readonly exchangeLimit: CallLimit;
  readonly request: Request;
  readonly url: URL;
  /** Milliseconds since 1970 in UTC. The value is the same during the whole request. */
  readonly now: number;
  /** The scope that a token needs for this request. The challenge contains it. Empty until it is known. */
  scope: string;
}

/** The environment of a request, and its execution. */
export type RouteArguments = [Env, Execution];

/** Every response says that this is a registry, because older clients require it. */
const versionHeader = ["docker-distribution-api-version", "registry/2.0"] as const;

/**
 * Wraps a route. It responds to HEAD like GET without the body, converts every error to the registry's form,
 * and counts D1 if the configuration says so.
 */
export function registryRoute(handler: (context: RegistryContext) => Promise<Response>) {
  return async (request: Request, env: Env, execution: Execution): Promise<Response> => {
    const url = urlOf(request);
    execution.trace?.note({ operation: "registry", class: "registry" });
    let config: Config | undefined;
    let database: OpenDatabase | undefined;
    const storageMeter = newStorageMeter();
    const works = newWorks(execution);
    let context: RegistryContext | undefined;
    let storage: Storage | undefined;
    let response: Response;
    try {
      config = configOf(env);
      database = openDatabase(env, execution);
      const waitUntil = execution.waitUntil.bind(execution);
      const { db, databases, seenStates } = database;
      const { after } = works;
      const now = Date.now();
      const { headers } = request;
      const counted = { env, config, databases, headers, now, after };
      context = {
        config,
        db,
        databases,
        seenStates,
        pullQueue: env.PULLS,
        waitUntil,
        request,
        url,
        now,
        scope: "",
        after,
        limit: limitOf({ ...counted, rateClass: "registry" }),
        exchangeLimit: limitOf({ ...counted, rateClass: "exchange" }),
        // Tokens and tag history need no bucket.
        get storage() {
          storage ??= openStorage(requireBucket(env), storageMeter, execution.trace);
          return storage;
        },
      };
      const handled = handler(context);
      // If the client leaves, the runtime would end the request at once, and nothing would clean up after it.
      waitUntil(handled.catch(() => {}));
      response = await handled;
    } catch (thrown) {
      response = toRegistryErrorResponse(thrown, config, context?.scope ?? "", request.headers);
    }
    const answer = request.method === "HEAD" ? new Response(null, response) : response;
    answer.headers.set(...versionHeader);
    if (config?.meter && database) {
      const timing = `${serverTiming(database.meter)}, ${storageTiming(storageMeter)}`;
      answer.headers.set("server-timing", timing);
    }
    works.start({ hasSucceeded: response.ok });
    return answer;
  };
}

/** The part of `server-timing` with the calls to R2. */
const storageTiming = ({ reads, writes, mostPending }: StorageMeter) =>
  `r2;desc="reads=${reads} writes=${writes} most_pending=${mostPending}"`;

/** Whether the method has a response with contents. */
export const isGetOrHead = ({ request }: RegistryContext) =>
  request.method === "GET" || request.method === "HEAD";
