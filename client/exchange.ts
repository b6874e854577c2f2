/** Exchanges tokens of other issuers for tokens of the platform. */
import { addressOf } from "./address.ts";
import { send } from "./connection.ts";
import { Unreachable } from "./errors.ts";
import { cachedToken, type TokenSource } from "./tokens.ts";
import { connectionOf, type Transport } from "./transport.ts";

/** The token to exchange, and the token to get. */
export interface ExchangeOptions extends Transport {
  /** The URL of the platform's issuer. */
  issuer: string;
  /** The source of the token to exchange, such as the token of a CI job. It is called for each exchange. */
  source: TokenSource;
  /** The audience of the new token: the URL of the API, the host of the registry, or both. */
  audience: string | readonly string[];
  /** The uid of the identity to act as. The default is the person whom the token represents. */
  identity?: string | undefined;
  /** The uid of the organization's own identity provider, if that provider issued the token. */
  identityProvider?: string | undefined;
  /** The groups to limit the token to, by uid or name. */
  scopes?: readonly string[] | undefined;
  /** The capabilities to limit the token to, such as `repo.list`. */
  capabilities?: readonly string[] | undefined;
}

/**
 * Returns a source of tokens that the platform issues in exchange for tokens of another issuer. Each token is valid for
 * at most an hour and is renewed before it expires. It rejects in the same way as any call.
 */
export function exchangedToken(options: ExchangeOptions): TokenSource {
  const url = `${addressOf(options.issuer, "issuer")}/sts/exchange`;
  const connection = { ...connectionOf(options), token: options.source };
  const body = exchangeForm(options);
  return cachedToken(async () => {
    const { json } = await send(
      connection,
      {
        method: "POST",
        url,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
        // An exchange does not write anything.
        isSafe: true,
      },
      {},
    );
    const { token, expiry } = json;
    const expires = Date.parse(String(expiry));
    if (typeof token !== "string" || Number.isNaN(expires)) {
      throw new Unreachable(
        `${url} returned a response without a token, so it is not the issuer of a platform.`,
      );
    }
    return { token, expires };
  });
}

function exchangeForm(options: ExchangeOptions): string {
  const { audience, identity, identityProvider, scopes = [], capabilities = [] } = options;
  const pairs = [
    ...[audience].flat().map((audienceUrl) => ["aud", audienceUrl]),
    ...(identity === undefined ? [] : [["identity", identity]]),
    ...(identityProvider === undefined ? [] : [["identity_provider", identityProvider]]),
    ...scopes.map((scope) => ["scopes", scope]),
    ...capabilities.map((capability) => ["cap", capability]),
  ];
  return String(new URLSearchParams(pairs));
}
