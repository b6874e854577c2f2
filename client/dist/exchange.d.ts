import { type TokenSource } from "./tokens.ts";
import { type Transport } from "./transport.ts";
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
export declare function exchangedToken(options: ExchangeOptions): TokenSource;
