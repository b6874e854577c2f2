/** The header with the id of a request. Requests and responses have it. */
export const requestIdHeader = "x-request-id";

const wellFormedId = /^[A-Za-z0-9._:+/=@-]{1,128}$/;

/**
 * The id of a request: the one in its header if that has 1 to 128 letters, digits and `._:+/=@-`, and a new
 * UUID otherwise.
 */
export function chooseRequestId(headers: Headers): string {
  const id = headers.get(requestIdHeader) ?? "";
  return wellFormedId.test(id) ? id : crypto.randomUUID();
}

/** The id of a request that a Worker handles. Its header always has one (src/rpc/worker_fetch.ts). */
export const requestIdOf = (headers: Headers): string => headers.get(requestIdHeader) ?? "";
