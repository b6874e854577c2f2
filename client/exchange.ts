/** Tokens of other issuers, exchanged for tokens of the platform. */
import { addressOf } from "./address.ts";
import { send } from "./connection.ts";
import { Unreachable } from "./errors.ts";
import { cachedToken, type TokenSource } from "./tokens.ts";
import { connectionOf, type Transport } from "./transport.ts";

/** What is exchanged, and for what. */
export interface ExchangeOptions extends Transport {
  /** URL of the platform's issuer. */
  issuer: string;
  /** Gives the token to exchange, such as that of a CI job; asked again for each exchange. */
  source: TokenSource;
  /** What the new token is good for: the URL of the API, the host of the registry, or both. */
  audience: string | readonly string[];
  /** Uid of the identity to be. Without it: the person that the token stands for. */
  identity?: string | undefined;
  /** Uid of the organization's own identity provider, if that issued the token. */
  identityProvider?: string | undefined;
  /** Groups to narrow the token to, by uid or name. */
  scopes?: readonly string[] | undefined;
  /** Dotted names of capabilities to narrow the token to: `repo.list`. */
  capabilities?: readonly string[] | undefined;
}

/**
 * A source of tokens that the platform issues for tokens of another issuer, at most an hour each. A
 * token is renewed before it ends. Rejects as any call does.
 */
export function exchangedToken(options: ExchangeOptions): TokenSource {
  const at = `${addressOf(options.issuer, "issuer")}/sts/exchange`;
  const connection = { ...connectionOf(options), token: options.source };
  const body = exchangeForm(options);
  return cachedToken(async () => {
    const { json } = await send(
      connection,
      {
        method: "POST",
        url: at,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body,
        // It writes nothing.
        isSafe: true,
      },
      {},
    );
    const { token, expiry } = json;
    const expires = Date.parse(String(expiry));
    if (typeof token !== "string" || Number.isNaN(expires)) {
      throw new Unreachable(`${at} answered without a token: it is no issuer of a platform.`);
    }
    return { token, expires };
  });
}

function exchangeForm(options: ExchangeOptions): string {
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
