import type { Env } from "../config.ts";

/** Paths of the site: the reference, the guides, and the files that they load. */
export const sitePath = /^\/docs(?:\/|$)/;

/**
 * Returns a page or a file of the site (`site/`). Its pages can also call the platform's other hosts. The 405
 * and the 404, which is a page too, must not be cached. During a deployment, a Worker of one version can
 * receive a request for a file of the other version.
 */
export async function serveSitePage(request: Request, env: Env): Promise<Response> {
  const answer = await env.ASSETS?.fetch(request);
  if (!answer)
    return new Response("This Worker was deployed without the pages of the site.\n", {
      status: 501,
    });
  const { status, body } = answer;
  const headers = new Headers(answer.headers);
  const policy = headers.get("content-security-policy");
  if (policy) headers.set("content-security-policy", withHosts(policy, env));
  if (status >= 400) headers.set("cache-control", "no-store");
  if (status === 405) headers.set("allow", "GET, HEAD");
  return new Response(body, { status, headers });
}

function withHosts(policy: string, { BASE_URL, REGISTRY_URL, ISSUER_URL }: Env): string {
  const others = [REGISTRY_URL, ISSUER_URL].filter((url) => url && url !== BASE_URL);
  return policy.replace("connect-src 'self'", ["connect-src 'self'", ...others].join(" "));
}
