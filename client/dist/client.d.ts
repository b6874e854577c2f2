import { type OperationName } from "./gen/operations.ts";
import type { Resources } from "./gen/resources.ts";
import { type HistoryOptions, type HistoryRecord } from "./history.ts";
import type { CallOptions, JsonObject } from "./operation.ts";
import type { TokenSource } from "./tokens.ts";
import { type Transport } from "./transport.ts";
/** Where the platform is, and who calls. */
export interface ClientOptions extends Transport {
    /** URL of the API, with or without a slash at its end; a path stays in front of every call. */
    url: string;
    /** Without one, only what is public can be called. */
    token?: TokenSource | undefined;
    /**
     * The operator's name, which stands in some names on the wire; the issuer's discovery document has it as
     * `platform_registry_vendor`. `vendor` unless told.
     */
    vendor?: string | undefined;
    /** The registry, which tells the history of tags. */
    registry?: {
        /** The API's unless told. */
        url?: string | undefined;
        /** Gives tokens for the registry's audience. Without one, only public images have a history. */
        token?: TokenSource | undefined;
        /** The name in the path of Tag History, `_<vendor>`; the `vendor` of the client unless told. */
        vendor?: string | undefined;
    } | undefined;
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
export declare function createClient(options: ClientOptions): Client;
