/** VEX statements that apply to findings. */
import { beforeEach, describe, expect, test } from "vitest";
import {
  csafDocument,
  csafProduct,
  csafVulnerability,
} from "../../vulnerabilities/vex/csaf_imports.ts";
import { loadCsaf, loadOpenVex, openVexOf } from "../../vulnerabilities/vex/vex_imports.ts";
import {
  createResource,
  fakeDigest,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { putIndex } from "../images/stored_images.ts";
import { grypeReport, matchOf, nvdRecord, packedReport } from "../vuln_reports/grype_reports.ts";

let organization: Organization;
let token: string;
let group: string;
let repo: string;
const image = fakeDigest("image");
const purl = "pkg:maven/org.apache.logging.log4j/log4j-core";
const oci = "pkg:oci/app";
const encoded = (digest: string) => encodeURIComponent(digest);

beforeEach(async () => {
  organization = await newOrganization();
  token = organization.owner.token;
  group = (await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "team" })).uid;
  repo = (await createResource(`/registry/v2/repos/${group}`, token, { name: "app" })).uid;
  const found = matchOf("GHSA-1", "High", {
    artifact: { name: "log4j-core", version: "2.14.1", purl: `${purl}@2.14.1` },
    related: [nvdRecord("CVE-2021-44228", "Log4Shell")],
  });
  const content = packedReport(grypeReport([found]));
  await createResource(`/registry/v2/vulnReports/${repo}`, token, { digest: image, content });
  await createResource(`/registry/v2/tags/${repo}`, token, { name: "1.0", digest: image });
});

async function findings(query = "") {
  const { status, body } = await callRest(
    `/registry/v2/findings?uidp.children_of=${repo}${query}`,
    { token },
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body.findings ?? [];
}

const vex = async () => (await findings())[0].vex;

/** Imports a statement about the vulnerability, a second later than the one before. */
let time = Date.UTC(2026, 0, 1);
async function say(status: string, product: object, { at = group, ...more } = {}) {
  time += 1000;
  const timestamp = new Date(time).toISOString();
  const statement = {
    vulnerability: { name: "CVE-2021-44228" },
    products: [product],
    status,
    ...(status === "not_affected" ? { justification: "vulnerable_code_not_present" } : {}),
    ...(status === "affected" ? { action_statement: "Update." } : {}),
    ...more,
  };
  const answer = await loadOpenVex(token, at, openVexOf([statement], { timestamp }));
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

const part = (text: string) => ({ subcomponents: [{ "@id": text }] });

test("a statement has its status, justification, advisory and time", async () => {
  expect(await vex()).toBeUndefined();
  await say("not_affected", { "@id": oci, ...part(purl) });
  expect(await vex()).toEqual({
    status: "VEX_STATUS_NOT_AFFECTED",
    justification: "vulnerable_code_not_present",
    advisoryUid: expect.stringMatching(new RegExp(`^${group}/`)),
    advisoryId: expect.stringContaining("CVE-2021-44228"),
    statementTime: new Date(time).toISOString(),
    aboutImage: true,
  });
});

test("the newest statement of an advisory counts", async () => {
  for (const [status, shown] of [
    ["under_investigation", "VEX_STATUS_UNDER_INVESTIGATION"],
    ["affected", "VEX_STATUS_AFFECTED"],
    ["not_affected", "VEX_STATUS_NOT_AFFECTED"],
    ["fixed", "VEX_STATUS_FIXED"],
  ] as const) {
    await say(status, { "@id": oci });
    expect(await vex()).toMatchObject({ status: shown });
  }
});

describe("a statement applies", () => {
  test.each([
    ["to the whole image", oci, undefined],
    ["to the image with this digest", `${oci}@${encoded(image)}`, undefined],
    ["to the image with this tag", "pkg:docker/app@1.0", undefined],
    ["to a package of the image", oci, purl],
    ["to a package of the image in this version", oci, `${purl}@2.14.1`],
    ["to the package in any image", purl, undefined],
    ["to the package in this version", `${purl}@2.14.1`, undefined],
  ])("%s", async (_, product, subcomponent) => {
    await say("not_affected", { "@id": product, ...(subcomponent ? part(subcomponent) : {}) });
    expect(await vex()).toMatchObject({ status: "VEX_STATUS_NOT_AFFECTED" });
  });

  test("to the index that contains the image", async () => {
    const index = await putIndex(organization, repo, [["amd64", image]]);
    await say("not_affected", { "@id": `${oci}@${encoded(index)}` });
    expect(await vex()).toMatchObject({ status: "VEX_STATUS_NOT_AFFECTED" });
  });

  test("from a group above the repository, and not from another group", async () => {
    const beside = await createResource(`/iam/v2/groups/${organization.uid}`, token, { name: "b" });
    await say("not_affected", { "@id": oci }, { at: beside.uid });
    expect(await vex()).toBeUndefined();
    await say("not_affected", { "@id": oci }, { at: organization.uid });
    expect(await vex()).toMatchObject({ status: "VEX_STATUS_NOT_AFFECTED" });
  });
});

describe("a statement does not apply", () => {
  test.each([
    ["to another image", "pkg:oci/other", undefined],
    ["to another digest", `${oci}@${encoded(fakeDigest("other"))}`, undefined],
    ["to another tag", "pkg:docker/app@2.0", undefined],
    ["to another package of the image", oci, "pkg:maven/org.apache.logging.log4j/log4j-api"],
    ["to another version of the package in the image", oci, `${purl}@2.15.0`],
    ["to a package of another type with this name", "pkg:npm/log4j-core", undefined],
    ["to another version of the package", `${purl}@2.15.0`, undefined],
    ["to a part of the package", purl, "pkg:maven/com.example/part"],
  ])("%s", async (_, product, subcomponent) => {
    await say("not_affected", { "@id": product, ...(subcomponent ? part(subcomponent) : {}) });
    expect(await vex()).toBeUndefined();
  });

  test("to another vulnerability", async () => {
    await say("not_affected", { "@id": oci }, {
      vulnerability: { name: "CVE-2021-45046" },
    } as object);
    expect(await vex()).toBeUndefined();
  });
});

test("one about the image comes before one about the package, and a lower group before a higher one", async () => {
  await say("affected", { "@id": oci }, { at: organization.uid });
  await say("not_affected", { "@id": purl });
  expect(await vex()).toMatchObject({ status: "VEX_STATUS_AFFECTED", aboutImage: true });
  await say("under_investigation", { "@id": oci });
  await say("fixed", { "@id": `${oci}@${encoded(image)}` }, { at: organization.uid });
  expect(await vex()).toMatchObject({ status: "VEX_STATUS_UNDER_INVESTIGATION" });
});

test("resolved findings are shown with their status, and left out only on request", async () => {
  await say("affected", { "@id": oci });
  expect(await findings("&exclude_resolved=true")).toHaveLength(1);
  await say("not_affected", { "@id": oci });
  expect(await findings()).toHaveLength(1);
  expect(await findings("&exclude_resolved=true")).toEqual([]);
});

describe("a statement that cannot be applied exactly leaves the finding, which says why:", () => {
  const shown = async () => {
    const [finding] = await findings();
    return [finding.vex, finding.unappliedVex?.map((one: { reason: string }) => one.reason)];
  };
  test.each([
    [`${purl}?classifier=dist`, "it is about classifier=dist, and the report does not say the"],
    ["https://acme.example/log4j-core", undefined],
    [`${purl}?vers=all%20before%20the%20second`, 'its version range "all before the second"'],
    [`${purl}?vers=vers:rpm%2F%3C3`, 'its version range "vers:rpm/<3" cannot be read'],
  ])("the package %s", async (text, reason) => {
    await say("not_affected", { "@id": oci, ...part(text) });
    const said = reason === undefined ? undefined : [expect.stringContaining(reason)];
    expect(await shown()).toEqual([undefined, said]);
    await say("affected", { "@id": oci, ...part(text) });
    expect(await shown()).toEqual([undefined, undefined]);
  });

  test.each([
    [`${oci}?arch=arm64`, "it is about arch=arm64 of the image"],
    [`${oci}?repository_url=registry.example.com/acme/app`, undefined],
  ])("the image %s", async (id, reason) => {
    await say("not_affected", { "@id": id });
    expect(await shown()).toEqual([undefined, reason && [reason]]);
  });
});

describe("a statement about a range of versions", () => {
  test.each([
    ["vers:maven/>=2.0|<2.15.0", "VEX_STATUS_FIXED"],
    ["vers:maven/2.14.1", "VEX_STATUS_FIXED"],
    ["vers:maven/>=2.15.0", undefined],
    ["vers:maven/<2.14.1", undefined],
    ["vers:maven/!=2.14.1", undefined],
  ])("%s: the finding in 2.14.1 is %s", async (range, status) => {
    await say("fixed", { "@id": oci, ...part(`${purl}?vers=${encodeURIComponent(range)}`) });
    expect((await vex())?.status).toBe(status);
  });

  test("of CSAF ends a finding only if its version is in the range", async () => {
    const csaf = (range: string) =>
      csafDocument(
        [
          csafVulnerability({
            cve: "CVE-2021-44228",
            product_status: { known_not_affected: ["P"] },
            flags: [{ label: "vulnerable_code_not_present", product_ids: ["P"] }],
          }),
        ],
        {
          product_tree: {
            branches: [
              { category: "product_version_range", name: range, product: csafProduct("P", purl) },
            ],
          },
        },
      );
    expect((await loadCsaf(token, group, csaf("vers:maven/>=2.15.0"))).status).toBe(200);
    expect(await vex()).toBeUndefined();
    expect((await loadCsaf(token, group, csaf("vers:maven/<2.15.0"))).status).toBe(200);
    expect(await vex()).toMatchObject({ status: "VEX_STATUS_NOT_AFFECTED" });
  });
});

describe("the qualifiers of a statement", () => {
  const found = "pkg:deb/debian/x@1?arch=x86_64&distro=debian-12";
  test.each([
    ["pkg:deb/debian/x@1?distro=debian-12", "VEX_STATUS_NOT_AFFECTED"],
    ["pkg:deb/debian/x@1?distro=debian-12&arch=x86_64", "VEX_STATUS_NOT_AFFECTED"],
    ["pkg:deb/debian/x", "VEX_STATUS_NOT_AFFECTED"],
    ["pkg:deb/debian/x@1?distro=debian-11", undefined],
    ["pkg:deb/debian/x@1?arch=aarch64", undefined],
    ["pkg:deb/ubuntu/x@1", undefined],
    ["pkg:deb/debian/x@1#usr/bin", undefined],
  ])("%s: the finding is %s", async (text, status) => {
    const artifact = { name: "x", version: "1", purl: found };
    const one = matchOf("CVE-2026-3000", "Critical", { artifact });
    const digest = fakeDigest("deb");
    const content = packedReport(grypeReport([one]));
    await createResource(`/registry/v2/vulnReports/${repo}`, token, { digest, content });
    await say("not_affected", { "@id": `${oci}@${encoded(digest)}`, ...part(text) }, {
      vulnerability: { name: "CVE-2026-3000" },
    } as object);
    const [finding] = await findings("&vulnerability=CVE-2026-3000");
    expect(finding.vex?.status).toBe(status);
  });
});

test("a full address names a repository below other groups, and an address elsewhere does not", async () => {
  const { body } = await callRest("/", { headers: { accept: "application/json" } });
  const path = `${organization.name}/team/app`;
  await say("not_affected", { "@id": `${oci}?repository_url=other.example/${path}` });
  expect(await vex()).toBeUndefined();
  await say("not_affected", {
    "@id": `${oci}?repository_url=${new URL(body.registry).host}/${path}`,
  });
  expect(await vex()).toMatchObject({ status: "VEX_STATUS_NOT_AFFECTED" });
});
