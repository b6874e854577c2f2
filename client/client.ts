/** The client of a platform. */
import { addressOf } from "./address.ts";
import { withPlainNames } from "./answer.ts";
import { send } from "./connection.ts";
import { type OperationName, operations } from "./gen/operations.ts";
import type { Resources } from "./gen/resources.ts";
import {
  type HistoryOptions,
  type HistoryRecord,
  type RegistryConnection,
  readHistory,
} from "./history.ts";
import { newListing } from "./listing.ts";
import type { CallOptions, JsonObject, Operation, UpdateOptions } from "./operation.ts";
import { toHttp } from "./request.ts";
import type { TokenSource } from "./tokens.ts";
import { type Connection, connectionOf, type Transport } from "./transport.ts";

/** Where the platform is, and who calls. */
export interface ClientOptions extends Transport {
  /** URL of the API, with or without a slash at its end; a path stays in front of every call. */
  url: string;
  /** Without one, only what is public can be called. */
  token?: TokenSource | undefined;
  /**
   * The operator's name, which stands in some names on the wire; the issuer's discovery document has it as
   * `platform_registry_vendor`. `vendor` by default.
   */
  vendor?: string | undefined;
  /** The registry, which tells the history of tags. */
  registry?:
    | {
        /** The API's unless told. */
        url?: string | undefined;
        /** Gives tokens for the registry's audience. Without one, only public images have a history. */
        token?: TokenSource | undefined;
        /** The name in the path of Tag History, `_<vendor>`; the `vendor` of the client by default. */
        vendor?: string | undefined;
      }
    | undefined;
}

/** Calls a platform: one member for each resource, the history of tags, and any operation by name. */
export interface Client extends Resources {
  /**
   * What a tag has pointed to, oldest first: `example.com/python:latest`, where the organization stands by
   * its uid or, once it is verified, by its name. More than the 1000 records
   * of one answer are asked for piece by piece, as they are read. The name may have the registry's
   * host in front; without a tag it is `latest`.
   */
  history(image: string, options?: HistoryOptions): AsyncIterable<HistoryRecord>;
  /**
   * Any operation by its name, with the request message in JSON: for programs that choose the
   * operation while they run. Answers the JSON of the response, `{}` where that is empty.
   */
  call(operation: OperationName, request?: JsonObject, options?: CallOptions): Promise<JsonObject>;
}

/** A client. It keeps no connection of its own and needs no closing. Throws a TypeError for bad options. */
export function createClient(options: ClientOptions): Client {
  const base = addressOf(options.url, "url");
  const vendor = options.vendor ?? "vendor";
  const connection: Connection = { ...connectionOf(options), token: options.token };
  const registry: RegistryConnection = {
    base:
      options.registry?.url === undefined ? base : addressOf(options.registry.url, "registry.url"),
    vendor: options.registry?.vendor ?? vendor,
    connection: { ...connection, token: options.registry?.token },
  };
  const sendOperation = async (
    operation: Operation,
    request: JsonObject,
    how: CallOptions = {},
  ) => {
    const answer = await send(connection, toHttp(operation, request, base), how);
    return { ...answer, json: withPlainNames(operation, answer.json, vendor) };
  };
  const resources: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const [resource = "", method = ""] = name.split(".");
    resources[resource] ??= {};
    resources[resource][method] = newMethod(operation, sendOperation);
  }
  return {
    ...(resources as unknown as Resources),
    history: (image, how = {}) => readHistory(registry, image, how),
    async call(name, request = {}, how = {}) {
      const operation: Operation | undefined = Object.hasOwn(operations, name)
        ? operations[name]
        : undefined;
      if (!operation) throw new TypeError(`there is no operation ${name}`);
      return (await sendOperation(operation, request, how)).json;
    },
  };
}

type SendOperation = (
  operation: Operation,
  request: JsonObject,
  options?: CallOptions,
) => ReturnType<typeof send>;

/** The method of an operation, as its interface in gen/resources.ts has it. */
function newMethod(operation: Operation, sendOperation: SendOperation): unknown {
  const { body, rows = "", empty } = operation;
  const answer = async (request: JsonObject, options?: CallOptions) => {
    const { json } = await sendOperation(operation, request, options);
    return empty ? undefined : json;
  };
  switch (operation.form) {
    case "list":
      return (request: JsonObject = {}, options?: CallOptions) =>
        newListing((asked) => sendOperation(operation, asked, options), request, rows);
    case "get":
    case "delete":
      return (uid: string, options?: CallOptions) => answer({ uid }, options);
    case "create":
      return async (parent: string, made: JsonObject, options?: CallOptions) => {
        // Without one, a group would become an organization of its own.
        if (typeof parent !== "string") throw new TypeError("parent must be a string");
        return answer({ parent, [body]: made }, options);
      };
    case "update":
      return (uid: string, changes: JsonObject, options: UpdateOptions = {}) => {
        const { updateMask } = options;
        const mask = updateMask === undefined ? {} : { updateMask };
        return answer({ [body]: { ...changes, uid }, ...mask }, options);
      };
    case "plain":
      return (request: JsonObject = {}, options?: CallOptions) => answer(request, options);
  }
}
