import { beforeAll, expect, test } from "vitest";
import { newImageOf, newTarget } from "../../distribution/client.ts";
import { putSbom } from "../../registry/images/stored_images.ts";
import { grypeReport, matchOf, packedReport } from "../../registry/vuln_reports/grype_reports.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { type MadeTag, makeRelease, pushIndex, releaseDigests, tagNamed } from "./histories.ts";
import { slider, untilDrawn } from "./picture.ts";

const [one = "", two = "", three = ""] = releaseDigests;

const bom = (packages: [name: string, version: string][]) => ({
  ...{ bomFormat: "CycloneDX", specVersion: "1.6" },
  components: packages.map(([name, version]) => ({
    ...{ type: "library", name, version },
    purl: `pkg:npm/${encodeURIComponent(name)}@${version}`,
  })),
});

/** Stores the SBOM and the report of the first and of the third image. The second has neither. */
async function describeImages(organization: Organization, { repo }: MadeTag): Promise<void> {
  const { token } = organization.owner;
  const hostile = "<img src=x onerror=alert(1)>";
  await putSbom(
    organization,
    repo,
    one,
    bom([
      ["left", "1.0"],
      ["both", "1.0"],
      ["same", "7"],
    ]),
  );
  await putSbom(
    organization,
    repo,
    three,
    bom([
      ["both", "2.0"],
      ["same", "7"],
      [hostile, "1"],
    ]),
  );
  const report = (digest: string, found: Parameters<typeof matchOf>[]) =>
    createResource(`/registry/v2/vulnReports/${repo}`, token, {
      digest,
      content: packedReport(grypeReport(found.map((match) => matchOf(...match)))),
    });
  await report(one, [
    ["CVE-2026-1", "Critical"],
    ["CVE-2026-2", "Low"],
  ]);
  await report(three, [
    ["CVE-2026-2", "Low"],
    ["CVE-2026-3", "High"],
    ["CVE-2026-4", "High"],
  ]);
}

describeInChromium("two moments of a release tag", () => {
  let organization: Organization;
  let tag: MadeTag;
  let times: Record<string, string>;
  beforeAll(async () => {
    organization = await newOrganization();
    tag = await makeRelease(organization);
    await describeImages(organization, tag);
    const path = `/registry/v2/tagMoves?uidp.children_of=${tag.repo}`;
    const { body } = await callRest(path, { token: organization.owner.token });
    const moves = body.tagMoves.toReversed() as { updateTime: string }[];
    const names = ["created", "moved", "back", "deleted", "again"];
    times = Object.fromEntries(names.map((name, at) => [name, moves[at]?.updateTime ?? ""]));
  });

  const open = (query: Record<string, string | undefined>, as = organization.owner.uid) => {
    const given = Object.entries(query).filter((pair): pair is [string, string] => !!pair[1]);
    const path = `/console/tags/${tag.uid}?${new URLSearchParams(given)}`;
    return openConsole({ as, path });
  };

  test("packages and findings that came, went and changed are listed from the earlier to the later moment", async () => {
    for (const query of [{ at: times.created }, { compare: times.created }]) {
      const { page } = await open({ compare: "now", ...query });
      const packages = page.getByRole("region", { name: "Packages" });
      await packages.getByText("Unchanged: 1").waitFor();
      await expect
        .poll(() => packages.getByRole("listitem").allInnerTexts())
        .toEqual(["<img src=x onerror=alert(1)> 1", "left 1.0", "both 1.0 → 2.0"]);
      const findings = page.getByRole("region", { name: "Findings" });
      await findings.getByText("In both: 1").waitFor();
      await expect
        .poll(() => findings.locator("summary").allInnerTexts())
        .toEqual(["Came 2 High 2", "Went 1 Critical 1"]);
      await expect
        .poll(() => findings.getByRole("link").allInnerTexts())
        .toEqual([...["CVE-2026-3", "CVE-2026-4"], "CVE-2026-1"]);
    }
  });

  test("an image without an SBOM or a report is named, and so are a missing tag and the same image", async () => {
    const without = await open({ at: times.moved, compare: "now" });
    const short = two.slice(0, 19);
    await without.page.getByText(`The image ${short} does not have an SBOM.`).waitFor();
    await without.page
      .getByText(`The image ${short} does not have a vulnerability report.`)
      .waitFor();
    await without.page.getByText("Release moved", { exact: true }).first().waitFor();
    const deleted = await open({ at: times.deleted, compare: "now" });
    await deleted.page.getByText(/It was deleted before/).waitFor();
    await deleted.page.getByText(/The tag did not exist at one of the moments/).waitFor();
    const same = await open({ at: times.created, compare: times.back });
    await same.page.getByText(/pointed to the same image at both moments/).waitFor();
  });

  test("the picture and the table name each kind of record, and the table chooses moments", async () => {
    const { page } = await open({});
    await untilDrawn(page, 5);
    const rows = page.getByRole("table").getByRole("row");
    const kinds = await rows.locator(".badge").allInnerTexts();
    expect(kinds).toEqual([
      ...["Created", "Deleted", "Rolled back", "Release moved", "Release moved", "Created"],
    ]);
    await slider(page).focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await expect
      .poll(() => slider(page).getAttribute("aria-valuetext"))
      .toMatch(/moved on .*release moved$/);
    await rows.nth(4).getByRole("button", { name: /20/ }).first().click();
    await page.getByText(two, { exact: true }).waitFor();
    await rows
      .nth(5)
      .getByRole("button", { name: /^Compare with/ })
      .click();
    await page.getByRole("heading", { name: "Two moments compared" }).waitFor();
  });

  test(
    "an error of a comparison shows what to do, and another attempt succeeds",
    long,
    async () => {
      const opened = await open({});
      const { page } = opened;
      await untilDrawn(page, 5);
      let isBroken = true;
      await page.route(/\/registry\/v2\/packages/, (route) =>
        isBroken
          ? route.fulfill({ status: 503, json: { code: 14, message: "The database is away." } })
          : route.continue(),
      );
      await page.getByRole("button", { name: "Compare", exact: true }).click();
      // The comparison begins with the last other image.
      const packages = page.getByRole("region", { name: "Packages" });
      await packages.getByText("The database is away.").waitFor();
      isBroken = false;
      await packages.getByRole("button", { name: "Try again" }).click();
      await packages.getByText("Unchanged: 1").waitFor();
    },
  );

  test(
    "someone who may see tags and nothing else sees the history, and why there is no comparison",
    long,
    async () => {
      const role = await createResource(
        `/iam/v2/roles/${organization.uid}`,
        organization.owner.token,
        {
          name: "tags only",
          capabilities: ["CAP_TAG_LIST"],
        },
      );
      const reader = await newIdentity(organization, undefined);
      await createResource(`/iam/v2/roleBindings/${organization.uid}`, organization.owner.token, {
        identityUid: reader.uid,
        roleUid: role.uid,
      });
      const { page } = await open({ at: times.created, compare: "now" }, reader.uid);
      await untilDrawn(page, 5);
      await page.getByText(one, { exact: true }).waitFor();
      const packages = page.getByRole("region", { name: "Packages" });
      await packages.getByText(/Ask an owner of the group for access/).waitFor();
    },
  );

  test("a move while the page is open appears, and the history of a deleted tag has an address", async () => {
    const home = await newOrganization();
    const { repo, uid } = await makeRelease(home);
    const { token } = home.owner;
    const path = `/console/tags/${uid}`;
    const { page } = await openConsole({ as: home.owner.uid, path });
    await untilDrawn(page, 5);
    await createResource(`/registry/v2/tags/${repo}`, token, { name: "1.2.3", digest: two });
    await page.evaluate(() => window.dispatchEvent(new Event("focus")));
    await untilDrawn(page, 6);
    await page.getByText(two, { exact: true }).waitFor();
    await callRest(`/registry/v2/tags/${uid}`, { method: "DELETE", token });
    const gone = await openConsole({ as: home.owner.uid, path });
    await gone.page.getByText(/It was deleted, or the address is wrong/).waitFor();
    await gone.page.getByLabel("Name of the deleted tag").fill("1.2.3");
    await gone.page.getByRole("button", { name: "Show its history" }).click();
    await untilDrawn(gone.page, 7);
    await gone.page.getByText(/It was deleted before/).waitFor();
  });

  test("of an image for several platforms, those of the chosen platform are compared", async () => {
    const target = await newTarget();
    const { organization: home } = target;
    const [amd64, old, current] = [newImageOf(), newImageOf(), newImageOf()];
    await pushIndex(target, { amd64, arm64: old });
    const { repo } = await tagNamed(home, "latest");
    await putSbom(home, repo, old.digest, bom([["left", "1"]]));
    await putSbom(home, repo, current.digest, bom([["right", "1"]]));
    const since = new Date().toISOString();
    await pushIndex(target, { amd64, arm64: current });
    const { uid } = await tagNamed(home, "latest");
    const query = new URLSearchParams({ at: since, compare: "now" });
    const path = `/console/tags/${uid}?${query}`;
    const { page } = await openConsole({ as: home.owner.uid, path });
    await page.getByText("Neither image has an SBOM.").waitFor();
    await page.getByLabel("Platform").selectOption("linux/arm64");
    const packages = page.getByRole("region", { name: "Packages" });
    await packages.getByText("right 1").waitFor();
    await expect
      .poll(() => packages.getByRole("listitem").allInnerTexts())
      .toEqual(["right 1", "left 1"]);
    expect(new URL(page.url()).searchParams.get("platform")).toBe("linux/arm64");
  });
});
