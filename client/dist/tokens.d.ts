/** Where the tokens of calls come from. */
/** What a source of tokens is asked. */
export interface TokenRequest {
    /** Ends the waiting of this one call. */
    signal?: AbortSignal | undefined;
    /** A token of this source that was just refused: a source that keeps tokens gets another one. */
    refused?: string | undefined;
}
/** Answers a token to call with. It is asked before every call and keeps its tokens itself. */
export type TokenSource = (request: TokenRequest) => Promise<string>;
/** A token, and when it stops working, in milliseconds since 1970 UTC. */
export interface Kept {
    token: string;
    expires: number;
}
/** The same token for every call. */
export declare function staticToken(token: string): TokenSource;
/**
 * Keeps the token that `obtain` answers until shortly before it ends. However many calls wait, it is
 * obtained once; a failure is told to those who wait and not kept. While the old token still works, a
 * failure to renew it is no failure.
 */
export declare function keptToken(obtain: () => Promise<Kept>): TokenSource;
/** Waits for what others may wait for as well: the signal ends the waiting only. */
export declare function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T>;
