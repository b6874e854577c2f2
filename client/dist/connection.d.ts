/** One call over HTTP: a token, attempts, a time limit, and an answer or an error. */
import { type Answer } from "./answer.ts";
import type { CallOptions } from "./operation.ts";
import { type TokenSource } from "./tokens.ts";
import { type Limits } from "./transport.ts";
/** Where calls go, and how. */
export interface Connection extends Limits {
    token: TokenSource | undefined;
    fetch: typeof fetch;
    userAgent: string;
}
/** A request that is ready to be sent. */
export interface Sent {
    method: string;
    url: string;
    headers?: Record<string, string>;
    body?: string;
    /** May be carried out twice. */
    isSafe: boolean;
    /** Names the state that it is meant for: an entity tag. */
    isConditional?: boolean;
    /** The answer may have no body. */
    mayBeEmpty?: boolean;
}
/**
 * Sends a request as often as is safe. A token that is refused is renewed once: a call that is
 * answered 401 was not carried out. Throws a PlatformError, what the source of tokens throws, the
 * reason of the signal, or a TypeError for limits and tokens that are none.
 */
export declare function send(connection: Connection, sent: Sent, options: CallOptions): Promise<Answer>;
