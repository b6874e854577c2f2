/**
 * `GET /openapi.json` returns the document that `npm run gen` writes. The names of this platform replace the
 * names in the file.
 */
import { unimplemented } from "../aip/errors.ts";
import { sha256 } from "../aip/sha256.ts";
import { type Config, configOf, type Env, errorNamesOf } from "../config.ts";
import { withCors } from "../rpc/browsers.ts";
import { completeError, toStatus, toStatusResponse } from "../rpc/status.ts";

/** The path of the document. The static asset has the same path. */
export const openapiPath = "/openapi.json";

/** A document with the names of this platform. */
interface RenderedDocument {
  config: Config;
  /** The entity tag of the file that the document comes from. */
  source: string;
  text: string;
  etag: string;
}

/** The last document. It is used again until the file or the configuration changes. */
let lastRendered: RenderedDocument | undefined;

/** Returns the document, or 304 if the client has the current version (RFC 9110 section 13.1.2). */
export const showOpenapi = withCors(serveDocument);

async function serveDocument(request: Request, env: Env): Promise<Response> {
  try {
    const config = configOf(env);
    if (request.method !== "GET" && request.method !== "HEAD") {
      const error = unimplemented(`${request.method} ${openapiPath}; this path supports GET, HEAD`);
      const headers = new Headers({ allow: "GET, HEAD" });
      return toStatusResponse(completeError(error, "ping", config, request.headers), headers);
    }
    const rendered = await renderDocument(new URL(request.url), config, env);
    if (!rendered) {
      const error = unimplemented("this Worker was deployed without the files in site/dist");
      return toStatusResponse(completeError(error, "ping", config, request.headers), new Headers());
    }
    const headers = {
      "content-type": "application/json",
      // The client caches the document and revalidates it each time, because a deployment changes it.
      "cache-control": "no-cache",
      etag: rendered.etag,
    };
    if (isNotModified(request, rendered.etag)) return new Response(null, { status: 304, headers });
    return new Response(request.method === "HEAD" ? null : rendered.text, { headers });
  } catch (thrown) {
    return toStatusResponse(
      completeError(toStatus(thrown, request.headers), "ping", errorNamesOf(env), request.headers),
      new Headers(),
    );
  }
}

/** Whether the client has that version, by a weak comparison. */
const isNotModified = (request: Request, etag: string) =>
  (request.headers.get("if-none-match") ?? "")
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === etag);

async function renderDocument(
  url: URL,
  config: Config,
  env: Env,
): Promise<RenderedDocument | undefined> {
  const file = await env.ASSETS?.fetch(new URL(openapiPath, url).href);
  if (file?.status !== 200) return undefined;
  const source = file.headers.get("etag") ?? "";
  if (source !== "" && lastRendered?.config === config && lastRendered.source === source) {
    await file.body?.cancel();
    return lastRendered;
  }
  const text = withConfiguredNames(config, await file.text());
  lastRendered = { config, source, text, etag: `"${(await sha256(text)).slice(0, 32)}"` };
  return lastRendered;
}

const escapeDots = (name: string) => name.replaceAll(".", "\\.");

/** Replaces in one pass the names that wrangler.toml gives to production as an example. */
function withConfiguredNames(config: Config, text: string): string {
  const names: Record<string, string> = {
    "https://api.example.com": config.baseUrl,
    "https://registry.example.com": config.registryUrl,
    "https://issuer.example.com": config.issuerUrl,
    "registry.example.com": config.registryAudience,
    "platform.example": config.serviceDomain,
    "/_vendor/": `/_${config.vendor}/`,
    "dev.vendor.": `dev.${config.vendor}.`,
    "/vendor.platform.": `/${config.vendor}.platform.`,
    vendor: config.vendor,
  };
  // As a word of its own, this is the vendor's name only as a key and in discovery.
  const alone = '(?<=")vendor(?=":)|(?<="platform_registry_vendor": ")vendor(?=")';
  const any = Object.keys(names).map((name) => (name === "vendor" ? alone : escapeDots(name)));
  return text.replace(new RegExp(any.join("|"), "g"), (name) =>
    JSON.stringify(names[name] ?? name).slice(1, -1),
  );
}
