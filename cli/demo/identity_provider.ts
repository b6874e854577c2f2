/**
 * An OpenID provider like that of an organization, to try out logins (npm oidc-provider). `npm run -s demo-provider`
 * asks for a name and accepts it. `--as ada` signs everyone in as ada without asking. People are NAME@example.com, in
 * the groups of `--groups`, which are separated by commas. The client is `platform`, without a secret. `--platform` is
 * the issuer that the login returns to. `--port N` or DEMO_PROVIDER_PORT sets another port than 9091.
 */
import { createServer, type IncomingMessage } from "node:http";
import Provider, { type Context } from "oidc-provider";
import { demoProvider, runDemo } from "./demo_server.ts";

const scopes = ["openid", "email", "profile", "groups"];

type Options = { platform?: string; as?: string; groups?: string };

const newProvider = (
  issuer: string,
  { platform = "http://localhost:8787", groups = "" }: Options,
) =>
  new Provider(issuer, {
    clients: [
      {
        client_id: "platform",
        token_endpoint_auth_method: "none",
        redirect_uris: [`${platform}/oauth/callback`],
      },
    ],
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: Context, { uid }: { uid: string }) => `/interaction/${uid}` },
    scopes,
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name"],
      groups: ["groups"],
    },
    conformIdTokenClaims: false,
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ["a demo has no secrets"] },
    // There is no consent page.
    async loadExistingGrant({ oidc }: Context) {
      const { clientId } = oidc.client ?? { clientId: "" };
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? "" });
      grant.addOIDCScope(scopes.join(" "));
      await grant.save();
      return grant;
    },
    findAccount: (_: Context, sub: string) => ({
      accountId: sub,
      claims: () => ({
        sub,
        name: sub,
        email: `${sub}@example.com`,
        email_verified: true,
        groups: groups.split(",").filter((group) => group !== ""),
      }),
    }),
  });

const page = `<!doctype html><html lang="en"><title>Demo provider</title><form method="post">
<label>Who are you? <input name="name" pattern="[a-z0-9.-]+" required autofocus></label>
<button>Sign in</button></form></html>`;

/** Returns the name of the person who signs in, or undefined if the page has not asked yet. */
async function nameOf(request: IncomingMessage, as = ""): Promise<string | undefined> {
  if (as !== "") return as;
  if (request.method !== "POST") return undefined;
  let form = "";
  for await (const chunk of request) form += chunk;
  const name = new URLSearchParams(form).get("name") ?? "";
  return /^[a-z0-9.-]{1,64}$/.test(name) ? name : undefined;
}

const help = `Run an OpenID provider like that of an organization. It asks for a name and signs you in with it. The client
is "platform", without a secret.

  --platform URL  Issuer that the login returns to (default: http://localhost:8787).
  --as NAME       Sign everyone in with this name, without asking.
  --groups A,B    Groups in the claim "groups" of every token.`;

await runDemo(demoProvider, ["platform", "as", "groups"], help, (issuer, options) => {
  const provider = newProvider(issuer, options);
  const answer = provider.callback();
  return createServer(async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    const name = await nameOf(request, options.as);
    if (name)
      return provider.interactionFinished(request, response, { login: { accountId: name } });
    response.setHeader("content-type", "text/html; charset=utf-8").end(page);
  });
});
