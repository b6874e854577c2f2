/** Calls to a platform as an account of it. */
import { createClient, type TokenSource } from "../../client/index.ts";
import { cachedToken } from "../../client/tokens.ts";
import { toFailure } from "../failure.ts";
import { type Account, findAccount } from "./credentials.ts";

/** The platform, called as an account. */
export type Client = ReturnType<typeof createClient>;

/** Long enough for the largest batch of an import, in milliseconds. */
const timeoutMs = 120_000;

/** Calls the platform of this account, as it. */
export const openClient = (account: Account): Client =>
  createClient({
    url: account.url,
    vendor: account.vendor,
    token: tokenSource(account, account.audience),
    timeout: timeoutMs,
  });

/** Has the account in use do something on its platform. Throws a Failure for what is refused. */
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

/** Tokens of an account for an audience, each used until it is about to expire. */
export const tokenSource = (account: Account, audience: string): TokenSource =>
  cachedToken(async () => {
    const { token, expiry } = await account.token({ audience });
    return { token, expires: expiry.getTime() };
  });
