/** Trust policies in words, as tables show them. */
import { isObject, type JsonObject } from "./flags.ts";

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns how many keys a policy trusts, such as `2 keys`. Empty for none. */
export function keysOf({ publicKeys }: JsonObject): string {
  const { length } = listOf(publicKeys);
  return length === 0 ? "" : `${length} ${length === 1 ? "key" : "keys"}`;
}

/** Returns the identities that a policy trusts, such as `*@example.com of https://accounts.example.com`. */
export const identitiesOf = ({ identities }: JsonObject): string =>
  listOf(identities)
    .filter(isObject)
    .map(({ issuer, subject }) => `${subject} of ${issuer}`)
    .join(", ");
