/**
 * A statement never ends a finding that it does not name, whatever format it came in and through whatever formats it
 * went. The statements and the findings are random. A model of a statement decides here what it names, with versions
 * that are whole numbers, and without package URLs.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { VexStatus } from "../../../schema/gen/platform/registry/findings/v2/findings_pb.js";
import type { vexSubjects } from "../../../schema/tables/vulnerabilities/vex_subjects.ts";
import { vexOf } from "../../../src/matching/vex.ts";
import * as purls from "../../../src/packages/purls.ts";
import {
  type AdvisoryRow,
  toAdvisory,
} from "../../../src/vulnerabilities/advisories/advisories.ts";
import type { KnownAdvisory } from "../../../src/vulnerabilities/advisories/state.ts";
import { JsonReader } from "../../../src/vulnerabilities/json_reader.ts";
import { toOsv } from "../../../src/vulnerabilities/osv/export.ts";
import { readOsvRecord } from "../../../src/vulnerabilities/osv/record.ts";
import {
  groupBySubject,
  type VexChange,
  vexChange,
} from "../../../src/vulnerabilities/vex/advisories.ts";
import { readCsaf } from "../../../src/vulnerabilities/vex/csaf.ts";
import { toCsaf } from "../../../src/vulnerabilities/vex/csaf_export.ts";
import { readOpenVex } from "../../../src/vulnerabilities/vex/openvex.ts";
import { toOpenVex } from "../../../src/vulnerabilities/vex/openvex_export.ts";
import { long } from "../../world/tiers.ts";
import { csafDocument } from "./csaf_imports.ts";
import { type Json, openVexOf } from "./vex_imports.ts";

/** Versions from one up to the other, without it. */
type Range = { from: number; to: number } | "in words";

interface NamedPackage {
  type: "deb" | "npm";
  namespace: "debian" | "ubuntu" | undefined;
  name: "x" | "y";
  version: number | undefined;
  range: Range | undefined;
  arch: "amd64" | "arm64" | undefined;
  distro: "debian-11" | "debian-12" | undefined;
}

/** An image: its digest, that of an index that contains it, or a tag. */
type NamedImage = "own" | "index" | "other" | "1.0" | "2.0" | undefined;

interface Said {
  image: { version: NamedImage; arch: "amd64" | undefined } | undefined;
  of: NamedPackage | undefined;
  status: "not_affected" | "fixed" | "affected";
}

const named: fc.Arbitrary<NamedPackage> = fc.record({
  type: fc.constantFrom("deb", "deb", "npm"),
  namespace: fc.constantFrom("debian", "debian", "ubuntu", undefined),
  name: fc.constantFrom("x", "x", "y"),
  version: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  range: fc.option(
    fc.oneof(
      fc.constant<Range>("in words"),
      fc.record({ from: fc.integer({ min: 1, max: 3 }), to: fc.integer({ min: 4, max: 6 }) }),
    ),
    { nil: undefined },
  ),
  arch: fc.constantFrom("amd64", "arm64", undefined, undefined),
  distro: fc.constantFrom("debian-11", "debian-12", undefined, undefined),
});

const said: fc.Arbitrary<Said> = fc
  .record({
    image: fc.option(
      fc.record({
        version: fc.constantFrom<NamedImage>("own", "index", "other", "1.0", "2.0", undefined),
        arch: fc.constantFrom("amd64", undefined, undefined),
      }),
      { nil: undefined },
    ),
    of: fc.option(named, { nil: undefined, freq: 5 }),
    status: fc.constantFrom("not_affected", "fixed", "affected"),
  })
  .filter(({ image, of }) => image !== undefined || of !== undefined);

const found = named.map((one) => ({ ...one, range: undefined, version: one.version ?? 3 }));

const digests = { own: "a", index: "b", other: "c" };
const digestOf = (name: keyof typeof digests) => `sha256:${digests[name].repeat(64)}`;
const versionText = (version: number) => `${version}.0.0`;

function purlOf({ type, namespace, name, version, arch, distro }: NamedPackage): string {
  const qualifiers = Object.entries({ arch, distro }).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  const path = type === "deb" && namespace ? `${namespace}/${name}` : name;
  const at = version === undefined ? "" : `@${versionText(version)}`;
  return `pkg:${type}/${path}${at}${qualifiers.length > 0 ? `?${qualifiers.join("&")}` : ""}`;
}

const rangeText = (type: string, range: Range) =>
  range === "in words"
    ? "all before the second"
    : `vers:${type}/>=${versionText(range.from)}|<${versionText(range.to)}`;

function imagePurl({ version, arch }: NonNullable<Said["image"]>): string {
  const isDigest = version === "own" || version === "index" || version === "other";
  const at =
    version === undefined ? "" : `@${encodeURIComponent(isDigest ? digestOf(version) : version)}`;
  return `pkg:oci/app${at}${arch ? `?arch=${arch}` : ""}`;
}

/** OpenVEX has no ranges, except in a package URL. An exact version comes before a range. */
const openVexId = (of: NamedPackage) =>
  of.range === undefined || of.version !== undefined
    ? purlOf(of)
    : `${purlOf(of)}${of.arch || of.distro ? "&" : "?"}vers=${encodeURIComponent(rangeText(of.type, of.range))}`;

const noReason = { justification: "vulnerable_code_not_present" };
const noAction = { action_statement: "Wait." };

function asOpenVex({ image, of, status }: Said): Json {
  const part = of ? { "@id": openVexId(of) } : undefined;
  const whole = image ? { "@id": imagePurl(image) } : part;
  const subcomponents = image && part ? { subcomponents: [part] } : {};
  const more = { not_affected: noReason, fixed: {}, affected: noAction }[status];
  const products = [{ ...whole, ...subcomponents }];
  return openVexOf([{ vulnerability: { name: "CVE-1-1" }, products, status, ...more }]);
}

function asCsaf({ image, of, status }: Said): Json {
  const product = (id: string, purl: string) => ({
    ...{ product_id: id, name: id, product_identification_helper: { purl } },
  });
  const isRange = of?.range !== undefined && of.version === undefined;
  const branch = {
    category: "product_version_range",
    name: of?.range ? rangeText(of.type, of.range) : "",
  };
  const part = of ? product("PART", purlOf(of)) : undefined;
  const tree = {
    branches: isRange ? [{ ...branch, product: part }] : [],
    full_product_names: [
      ...(image ? [product("IMAGE", imagePurl(image))] : []),
      ...(part && !isRange ? [part] : []),
    ],
    relationships:
      image && of
        ? [
            {
              category: "default_component_of",
              product_reference: "PART",
              relates_to_product_reference: "IMAGE",
              full_product_name: { product_id: "BOTH", name: "Both" },
            },
          ]
        : [],
  };
  const ids = [image && of ? "BOTH" : image ? "IMAGE" : "PART"];
  const list = { not_affected: "known_not_affected", fixed: "fixed", affected: "known_affected" };
  const vulnerability = {
    cve: "CVE-2024-3001",
    product_status: { [list[status]]: ids },
    flags:
      status === "not_affected" ? [{ label: "vulnerable_code_not_present", product_ids: ids }] : [],
    remediations: [{ category: "mitigation", details: "Wait.", product_ids: ids }],
  };
  return csafDocument([vulnerability], { product_tree: tree });
}

/** Whether the statement names the package of the finding, by its model. */
function names({ image, of }: Said, target: NamedPackage): boolean {
  if (image) {
    if (!["own", "index", "1.0", undefined].includes(image.version)) return false;
    if (image.arch !== undefined && image.version !== "own") return false;
  }
  if (!of) return true;
  const isSame = of.type === target.type && of.name === target.name;
  const isFrom = of.type === "npm" || !of.namespace || of.namespace === target.namespace;
  const isBuilt = [of.arch ?? target.arch, of.distro ?? target.distro];
  if (!isSame || !isFrom || isBuilt[0] !== target.arch || isBuilt[1] !== target.distro)
    return false;
  const version = target.version ?? 0;
  if (of.version !== undefined) return of.version === version;
  if (of.range === undefined) return true;
  return of.range !== "in words" && version >= of.range.from && version < of.range.to;
}

type Reader = (
  reader: JsonReader,
  document: never,
  path: string,
) => Parameters<typeof groupBySubject>[0];

/** The advisories that the platform stores for a document. */
async function stored(read: Reader, document: Json): Promise<VexChange[]> {
  const reader = new JsonReader();
  const statements = read(reader, document as never, "documents[0]");
  expect(reader.violations, JSON.stringify(document)).toEqual([]);
  const changes: VexChange[] = [];
  for (const subject of await groupBySubject(statements)) {
    const change = await vexChange("a".repeat(40), subject, undefined, Date.UTC(2026, 0, 1));
    if (change) changes.push(change);
  }
  return changes;
}

const approved = 2;

function rowOf(change: VexChange): AdvisoryRow {
  const { uid, advisoryId, author, aliases, severities, createTime, updateTime, additions } =
    change;
  const { artifactName, artifactType, artifactArchitecture } = change;
  const { componentName, componentLocation, componentType } = change;
  return {
    ...{ uid, advisoryId, author, aliases, severities, createTime, updateTime },
    ...{ artifactName, artifactType, artifactArchitecture },
    ...{ componentName, componentLocation, componentType },
    ...{ deleteTime: null, legacyAdvisoryId: null, editTime: null, removeTime: null },
    ...{ aliasOrder: "", deleteOrder: 0 },
    events: additions.map(({ time, ...one }) => ({
      ...one,
      ...{ createTime: time, updateTime: time, reviewState: approved, byHand: 0 },
      ...{ reviewer: "", issue: null, findings: null },
    })),
  } as unknown as AdvisoryRow;
}

const knownOf = (change: VexChange): KnownAdvisory => ({
  advisory: toAdvisory(rowOf(change)),
  subject: change as unknown as typeof vexSubjects.$inferSelect,
  published: undefined,
});

/** Whether one of the advisories ends the finding. */
function ends(changes: VexChange[], { namespace, type, ...rest }: NamedPackage): boolean {
  const purl = purlOf({ ...rest, type, namespace });
  const candidates = changes.map((change) => {
    const latest = change.additions.at(-1);
    return { ...change, repoPath: "acme.example/app", event: latest ?? null };
  });
  const target = {
    ...{ repoName: "app", digests: [digestOf("own"), digestOf("index")], tags: ["1.0"] },
    ...{ package: purls.readPurl(purl), packageName: rest.name },
    packageVersion: versionText(rest.version ?? 0),
  };
  const { statement } = vexOf(JSON.stringify(candidates), target, "localhost:8787", purls);
  const closing: (VexStatus | undefined)[] = [VexStatus.NOT_AFFECTED, VexStatus.FIXED];
  return closing.includes(statement?.status);
}

/** Of a product that is not affected, OSV says that the record is void, and no version of it. */
function expectVoidInOsv({ status }: Said, change: VexChange): void {
  const reader = new JsonReader();
  const record = readOsvRecord(reader, toOsv(knownOf(change)) as never, "records[0]");
  if (status === "not_affected" && reader.violations.length === 0)
    expect(record.deleteTime).not.toBeNull();
}

const through = {
  openvex: (changes: VexChange[]) =>
    changes.map((one) => [readOpenVex, toOpenVex(knownOf(one), "https://api.example")] as const),
  csaf: (changes: VexChange[]) =>
    changes.map((one) => [readCsaf, toCsaf(knownOf(one), "https://api.example")] as const),
};

for (const [numRuns, tier, sample] of [
  [500, {}, { seed: 1 }],
  [30_000, long, {}],
] as const)
  test(
    `no statement ends a finding that it does not name, in any format and after any two (${numRuns} times)`,
    tier,
    async () => {
      const reached = new Set<string>();
      const run = async (
        one: Said,
        target: NamedPackage,
        first: "openvex" | "csaf",
        path: ("openvex" | "csaf")[],
      ) => {
        let changes =
          first === "csaf"
            ? await stored(readCsaf as Reader, asCsaf(one))
            : await stored(readOpenVex as Reader, asOpenVex(one));
        const isNamed = names(one, target);
        const isClosing = one.status !== "affected";
        // A statement that can be applied exactly ends the finding.
        if (isNamed && isClosing) expect(ends(changes, target)).toBe(true);
        for (const format of [undefined, ...path]) {
          if (format) {
            const next = through[format](changes);
            changes = (
              await Promise.all(next.map(([read, document]) => stored(read as Reader, document)))
            ).flat();
          }
          const isEnded = ends(changes, target);
          if (isEnded) reached.add(`${one.status} ${first} ${path.join(" ")}`);
          expect(isEnded && !(isNamed && isClosing), JSON.stringify(changes)).toBe(false);
        }
        for (const change of changes) expectVoidInOsv(one, change);
      };
      const formats = fc.constantFrom("openvex" as const, "csaf" as const);
      await fc.assert(
        fc.asyncProperty(said, found, formats, fc.array(formats, { maxLength: 2 }), run),
        { numRuns, ...sample },
      );
      // Statements of both kinds ended findings on every path, so the test has seen something.
      expect(reached.size).toBeGreaterThan(15);
    },
  );
