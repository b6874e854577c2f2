/** SBOMs, VEX and vulnerability reports that are pushed to an image, and how the platform reads them. */
import { beforeAll, describe, expect, test } from "vitest";
import { sbomContent } from "../../contract/requests.ts";
import { spdx3Document } from "../../registry/sboms/documents.ts";
import { grypeReport, matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { newIdentity } from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { openVexDocument } from "../../world/vex_documents.ts";
import {
  descriptorOf,
  type Image,
  manifestType,
  newImageOf,
  newTarget,
  pushBlob,
  pushImage,
  putManifest,
  type Target,
} from "../client.ts";
import { registryToken } from "../stored_images.ts";

let target: Awaited<ReturnType<typeof newTarget>>;
let owner: Target;
let image: Image;
let repo: string;
beforeAll(async () => {
  target = await newTarget();
  owner = { ...target, token: await registryToken(target.organization.owner.uid) };
  image = await pushImage(target, "latest");
  const rows = await sql<{ uid: string }>(
    "select uid from repos where parent = ?",
    target.organization.uid,
  );
  repo = rows[0]?.uid ?? "";
});

const sbom = (name: string) => JSON.parse(Buffer.from(sbomContent(name), "base64").toString());
const statementOf = (predicateType: string, predicate: unknown, digest = image.digest) => ({
  _type: "https://in-toto.io/Statement/v1",
  subject: [{ name: "image", digest: { sha256: digest.slice(7) } }],
  predicateType,
  predicate,
});
const envelopeOf = (statement: unknown) => ({
  payloadType: "application/vnd.in-toto+json",
  payload: Buffer.from(JSON.stringify(statement)).toString("base64"),
  signatures: [],
});

/** Pushes a document as a referrer of the image. Returns the reasons in the event why it was not read. */
async function attach(
  document: unknown,
  { as = target as Target, type = "application/json", tag = "", hasSubject = true } = {},
): Promise<string[]> {
  const layer = Buffer.from(typeof document === "string" ? document : JSON.stringify(document));
  const config = "{}";
  await pushBlob(as, layer);
  await pushBlob(as, config);
  const { text, digest } = newImageOf({
    artifactType: "application/vnd.example",
    config: descriptorOf(config, "application/vnd.oci.empty.v1+json"),
    layers: [descriptorOf(layer, type)],
    ...(hasSubject ? { subject: descriptorOf(image.text, manifestType) } : {}),
  });
  const answer = await putManifest(as, tag || digest, text);
  expect(answer.status).toBe(201);
  const [event] = await sql<{ data: string }>(
    "select data from events where repo_uid = ? and type = 'dev.vendor.registry.push.v1' order by seq desc limit 1",
    repo,
  );
  return JSON.parse(event?.data ?? "{}").body.unread ?? [];
}

const storedSbom = async (digest = image.digest) =>
  (
    await sql<{ name: string }>(
      "select name from sboms where parent = ? and digest = ?",
      repo,
      digest,
    )
  )[0]?.name;

describe("an SBOM is read", () => {
  test.for([
    ["alone", (document: unknown) => document],
    [
      "in an in-toto statement",
      (document: unknown) => statementOf("https://spdx.dev/Document", document),
    ],
    [
      "in a DSSE envelope",
      (document: unknown) => envelopeOf(statementOf("https://spdx.dev/Document/v2.3", document)),
    ],
    [
      "in a Sigstore bundle",
      (document: unknown) => ({
        mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
        dsseEnvelope: envelopeOf(statementOf("https://spdx.dev/Document", document)),
      }),
    ],
    [
      "as a text in a statement",
      (document: unknown) => statementOf("https://spdx.dev/Document", JSON.stringify(document)),
    ],
  ] as const)("%s", async ([name, wrap]) => {
    expect(await attach(wrap(sbom(name)))).toEqual([]);
    expect(await storedSbom()).toBe(name);
  });

  test("from the tag of an older client", async () => {
    const tag = `${image.digest.replace(":", "-")}.att`;
    const document = envelopeOf(statementOf("https://spdx.dev/Document", sbom("from a tag")));
    const type = "application/vnd.dsse.envelope.v1+json";
    expect(await attach(document, { tag, type, hasSubject: false })).toEqual([]);
    expect(await storedSbom()).toBe("from a tag");
  });

  test("from an attestation of BuildKit, which has no subject", async () => {
    const document = statementOf("https://spdx.dev/Document", sbom("by BuildKit"));
    const type = "application/vnd.in-toto+json";
    expect(await attach(document, { type, hasSubject: false })).toEqual([]);
    expect(await storedSbom()).toBe("by BuildKit");
  });
});

describe("an SBOM of SPDX 3 is read, with its packages", () => {
  test.for([
    ["alone", "application/spdx+json", (document: unknown) => document],
    [
      "in an in-toto statement",
      "application/vnd.in-toto+json",
      (document: unknown) => statementOf("https://spdx.dev/Document/v3", document),
    ],
    [
      "in a Sigstore bundle",
      "application/vnd.dev.sigstore.bundle.v0.3+json",
      (document: unknown) => ({
        dsseEnvelope: envelopeOf(statementOf("https://spdx.dev/Document/v3.0.1", document)),
      }),
    ],
  ] as const)("%s", async ([how, type, wrap]) => {
    const { "@graph": graph, ...rest } = spdx3Document();
    const name = `SPDX 3 ${how}`;
    const named = graph.map((one) => (one.type === "SpdxDocument" ? { ...one, name } : one));
    expect(await attach(wrap({ ...rest, "@graph": named }), { type })).toEqual([]);
    expect(await storedSbom()).toBe(name);
    const packages = await sql(
      `select name, version, license from sbom_packages where sbom_uid =
         (select uid from sboms where parent = ? and digest = ?) order by name`,
      ...[repo, image.digest],
    );
    expect(packages).toEqual([
      { name: "libcrypto3", version: "3.3.2-r1", license: "Apache-2.0" },
      { name: "musl", version: "1.2.5-r0", license: "MIT" },
    ]);
  });
});

test("a vulnerability report and VEX are read for a caller who may send them to the API", async () => {
  const report = JSON.parse(JSON.stringify(grypeReport([matchOf("CVE-2026-7", "High")])));
  expect(await attach(report, { as: owner })).toEqual([]);
  const reports = await sql("select digest from vuln_reports where parent = ?", repo);
  expect(reports).toEqual([{ digest: image.digest }]);
  const found = await sql("select vulnerability_id from findings where parent = ?", repo);
  expect(found).toEqual([{ vulnerability_id: "CVE-2026-7" }]);
  expect(await attach(openVexDocument("CVE-2026-4321"), { as: owner })).toEqual([]);
  const [{ n }] = (await sql(
    "select count(*) as n from advisories where parent = ?",
    target.organization.uid,
  )) as [{ n: number }];
  expect(n).toBeGreaterThan(0);
});

test("a caller who may only push stores a report and VEX, and the event names the missing capabilities", async () => {
  const { uid } = await newIdentity(target.organization, "registry.push");
  const pusher = { ...target, token: await registryToken(uid) };
  const report = JSON.parse(JSON.stringify(grypeReport([matchOf("CVE-2026-8", "Low")])));
  expect(await attach(report, { as: pusher })).toEqual([
    expect.stringContaining("vuln_report.create"),
  ]);
  expect(await attach(openVexDocument("CVE-2026-9999"), { as: pusher })).toEqual([
    expect.stringContaining("advisories.create"),
  ]);
  const [{ n }] = (await sql("select count(*) as n from vuln_reports where parent = ?", repo)) as [
    { n: number },
  ];
  expect(n).toBeLessThanOrEqual(1);
});

describe("a VEX document without products is about the image that it was pushed to:", () => {
  const document = {
    "@context": "https://openvex.dev/ns/v0.2.0",
    "@id": "https://acme.example/vex/9",
    author: "a",
    timestamp: "2026-01-01T00:00:00Z",
    version: 1,
    statements: [
      {
        vulnerability: { name: "CVE-2026-7777" },
        status: "not_affected",
        justification: "component_not_present",
      },
    ],
  };
  test.for([
    ["alone", (one: object) => one],
    ["in an in-toto statement", (one: object) => statementOf("https://openvex.dev/ns/v0.2.0", one)],
    ["in a DSSE envelope", (one: object) => envelopeOf(statementOf("https://openvex.dev/ns", one))],
  ] as const)("%s", async ([_, wrap]) => {
    const found = JSON.parse(JSON.stringify(grypeReport([matchOf("CVE-2026-7777", "High")])));
    // Later than every other report of the image, which would hide its findings.
    const descriptor = { ...found.descriptor, timestamp: new Date().toISOString() };
    const report = { ...found, descriptor };
    expect(await attach(report, { as: owner })).toEqual([]);
    const { token } = target.organization.owner;
    const path = `/registry/v2/findings?uidp.children_of=${repo}&digest=${image.digest}`;
    const statuses = async () => {
      const { body } = await callRest(path, { token });
      return body.findings.map((one: { vex?: { status: string } }) => one.vex?.status);
    };
    await sql("delete from advisories where parent = ?", target.organization.uid);
    expect(await statuses()).toEqual([undefined]);
    expect(await attach(wrap(document), { as: owner })).toEqual([]);
    expect(await statuses()).toEqual(["VEX_STATUS_NOT_AFFECTED"]);
  });
});

describe("a document that cannot be read is stored, and the event says why", () => {
  test.for([
    ["not JSON", "{", "it is not JSON"],
    ["an SBOM with errors", { spdxVersion: "SPDX-9.9" }, ""],
    [
      "an SBOM of SPDX 3 with errors",
      { ...spdx3Document(), "@graph": [{ type: "software_Package", spdxId: "a" }] },
      "@graph[0].name is required",
    ],
    ["an envelope without a payload", { payloadType: "x" }, "the envelope has no payload"],
    ["an envelope with other bytes", { payloadType: "x", payload: "%%%" }, "not JSON in base64"],
    ["a report of another image", { bomFormat: "CycloneDX" }, ""],
  ] as const)("%s", async ([, document, reason]) => {
    const before = await storedSbom();
    const unread = await attach(document);
    expect(unread).toHaveLength(1);
    expect(unread[0]).toContain(reason);
    expect(await storedSbom()).toBe(before);
  });

  test("a statement about another image", async () => {
    const other = statementOf(
      "https://spdx.dev/Document",
      sbom("other"),
      `sha256:${"1".repeat(64)}`,
    );
    expect(await attach(other)).toEqual([expect.stringContaining("is not about")]);
  });

  test("an SBOM of more than 8 MiB", async () => {
    const large = { ...sbom("large"), comment: "x".repeat(8 * 1024 * 1024) };
    expect(await attach(large)).toEqual([expect.stringContaining("more than")]);
  });
});

test("a signature and an unknown predicate are stored and not read", async () => {
  expect(await attach({ critical: { identity: {} } })).toEqual([]);
  expect(await attach(statementOf("https://slsa.dev/provenance/v1", { x: 1 }))).toEqual([]);
});
