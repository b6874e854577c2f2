/** Requests that mean one thing to the access check and another to the handler. */
import type { RawCall } from "../raw_call.ts";

/** The uids of a repository of the caller, of one in another organization, and of both organizations. */
export interface SmugglingTargets {
  mine: string;
  alien: string;
  ours: string;
  theirs: string;
}

/** A request that changes `mine` at most, and its expected result. */
export type SmuggledRequest = [
  name: string,
  make: (w: SmugglingTargets) => RawCall,
  status: number,
  description: string | undefined,
];
/** Requests with the same result, each by its name. */
export const withResult = (
  status: number,
  description: string | undefined,
  requests: Record<string, SmuggledRequest[1]>,
): SmuggledRequest[] =>
  Object.entries(requests).map(([name, make]) => [name, make, status, description]);

/** A PATCH of `mine` at another path, or with a query behind its path. */
export const patchAt = (w: SmugglingTargets, query: string, more: Partial<RawCall> = {}): RawCall =>
  patchRequest(w, { path: `/registry/v2/repos/${w.mine}${query}`, ...more });
/** A PATCH of `mine` with the body. */
export const patchBody = (w: SmugglingTargets, body: string | Uint8Array): RawCall =>
  patchRequest(w, { body });
/** A PATCH of `mine` with the headers. */
export const patchWith = (w: SmugglingTargets, ...headers: [string, string][]): RawCall =>
  patchRequest(w, { headers });
export const patchRequest = (w: SmugglingTargets, more: Partial<RawCall> = {}): RawCall => ({
  method: "PATCH",
  path: `/registry/v2/repos/${w.mine}`,
  body: '{"description":"seen"}',
  ...more,
});
export const getRequest = (w: SmugglingTargets, headers: [string, string][]): RawCall => ({
  path: `/registry/v2/repos/${w.mine}`,
  headers,
});
export const unchanged = "";
export const deleted = undefined;
export const json = (body: object) => JSON.stringify(body);
