/** What an operation is, and how a call is asked for. */
/** A JSON object of any shape. */
export type JsonObject = {
    [key: string]: unknown;
};
/** One operation of the platform, as `gen/operations.ts` has it. */
export interface Operation {
    /** The RPC: `platform.registry.v2.ReposService/ListRepos`. */
    readonly rpc: string;
    readonly verb: "GET" | "POST" | "PATCH" | "DELETE";
    /** With variables as paths into the request: `/registry/v2/repos/{repo.uid}`. */
    readonly path: string;
    /** The member of the request that is the body, `*` for the whole request, empty for none. */
    readonly body: string;
    /** How the client's method takes its request; `plain` takes the request as it is. */
    readonly form: "list" | "get" | "create" | "update" | "delete" | "plain";
    /** Every member that the request may have. */
    readonly fields: readonly string[];
    /** The member of the answer that holds the rows of a page. */
    readonly rows?: string;
    /** The word for what is answered: `repo`. */
    readonly resource?: string;
    /** The answer says nothing. */
    readonly empty?: true;
    /** The member of what is answered, or of each row, that the platform calls by its operator's name. */
    readonly vendorNamed?: string;
}
/** What can be said about any call. */
export interface CallOptions {
    /** Ends the call, its retries and its waiting; the call then rejects with the signal's reason. */
    signal?: AbortSignal | undefined;
    /** Milliseconds that one attempt may take, in place of the client's. */
    timeout?: number | undefined;
    /** Attempts after the first, in place of the client's. */
    retries?: number | undefined;
    /**
     * Says that a write may be carried out twice, so that it is tried again where it is not known
     * whether it was carried out. Reads are anyway.
     */
    idempotent?: boolean | undefined;
}
/** What can be said about an update. */
export interface UpdateOptions extends CallOptions {
    /**
     * The fields to change, nested ones with dots; `["*"]` for all that a client may set. What it does
     * not name is ignored, and what it names and the changes leave out is cleared. Without it the
     * members of the changes are the mask.
     */
    updateMask?: readonly string[] | undefined;
}
/** Some members of a resource, at any depth. `null` clears a member, and so does its empty value. */
export type Changes<T> = {
    [Key in keyof T]?: NonNullable<T[Key]> extends readonly unknown[] | string | number | boolean ? T[Key] | null | undefined : Changes<NonNullable<T[Key]>> | null | undefined;
};
