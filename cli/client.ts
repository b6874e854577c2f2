/** Calls to a platform as an account of it, and what commands name on it. */
import { createClient, type TokenSource } from "../client/index.ts";
import { keptToken } from "../client/tokens.ts";
import { type Account, findAccount } from "./credentials.ts";
import { failureOf, refused } from "./failure.ts";

/** The platform, called as an account. */
export type Client = ReturnType<typeof createClient>;

/** Long enough for the largest batch of an import, in milliseconds. */
const patience = 120_000;

/** Calls the platform of this account, as it. */
export const openClient = (account: Account): Client =>
  createClient({
    url: account.url,
    token: tokenSource(account, account.audience),
    timeout: patience,
  });

/** Has the account in use do something on its platform. Throws a Failure for what is refused. */
export async function asAccount<T>(
  work: (client: Client, account: Account) => Promise<T>,
): Promise<T> {
  const account = await findAccount();
  try {
    return await work(openClient(account), account);
  } catch (error) {
    throw failureOf(error, account.url);
  }
}

/** Tokens of an account for an audience, each used until it is about to expire. */
export const tokenSource = (account: Account, audience: string): TokenSource =>
  keptToken(async () => {
    const { token, expiry } = await account.token({ audience });
    return { token, expires: expiry.getTime() };
  });

/** A group. The name is known if it was found by name. */
export type FoundGroup = { uid: string; name?: string };

/** A group by its uid, or by a name that one group only has. Throws a Failure otherwise. */
export async function findGroup(client: Client, nameOrUid: string): Promise<FoundGroup> {
  const uidForm = /^[0-9a-f]{40}(\/[0-9a-f]{16})*$/;
  if (uidForm.test(nameOrUid)) return { uid: nameOrUid };
  const found = await client.groups.list({ name: nameOrUid, pageSize: 200 }).all();
  const [first, ...others] = found;
  if (!first) {
    throw refused(
      "NOT_FOUND",
      `There is no group named ${nameOrUid} that you can see. Use another name, or the group's uid.`,
    );
  }
  if (others.length > 0) {
    const uids = found.map((group) => `  ${group.uid}`).join("\n");
    throw refused(
      "AMBIGUOUS",
      `${found.length} groups are named ${nameOrUid}. Use the uid of one:\n${uids}`,
    );
  }
  return { uid: first.uid, name: first.name };
}
