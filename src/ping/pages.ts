import type { Env } from "../config.ts";

/** Paths of the site: the reference, the guides, and the files that they load. */
export const sitePath = /^\/docs(?:\/|$)/;

/**
 * Paths of the console. `npm start` serves the excluded path itself, to sign in the owner on the same machine
 * (cli/local/local_owner.ts). Any other platform returns 404 for it.
 */
export const consolePath = /^\/console(?!\/local-owner$)(?:\/|$)/;

const consoleAssetPath = /^\/console\/assets(?:\/|$)/;

/**
 * Returns a page or a file of the site (`site/`). Its pages can also call the platform's other hosts. Redirects,
 * the 405, and the 404, which is a page too, must not be cached. During a deployment, a Worker of one version can
 * receive a request for a file of the other version.
 */
export async function serveSitePage(request: Request, env: Env): Promise<Response> {
  const answer = await env.ASSETS?.fetch(request);
  if (!answer) return missingFiles();
  const { status, body } = answer;
  const headers = new Headers(answer.headers);
  const policy = headers.get("content-security-policy");
  if (policy) headers.set("content-security-policy", withHosts(policy, request, env));
  if (status >= 300 && status !== 304) headers.set("cache-control", "no-store");
  if (status === 405) headers.set("allow", "GET, HEAD");
  return new Response(body, { status, headers });
}

/**
 * Returns a file that the console loads, or its page. The page is the same at each of its paths, because its scripts
 * read the path.
 */
export async function serveConsole(request: Request, env: Env): Promise<Response> {
  if (consoleAssetPath.test(new URL(request.url).pathname)) return serveSitePage(request, env);
  const page = new URL("/console", request.url);
  const answer = await serveSitePage(new Request(page, request), env);
  return answer.status === 404 ? missingFiles() : answer;
}

const missingFiles = () =>
  new Response("This Worker was deployed without the pages of the site.\n", {
    status: 501,
    headers: { "cache-control": "no-store" },
  });

/** The policy with the hosts that the page can call in addition to the one where it was opened. */
function withHosts(policy: string, request: Request, env: Env): string {
  const { origin } = new URL(request.url);
  const all = new Set([env.BASE_URL, env.REGISTRY_URL, env.ISSUER_URL]);
  const others = [...all].filter((url) => url && url !== origin);
  return policy.replace("connect-src 'self'", ["connect-src 'self'", ...others].join(" "));
}
