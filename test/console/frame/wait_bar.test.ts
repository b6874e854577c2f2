import { expect, test } from "vitest";
import { newOrganization } from "../../world/personas.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`;
const body = JSON.stringify({
  code: 8,
  message: "Resource exhausted: the rate limit is 3 calls; send the call again in 3 s",
  details: [
    { "@type": type("ErrorInfo"), reason: "RATE_LIMITED", domain: "iam.platform.example" },
    { "@type": type("RetryInfo"), retryDelay: "3s" },
  ],
});

describeInChromium("a rate limit of the platform", () => {
  test("is shown with the time to wait, and the page then continues by itself", async () => {
    const { uid, owner } = await newOrganization();
    const visit = { as: owner.uid, path: `/console?group=${uid}`, isFirstVisit: true };
    const { page } = await openConsole(visit);
    const lists = "**/iam/v2/groupInvites?**";
    const answer = { status: 429, contentType: "application/json", body };
    await page.route(lists, (route) => route.fulfill(answer), { times: 1 });
    await page.getByRole("link", { name: "Invites" }).click();
    const bar = page.getByText("the platform asks to wait");
    await bar.waitFor();
    await page.getByText(/The page continues in [1-4] s\./).waitFor();
    await expectAccessible(page);
    await page.getByText("There are no invites").waitFor();
    await expect.poll(() => bar.count()).toBe(0);
  });
});
