/** Calls to a platform from one of its accounts. */
import { createClient, type TokenSource } from "../../client/index.ts";
import { cachedToken } from "../../client/tokens.ts";
import { toFailure } from "../failure.ts";
import { keptBookmark } from "./bookmarks.ts";
import { type Account, findAccount } from "./credentials.ts";
import { maxWaitMs, noteWait } from "./rate_limit_waits.ts";
import { fetchAndWarn } from "./warnings.ts";

/** A client that calls the platform from an account. */
export type Client = ReturnType<typeof createClient>;

/** In milliseconds. The largest batch of an import needs less. */
const timeoutMs = 120_000;

/** Returns a client that calls the platform of this account with its tokens. */
export function openClient(account: Account): Client {
  const kept = keptBookmark(account);
  const client = createClient({
    url: account.url,
    vendor: account.vendor,
    token: tokenSource(account, account.audience),
    timeout: timeoutMs,
    maxWait: maxWaitMs,
    onWait: noteWait,
    bookmark: kept.first,
    fetch: fetchAndWarn,
  });
  kept.keep(() => client.bookmark());
  return client;
}

/** Calls `work` with the account in use. Throws a Failure if the platform returns an error. */
export async function withAccount<T>(
  work: (client: Client, account: Account) => Promise<T>,
): Promise<T> {
  const account = await findAccount();
  try {
    return await work(openClient(account), account);
  } catch (error) {
    throw toFailure(error, account.url);
  }
}

/** Returns the tokens of an account for an audience. Each token is used until it is about to expire. */
export const tokenSource = (account: Account, audience: string): TokenSource =>
  cachedToken(async () => {
    const { token, expiry } = await account.token({ audience });
    return { token, expires: expiry.getTime() };
  });
