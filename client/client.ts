/** The client of a platform. */
import { addressOf } from "./address.ts";
import { withPlainNames } from "./answer.ts";
import { Bookmarks } from "./bookmarks.ts";
import { send } from "./connection.ts";
import { type ImageContents, type Referrer, readContents, readReferrers } from "./contents.ts";
import { withEtag } from "./etags.ts";
import { type FollowOptions, type FollowRequest, followEvents } from "./follow.ts";
import type { Event } from "./gen/messages.ts";
import { type OperationName, operations } from "./gen/operations.ts";
import type { Resources } from "./gen/resources.ts";
import { type HistoryOptions, type HistoryRecord, readHistory } from "./history.ts";
import { newListing } from "./listing.ts";
import type {
  CallOptions,
  JsonObject,
  Operation,
  OverrideOptions,
  UpdateOptions,
  ValidateOptions,
} from "./operation.ts";
import type { RegistryConnection } from "./registry.ts";
import { type ClientRequest, toHttp } from "./request.ts";
import { type ResolvedTag, resolveTag } from "./resolve.ts";
import type { TokenSource } from "./tokens.ts";
import { type Connection, connectionOf, type Transport } from "./transport.ts";

/** The address of the platform, and the token that the client uses. */
export interface ClientOptions extends Transport {
  /** The URL of the API, with or without a slash at its end. If it has a path, every call begins with that path. */
  url: string;
  /** The source of tokens. Without one, you can only make public calls. */
  token?: TokenSource | undefined;
  /**
   * The operator's name, which is part of some names on the wire. The issuer publishes it in its discovery document as
   * `platform_registry_vendor`. The default is `vendor`.
   */
  vendor?: string | undefined;
  /**
   * The state that the first call sees at least: the {@link Client.bookmark} of another client of the same caller, or
   * `primary` for everything written so far. Without it, the first read can show an older state if the operator has
   * turned on reads near their caller.
   */
  bookmark?: string | undefined;
  /** The registry, which has the images and the history of their tags. */
  registry?:
    | {
        /** The URL of the registry. The default is the URL of the API. */
        url?: string | undefined;
        /**
         * The source of tokens for the registry's audience. Without one, you can only read public images and their
         * history.
         */
        token?: TokenSource | undefined;
        /**
         * The operator's name in paths of the registry, `_<vendor>`. The default is the `vendor` of the
         * client.
         */
        vendor?: string | undefined;
      }
    | undefined;
}

/**
 * Calls a platform. It has a member for each resource, methods that read the registry, the events as they happen, and a
 * method that calls any operation by name.
 */
export interface Client extends Resources {
  /**
   * Returns the digests that a tag has pointed to, oldest first. Name the image as in `acme.example/python:latest`. The
   * organization is a uid, or a name if the organization is verified. The name may begin with the host of the registry.
   * The default tag is `latest`. The client requests more records while you read, because a response contains at most
   * 1000.
   */
  history(image: string, options?: HistoryOptions): AsyncIterable<HistoryRecord>;
  /**
   * Returns the digest that a pull of a tag gets, which a tag rule can choose. The registry records it as a pull. Name the
   * image as in {@link Client.history}. Rejects with NotFound if a pull gets no image.
   */
  resolve(image: string, options?: CallOptions): Promise<ResolvedTag>;
  /**
   * Returns the manifest and the configuration of an image. The registry does not record it as a pull. Name the image
   * as in `acme.example/python@sha256:…`, with the names of {@link Client.history}. Rejects with NotFound if the
   * registry does not have the image, although the platform may know its digest from an import.
   */
  contents(image: string, options?: CallOptions): Promise<ImageContents>;
  /**
   * Returns the manifests that refer to an image, such as signatures and SBOMs. Name the image as in
   * `acme.example/python@sha256:…`. The client requests more while you read.
   */
  referrers(image: string, options?: CallOptions): AsyncIterable<Referrer>;
  /**
   * Returns events as they happen, oldest first, from now on or after the event in `after`. It connects again as often
   * as necessary, and returns no event twice. It ends when you stop reading, or with an error that no repetition can
   * help against, such as a missing capability.
   */
  follow(request?: FollowRequest, options?: FollowOptions): AsyncIterable<Event>;
  /**
   * Calls any operation by name, with the request message in JSON. It is for programs that choose the operation at run
   * time. Returns the JSON of the response, or `{}` if the response is empty.
   */
  call(operation: OperationName, request?: JsonObject, options?: CallOptions): Promise<JsonObject>;
  /**
   * Returns the state of the platform that the calls so far have seen, for the option `bookmark` of another client. It
   * is empty if the platform reads everything from the primary.
   */
  bookmark(): string;
}

/**
 * Creates a client. It keeps no connection open, so you do not have to close it. Throws a TypeError for invalid
 * options.
 */
export function createClient(options: ClientOptions): Client {
  const base = addressOf(options.url, "url");
  const vendor = options.vendor ?? "vendor";
  const bookmarks = new Bookmarks(options.bookmark);
  const connection: Connection = { ...connectionOf(options), token: options.token, bookmarks };
  const registry: RegistryConnection = {
    base:
      options.registry?.url === undefined ? base : addressOf(options.registry.url, "registry.url"),
    vendor: options.registry?.vendor ?? vendor,
    connection: {
      ...connection,
      token: options.registry?.token,
      isAtPrimary: true,
    },
  };
  const sendOperation = async (
    operation: Operation,
    request: JsonObject,
    how: CallOptions = {},
  ) => {
    const sent = withCondition(toHttp(operation, request, base), how);
    const answer = await send(connection, sent, how);
    const json = withPlainNames(operation, answer.json, vendor);
    return { ...answer, json: withEtag(json, answer.headers.get("etag")) };
  };
  const resources: Record<string, Record<string, unknown>> = {};
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const [resource = "", method = ""] = name.split(".");
    resources[resource] ??= {};
    resources[resource][method] = newMethod(operation, sendOperation);
  }
  return {
    ...(resources as unknown as Resources),
    bookmark: () => bookmarks.text,
    follow: (request = {}, how = {}) => followEvents(base, connection, request, how),
    history: (image, how = {}) => readHistory(registry, image, how),
    resolve: async (image, how = {}) => resolveTag(registry, image, how),
    contents: async (image, how = {}) => readContents(registry, image, how),
    referrers: (image, how = {}) => readReferrers(registry, image, how),
    async call(name, request = {}, how = {}) {
      const operation: Operation | undefined = Object.hasOwn(operations, name)
        ? operations[name]
        : undefined;
      if (!operation) throw new TypeError(`there is no operation named ${name}`);
      return (await sendOperation(operation, request, how)).json;
    },
  };
}

/** The request with the condition of the caller. */
function withCondition(request: ClientRequest, { ifMatch }: CallOptions): ClientRequest {
  if (ifMatch === undefined) return request;
  return {
    ...request,
    headers: { ...request.headers, "if-match": ifMatch },
    isConditional: true,
  };
}

type SendOperation = (
  operation: Operation,
  request: JsonObject,
  options?: CallOptions,
) => ReturnType<typeof send>;

/** The members of the request that are options. The platform refuses them in calls that do not support them. */
const optional = ({ validateOnly, overrideReason }: WriteOptions = {}) => ({
  ...(validateOnly === undefined ? {} : { validateOnly }),
  ...(overrideReason === undefined ? {} : { overrideReason }),
});

type WriteOptions = ValidateOptions & OverrideOptions;

/** Returns the method of an operation, with the signature in gen/resources.ts. */
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
      return (uid: string, options?: CallOptions & WriteOptions) =>
        answer({ uid, ...optional(options) }, options);
    case "create":
      return async (parent: string, made: JsonObject, options?: CallOptions & WriteOptions) => {
        // Without a parent, the new group would become an organization.
        if (typeof parent !== "string") throw new TypeError("parent must be a string");
        return answer({ parent, [body]: made, ...optional(options) }, options);
      };
    case "update":
      return (uid: string, changes: JsonObject, options: UpdateOptions & WriteOptions = {}) => {
        const { updateMask } = options;
        const mask = updateMask === undefined ? {} : { updateMask };
        return answer({ [body]: { ...changes, uid }, ...mask, ...optional(options) }, options);
      };
    case "plain":
      return (request: JsonObject = {}, options?: CallOptions) => answer(request, options);
  }
}
