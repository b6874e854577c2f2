/** `/` of the API host: what this is and where to go, for people as a page and for programs as JSON. */
import { type Config, configOf, type Env, namesOf } from "../config.ts";
import { likedBest } from "../rpc/accept.ts";
import { openToBrowsers } from "../rpc/browsers.ts";
import { html, showPage } from "../rpc/page.ts";
import { refuseVerb } from "../rpc/root.ts";
import { complete, toResponse, toStatus } from "../rpc/status.ts";

const description =
  "The control plane of a container registry: who may pull and push what, what every tag points to and " +
  "has ever pointed to, and what is vulnerable.";

/** Answers the page, or the JSON where the request prefers that. Reads nothing but the configuration. */
export const showRoot = openToBrowsers(answer);

async function answer(request: Request, env: Env): Promise<Response> {
  try {
    const config = configOf(env);
    const refusal = refuseVerb(request, config);
    if (refusal) return refusal;
    const types = ["text/html", "text/*", "*/*", "application/json", "application/*"];
    const liked = likedBest(request.headers.get("accept") ?? "", types);
    const shown = liked?.startsWith("application/") ? asJson(config) : asPage(config);
    shown.headers.append("vary", "Accept");
    return request.method === "HEAD" ? new Response(null, shown) : shown;
  } catch (thrown) {
    return toResponse(complete(toStatus(thrown), "ping", namesOf(env)), new Headers());
  }
}

const placesOf = ({ baseUrl, issuerUrl, registryUrl }: Config) => ({
  api: baseUrl,
  issuer: issuerUrl,
  registry: registryUrl,
  reference: `${baseUrl}/docs`,
  guides: `${baseUrl}/docs/start`,
  openapi: `${baseUrl}/openapi.json`,
  discovery: `${issuerUrl}/.well-known/openid-configuration`,
  health: `${baseUrl}/ping/v2/ping`,
});

const asJson = (config: Config) =>
  Response.json(
    { name: "Platform API", vendor: config.vendor, description, ...placesOf(config) },
    { headers: { "x-content-type-options": "nosniff" } },
  );

function asPage(config: Config): Response {
  const { api, registry, reference, guides, openapi, discovery, health } = placesOf(config);
  const body = html`<p>${description}</p>
<ul>
<li><a href="${reference}">Reference</a>: every operation, to read and to try</li>
<li><a href="${guides}">Guides</a>: from the first call on</li>
<li><a href="${openapi}">OpenAPI document</a>: for generators of clients</li>
<li><a href="${discovery}">Discovery</a> of the issuer: its keys, logins and token exchange</li>
<li><a href="${health}">Health</a>: answers <code>pong</code></li>
<li>Registry: tokens and the history of tags at <code>${registry}</code></li>
</ul>
<p>The command line is <a href="${api}/docs/platformctl"><code>platformctl</code></a>:</p>
<pre><code>export PLATFORM_URL=${api}
platformctl whoami</code></pre>`;
  return showPage(`Platform API of ${config.vendor}`, body, { style: "pre{overflow:auto}" });
}
