/** The official client finds the issuer, registers, lets a person log in, and calls tools with the token. */
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import readCapabilities from "../../schema/gen/read_capabilities.json" with { type: "json" };
import { Browser } from "../issuer/login/browser.ts";
import { continueToProvider, newProvider, signInOnPage } from "../issuer/login/logins.ts";
import { type OpenidProvider, startProvider } from "../issuer/login/openid_provider.ts";
import { newOrganization, type Organization, randomName } from "../world/personas.ts";
import { audience, baseUrl, callRest, issuer } from "../world/platform.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp: string;
beforeAll(async () => {
  provider = await startProvider();
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
});
afterAll(() => provider.close());

/** Requests to the platform's own URL go to the platform under test. */
const toPlatform = (input: string | URL | Request, init?: RequestInit) => {
  const url = new URL(input instanceof Request ? input.url : input);
  return fetch(url.origin === issuer ? `${baseUrl()}${url.pathname}${url.search}` : url, init);
};

const redirectUrl = "http://127.0.0.1:9/callback";

/** A program that keeps everything in memory, with a browser that a person uses. */
function newProgram(scope?: string) {
  const kept: Record<string, unknown> = {};
  let authorizationUrl: URL | undefined;
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "A program of the tests",
      redirect_uris: ["https://program.example/callback", "http://127.0.0.1:1/callback"],
      ...(scope === undefined ? {} : { scope }),
    },
    state: () => "the state of the program",
    clientInformation: () => kept.client as never,
    saveClientInformation: (client) => {
      kept.client = client;
    },
    tokens: () => kept.tokens as never,
    saveTokens: (tokens) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      authorizationUrl = url;
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => String(kept.verifier),
    invalidateCredentials: (which) => {
      if (which === "all" || which === "tokens") delete kept.tokens;
    },
  };
  return { authProvider, kept, url: () => authorizationUrl as URL };
}

const transportOf = (authProvider: OAuthClientProvider, path = "/mcp") =>
  new StreamableHTTPClientTransport(new URL(`${issuer}${path}`), {
    authProvider,
    fetch: toPlatform as typeof fetch,
  });

const newClient = () =>
  new Client(
    { name: "tests", version: "1" },
    { versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );

/** The person opens the address, names their organization, and logs in at its provider. */
async function authorize(url: URL, account = randomName("ada")): Promise<URL> {
  const browser = new Browser();
  const page = await browser.open(url);
  expect(page.text).toContain("calls itself “A program of the tests”");
  expect(page.text).toContain("<strong>127.0.0.1:9</strong>");
  const login = await continueToProvider(page, idp, browser);
  return (await signInOnPage(account, login, browser)).location;
}

test("a client without a token finds the issuer and logs a person in, who then reads", async () => {
  const program = newProgram();
  const transport = transportOf(program.authProvider);
  await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError);
  const url = program.url();
  expect(url.origin + url.pathname).toBe(`${issuer}/oauth/authorize`);
  expect(url.searchParams.get("resource")).toBe(`${issuer}/mcp`);
  expect(url.searchParams.get("scope")).toBe("read");
  expect(program.kept.client).toMatchObject({
    redirect_uris: ["http://127.0.0.1:1/callback"],
    token_endpoint_auth_method: "none",
  });

  const location = await authorize(url);
  expect(Object.fromEntries(location.searchParams)).toMatchObject({
    code: expect.any(String),
    state: "the state of the program",
    iss: issuer,
  });
  await transport.finishAuth(location.searchParams);
  const tokens = program.kept.tokens as Record<string, string>;
  expect(tokens).toMatchObject({
    token_type: "Bearer",
    scope: "read",
    expires_in: expect.any(Number),
  });
  expect(decodeJwt(tokens.access_token ?? "")).toMatchObject({
    iss: issuer,
    aud: audience,
    idp,
    scopes: [organization.uid],
    capabilities: readCapabilities,
  });

  const client = newClient();
  await client.connect(transportOf(program.authProvider));
  const uid = organization.uid;
  expect(await client.callTool({ name: "get_group", arguments: { uid } })).toMatchObject({
    structuredContent: { uid },
  });
  // The token is as limited over REST.
  const path = `/iam/v2/groups/${uid}`;
  const refused = await callRest(path, { token: tokens.access_token, body: { name: "below" } });
  expect(refused.status).toBe(403);

  const before = tokens.refresh_token;
  program.kept.tokens = { ...tokens, access_token: "expired" };
  await client.callTool({ name: "get_group", arguments: { uid } });
  const after = program.kept.tokens as Record<string, string>;
  expect(after.refresh_token).not.toBe(before);
  expect(decodeJwt(after.access_token ?? "").capabilities).toEqual(readCapabilities);
});

test("a call that needs more asks for the scope to write", async () => {
  const program = newProgram();
  const transport = transportOf(program.authProvider, "/mcp/write");
  await expect(newClient().connect(transport)).rejects.toThrow(UnauthorizedError);
  expect(program.url().searchParams.get("scope")).toBe("read write");
  const location = await authorize(program.url());
  await transport.finishAuth(location.searchParams);
  const { access_token: token, scope } = program.kept.tokens as Record<string, string>;
  expect(scope).toBe("read write");
  expect(decodeJwt(token ?? "")).not.toHaveProperty("capabilities");
});

test.each(["", "/mcp", "/mcp/write"])("the metadata of %j names its own resource", async (path) => {
  const { status, body, headers } = await callRest(`/.well-known/oauth-protected-resource${path}`);
  expect(status).toBe(200);
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(body).toMatchObject({
    resource: `${issuer}${path}`,
    authorization_servers: [issuer],
    bearer_methods_supported: ["header"],
  });
  expect((await callRest("/.well-known/oauth-protected-resource/other")).status).toBe(404);
});

test("both discovery documents of the issuer are the same, and name PKCE", async () => {
  const [one, other] = await Promise.all([
    callRest("/.well-known/oauth-authorization-server"),
    callRest("/.well-known/openid-configuration"),
  ]);
  expect(one.body).toEqual(other.body);
  expect(one.body).toMatchObject({
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
});
