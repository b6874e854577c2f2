/** OSV records that name libraries, and the libraries that result from them. */
import { expect } from "vitest";
import { createResource } from "../world/personas.ts";
import { type Answer, callRest, costOf } from "../world/platform.ts";

/** A package in the affected list of a record. */
export const affectedPackage = (
  ecosystem: string,
  name: string,
  versions: string[],
  fixed?: string,
) => ({
  package: { ecosystem, name },
  versions,
  ...(fixed ? { ranges: [{ type: "ECOSYSTEM", events: [{ introduced: "0" }, { fixed }] }] } : {}),
});

/** A record with that id about packages. */
export const osvRecordOf = (id: string, packages: object[], change: object = {}) => ({
  id,
  modified: "2024-03-01T10:00:00Z",
  published: "2024-02-01T09:00:00Z",
  affected: packages,
  ...change,
});

/** Imports records into a group. */
export const importLibraries = (token: string, group: string, ...records: object[]) =>
  createResource(`/vulnerabilities/v2/osvRecords/${group}:import`, token, { records });

export const python = "ECOSYSTEM_PYTHON";
export const java = "ECOSYSTEM_JAVA";

/** An artifact or a version in a response. */
export interface ListedArtifact {
  uid: string;
  name: string;
  version: string;
  [field: string]: unknown;
}

/** Calls the domain and returns the cost of the call. */
export async function callLibraries(
  token: string | undefined,
  path: string,
): Promise<Answer & ReturnType<typeof costOf>> {
  const answer = await callRest(`/libraries/v2/artifacts${path}`, { token });
  return { ...answer, ...costOf(answer) };
}

/** Lists libraries, of Python unless the query says otherwise. The call must succeed. */
export async function listLibraries(token: string, query = "", ecosystems = [python]) {
  const of = ecosystems.map((one) => `ecosystems=${one}`).join("&");
  const answer = await callLibraries(token, `?${of}&${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const found = (answer.body.artifacts ?? []) as ListedArtifact[];
  return { ...answer, found, names: found.map(({ name }) => name) };
}

/** Lists the versions of a library. */
export async function versionsOf(token: string, artifact: string, query = "") {
  const answer = await callLibraries(token, `/${artifact}/versions?${query}`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const found = (answer.body.artifactVersions ?? []) as ListedArtifact[];
  return { ...answer, found, versions: found.map(({ version }) => version) };
}
