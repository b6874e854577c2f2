import { expect, test } from "vitest";
import { createResource, newIdentity, newOrganization } from "../../world/personas.ts";
import { callRest } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

/** An organization with a group, and an identity that may only read there. */
async function newPlace() {
  const organization = await newOrganization();
  const { owner, uid } = organization;
  const team = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
  const bot = await newIdentity(organization, "viewer", { group: team.uid });
  const { body } = await callRest(`/iam/v2/identities/${bot.uid}`, { token: owner.token });
  return { organization, owner, team, bot: { ...bot, name: String(body.name) } };
}

/** The id of the decision about a call that the bot may not make. */
async function refusedCall(team: string, token: string): Promise<string> {
  const { body } = await callRest(`/iam/v2/groups/${team}`, { method: "DELETE", token });
  return body.details[0].metadata.decision_id;
}

describeInChromium("questions about access in the console", () => {
  test("the owner asks who can do something, then why not, and applies the one fix", async () => {
    const { owner, team, bot } = await newPlace();
    const path = `/console/access?group=${team.uid}&view=who`;
    const { page } = await openConsole({ as: owner.uid, path });
    const row = page.getByRole("row").filter({ hasText: bot.name });
    await row.getByText("viewer on this group").waitFor();
    await row.getByText("Has access").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Who can", { exact: true }).selectOption("push");
    await row.waitFor({ state: "detached" });
    await page.getByLabel("Who can", { exact: true }).selectOption("Use a capability…");
    await page.getByRole("combobox", { name: "Capability" }).fill("delete repositories");
    await page.getByRole("option", { name: /^repo.delete/ }).click();
    await page.getByRole("row").filter({ hasText: "owner on" }).waitFor();
    expect(page.url()).toContain("capability=repo.delete");

    await page
      .getByRole("link", { name: /^Why for/ })
      .first()
      .click();
    const who = page.getByRole("combobox", { name: "Who", exact: true });
    // The name comes after the uid.
    await expect.poll(() => who.inputValue()).toMatch(/^user-/);
    await who.fill(bot.name);
    await page.getByRole("option", { name: bot.name }).click();
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    const answer = page.getByRole("region", { name: "Answer" });
    await answer.getByText("No", { exact: true }).waitFor();
    await answer.getByText("What comes closest").waitFor();
    await expectAccessible(page);
    await answer.getByRole("button", { name: /^Give / }).click();
    await page.getByLabel("Preview").getByText(`${bot.name} gains access.`).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Give access" }).click();
    await answer.getByText("Yes", { exact: true }).waitFor();
    const asked = `identityUid=${bot.uid}&resourceUid=${team.uid}&capability=CAP_REPO_DELETE`;
    const { body } = await callRest(`/iam/v2/access:explain?${asked}`, { token: owner.token });
    expect(body.allowed).toBe(true);
  });

  test("the owner looks up a refused call, and sees the call and the fix", async () => {
    const { owner, team, bot } = await newPlace();
    const id = await refusedCall(team.uid, bot.token);
    const path = `/console/access/decisions/${id}`;
    const { page } = await openConsole({ as: owner.uid, path });
    await page.getByText("iam.v2.GroupsService/DeleteGroup").waitFor();
    await page.getByRole("link", { name: bot.name }).first().waitFor();
    await page.getByText("in 4 weeks").waitFor();
    const answer = page.getByRole("region", { name: "Answer" });
    await answer.getByText("groups.delete").waitFor();
    await answer.getByRole("button", { name: /^Give / }).waitFor();
    await expectAccessible(page);
  });

  test("a refused call is not shown to others, and neither is an id that is expired or not known", async () => {
    const { owner, team, bot } = await newPlace();
    const other = await newOrganization();
    const id = await refusedCall(team.uid, bot.token);
    const path = `/console/access/decisions/${id}`;
    const theirs = await openConsole({ as: other.owner.uid, path });
    await theirs.page.getByText("You cannot look up this call").waitFor();
    await theirs.page.getByRole("button", { name: "Copy the address" }).waitFor();
    expect(await theirs.page.getByText("DeleteGroup").count()).toBe(0);

    const unknown = "/console/access/decisions/abcdef";
    const { page } = await openConsole({ as: owner.uid, path: unknown });
    await page.getByText("There is no refused call with this id").waitFor();
    const violations = [{ type: "DECISION_EXPIRED", subject: "", description: "" }];
    const details = [{ "@type": "type.googleapis.com/google.rpc.PreconditionFailure", violations }];
    const json = { code: 9, message: "The decision has expired.", details };
    await page.route(/accessDecisions/, (route) => route.fulfill({ status: 400, json }));
    await page.reload();
    await page.getByText("This id has expired").waitFor();
  });

  test(
    "a call without a uid is explained at the resource that the owner chooses",
    long,
    async () => {
      const { organization, owner, team, bot } = await newPlace();
      const { body } = await callRest("/events/v2/events", { token: bot.token });
      const id = body.details[0].metadata.decision_id;
      const path = `/console/access/decisions/${id}?group=${organization.uid}`;
      const { page } = await openConsole({ as: owner.uid, path });
      await page.getByRole("combobox", { name: "Group or repository" }).fill("team");
      await page.getByRole("option", { name: /^team/ }).click();
      await page.getByRole("button", { name: "Explain" }).click();
      await page.getByRole("region", { name: "Answer" }).waitFor();
      expect(page.url()).toContain(`resource=${encodeURIComponent(team.uid)}`);
    },
  );
});
