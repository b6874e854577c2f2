/** The header with the id of a request. Requests and responses have it. */
export const requestIdHeader = "x-request-id";

const wellFormedId = /^[A-Za-z0-9._:+/=-]{1,128}$/;

/**
 * The id that the caller has chosen for a request: 1 to 128 letters, digits and `._:+/=-`. Undefined without a valid
 * one. The id of the trace then becomes that of the request (src/telemetry/request_trace.ts).
 */
export function callerRequestId(headers: Headers): string | undefined {
  const id = headers.get(requestIdHeader) ?? "";
  return wellFormedId.test(id) ? id : undefined;
}

/** The id of a request that a Worker handles. Its header always has one (src/rpc/worker_fetch.ts). */
export const requestIdOf = (headers: Headers): string => headers.get(requestIdHeader) ?? "";
