/** Gives every request an id, which its response, its errors, the logs and its events repeat. */
import { chooseRequestId, requestIdHeader } from "../aip/request_id.ts";

/**
 * Wraps the handler of a Worker. The request that it receives always has an id in its header, and so does
 * every response.
 */
export const withRequestId =
  <Rest extends unknown[]>(handler: (request: Request, ...rest: Rest) => Promise<Response>) =>
  async (request: Request, ...rest: Rest): Promise<Response> => {
    const id = chooseRequestId(request.headers);
    return addId(await handler(withId(request, id), ...rest), id);
  };

function withId(request: Request, id: string): Request {
  if (request.headers.get(requestIdHeader) === id) return request;
  const copy = new Request(request);
  copy.headers.set(requestIdHeader, id);
  return copy;
}

function addId(response: Response, id: string): Response {
  try {
    response.headers.set(requestIdHeader, id);
    return response;
  } catch {
    // The headers of a fetched response are immutable.
    const copy = new Response(response.body, response);
    copy.headers.set(requestIdHeader, id);
    return copy;
  }
}
