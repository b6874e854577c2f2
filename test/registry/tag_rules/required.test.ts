/** The requirements of rules, with what the platform knows of pushed images and indexes. */
import { beforeAll, describe, expect, test } from "vitest";
import { type Image, newImageOf } from "../../distribution/client.ts";
import { loadOpenVex, openVexOf } from "../../vulnerabilities/vex/vex_imports.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { putBom, putReport } from "../findings/stored_findings.ts";
import { grypeReport, matchOf, packedReport } from "../vuln_reports/grype_reports.ts";
import {
  digestOfTag,
  type Index,
  indexOf,
  keep,
  newRuledRepo,
  type Pushed,
  push,
  pushIndex,
  type RuledRepo,
} from "./ruled_repo.ts";

let organization: Organization;
let other: Organization;
beforeAll(async () => {
  [organization, other] = [await newOrganization("required"), await newOrganization("other")];
});

/** The content of a push: an index of two images that the repository has. The image alone is the first one. */
interface Content {
  first: Image;
  second: Image;
  index: Index;
}

/** Stores something about the content in a repository. */
type Given = (repo: RuledRepo, content: Content) => Promise<unknown>;

/** The kind of content, the knowledge of it, and the reason of the refusal, if it is refused. */
type Row = [title: string, what: "image" | "index", given: Given[], reason?: string];

interface Kind {
  requirement: object;
  rows: Row[];
  /** Labels of the first and of the second image. */
  labels?: [Record<string, string>, Record<string, string>];
}

async function newContent(
  repo: RuledRepo,
  [first, second]: Kind["labels"] = [{}, {}],
): Promise<Content> {
  const images = [newImageOf({ labels: first }), newImageOf({ labels: second })] as const;
  for (const image of images) await push(repo, image);
  const index = indexOf([
    ["amd64", images[0]],
    ["arm64", images[1]],
  ]);
  return { first: images[0], second: images[1], index };
}

const check = (pushed: Pushed, reason: string | undefined) =>
  expect(pushed).toEqual(
    reason === undefined ? [201] : [403, expect.stringContaining(`the image ${reason}`)],
  );

/** Sets the tag `prod`. An index is pushed by its digest before what is given, so that it exists. */
async function expectRow({ requirement, labels }: Kind, [, what, given, reason]: Row) {
  const repo = await newRuledRepo(organization);
  const content = await newContent(repo, labels);
  if (what === "index") expect(await pushIndex(repo, content.index)).toEqual([201]);
  for (const give of given) await give(repo, content);
  await keep(repo, { requirement }, ["prod"]);
  const pushed =
    what === "index"
      ? await pushIndex(repo, content.index, "prod")
      : await push(repo, content.first, "prod");
  check(pushed, reason);
  const { digest } = what === "index" ? content.index : content.first;
  expect(await digestOfTag(repo, "prod")).toBe(reason === undefined ? digest : undefined);
  // CreateTag decides the same.
  const body = { name: "prod", digest };
  const made = await callRest(`/registry/v2/tags/${repo.uid}`, { token: repo.token, body });
  expect(made.status).toBe(reason === undefined ? 200 : 400);
}

/** Stores something about the same digests in another place. */
const elsewhere =
  (give: Given, inOther = true): Given =>
  async (_, content) => {
    const place = await newRuledRepo(inOther ? other : organization);
    for (const image of [content.first, content.second]) await push(place, image);
    await pushIndex(place, content.index);
    await give(place, content);
  };

const bom =
  (of: keyof Content): Given =>
  async (repo, content) => {
    const { status } = await putBom(repo.organization, repo.uid, content[of].digest, ["2.14.1"]);
    expect(status).toBe(200);
  };

const sbom: Kind = {
  requirement: { sbom: true },
  rows: [
    ["an image without an SBOM", "image", [], "has no SBOM"],
    ["an image with an SBOM", "image", [bom("first")]],
    ["an image in an index with an SBOM", "image", [bom("index")], "has no SBOM"],
    ["an index without an SBOM", "index", [], "has no SBOM"],
    ["an index with an SBOM of one image", "index", [bom("second")], "has no SBOM"],
    ["an index with an SBOM of each image", "index", [bom("first"), bom("second")]],
    ["an index with its own SBOM", "index", [bom("index")]],
    [
      "an image with an SBOM in another organization",
      "image",
      [elsewhere(bom("first"))],
      "has no SBOM",
    ],
    [
      "an image with an SBOM in another repository",
      "image",
      [elsewhere(bom("first"), false)],
      "has no SBOM",
    ],
    [
      "an index with an SBOM in another organization",
      "index",
      [elsewhere(bom("index"))],
      "has no SBOM",
    ],
  ],
};

const report =
  (of: "first" | "second", versions: string[]): Given =>
  ({ token, uid }, content) =>
    putReport(token, uid, content[of].digest, versions);
const [clean, bad] = [[], ["2.14.1"]];

/** A report with one finding without a fix, or of a lower severity. */
const harmless =
  (severity: string, fix: object): Given =>
  async ({ token, uid }, { first }) => {
    const content = packedReport(grypeReport([matchOf("CVE-2026-1", severity, { fix })]));
    const body = { digest: first.digest, content };
    const { status } = await callRest(`/registry/v2/vulnReports/${uid}`, { token, body });
    expect(status).toBe(200);
  };
const cleanLater: Given = async ({ token, uid }, { first: { digest } }) => {
  const content = packedReport(grypeReport([], { scanned: "2026-06-01T00:00:00Z" }));
  const body = { digest, content };
  const { status } = await callRest(`/registry/v2/vulnReports/${uid}`, { token, body });
  expect(status).toBe(200);
};
const fixed = { versions: ["3.0.13-1"], state: "fixed" };

/** A statement about log4j-core in the image. */
const vex =
  (status: string): Given =>
  async ({ token, organization: { uid }, name }) => {
    const statement = {
      vulnerability: { name: "CVE-2021-44228" },
      products: [{ "@id": `pkg:oci/${name}` }],
      status,
      ...(status === "not_affected" ? { justification: "component_not_present" } : {}),
      ...(status === "affected" ? { action_statement: "Update." } : {}),
    };
    const loaded = await loadOpenVex(token, uid, openVexOf([statement]));
    expect(loaded.status, JSON.stringify(loaded.body)).toBe(200);
  };

const [critical, none] = [
  "has a finding of severity critical with a fix",
  "has no vulnerability report",
];

const noFindings: Kind = {
  requirement: { noFindings: { minSeverity: "FINDING_SEVERITY_HIGH" } },
  rows: [
    ["an image without a report", "image", [], none],
    ["an image with a report without findings", "image", [report("first", clean)]],
    ["an image with a finding that could be fixed", "image", [report("first", bad)], critical],
    [
      "an image with a finding without a fix",
      "image",
      [harmless("Critical", { versions: [], state: "not-fixed" })],
    ],
    ["an image with a finding of a lower severity", "image", [harmless("Medium", fixed)]],
    ["an image whose newest report has none", "image", [report("first", bad), cleanLater]],
    [
      "an image with a finding that VEX says is not there",
      "image",
      [report("first", bad), vex("not_affected")],
    ],
    [
      "an image with a finding that VEX says is fixed",
      "image",
      [report("first", bad), vex("fixed")],
    ],
    [
      "an image with a finding that VEX says is there",
      "image",
      [report("first", bad), vex("affected")],
      critical,
    ],
    ["an index with a report of one image", "index", [report("first", clean)], none],
    [
      "an index with a finding in one image",
      "index",
      [report("first", clean), report("second", bad)],
      critical,
    ],
    [
      "an index with reports without findings",
      "index",
      [report("first", clean), report("second", clean)],
    ],
    [
      "an image with a report in another organization",
      "image",
      [elsewhere(report("first", clean))],
      none,
    ],
  ],
};

const allowUnknown: Kind = {
  requirement: { noFindings: { minSeverity: "FINDING_SEVERITY_HIGH", allowUnknown: true } },
  rows: [
    ["an image without a report", "image", []],
    ["an image with a finding that could be fixed", "image", [report("first", bad)], critical],
    ["an index without reports", "index", []],
    ["an index with a finding in one image", "index", [report("second", bad)], critical],
    ["an image with a finding in another organization", "image", [elsewhere(report("first", bad))]],
  ],
};

const [team, nobody, ours] = [
  { team: "a" },
  { team: "b" },
  { requirement: { label: { name: "team", value: "a" } } },
];
const different = "has the label team with another value";
const labels: Kind[] = [
  {
    ...ours,
    labels: [team, team],
    rows: [
      ["an image with the label", "image", []],
      ["an index with the label in each image", "index", []],
    ],
  },
  {
    ...ours,
    labels: [team, {}],
    rows: [["an index with the label in one image", "index", [], "has no label team"]],
  },
  {
    ...ours,
    labels: [team, nobody],
    rows: [["an index with another value in one image", "index", [], different]],
  },
  {
    ...ours,
    labels: [nobody, team],
    rows: [["an image with another value", "image", [], different]],
  },
  {
    ...ours,
    labels: [{}, team],
    rows: [["an image without the label", "image", [], "has no label team"]],
  },
];

const issuer = "https://issuer.example";
const signed =
  (of: keyof Content, subject: string, by = issuer): Given =>
  async ({ uid }, content) => {
    const [manifest] = await sql<{ uid: string }>(
      "select uid from manifests where parent = ? and digest = ?",
      ...[uid, content.first.digest],
    );
    await sql(
      "insert into image_signatures (uid, digest, issuer, subject, create_time) values (?, ?, ?, ?, 1)",
      ...[manifest?.uid, content[of].digest, by, subject],
    );
  };
const builder = "https://ci.example/acme/app/build.yml@main";
const unsigned = `has no verified signature by https://ci.example/acme/* of ${issuer}`;

const signature: Kind = {
  requirement: { signature: { issuer, subject: "https://ci.example/acme/*" } },
  rows: [
    ["an image without a signature", "image", [], unsigned],
    ["an image with a signature", "image", [signed("first", builder)]],
    [
      "an image with a signature of another subject",
      "image",
      [signed("first", "https://ci.example/other/app")],
      unsigned,
    ],
    [
      "an image with a subject that only contains the pattern",
      "image",
      [signed("first", `x${builder}`)],
      unsigned,
    ],
    [
      "an image with a signature of another issuer",
      "image",
      [signed("first", builder, "https://other.example")],
      unsigned,
    ],
    ["an image whose index has a signature", "image", [signed("index", builder)], unsigned],
    ["an index with its own signature", "index", [signed("index", builder)]],
    [
      "an index with signatures of its images",
      "index",
      [signed("first", builder), signed("second", builder)],
    ],
    ["an index with a signature of one image", "index", [signed("first", builder)], unsigned],
    [
      "an image with a signature in another organization",
      "image",
      [elsewhere(signed("first", builder))],
      unsigned,
    ],
  ],
};

const kinds: [string, Kind][] = [
  ["an SBOM", sbom],
  ["no findings", noFindings],
  ["no findings, where unknown images pass", allowUnknown],
  ...labels.map((kind): [string, Kind] => ["a label", kind]),
  ["a signature", signature],
];
const rows = kinds.flatMap(([name, kind]) =>
  kind.rows.map((row): [string, Kind, Row] => [
    `${name}: ${row[0]} is ${row[3] ? "refused" : "allowed"}`,
    kind,
    row,
  ]),
);

test.each(rows)("%s", (_, kind, row) => expectRow(kind, row));

describe("an image that the repository does not have yet", () => {
  test.each([
    [team, undefined],
    [nobody, different],
    [{}, "has no label team"],
  ])("is known by its pushed configuration: %j", async (own, reason) => {
    const repo = await newRuledRepo(organization);
    await keep(repo, { requirement: { label: { name: "team", value: "a" } } }, ["prod"]);
    check(await push(repo, newImageOf({ labels: own }), "prod"), reason);
  });
});

test("attestations in an index do not count", async () => {
  const repo = await newRuledRepo(organization);
  const [image, attestation] = [newImageOf(), newImageOf()];
  for (const one of [image, attestation]) await push(repo, one);
  await putBom(organization, repo.uid, image.digest, ["2.14.1"]);
  await keep(repo, { requirement: { sbom: true } }, ["prod"]);
  const index = indexOf([
    ["amd64", image],
    ["unknown", attestation],
  ]);
  check(await pushIndex(repo, index, "prod"), undefined);
});

test("all requirements of a rule count", async () => {
  const repo = await newRuledRepo(organization);
  const image = newImageOf({ labels: team });
  await push(repo, image);
  await keep(repo, { requirement: { sbom: true, label: { name: "team", value: "a" } } }, ["prod"]);
  check(await push(repo, image, "prod"), "has no SBOM");
  await putBom(organization, repo.uid, image.digest, ["2.14.1"]);
  check(await push(repo, image, "prod"), undefined);
});

test("a digest that the repository does not have is refused, also where unknown images pass", async () => {
  const repo = await newRuledRepo(organization);
  await keep(repo, { requirement: allowUnknown.requirement }, ["prod"]);
  const image = newImageOf();
  await push(await newRuledRepo(organization), image);
  const set = async () => {
    const body = { name: "prod", digest: image.digest };
    const made = await callRest(`/registry/v2/tags/${repo.uid}`, { token: repo.token, body });
    return [made.status, made.body.message];
  };
  const missing = expect.stringContaining("the repository does not have the image");
  expect(await set()).toEqual([400, missing]);
  await push(repo, image);
  expect(await set()).toEqual([200, undefined]);
});
