/** For each write that takes many parts: requests with as many parts as it takes, each as short as possible. */
import type { JsonObject } from "@bufbuild/protobuf";
import { randomUid } from "../../world/personas.ts";
import type { Owner, Registry } from "./own_writes.ts";

export interface LargeRequest {
  name: string;
  rpc: string;
  request: (registry: Registry, owner: Owner) => JsonObject | Promise<JsonObject>;
}

const list = <Item>(length: number, item: (at: number) => Item): Item[] =>
  Array.from({ length }, (_, at) => item(at));

const base64 = (document: object) => Buffer.from(JSON.stringify(document)).toString("base64");
const time = "2026-01-01T00:00:00Z";
const digest = (at: number) => `sha256:${at.toString(16).padStart(64, "0")}`;

const osv = (name: string, records: (owner: Owner) => object[]): LargeRequest => ({
  name: `import of OSV records with ${name}`,
  rpc: "OsvRecordsService/ImportOsvRecords",
  request: (_, owner) => ({
    parent: owner.uid,
    records: records(owner) as JsonObject[],
    strict: true,
  }),
});
const record = (id: string, affected: object[], more: object = {}) => ({
  id,
  modified: time,
  affected,
  ...more,
});
const pypi = (name: string, more: object = {}) => ({
  package: { ecosystem: "PyPI", name },
  ...more,
});

const newRepo = async (registry: Registry, owner: Owner) => {
  const uid = `${owner.uid}/${randomUid().slice(0, 16)}`;
  await registry.run(
    `insert into repos (uid, name, create_time, update_time) values (?, ?, 1, 1)`,
    ...[uid, `r${uid.slice(-8)}`],
  );
  return uid;
};

const sbom = (name: string, document: object): LargeRequest => ({
  name: `SBOM with ${name}`,
  rpc: "SbomsService/CreateSbom",
  request: async (registry, owner) => ({
    parent: await newRepo(registry, owner),
    sbom: { digest: digest(1), content: base64(document) },
  }),
});

const vex = (name: string, documents: object[]): LargeRequest => ({
  name: `import of OpenVEX with ${name}`,
  rpc: "OpenVexDocumentsService/ImportOpenVexDocuments",
  request: (_, owner) => ({
    parent: owner.uid,
    documents: documents as JsonObject[],
    strict: true,
  }),
});
const vexDocument = (id: string, statements: object[]) => ({
  "@context": "https://openvex.dev/ns/v0.2.0",
  "@id": `https://a.example/${id}`,
  author: "a",
  timestamp: time,
  version: 1,
  statements,
});
const statement = (vulnerability: string, products: string[]) => ({
  vulnerability: { name: vulnerability },
  products: products.map((id) => ({ "@id": id })),
  status: "fixed",
});

export const largeRequests: LargeRequest[] = [
  osv("20,000 versions", () => [
    record("A-1", [pypi("a", { versions: list(19_989, (at) => at.toString(36)) })]),
  ]),
  osv("1,800 libraries", () => [
    record(
      "A-1",
      list(1_800, (at) => pypi(at.toString(36))),
    ),
  ]),
  osv("500 records", () =>
    list(500, (at) => record(`A-${at}`, [{ package: { ecosystem: "a", name: at.toString(36) } }])),
  ),
  osv("9,000 fixes", () =>
    list(45, (at) => {
      const events = list(200, (n) => ({ fixed: `${n}` }));
      const affected = { package: { ecosystem: "a", name: at.toString(36) } };
      return record(`A-${at}`, [{ ...affected, ranges: [{ type: "SEMVER", events }] }]);
    }),
  ),
  osv("19,000 aliases", () => [
    record("A-1", [{ package: { ecosystem: "a", name: "a" } }], {
      aliases: list(19_000, (at) => at.toString(36)),
    }),
  ]),
  vex("2,000 statements", [
    vexDocument(
      "1",
      list(2_000, (at) => statement(`CVE-2026-${at + 1000}`, ["pkg:npm/a@1"])),
    ),
  ]),
  vex("2,000 products", [
    vexDocument("1", [
      statement(
        "CVE-2026-1000",
        list(2_000, (at) => `pkg:npm/a${at}@1`),
      ),
    ]),
  ]),
  sbom("7,000 packages", {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    components: list(7_000, (at) => ({ type: "library", name: at.toString(36) })),
  }),
  sbom("9,000 packages with URLs", {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    components: list(9_000, (at) => ({
      ...{ type: "library", name: at.toString(36), purl: `pkg:npm/${at.toString(36)}@1` },
      description: "x".repeat(20),
    })),
  }),
  {
    name: "report with 8,000 matches",
    rpc: "VulnReportsService/CreateVulnReport",
    request: async (registry, owner) => ({
      parent: await newRepo(registry, owner),
      vulnReport: {
        digest: digest(1),
        content: base64({
          matches: list(8_000, (at) => ({
            vulnerability: { id: `CVE-${at}`, severity: "High" },
            artifact: { name: "p", version: "1" },
          })),
          descriptor: { name: "grype", timestamp: time },
        }),
      },
    }),
  },
  {
    name: "index of 8,000 manifests",
    rpc: "ManifestsService/CreateManifest",
    request: async (registry, owner) => ({
      parent: await newRepo(registry, owner),
      manifest: {
        mediaType: "application/vnd.oci.image.index.v1+json",
        content: base64({
          manifests: list(8_000, (at) => ({ digest: digest(at), platform: { architecture: "a" } })),
        }),
      },
    }),
  },
  {
    name: "10,000 tag moves",
    rpc: "TagMovesService/ImportTagMoves",
    request: (_, owner) => ({
      parent: owner.uid,
      moves: list(10_000, (at) => ({
        updateTime: time,
        repo: "r",
        tag: at.toString(36),
        digest: digest(at),
      })),
    }),
  },
  {
    name: "tag moves in 2,000 repositories",
    rpc: "TagMovesService/ImportTagMoves",
    request: (_, owner) => ({
      parent: owner.uid,
      moves: list(2_000, (at) => ({
        updateTime: time,
        repo: `r${at}`,
        tag: "t",
        digest: digest(1),
      })),
    }),
  },
];

/** Requests that would write more than the bound, and are refused. */
export const refusedRequests: LargeRequest[] = [
  osv("50,000 aliases", () => [
    record("A-1", [{ package: { ecosystem: "a", name: "a" } }], {
      aliases: list(50_000, (at) => at.toString(36)),
    }),
  ]),
  osv("12,000 fixes", () =>
    list(60, (at) => {
      const events = list(200, (n) => ({ fixed: `${n}` }));
      const affected = { package: { ecosystem: "a", name: at.toString(36) } };
      return record(`A-${at}`, [{ ...affected, ranges: [{ type: "SEMVER", events }] }]);
    }),
  ),
  sbom("30,000 packages", {
    ...{ bomFormat: "CycloneDX", specVersion: "1.6" },
    components: list(30_000, (at) => ({ type: "library", name: at.toString(36) })),
  }),
  {
    name: "tag moves in 2,001 repositories",
    rpc: "TagMovesService/ImportTagMoves",
    request: (_, owner) => ({
      parent: owner.uid,
      moves: list(2_001, (at) => ({
        ...{ updateTime: time, repo: `r${at}`, tag: "t", digest: digest(1) },
      })),
    }),
  },
];
