/** One call over HTTP: a token, attempts, a time limit, and an answer or an error. */
import { readAnswer } from "./answer.js";
import { PlatformError, Unauthenticated, Unreachable } from "./errors.js";
import { attempt } from "./retry.js";
import { unlessAborted } from "./tokens.js";
import { limitsOf } from "./transport.js";
/**
 * Sends a request as often as is safe. A token that is refused is renewed once: a call that is
 * answered 401 was not carried out. Throws a PlatformError, what the source of tokens throws, the
 * reason of the signal, or a TypeError for limits and tokens that are none.
 */
export async function send(connection, sent, options) {
    const { signal } = options;
    signal?.throwIfAborted();
    const { timeout, retries } = limitsOf(options, connection);
    const attempts = (token) => attempt(() => once(connection, sent, { signal, timeout }, token), {
        retries,
        isSafe: sent.isSafe || options.idempotent === true,
        isConditional: sent.isConditional ?? false,
        signal,
    });
    const source = connection.token;
    if (!source)
        return attempts(undefined);
    const token = await tokenOf(source, { signal });
    try {
        return await attempts(token);
    }
    catch (error) {
        if (!(error instanceof Unauthenticated))
            throw error;
        const renewed = await tokenOf(source, { signal, refused: token });
        if (renewed === token)
            throw error;
        return attempts(renewed);
    }
}
/** Asks for a token. What no header can hold is refused here: the error of fetch would show it. */
async function tokenOf(source, request) {
    const token = await unlessAborted(source(request), request.signal);
    if (typeof token === "string" && /^[!-~]+$/.test(token.trim()))
        return token;
    throw new TypeError(token === undefined || token === ""
        ? "the source of tokens gave none"
        : "the source of tokens gave what is no token: it must be one word of ASCII");
}
async function once(connection, { method, url, headers, body, mayBeEmpty = false, isSafe }, { signal, timeout }, token) {
    signal?.throwIfAborted();
    const limit = AbortSignal.timeout(timeout);
    try {
        const response = await connection.fetch(url, {
            method,
            headers: headersOf(connection, token, headers),
            // A redirect is told, not followed: the token is for this host only.
            redirect: "manual",
            signal: signal ? AbortSignal.any([signal, limit]) : limit,
            ...(body === undefined ? {} : { body }),
        });
        return await readAnswer(response, mayBeEmpty);
    }
    catch (error) {
        if (error instanceof PlatformError)
            throw error;
        signal?.throwIfAborted();
        throw unreachable(url, limit.aborted ? timeout : undefined, isSafe, error);
    }
}
function headersOf({ userAgent }, token, more = {}) {
    return {
        accept: "application/json",
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(isBrowser() ? {} : { "user-agent": userAgent }),
        ...more,
    };
}
/** Browsers do not let a page name its program. */
const isBrowser = () => /^Mozilla\//.test(globalThis.navigator?.userAgent ?? "");
function unreachable(url, timeout, isSafe, cause) {
    const { origin } = new URL(url);
    const what = timeout === undefined ? "cannot be reached" : `did not answer within ${timeout} ms`;
    const why = timeout === undefined ? reasonOf(cause) : "";
    const doubt = isSafe ? "" : " It is not known whether the call was carried out.";
    return new Unreachable(`${origin} ${what}${why}.${doubt}`, { cause });
}
/** What Node says beneath its `fetch failed`: `ECONNREFUSED`. */
function reasonOf(cause) {
    const inner = cause instanceof Error ? cause.cause : undefined;
    return typeof inner?.code === "string" ? ` (${inner.code})` : "";
}
