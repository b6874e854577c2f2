/** Calls of ListEndOfLifeTags. */
import { expect } from "vitest";
import type { Organization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";

/** A row of the list, as JSON. */
export interface Listed {
  uid: string;
  tag: string;
  repoName: string;
  deprecatedTime?: string;
  lastPullTime?: string;
  consumers?: { identityUid?: string; identityName?: string; pullDays: number }[];
  consumerCount: number;
  replacement?: { uid: string; tag: string; digest: string; updateTime: string };
}

/** The end-of-life tags of an organization: the response, its rows, and their sorted names. */
export function endOfLifeListOf({ uid, owner }: Organization) {
  const ask = (query = "", by = owner.token) =>
    callRest(`/registry/v2/endOfLifeTags?uidp.descendants_of=${uid}&${query}`, { token: by });
  const list = async (query = "", by = owner.token): Promise<Listed[]> => {
    const { status, body } = await ask(query, by);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.endOfLifeTags ?? [];
  };
  const names = async (query = "") => (await list(query)).map(({ tag }) => tag).sort();
  return { ask, list, names };
}
