/** Operations, and the options of a call. */

/** A JSON object of any shape. */
export type JsonObject = { [key: string]: unknown };

/** One operation of the platform, as in `gen/operations.ts`. */
export interface Operation {
  /** The RPC, such as `platform.registry.v2.ReposService/ListRepos`. */
  readonly rpc: string;
  readonly verb: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path. Its variables are paths in the request, as in `/registry/v2/repos/{repo.uid}`. */
  readonly path: string;
  /** The member of the request that is the body, `*` for the whole request, or an empty string for no body. */
  readonly body: string;
  /** How the client's method takes its request. `plain` takes the request message as it is. */
  readonly form: "list" | "get" | "create" | "update" | "delete" | "plain";
  /** Every member that the request may have. */
  readonly fields: readonly string[];
  /** The member of the response that contains the rows of a page. */
  readonly rows?: string;
  /** The name of the resource in the response, such as `repo`. */
  readonly resource?: string;
  /** Whether the response is empty. */
  readonly empty?: true;
  /** Whether the response is empty unless the call only validates. */
  readonly mayBeEmpty?: true;
  /** The member of the resource, or of each row, that the platform names after its operator. */
  readonly vendorNamed?: string;
}

/** The options of any call. */
export interface CallOptions {
  /** Cancels the call, including its retries and pauses. The call then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How many milliseconds one attempt may take. The default is the client's limit. */
  timeout?: number | undefined;
  /** The number of attempts after the first one. The default is the client's number. */
  retries?: number | undefined;
  /**
   * Whether a write may be carried out twice. If it is true, the client also retries the write when it does not know
   * whether the write was carried out. Reads are always retried, and so is every POST, because it has a key.
   */
  idempotent?: boolean | undefined;
  /**
   * The key of a POST, of 1 to 255 visible ASCII characters. The platform carries out equal calls with one key once in
   * 24 hours, and gives all of them the same answer. The default is a new key for each call, which all its attempts have.
   * Set it if your program can end between two attempts.
   */
  idempotencyKey?: string | undefined;
  /**
   * The `etag` that a resource must have, for an update or a delete. If someone else has changed the resource since then,
   * the call rejects with Aborted, whose reason is `ETAG_MISMATCH`, and writes nothing.
   */
  ifMatch?: string | undefined;
}

/** The options of an update. */
export interface UpdateOptions extends CallOptions {
  /**
   * The fields to change, with dots for nested fields, or `["*"]` for all fields that a client may set. Other fields in
   * the changes are ignored. A field in the mask that the changes leave out is cleared. The default is the members of
   * the changes.
   */
  updateMask?: readonly string[] | undefined;
}

/** The options of a write that can be checked without writing. */
export interface ValidateOptions {
  /**
   * Whether the platform only checks the request. It then changes nothing, and the response shows in `accessChanges`
   * who would gain or lose what. A resource that would be created has no `uid` in the response.
   */
  validateOnly?: boolean | undefined;
}

/** The options of a write that a tag rule can refuse. */
export interface OverrideOptions {
  /**
   * Why the change is made although a tag rule refuses it. It needs the capability `tag.override`. An event records it, and
   * the history of the tag shows it.
   */
  overrideReason?: string | undefined;
}

/** Some members of a resource, at any depth. `null` or an empty value clears a member. */
export type Changes<T> = {
  [Key in keyof T]?: NonNullable<T[Key]> extends readonly unknown[] | string | number | boolean
    ? T[Key] | null | undefined
    : Changes<NonNullable<T[Key]>> | null | undefined;
};
