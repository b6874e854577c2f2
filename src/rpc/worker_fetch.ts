/** The `fetch` of every Worker. It gives requests an id, and responses the headers that browsers need. */
import { chooseRequestId, requestIdHeader } from "../aip/request_id.ts";

/**
 * The Content-Security-Policy of a response that is not a page. A browser that opens it runs no script, loads nothing,
 * and gives it an origin of its own. Bytes that people store are on the host of the console if the platform has only
 * one host.
 */
const inertPolicy = "sandbox; default-src 'none'";

/**
 * Creates the `fetch` of a Worker. The request that the handler receives always has an id in its header, and so does
 * every response. Browsers take the type of a response from its header, and never guess it from the bytes (Fetch
 * standard, X-Content-Type-Options). A response without a Content-Security-Policy of its own gets one that allows
 * nothing.
 */
export const workerFetch =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => Promise<Response>) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    const id = chooseRequestId(request.headers);
    return addHeaders(await handler(withId(request, id), ...rest), id);
  };

function withId(request: Request, id: string): Request {
  if (request.headers.get(requestIdHeader) === id) return request;
  const copy = new Request(request);
  copy.headers.set(requestIdHeader, id);
  return copy;
}

function addHeaders(response: Response, id: string): Response {
  try {
    return setHeaders(response, id);
  } catch {
    // The headers of a fetched response are immutable.
    return setHeaders(new Response(response.body, response), id);
  }
}

function setHeaders(response: Response, id: string): Response {
  const { headers } = response;
  headers.set(requestIdHeader, id);
  headers.set("x-content-type-options", "nosniff");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", inertPolicy);
  return response;
}
