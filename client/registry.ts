/** The registry host: where it is, and the tokens that it takes. */
import { send } from "./connection.ts";
import { Unreachable } from "./errors.ts";
import { cachedToken, type TokenSource } from "./tokens.ts";
import type { Connection } from "./transport.ts";

/** The host that serves images and the history of their tags. */
export interface RegistryConnection {
  base: string;
  vendor: string;
  connection: Connection;
}

/** The name of an image as a part of a URL. */
export const pathOf = (name: string) => name.split("/").map(encodeURIComponent).join("/");

/** Returns the registry's source of tokens, otherwise a source of anonymous tokens for the image. */
export function pullToken(registry: RegistryConnection, image: { name: string }): TokenSource {
  const own = registry.connection.token;
  const anyone = anonymousToken(registry, image);
  if (!own) return anyone;
  return async (request) => {
    try {
      return await own(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      return anyone(request).catch(() => Promise.reject(error));
    }
  };
}

/** Returns a source of tokens for one public image, from the token endpoint, which needs no login for it. */
function anonymousToken(
  { base, connection }: RegistryConnection,
  { name }: { name: string },
): TokenSource {
  const query = new URLSearchParams({ scope: `repository:${name}:pull` });
  const url = `${base}/token?${query}`;
  return cachedToken(async () => {
    const anonymous = { ...connection, token: undefined };
    const { json } = await send(anonymous, { method: "GET", url, isSafe: true }, {});
    const { token, expires_in: seconds } = json;
    if (typeof token !== "string")
      throw new Unreachable(`${url} returned a response without a token.`);
    // A token is valid for at least one minute (distribution token specification).
    return { token, expires: Date.now() + (Number(seconds) || 60) * 1000 };
  });
}
