/** VEX statements that apply to findings. */
import { beforeEach, describe, expect, test } from "vitest";
import { loadOpenVex, openVexOf } from "../../vulnerabilities/vex/vex_imports.ts";
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
