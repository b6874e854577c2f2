/** Images, records, reports and statements of an organization on a platform of its own, and the events about them. */
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { unpackText } from "../../../src/outbox/stored_data.ts";
import type { startOwnRegistry } from "../../distribution/own_registry.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import { openVexOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { fakeDigest, randomName } from "../../world/personas.ts";
import { bomOf, npm, recordOf } from "../matches.ts";

export type Registry = Awaited<ReturnType<typeof startOwnRegistry>>;

/** The body of an event, as far as tests look at it. */
export interface Body {
  vulnerabilityId: string;
  aliases?: string[];
  severity: string;
  repoUid: string;
  repoName: string;
  digest: string;
  tags?: string[];
  tagCount?: number;
  packages?: object[];
  packageCount?: number;
  lastPullTime?: string;
  pullerCount?: number;
  cleanImage?: { tag: string; digest: string };
  reason?: string;
  /** Of an event about several vulnerabilities. */
  vulnerabilities?: Pick<
    Body,
    "vulnerabilityId" | "aliases" | "severity" | "packages" | "packageCount" | "reason"
  >[];
  previousDigest?: string;
}

export interface Announcement {
  type: string;
  subject: string;
  vulnerability: string;
  severity: string;
  body: Body;
}

const prefix = "dev.vendor.api.platform.registry.image.";

/** A new organization with a repository. */
export async function newScene(registry: Registry) {
  const { uid, apiToken } = await registry.newOwner();
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${registry.origin}${path}`, {
      ...{ method, headers: { authorization: `Bearer ${apiToken}` } },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    const answer = text === "" ? {} : JSON.parse(text);
    expect(response.status, `${path} ${JSON.stringify(answer)}`).toBe(200);
    return answer as Record<string, string>;
  };
  const post = (path: string, body: object) => call("POST", path, body);
  const newRepo = async (group = uid) =>
    String((await post(`/registry/v2/repos/${group}`, { name: randomName("repo") })).uid);
  const repo = await newRepo();
  const rest = async () => registry.run("select * from match_marks where root = ?", uid);
  /** The events about images, in their order, once nothing is left to do. */
  const announced = async (): Promise<Announcement[]> => {
    for (let runs = 0; (await rest()).length > 0; runs += 1) {
      if (runs === 20) throw new Error("marks are left");
      await registry.runSchedule();
    }
    const rows = await registry.run<{
      type: string;
      subject: string;
      vulnerability: string;
      severity: string;
      data: string;
    }>(
      `select type, subject, extensions ->> 'vulnerability' as vulnerability,
         extensions ->> 'severity' as severity, data from events
       where ancestor0 = ? and type like '${prefix}%' order by seq`,
      uid,
    );
    return Promise.all(
      rows.map(async ({ data, ...row }) => ({
        ...row,
        type: row.type.slice(prefix.length),
        body: JSON.parse(await unpackText(data)).body,
      })),
    );
  };
  return {
    ...{ uid, repo, apiToken, registry, call, post, newRepo, announced },
    /** The events in short: the type, the id, and the reason if there is one. One about several has a text for each. */
    short: async () => (await announced()).flatMap(shortOf),
    tag: (name: string, image: string, at = repo) =>
      post(`/registry/v2/tags/${at}`, { name, digest: fakeDigest(image) }),
    untag: (tag: string) => call("DELETE", `/registry/v2/tags/${tag}`),
    store: (image: string, ...purls: string[]) => store(post, repo, image, purls),
    storeAt: (at: string, image: string, ...purls: string[]) => store(post, at, image, purls),
    load: (...records: object[]) =>
      post(`/vulnerabilities/v2/osvRecords/${uid}:import`, { records, strict: true }),
    state: (...statements: object[]) =>
      post(`/vulnerabilities/v2/openVexDocuments/${uid}:import`, {
        documents: [
          openVexOf(statements as Record<string, unknown>[], { "@id": randomName("vex") }),
        ],
        strict: true,
      }),
    scan: (image: string, matches: object[], day = 1) => {
      const scanned = new Date(Date.UTC(2026, 4, day)).toISOString();
      const content = packedReport(grypeReport(matches, { scanned }));
      return post(`/registry/v2/vulnReports/${repo}`, { digest: fakeDigest(image), content });
    },
    withdraw: (id: string, more: object = {}) =>
      post(`/vulnerabilities/v2/osvRecords/${uid}:import`, {
        records: [
          recordOf(id, {
            modified: "2026-02-01T00:00:00Z",
            withdrawn: "2026-02-01T00:00:00Z",
            ...more,
          }),
        ],
        strict: true,
      }),
  };
}

export type Scene = Awaited<ReturnType<typeof newScene>>;

const store = (
  post: (path: string, body: object) => Promise<unknown>,
  repo: string,
  image: string,
  purls: string[],
) =>
  post(`/registry/v2/sboms/${repo}`, {
    digest: fakeDigest(image),
    content: gzipSync(JSON.stringify(bomOf(...purls))).toString("base64"),
  });

/** The texts about the vulnerabilities of an event. That it is about several is left out. */
export const shortOf = ({ type, body }: Announcement): string[] =>
  (body.vulnerabilities ?? [body]).map(({ vulnerabilityId, reason }) =>
    [
      type.replace(/(\.summary)?\.v1$/, ""),
      vulnerabilityId,
      ...(reason ? [reason.replace("REASON_", "")] : []),
    ].join(" "),
  );

/** For each image and vulnerability, a beginning and an end alternate. Returns those that have not ended. */
export function expectAlternating(events: Announcement[]): Set<string> {
  const open = new Set<string>();
  for (const { type, subject, body } of events) {
    for (const { vulnerabilityId } of body.vulnerabilities ?? [body]) {
      const key = `${subject} ${vulnerabilityId}`;
      const ends = type.startsWith("no_longer");
      expect(open.has(key), `${type} ${key}`).toBe(ends);
      if (ends) open.delete(key);
      else open.add(key);
      if (!body.previousDigest) continue;
      const before = [...open].find((one) => one !== key && one.endsWith(` ${vulnerabilityId}`));
      expect(before, `${type} ${key}`).toBeDefined();
      open.delete(before ?? "");
    }
  }
  return open;
}

/** A scanner's match in the package of the records. */
export const matchIn = (id: string, related: object[] = [], version = "1.0.0") =>
  matchOf(id, "Low", { artifact: { name: "left", version, purl: npm(version) }, related });
