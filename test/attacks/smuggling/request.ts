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
export const patchRequest = (w: SmugglingTargets, more: Partial<RawCall> = {}): RawCall => ({
  method: "PATCH",
  path: `/registry/v2/repos/${w.mine}`,
  body: '{"description":"seen"}',
  ...more,
});
export const getRequest = (
  w: SmugglingTargets,
  headers: [string, string][] = [],
  path = `/registry/v2/repos/${w.mine}`,
): RawCall => ({
  path,
  headers,
});
export const unchangedDescription = "";
export const deletedDescription = undefined;
export const json = (body: object) => JSON.stringify(body);
