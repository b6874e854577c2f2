/** An OpenID provider on this machine, as far as an identity provider's creation looks at it. */
import { createServer } from "node:http";
import { listenOnNewPort } from "../../world/new_port.ts";
import { createResource, type Organization, randomName, roleUid } from "../../world/personas.ts";

/**
 * A running provider. Members of `document` override; `status` and `body` take its place. While
 * `held` is there and not resolved, nothing is answered.
 */
export interface OpenidProvider {
  url: string;
  log: string[];
  document: Record<string, unknown>;
  held?: Promise<void>;
  answer: { status: number; body?: string; headers?: Record<string, string> };
}

/** Starts a provider that does not keep the process alive. */
export async function startOpenidProvider(): Promise<OpenidProvider> {
  const provider: OpenidProvider = { url: "", log: [], document: {}, answer: { status: 200 } };
  const server = createServer(async (request, response) => {
    provider.log.push(request.url ?? "");
    await provider.held;
    const { url, document, answer } = provider;
    const whole = {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/keys`,
      ...document,
    };
    response.writeHead(answer.status, answer.headers ?? { "content-type": "application/json" });
    response.end(answer.body ?? JSON.stringify(whole));
  });
  server.unref();
  provider.url = `http://127.0.0.1:${await listenOnNewPort(server)}`;
  return provider;
}

let shared: Promise<OpenidProvider> | undefined;

/** A provider that all tests of a process share and none changes. */
export const sharedProvider = () => {
  shared ??= startOpenidProvider();
  return shared;
};

/** The body of a Create, with a client secret. */
export async function identityProviderBody(oidc: object = {}, rest: object = {}) {
  const { url: issuer } = await sharedProvider();
  return {
    name: randomName("idp"),
    defaultRole: await roleUid("viewer"),
    oidc: { issuer, clientId: "client", clientSecret: "sec-ret", ...oidc },
    ...rest,
  };
}

/** An identity provider of an organization, made through the API. */
export const newIdentityProvider = async ({ uid, owner }: Organization, oidc: object = {}) =>
  createResource(`/iam/v2/identityProviders/${uid}`, owner.token, await identityProviderBody(oidc));
