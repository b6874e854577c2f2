/** A real OpenID provider on this machine (npm oidc-provider), with a plain login page. */
import { createServer, type IncomingMessage } from "node:http";
import Provider, { type ClientMetadata, type Configuration, type Context } from "oidc-provider";
import { listenOnNewPort } from "../../world/new_port.ts";
import { issuer as platform } from "../../world/platform.ts";

export const clientSecret = "secret of the client / with=signs&more";

/** A person of the provider, with the claims about them. */
export type Account = Record<string, unknown>;

/** Starts a provider. The test can change its accounts while it runs. */
export async function startProvider(
  options: { callback?: string; configuration?: Configuration } = {},
) {
  const accounts = new Map<string, Account>();
  const server = createServer();
  const url = `http://localhost:${await listenOnNewPort(server)}`;
  const redirect_uris = [options.callback ?? `${platform}/oauth/callback`];
  const client = { redirect_uris, response_types: ["code" as const] };
  const clients: ClientMetadata[] = [
    { ...client, client_id: "public", token_endpoint_auth_method: "none" },
    { ...client, client_id: "private", client_secret: clientSecret },
  ];
  const provider = new Provider(url, {
    clients,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    scopes: ["openid", "email", "profile", "groups"],
    claims: {
      openid: ["sub", "oid"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups"],
    },
    conformIdTokenClaims: false,
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["a key of the tests"] },
    async loadExistingGrant({ oidc }: Context) {
      const { clientId } = oidc.client ?? { clientId: "" };
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
    findAccount: (_: Context, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...accounts.get(sub) }),
    }),
    renderError(ctx: Context, out: object) {
      ctx.body = JSON.stringify(out);
    },
    ...options.configuration,
  });
  const answer = provider.callback();
  server.on("request", async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    if (request.method === "GET") return response.end(loginPage);
    const form = await formOf(request);
    const refused = { error: "access_denied", error_description: "<b>no</b>" };
    const login = { accountId: form.get("login") ?? "" };
    const result = form.has("cancel") ? refused : { login };
    await provider.interactionFinished(request, response, result);
  });
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, accounts, close };
}

export type OpenidProvider = Awaited<ReturnType<typeof startProvider>>;

const loginPage = `<!doctype html><title>Provider</title><form method="post">
<input name="login" autofocus><button name="go">Sign in</button>
<button name="cancel" value="1">Cancel</button></form>`;

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return new URLSearchParams(text);
}
