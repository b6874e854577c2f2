/** Requests that say one thing to who checks and another to who acts. */
import type { RawCall } from "./raw_call.ts";

/** Uids of a repo of the caller and of one of another organization, and of both organizations. */
export interface Aims {
  mine: string;
  alien: string;
  ours: string;
  theirs: string;
}

/** A request that changes `mine` at most, and what must come of it. */
export type Smuggled = [
  name: string,
  make: (w: Aims) => RawCall,
  status: number,
  description: string | undefined,
];
export const patch = (w: Aims, more: Partial<RawCall> = {}): RawCall => ({
  method: "PATCH",
  path: `/registry/v2/repos/${w.mine}`,
  body: '{"description":"seen"}',
  ...more,
});
export const get = (
  w: Aims,
  headers: [string, string][] = [],
  path = `/registry/v2/repos/${w.mine}`,
): RawCall => ({
  path,
  headers,
});
export const unchanged = "";
export const gone = undefined;
export const json = (body: object) => JSON.stringify(body);
