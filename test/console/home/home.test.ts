/** The first page of the console, as a person uses it. */
import { generateKeyPairSync } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { pushImage, send } from "../../distribution/client.ts";
import { registryToken } from "../../distribution/stored_images.ts";
import { newRepoNamed, putReport } from "../../registry/findings/stored_findings.ts";
import {
  createResource,
  fakeDigest,
  newIdentity,
  newOrganization,
  newUser,
  type Organization,
  roleUid,
} from "../../world/personas.ts";
import { callRest, sql } from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { describeInChromium, expectAccessible, openConsole } from "../chromium.ts";

const day = 86_400_000;
const jwks = JSON.stringify({
  keys: [
    {
      ...{ kty: "OKP", crv: "Ed25519", kid: "a", alg: "EdDSA", use: "sig" },
      x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    },
  ],
});

/** An organization with a moved release, an end-of-life tag in use, expiring keys, an invite, and a disabled sink. */
async function newBusyOrganization(): Promise<Organization> {
  const organization = await newOrganization();
  const { uid, owner } = organization;
  const create = (path: string, body: unknown) => createResource(path, owner.token, body);
  const pusher = await newIdentity(organization, "registry.push");
  const target = { name: `${uid}/shop`, token: await registryToken(pusher.uid) };
  const { digest } = await pushImage(target, "1.0.0");
  const repos = await callRest(`/registry/v2/repos?uidp.childrenOf=${uid}`, owner);
  await create(`/registry/v2/tags/${repos.body.repos[0].uid}`, {
    name: "0.9.0",
    digest,
    deprecated: true,
  });
  await (await send(target, "manifests/0.9.0")).arrayBuffer();
  await pushImage(target, "1.0.0");
  const expirationTime = new Date(Date.now() + 5.5 * day).toISOString();
  await create(`/iam/v2/identities/${uid}`, {
    name: "edge device",
    staticKeys: { issuer: "https://k.example", subject: "d", issuerKeys: jwks, expirationTime },
  });
  const invite = { roleUid: await roleUid("viewer"), email: "new@mail.example", ttl: "86400s" };
  await create(`/iam/v2/groupInvites/${uid}`, invite);
  await create(`/events/v2/subscriptions/${uid}`, {
    ...{ sink: "http://127.0.0.1:1/events", disabled: true },
  });
  const pulls = () => sql("select 1 from tag_pulls where identity = ?", pusher.uid);
  while ((await pulls()).length === 0) await setTimeout(20);
  return organization;
}

const card = (page: Page, title: string) => page.getByRole("region", { name: title });

/** The number of requests that the page has made with this part in their address. */
const requestsOf = (page: Page, part: string): Promise<number> =>
  page.evaluate(
    (text) =>
      performance.getEntriesByType("resource").filter(({ name }) => name.includes(text)).length,
    part,
  );

describeInChromium("the first page", () => {
  let busy: Organization;
  beforeAll(async () => {
    busy = await newBusyOrganization();
  });
  const home = () => `/console?group=${busy.uid}`;

  test("each card shows what needs attention, and leads to the page with the same filter", async () => {
    const { page } = await openConsole({
      as: busy.owner.uid,
      path: home(),
    });
    const moves = card(page, "Tags that moved in the last week");
    await moves.getByRole("link", { name: "shop:0.9.0" }).waitFor();
    const days = moves.getByRole("list", { name: "Moves of each day" }).getByRole("listitem");
    expect((await days.allInnerTexts()).map((text) => text.split("\n")[0])).toEqual([
      ...["0", "0", "0", "0", "0", "0", "3"],
    ]);
    await card(page, "Expires within 30 days").getByRole("link", { name: "edge device" }).waitFor();
    await card(page, "Expires within 30 days").getByText("in 5 days").waitFor();
    await card(page, "Expires within 30 days").getByText("new@mail.example").waitFor();
    await card(page, "Failed deliveries").getByText("http://127.0.0.1:1/events").waitFor();
    await card(page, "End-of-life tags in use").getByText("shop:0.9.0").waitFor();
    await card(page, "Storage").getByText("There is no limit.").waitFor();
    // The days of a group with few moves need no requests of their own.
    expect(await requestsOf(page, "/registry/v2/tagMoves?")).toBe(2);
    const alarms = card(page, "Moves to check");
    await alarms.getByText("Release moved").waitFor();
    await alarms.getByRole("link", { name: "All warnings" }).click();
    await page.getByText("1 move", { exact: true }).waitFor();
  });

  test("a quiet organization has no empty lists, and each card says that nothing is wrong", async () => {
    const { owner } = await newOrganization();
    const visit = { as: owner.uid, path: "/console" };
    const { page } = await openConsole(visit);
    await page.getByText("No tag moved in the last seven days.").waitFor();
    await page.getByText("No move of the last seven days has a warning.").waitFor();
    await page.getByText("No key, SCIM token or invite expires soon.").waitFor();
    await page.getByText("There are no subscriptions.").waitFor();
    await page.getByText("No end-of-life tag was pulled in the last 30 days.").waitFor();
    await page.getByText("0 B").waitFor();
    await card(page, "Newly affected").getByText("Since yesterday, no tag got").waitFor();
    await card(page, "Fixed by a newer image").getByText("In the last week, no one").waitFor();
    await card(page, "Unsigned tags").getByText("No trust policy says who must sign.").waitFor();
    // One request for each card, one more for trust policies, and three for the credentials that expire.
    const ofGroups = await requestsOf(page, "/iam/v2/groups");
    expect((await requestsOf(page, "/v2/")) - ofGroups).toBe(12);
    await expectAccessible(page);
  });

  test("the morning's questions have answers, each with the command that gives the same one", async () => {
    const organization = await newOrganization();
    const { uid, owner } = organization;
    const repo = await newRepoNamed(organization, "shop");
    const [old, newer] = [fakeDigest("old"), fakeDigest("newer")];
    for (const [digest, versions] of [
      [old, ["2.14.1"]],
      [newer, []],
    ] as const) {
      await putReport(owner.token, repo, digest, [...versions]);
      await createResource(`/registry/v2/tags/${repo}`, owner.token, { name: "1.0", digest });
    }
    const risky = fakeDigest("risky");
    const tools = await newRepoNamed(organization, "tools");
    await putReport(owner.token, tools, risky, ["2.14.1"]);
    await createResource(`/registry/v2/tags/${tools}`, owner.token, { name: "2.0", digest: risky });
    await sql("insert into repo_storage (uid, organization_id) values (?, 1)", repo);
    await sql(
      `insert into tag_pulls (repo_id, reference, identity, identity_name, time, days)
        select id, ?, 'ci', 'ci', ?, 1 from repo_storage where uid = ?`,
      ...[old, Date.now(), repo],
    );
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    await createResource(`/registry/v2/trustPolicies/${tools}`, owner.token, {
      ...{ name: "release", publicKeys: [pem] },
    });
    const { page } = await openConsole({ as: owner.uid, path: `/console?group=${uid}` });
    const affected = card(page, "Newly affected");
    await affected.getByRole("link", { name: "tools" }).waitFor();
    await expect.poll(() => affected.getByRole("listitem").count()).toBe(1);
    await affected.getByText(`--found-since 1d --group ${uid} --open --tagged`).waitFor();
    const fixed = card(page, "Fixed by a newer image");
    await fixed.getByRole("link", { name: "shop" }).waitFor();
    await fixed.getByText(`--pulled-since 7d --group ${uid} --open`).waitFor();
    const unsigned = card(page, "Unsigned tags");
    await unsigned.getByRole("link", { name: "tools:2.0" }).waitFor();
    await expect.poll(() => unsigned.getByRole("listitem").count()).toBe(1);
    await unsigned.getByText(`platformctl list tags --unsigned --group ${uid}`).waitFor();
    await expectAccessible(page);
    await fixed.getByRole("link", { name: "Pulled images" }).click();
    await page.getByRole("row", { name: /CVE-2021-44228/ }).waitFor();
    expect(page.url()).toContain("images=7d");
  });

  test(
    "a card that fails can be tried again, and one that is not permitted says why",
    long,
    async () => {
      const puller = await newIdentity(busy, "registry.pull");
      const { page } = await openConsole({ as: puller.uid, path: home() });
      await card(page, "Failed deliveries")
        .getByText("You need the subscriptions.list capability to see this.")
        .waitFor();
      await card(page, "Expires within 30 days")
        .getByText(/You need the identity.list/)
        .waitFor();
      await card(page, "Storage").getByText("There is no limit.").waitFor();
      await page.route("**/registry/v2/tagMoves?*", (route) =>
        route.fulfill({ status: 500, json: { code: 13, message: "The database is away." } }),
      );
      await page.reload();
      const moves = card(page, "Tags that moved in the last week");
      await moves.getByText("The database is away.").waitFor();
      await card(page, "Storage").getByText("There is no limit.").waitFor();
      await page.unroute("**/registry/v2/tagMoves?*");
      await moves.getByRole("button", { name: "Try again" }).click();
      await moves.getByRole("link", { name: "shop:0.9.0" }).waitFor();
    },
  );

  test("a busy group has the moves of each day from a request of its own", long, async () => {
    const { uid, owner } = await newOrganization();
    const { uid: repo } = await createResource(`/registry/v2/repos/${uid}`, owner.token, {
      name: "busy",
    });
    await createResource(`/registry/v2/tags/${repo}`, owner.token, {
      ...{ name: "latest", digest: fakeDigest("first") },
    });
    await sql(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < 249)
       insert into tag_moves (repo_uid, tag, update_time, digest)
       select ?, 'old', ? + i * 1000, 'sha256:' || printf('%064x', i) from n`,
      ...[repo, Date.now() - 3 * day],
    );
    const path = `/console?group=${uid}`;
    const { page } = await openConsole({ as: owner.uid, path });
    const days = page.getByRole("list", { name: "Moves of each day" });
    await days.getByText("200+").waitFor();
    await expect.poll(() => days.getByRole("listitem").last().innerText()).toMatch(/^1\n/);
  });

  test("a person without an organization sees how to get into one", long, async () => {
    const { uid } = await newUser();
    const { page } = await openConsole({ as: uid, path: "/console" });
    await page.getByText(uid).waitFor();
    await expectAccessible(page);
  });
});
