const ownName = "platform-api-client/0.1.0";
/** Timers know no longer time. */
const longestTimeout = 2 ** 31 - 1;
/** The limits that are given, else the others. Throws a TypeError for limits that are none. */
export function limitsOf(given, others) {
    const { timeout = others.timeout, retries = others.retries } = given;
    if (!(Number.isInteger(timeout) && timeout > 0 && timeout <= longestTimeout)) {
        throw new TypeError(`timeout must be whole milliseconds, from 1 to ${longestTimeout}`);
    }
    if (!(Number.isInteger(retries) && retries >= 0)) {
        throw new TypeError("retries must be a whole number, 0 or more");
    }
    return { timeout, retries };
}
/** A connection without a token. Throws a TypeError for bad options. */
export function connectionOf(options) {
    const { userAgent = "" } = options;
    if (!/^[ -~]*$/.test(userAgent))
        throw new TypeError("userAgent must be of printable ASCII");
    // Called as a function of its own: in Workers and browsers fetch refuses any other this.
    const own = options.fetch ?? ((input, init) => fetch(input, init));
    return {
        token: undefined,
        fetch: own,
        userAgent: userAgent ? `${userAgent} ${ownName}` : ownName,
        ...limitsOf(options, { timeout: 30_000, retries: 2 }),
    };
}
