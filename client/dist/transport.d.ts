/** How calls are made, whoever they go to. */
import type { Connection } from "./connection.ts";
/** Options of everything that calls. */
export interface Transport {
    /** In place of the global `fetch`, for proxies, certificates and tests. */
    fetch?: typeof fetch | undefined;
    /** Told to the platform in front of the client's own; a browser tells its own only. */
    userAgent?: string | undefined;
    /** Milliseconds that one attempt may take; 30,000 unless told. */
    timeout?: number | undefined;
    /** Attempts after the first, where a further one is safe; 2 unless told. */
    retries?: number | undefined;
}
/** How long an attempt may take in milliseconds, and how many may follow the first. */
export interface Limits {
    timeout: number;
    retries: number;
}
/** The limits that are given, else the others. Throws a TypeError for limits that are none. */
export declare function limitsOf(given: {
    [Key in keyof Limits]?: Limits[Key] | undefined;
}, others: Limits): Limits;
/** A connection without a token. Throws a TypeError for bad options. */
export declare function connectionOf(options: Transport): Connection;
