/** An image in the console, as a person looks at it. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { matchOf } from "../../registry/vuln_reports/grype_reports.ts";
import { createResource, fakeDigest, newIdentity, newOrganization } from "../../world/personas.ts";
import { sql } from "../../world/platform.ts";
import { samplePublicKey } from "../../world/sample_key.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import {
  attach,
  newPushedRepo,
  type PushedRepo,
  pushImage,
  pushIndex,
  storeReport,
  storeSbom,
} from "../scanned_images.ts";

const address = ({ uid }: PushedRepo, digest: string, view = "") =>
  `/console/images/${uid}@${digest}${view === "" ? "" : `?view=${view}`}`;

const openView = (page: Page, name: string | RegExp) =>
  page.getByRole("navigation", { name: "Views of the image" }).getByRole("link", { name }).click();

const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** An index of two images. The first has an SBOM, a scan report and a signature. */
async function newIndex() {
  const organization = await newOrganization();
  const repo = await newPushedRepo(organization);
  const settings = {
    ...{ User: "10001", WorkingDir: "/srv", Env: ["MODE=a=b"], Labels: { team: "blue" } },
    ...{ Entrypoint: ["/bin/app", "two words"], Cmd: ["--port", "80"] },
    ExposedPorts: { "80/tcp": {} },
  };
  const amd64 = await pushImage(repo, { settings, lines: ["ADD base", "RUN make"] });
  const arm64 = await pushImage(repo, { architecture: "arm64" });
  const index = await pushIndex(repo, { amd64, arm64 }, "1.0");
  await attach(repo, amd64, "application/vnd.example.cosign.signature");
  await storeSbom(repo, amd64.digest, [
    { type: "library", name: "openssl", version: "3.0.1", purl: "pkg:deb/debian/openssl@3.0.1" },
    { type: "library", name: "zlib", version: "1.3", licenses: [{ license: { id: "Zlib" } }] },
  ]);
  await storeReport(repo, amd64.digest, [
    matchOf("CVE-2026-1001", "Low"),
    matchOf("CVE-2026-1002", "Critical", { fix: { versions: [], state: "not-fixed" } }),
  ]);
  return { organization, repo, index, amd64, arm64 };
}

describeInChromium("an image in the console", () => {
  test("an index leads to its platforms, and a platform shows its parts and what is known about them", async () => {
    const { organization, repo, index, amd64 } = await newIndex();
    const path = address(repo, index.digest);
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.getByRole("link", { name: "1.0", exact: true }).waitFor();
    await page.getByRole("button", { name: "Copy the command for Docker" }).click();
    expect(await clipboard(page)).toBe(`docker pull localhost:8787/${repo.name}@${index.digest}`);
    await openView(page, "Packages");
    await page.getByRole("link", { name: "linux/arm64" }).waitFor();
    await page.getByRole("link", { name: "linux/amd64" }).click();
    await page.getByRole("row", { name: /^zlib/ }).waitFor();
    await page.getByLabel("Search packages").fill("ssl");
    await page.getByText("1 package", { exact: true }).waitFor();
    expect(page.url()).toContain("q=ssl");
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the SBOM" }).click();
    expect((await saving).suggestedFilename()).toMatch(/^sbom-.*\.json$/);
    await openView(page, "Overview");
    await page.getByText("/bin/app 'two words'").waitFor();
    for (const text of ["linux/amd64", "80/tcp", "/srv", "10001", "a=b", "blue"])
      await page.getByText(text, { exact: true }).first().waitFor();
    await openView(page, "Layers");
    await page.getByText("2 layers").waitFor();
    await expect
      .poll(() => page.locator(".images-line").allTextContents())
      .toEqual([...["ADD base", "RUN make", "ENV A=b"]]);
    await openView(page, /^Vulnerabilities/);
    const found = page.getByRole("row", { name: /CVE-2026/ });
    await found.first().waitFor();
    await expect.poll(() => found.first().textContent()).toContain("CVE-2026-1002");
    await page.getByRole("button", { name: "Low 1" }).click();
    await page.getByText("1 finding", { exact: true }).waitFor();
    expect(page.url()).toContain("severity=LOW");
    await openView(page, "Attachments");
    await page.getByRole("link", { name: "Signature" }).click();
    await page.getByRole("link", { name: "the image" }).click();
    await page.getByRole("heading", { name: new RegExp(amd64.digest.slice(7, 19)) }).waitFor();
  });

  test("a signature that counts has its trust policy, and the verdict that the platform has signed", async () => {
    const organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    const { digest } = await pushImage(repo);
    const { token, uid: owner } = organization.owner;
    const { uid: policy } = await createResource(`/registry/v2/trustPolicies/${repo.uid}`, token, {
      ...{ name: "release-key", publicKeys: [samplePublicKey], signVerdicts: true },
    });
    const uid = `${repo.uid}/${digest.slice(7, 23)}`;
    await sql(
      `insert into verified_signatures (uid, layer, policy_uid, trust_time, digest, predicate_type, key_id, issuer, subject, log_id, create_time)
        select ?, 'l', uid, trust_time, ?, '', ?, '', '', '', 1000 from trust_policies where uid = ?`,
      ...[uid, digest, "ab".repeat(32), policy],
    );
    const verdict = await pushImage(repo, { lines: ["RUN other"] });
    await sql(
      "update signed_verdicts set manifest = ?, key_id = ? where uid = ?",
      ...[verdict.digest, "12".repeat(32), uid],
    );
    const { page } = await openConsole({ as: owner, path: address(repo, digest, "attachments") });
    await page.getByText(/The platform has signed its verdict by release-key/).waitFor();
    await page.getByRole("link", { name: "verdict", exact: true }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`@${verdict.digest}`));
  });

  test("the tags of a digest have their history, and a digest without an image says what to do", async () => {
    const organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    const { token, uid } = organization.owner;
    const [gone, next] = [fakeDigest("gone"), fakeDigest("next")];
    for (const [name, digest] of [
      ["latest", gone],
      ["1.0", gone],
      ["latest", next],
    ])
      await createResource(`/registry/v2/tags/${repo.uid}`, token, { name, digest });
    const path = address(repo, gone, "tags");
    const { page } = await openConsole({ as: uid, path });
    await page.getByRole("link", { name: "1.0", exact: true }).waitFor();
    const moves = page.getByRole("table", { name: /^Moves of tags/ });
    await moves.getByText(/^Moved away/).waitFor();
    await expect.poll(() => moves.getByRole("row").count()).toBe(4);
    await moves.getByRole("link", { name: "to", exact: true }).click();
    await page.getByRole("heading", { name: new RegExp(next.slice(7, 19)) }).waitFor();
    await page.getByText("The registry does not have the content of this image").waitFor();
    await openView(page, "Packages");
    await page.getByText("This image has no SBOM").waitFor();
    await page.getByText(`platformctl import sbom FILE --image ${repo.uid}@${next}`).waitFor();
    await openView(page, /^Vulnerabilities/);
    await page.getByText("This image has not been scanned").waitFor();
    await openView(page, "Attachments");
    await page.getByText("Nothing is attached to this image").waitFor();
  });

  test(
    "a person without the capability sees why, and an error of the registry offers another try",
    long,
    async () => {
      const { organization, repo, amd64 } = await newIndex();
      const puller = await newIdentity(organization, "registry.pull");
      const path = address(repo, amd64.digest, "vulnerabilities");
      const { page } = await openConsole({ as: puller.uid, path });
      await page.getByText("Ask an owner of the group for access.").waitFor();
      await page.route("**/_vendor/images/**", (route) =>
        route.fulfill({
          status: 503,
          json: { errors: [{ code: "UNAVAILABLE", message: "R2 is not available" }] },
          headers: { "x-request-id": "request-7" },
        }),
      );
      await openView(page, "Layers");
      await page.getByText("R2 is not available").waitFor();
      await page.getByText("request-7").waitFor();
      await page.unroute("**/_vendor/images/**");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("2 layers").waitFor();
    },
  );

  test("with thousands of labels shows some of them, and all of them on demand", long, async () => {
    const organization = await newOrganization();
    const repo = await newPushedRepo(organization);
    const labels = Array.from({ length: 2_000 }, (_, at) => [`label-${at}`, "x"]);
    const { digest } = await pushImage(repo, { settings: { Labels: Object.fromEntries(labels) } });
    const { page } = await openConsole({
      ...{ as: organization.owner.uid, path: address(repo, digest) },
    });
    const shown = page.locator('dl[aria-label="Labels"] dt');
    await shown.first().waitFor();
    await expect.poll(() => shown.count()).toBe(200);
    await page.getByRole("button", { name: "Show all 2,000 lines" }).click();
    await expect.poll(() => shown.count()).toBe(2_000);
  });
});
