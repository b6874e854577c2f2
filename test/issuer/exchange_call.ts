/** Token exchanges for tests. */
import { decodeJwt, type JWTPayload } from "jose";
import { createResource, type Organization, randomName, roleUid } from "../world/personas.ts";
import { type Answer, audience, callRest } from "../world/platform.ts";

/** Calls `GET /sts/exchange` with a token. If `aud` is undefined, it requests the audience of the API. */
export function exchange(
  token: string | undefined,
  parameters: Record<string, string | string[]> = {},
): Promise<Answer> {
  const pairs = Object.entries({ aud: audience, ...parameters }).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  return callRest(`/sts/exchange?${new URLSearchParams(pairs)}`, { token });
}

/** The token of a successful exchange, and its claims. */
export async function exchangeForToken(
  token: string,
  parameters: Record<string, string | string[]> = {},
): Promise<{ token: string; claims: JWTPayload & Record<string, unknown>; expiry: string }> {
  const { status, body } = await exchange(token, parameters);
  if (status !== 200) throw new Error(`refused: ${JSON.stringify(body)}`);
  return { token: body.token, claims: decodeJwt(body.token), expiry: body.expiry };
}

/** An identity created through the API, with its matchers. It is bound to a role if one is given. */
export async function newIdentityWithMatchers(
  { uid, owner }: Organization,
  matchers: Record<string, unknown>,
  role?: string,
): Promise<string> {
  const body = { name: randomName("robot"), ...matchers };
  const identity = await createResource(`/iam/v2/identities/${uid}`, owner.token, body);
  if (role) {
    const binding = { identityUid: identity.uid, roleUid: await roleUid(role) };
    await createResource(`/iam/v2/roleBindings/${uid}`, owner.token, binding);
  }
  return identity.uid;
}
