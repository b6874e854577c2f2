import { expect, test } from "vitest";
import {
  createResource,
  makeOperator,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { describeInChromium, openConsole } from "../chromium.ts";
import { addressOf, expectGoodLooks } from "./looks.ts";

const newRepo = async ({ uid, owner }: Organization, readme = "") =>
  (await createResource(`/registry/v1/repos/${uid}`, owner.token, { name: "shop", readme }))
    .id as string;

const hostile = `# A shop <a id="main" name="console">here</a>

Read [the manual](https://manual.example/shop), [the license](LICENSE), [elsewhere](//cdn.example/x)
and [usage](#usage). <a href="https://evil.example" rel="noreferrer" target="_top" role="button">Sign in</a>

![build passing](https://img.example/b.svg) <img src="/console/local-owner" alt="local">
<img src="https://img.example/pixel.gif" alt=""><picture><source srcset="https://img.example/d.png"><img src="https://img.example/l.png" alt="logo"></picture>
![dot](data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)

#### Usage

- [x] signed
- [ ] reproducible

| ${"wide ".repeat(60)} | b |
|---|---|
| ${"x".repeat(2_000)} | \u202e gnp.exe |

\`\`\`sh
docker run ${"y".repeat(500)}
\`\`\`
`;

describeInChromium("the readme of a repository in the console", () => {
  test("is a guest of the page: its ids, links and images change nothing outside of it", async () => {
    const organization = await newOrganization();
    const uid = await newRepo(organization, hostile);
    const path = `/console/repositories/${uid}/readme`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    const readme = page.getByRole("region", { name: "Readme" });
    await readme.getByRole("heading", { name: "A shop here", level: 2 }).waitFor();
    await readme.getByRole("heading", { name: "Usage", level: 3 }).waitFor();
    const found = await readme.evaluate((element) => ({
      ids: [...element.querySelectorAll("[id], [name]")].map(
        (one) => `${one.id} ${one.getAttribute("name") ?? ""}`,
      ),
      links: [...element.querySelectorAll("a")].map((one) =>
        [one.getAttribute("href"), one.rel, one.target, one.getAttribute("role")].join(" "),
      ),
      images: [...element.querySelectorAll("img")].map((one) => one.src.slice(0, 15)),
      texts: [...element.querySelectorAll(".readme-image")].map((one) => one.textContent),
    }));
    const outside = "noopener noreferrer nofollow _blank ";
    expect(found).toEqual({
      ids: ["readme-a-shop-here ", "readme-main readme-console", "readme-usage "],
      links: [
        "   ",
        `https://manual.example/shop ${outside}`,
        "   ",
        `https://cdn.example/x ${outside}`,
        "#readme-usage   ",
        `https://evil.example ${outside}`,
      ],
      images: ["data:image/gif;"],
      texts: ["build passing", "local", "logo"],
    });
    await readme.getByRole("link", { name: "usage" }).click();
    await page.waitForURL(/#readme-usage$/);
    await readme.getByRole("checkbox", { name: "Done" }).waitFor();
    await expectGoodLooks(page);
  });

  test("that breaks a newer rule shows its source, and its owner reads why they cannot edit it", async () => {
    const organization = await newOrganization();
    const uid = await newRepo(organization);
    const script = "<script>document.title = 'taken'</script>";
    await sql("update repos set readme = ? where uid = ?", script, uid);
    const path = `/console/repositories/${uid}/readme?edit=1`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.getByText("The platform does not render this readme").waitFor();
    await page.getByText(script).waitFor();
    await page
      .getByText("You need the repo.internal.admin capability on this repository.")
      .waitFor({ state: "attached" });
    await expect.poll(() => page.title()).toBe("shop · Platform API");
  });

  test("is written by the operator, who sees it before saving it, and an error at the text", async () => {
    const organization = await newOrganization();
    await makeOperator(organization);
    const uid = await newRepo(organization);
    const path = `/console/repositories/${uid}/readme`;
    const { page } = await openConsole({
      as: organization.owner.uid,
      path,
    });
    await page.getByRole("button", { name: "Write a readme" }).click();
    expect(addressOf(page)).toBe(`/repositories/${uid}/readme?edit=1`);
    const text = page.getByLabel("Markdown");
    await text.fill("# One\n\n<iframe></iframe>");
    await page.locator(".field-error").getByText("<iframe> is not allowed").waitFor();
    await text.fill("# One\n\ntwo");
    const preview = page.getByRole("region", { name: "Preview" });
    await preview.getByRole("heading", { name: "One" }).waitFor();
    await expectGoodLooks(page);
    const at = `/registry/v2/repos/${uid}/readme`;
    const { token } = organization.owner;
    expect((await callRest(at, { token })).body).not.toHaveProperty("content");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved the readme.").waitFor();
    await page.getByRole("region", { name: "Readme" }).getByText("two").waitFor();
    expect((await callRest(at, { token })).body.content).toBe("# One\n\ntwo");
  });
});
