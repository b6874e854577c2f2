/** What decides about attempts. */
export interface Attempts {
    /** After the first. */
    retries: number;
    /** Whether the call may be carried out twice. */
    isSafe: boolean;
    /** Whether the call names the state that it is meant for, so that it aborts each time. */
    isConditional: boolean;
    signal: AbortSignal | undefined;
}
/**
 * Calls until it succeeds, fails for good, or the attempts are used up. Pauses grow and are
 * scattered, so that many clients do not come back at once.
 */
export declare function attempt<T>(call: () => Promise<T>, attempts: Attempts): Promise<T>;
