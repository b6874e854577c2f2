/** When a call is sent again, and after how long. */
import { Aborted, PlatformError } from "./errors.js";
/** Milliseconds before the second attempt; doubled for each further one. */
const firstPause = 200;
const longestPause = 5_000;
/** Who asks for a longer wait than this many milliseconds is not waited for. */
const patience = 30_000;
/**
 * Calls until it succeeds, fails for good, or the attempts are used up. Pauses grow and are
 * scattered, so that many clients do not come back at once.
 */
export async function attempt(call, attempts) {
    for (let done = 0;; done++) {
        try {
            return await call();
        }
        catch (error) {
            if (done >= attempts.retries || !isWorthwhile(error, attempts))
                throw error;
            await pause(waitBefore(error, done), attempts.signal);
        }
    }
}
function isWorthwhile(error, { isSafe, isConditional, signal }) {
    if (!(error instanceof PlatformError) || signal?.aborted)
        return false;
    if ((error.retryAfter ?? 0) > patience)
        return false;
    // Nothing was written, and the same call may well succeed now.
    if (error instanceof Aborted)
        return !isConditional;
    if (!isSafe)
        return false;
    if (error.code === "RESOURCE_EXHAUSTED")
        return error.retryAfter !== undefined;
    return error.code === "UNAVAILABLE" || (error.code === "UNREACHABLE" && error.status === 0);
}
function waitBefore(error, done) {
    if (error instanceof PlatformError && error.retryAfter !== undefined)
        return error.retryAfter;
    const longest = Math.min(longestPause, firstPause * 2 ** done);
    return longest * (0.5 + Math.random() / 2);
}
/** Waits for milliseconds. Rejects with the signal's reason as soon as it is aborted. */
function pause(milliseconds, signal) {
    return new Promise((resolve, reject) => {
        const stop = () => {
            clearTimeout(timer);
            reject(signal?.reason);
        };
        const timer = setTimeout(() => {
            signal?.removeEventListener("abort", stop);
            resolve();
        }, milliseconds);
        signal?.addEventListener("abort", stop, { once: true });
    });
}
