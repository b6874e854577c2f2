/** A user of platformctl without a login. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { baseUrl, callRest } from "../world/platform.ts";

/**
 * Starts a server with the discovery document of the tests' platform, which calls itself by another port than it has.
 * `env` makes platformctl use it without a login, with the registry at `registryUrl`.
 */
export async function startAnonymous(registryUrl = baseUrl()) {
  const server = createServer(async (_, response) => {
    const { body } = await callRest("/.well-known/openid-configuration");
    const own = { issuer: address(), platform_registry_url: registryUrl };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...body, ...own }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = () => `http://localhost:${(server.address() as AddressInfo).port}`;
  const env: NodeJS.ProcessEnv = { PLATFORM_URL: address(), PLATFORM_STATE: "/nowhere" };
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { env, stop };
}
