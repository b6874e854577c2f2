/**
 * `/` of the API host describes the platform and links to its pages, as HTML for people and as JSON for
 * programs.
 */
import { type Config, configOf, type Env, errorNamesOf } from "../config.ts";
import { preferredMediaType } from "../rpc/accept.ts";
import { withCors } from "../rpc/browsers.ts";
import { html, pageResponse } from "../rpc/page.ts";
import { refuseMethod } from "../rpc/root.ts";
import { completeError, toStatus, toStatusResponse } from "../rpc/status.ts";

const description =
  "The control plane of a container registry. It records who may pull and push which images, what each tag " +
  "points to and has pointed to, and which images are vulnerable.";

/** Returns the page, or JSON if the request prefers it. It reads only the configuration. */
export const showRoot = withCors(serveRoot);

async function serveRoot(request: Request, env: Env): Promise<Response> {
  try {
    const config = configOf(env);
    const refusal = refuseMethod(request, config);
    if (refusal) return refusal;
    const types = ["text/html", "text/*", "*/*", "application/json", "application/*"];
    const liked = preferredMediaType(request.headers.get("accept") ?? "", types);
    const shown = liked?.startsWith("application/") ? rootJson(config) : rootPage(config);
    shown.headers.append("vary", "Accept");
    return request.method === "HEAD" ? new Response(null, shown) : shown;
  } catch (thrown) {
    return toStatusResponse(
      completeError(toStatus(thrown, request.headers), "ping", errorNamesOf(env), request.headers),
      new Headers(),
    );
  }
}

const hostUrls = ({ baseUrl, issuerUrl, registryUrl }: Config) => ({
  api: baseUrl,
  issuer: issuerUrl,
  registry: registryUrl,
  reference: `${baseUrl}/docs`,
  guides: `${baseUrl}/docs/start`,
  openapi: `${baseUrl}/openapi.json`,
  protos: `${baseUrl}/docs/protos.tar.gz`,
  discovery: `${issuerUrl}/.well-known/openid-configuration`,
  health: `${baseUrl}/ping/v2/ping`,
});

const rootJson = (config: Config) =>
  Response.json(
    { name: "Platform API", vendor: config.vendor, description, ...hostUrls(config) },
    { headers: { "x-content-type-options": "nosniff" } },
  );

function rootPage(config: Config): Response {
  const { api, registry, reference, guides, openapi, protos, discovery, health } = hostUrls(config);
  const body = html`<p>${description}</p>
<ul>
<li><a href="${reference}">Reference</a>: read about every operation, and try it</li>
<li><a href="${guides}">Guides</a>: start with your first call</li>
<li><a href="${openapi}">OpenAPI document</a>: generate a client from it</li>
<li><a href="${protos}">Protos</a>: generate a gRPC client from them</li>
<li><a href="${discovery}">Discovery</a> for the issuer: its keys, logins and token exchange</li>
<li><a href="${health}">Health</a>: returns <code>pong</code></li>
<li>Registry: tokens and tag history at <code>${registry}</code></li>
</ul>
<p>The command line is <a href="${api}/docs/platformctl"><code>platformctl</code></a>:</p>
<pre><code>export PLATFORM_URL=${api}
platformctl whoami</code></pre>`;
  return pageResponse(`Platform API of ${config.vendor}`, body, { style: "pre{overflow:auto}" });
}
