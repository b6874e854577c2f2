/** Reads the list of repositories in tests. */
import { expect } from "vitest";
import { createResource, type Organization } from "../world/personas.ts";
import { callRest } from "../world/platform.ts";

/** Creates a group. Returns its uid. */
export const newGroup = async (organization: Organization, parent: string, name: string) =>
  (await createResource(`/iam/v2/groups/${parent}`, organization.owner.token, { name })).uid;

/** One page. */
export const list = (token: string, query = "") => callRest(`/v2/_catalog${query}`, { token });

/** The names on all pages, which the Link headers lead to. */
export async function readAll(token: string, query: string) {
  const names: string[] = [];
  for (let path: string | undefined = `/v2/_catalog${query}`; path; ) {
    const { status, headers, body } = await callRest(path, { token });
    expect(status).toBe(200);
    names.push(...body.repositories);
    path = /^<(.*)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1];
  }
  return names;
}
