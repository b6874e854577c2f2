/** `/` of the API host: the console for people, and a description of the platform in JSON for programs. */
import { type Config, configOf, type Env, errorNamesOf } from "../config.ts";
import { preferredMediaType } from "../rpc/accept.ts";
import { withCors } from "../rpc/browsers.ts";
import { refuseMethod } from "../rpc/root.ts";
import { completeError, toStatus, toStatusResponse } from "../rpc/status.ts";
import { serveConsole } from "./pages.ts";

const description =
  "The control plane of a container registry. It records who may pull and push which images, what each tag " +
  "points to and has pointed to, and which images are vulnerable.";

/** Returns the page of the console, or JSON if the request prefers it. */
export const showRoot = withCors(serveRoot);

async function serveRoot(request: Request, env: Env): Promise<Response> {
  try {
    const config = configOf(env);
    const refusal = refuseMethod(request, config);
    if (refusal) return refusal;
    const types = ["text/html", "text/*", "*/*", "application/json", "application/*"];
    const liked = preferredMediaType(request.headers.get("accept") ?? "", types);
    const isProgram = liked?.startsWith("application/");
    const shown = isProgram ? rootJson(config) : await serveConsole(request, env);
    shown.headers.append("vary", "Accept");
    return request.method === "HEAD" ? new Response(null, shown) : shown;
  } catch (thrown) {
    return toStatusResponse(
      completeError(toStatus(thrown, request.headers), "ping", errorNamesOf(env), request.headers),
      new Headers(),
    );
  }
}

const addressesOf = (config: Config) => ({
  api: config.baseUrl,
  audience: config.audience,
  issuer: config.issuerUrl,
  registry: config.registryUrl,
  registryAudience: config.registryAudience,
  console: `${config.baseUrl}/console`,
  reference: `${config.baseUrl}/docs`,
  guides: `${config.baseUrl}/docs/start`,
  openapi: `${config.baseUrl}/openapi.json`,
  protos: `${config.baseUrl}/docs/protos.tar.gz`,
  discovery: `${config.issuerUrl}/.well-known/openid-configuration`,
  health: `${config.baseUrl}/ping/v2/ping`,
});

const rootJson = (config: Config) =>
  Response.json({
    name: "Platform API",
    vendor: config.vendor,
    description,
    ...addressesOf(config),
  });
