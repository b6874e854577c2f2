/** The OpenID provider of the races within the Worker, so that no run waits for a network. */
import type { UpstreamPages } from "../protocol.ts";

let pages: UpstreamPages | undefined;

export function serveUpstream(served: UpstreamPages): void {
  pages = served;
}

async function answer({ documents, codes }: UpstreamPages, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname !== "/token") return Response.json(documents[pathname] ?? {});
  const code = new URLSearchParams(await request.text()).get("code") ?? "";
  return Response.json({ access_token: "at", token_type: "Bearer", id_token: codes[code] });
}

export function patchFetch(): void {
  const { fetch } = globalThis;
  globalThis.fetch = ((input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input as string, init);
    return pages && request.url.startsWith(pages.url) ? answer(pages, request) : fetch(request);
  }) as typeof globalThis.fetch;
}
