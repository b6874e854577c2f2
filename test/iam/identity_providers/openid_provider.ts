/** An OpenID provider on this machine, as far as the creation of an identity provider needs it. */
import { createServer } from "node:http";
import { base64url, compactDecrypt } from "jose";
import { expect, inject } from "vitest";
import { listenOnNewPort } from "../../world/new_port.ts";
import { createResource, type Organization, randomName, roleUid } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";

/**
 * A running provider. The members of `document` override those of its discovery document; `status` and `body`
 * replace the response. The provider does not respond until `held` resolves.
 */
export interface OpenidProvider {
  url: string;
  log: string[];
  document: Record<string, unknown>;
  held?: Promise<void>;
  answer: { status: number; body?: string; headers?: Record<string, string> };
}

/** Starts a provider that does not keep the process running. */
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

/**
 * An identity provider of an organization, made through the API. Creates it a second time if the discovery
 * document could not be read: this process may not have answered within five seconds, because all tests share
 * the processor.
 */
export async function newIdentityProvider({ uid, owner }: Organization, oidc: object = {}) {
  const path = `/iam/v2/identityProviders/${uid}`;
  const body = await identityProviderBody(oidc);
  try {
    return await createResource(path, owner.token, body);
  } catch (error) {
    if (!String(error).includes("cannot be read")) throw error;
    return createResource(path, owner.token, body);
  }
}

/** The stored client secret in plain text, decrypted as a login decrypts it. Empty if there is none. */
export async function secretOf(uid: string): Promise<string> {
  const [{ sealed = "" } = {}] = await sql<{ sealed: string }>(
    "select client_secret as sealed from identity_providers where uid = ?",
    uid,
  );
  if (sealed === "") return "";
  const [key = ""] = JSON.parse(inject("encryptionKeys")) as string[];
  const { plaintext, protectedHeader } = await compactDecrypt(sealed, base64url.decode(key));
  expect(protectedHeader.sub).toBe(`client_secret ${uid}`);
  return new TextDecoder().decode(plaintext);
}
