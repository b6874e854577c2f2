/** Tokens of other issuers, exchanged for tokens of the platform. */
import { addressOf } from "./address.js";
import { send } from "./connection.js";
import { Unreachable } from "./errors.js";
import { keptToken } from "./tokens.js";
import { connectionOf } from "./transport.js";
/**
 * A source of tokens that the platform issues for tokens of another issuer, at most an hour each. A
 * token is renewed before it ends. Rejects as any call does.
 */
export function exchangedToken(options) {
    const at = `${addressOf(options.issuer, "issuer")}/sts/exchange`;
    const connection = { ...connectionOf(options), token: options.source };
    const body = formOf(options);
    return keptToken(async () => {
        const { json } = await send(connection, {
            method: "POST",
            url: at,
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body,
            // It writes nothing.
            isSafe: true,
        }, {});
        const { token, expiry } = json;
        const expires = Date.parse(String(expiry));
        if (typeof token !== "string" || Number.isNaN(expires)) {
            throw new Unreachable(`${at} answered without a token: it is no issuer of a platform.`);
        }
        return { token, expires };
    });
}
function formOf(options) {
    const { audience, identity, identityProvider, scopes = [], capabilities = [] } = options;
    const pairs = [
        ...[audience].flat().map((one) => ["aud", one]),
        ...(identity === undefined ? [] : [["identity", identity]]),
        ...(identityProvider === undefined ? [] : [["identity_provider", identityProvider]]),
        ...scopes.map((one) => ["scopes", one]),
        ...capabilities.map((one) => ["cap", one]),
    ];
    return String(new URLSearchParams(pairs));
}
