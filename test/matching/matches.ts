/** SBOMs, records and findings for tests of matching. */
import { expect } from "vitest";
import { newRepoIn, putSbom } from "../registry/images/stored_images.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

export const npm = (version: string, name = "left") => `pkg:npm/${name}@${version}`;

/** An SBOM of packages. */
export const bomOf = (...purls: string[]) => ({
  ...{ bomFormat: "CycloneDX", specVersion: "1.6" },
  components: purls.map((purl) => ({ type: "library", name: "named", purl })),
});

/** A record about versions of a package before a fixed one. */
export const recordOf = (id: string, more: object = {}) => ({
  ...{ id, modified: "2026-01-01T00:00:00Z" },
  affected: [affected("left", "2.0.0")],
  severity: [{ type: "CVSS_V3", score: "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H" }],
  ...more,
});

export const affected = (name: string, fixed: string, ecosystem = "npm") => ({
  package: { ecosystem, name },
  ranges: [
    {
      type: ecosystem === "npm" ? "SEMVER" : "ECOSYSTEM",
      events: [{ introduced: "0" }, ...(fixed === "" ? [] : [{ fixed }])],
    },
  ],
});

export interface Found {
  uid: string;
  digest: string;
  vulnerabilityId: string;
  aliases?: string[];
  severity: string;
  foundBy: string;
  state: string;
  unknownReason?: string;
  advisoryUids?: string[];
  fixedVersions?: string[];
  reportUid?: string;
  sbomUid?: string;
  package: { name: string; version: string; purl: string };
  vex?: { status: string };
}

/** An organization with a repository. */
export async function newScene() {
  const organization = await newOrganization();
  const repo = await newRepoIn(organization);
  const { token } = organization.owner;
  const find = async (query: Record<string, string> = {}): Promise<Found[]> => {
    const scope = { "uidp.descendants_of": organization.uid, ...query };
    const answer = await callRest(`/registry/v2/findings?${new URLSearchParams(scope)}`, { token });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.findings ?? [];
  };
  return {
    organization,
    repo,
    token,
    find,
    /** Imports records into the organization, or into a group. */
    load: (records: object[], group = organization.uid) => load(organization, records, group),
    store: async (image: string, ...purls: string[]) => {
      const { status, body } = await putSbom(
        organization,
        repo,
        fakeDigest(image),
        bomOf(...purls),
      );
      expect(status, JSON.stringify(body)).toBe(200);
    },
    /** The findings once nothing is left to match. */
    matched: async (query?: Record<string, string>) => {
      await isMatched(organization.uid);
      return find(query);
    },
  };
}

export type Scene = Awaited<ReturnType<typeof newScene>>;

const load = ({ owner }: Organization, records: object[], group: string) =>
  createResource(`/vulnerabilities/v2/osvRecords/${group}:import`, owner.token, {
    ...{ records, strict: true },
  });

/** Waits until an organization has no marks. */
export const isMatched = (root: string) =>
  expect
    .poll(() => sql("select * from match_marks where root = ?", root), { interval: 20 })
    .toEqual([]);

/** The findings in short, sorted. */
export const shortOf = (found: Found[]) =>
  found
    .map(({ vulnerabilityId, foundBy, state, package: { version } }) =>
      [
        vulnerabilityId,
        version,
        foundBy.replace("FOUND_BY_", ""),
        ...(state === "FINDING_STATE_AFFECTED" ? [] : ["UNKNOWN"]),
      ].join(" "),
    )
    .sort();
