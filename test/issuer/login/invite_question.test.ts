/** A login with an invite: the page that asks, and its answers. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { awaitToken, newHeadlessKey } from "../../../cli/account/headless.ts";
import { personUid } from "../../../src/auth/person.ts";
import { seal, unseal } from "../../../src/auth/secrets.ts";
import type { Config } from "../../../src/config.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomName,
  roleUid,
} from "../../world/personas.ts";
import { baseUrl, callRest, sql } from "../../world/platform.ts";
import { type ForeignIssuer, startIssuer } from "../foreign_issuer.ts";
import { Browser, type OpenedPage } from "./browser.ts";
import {
  answerInvite,
  errorOf,
  logInWithIdToken,
  loginUrl,
  mapGroup,
  newProvider,
  questionIn,
  serveTokens,
  textOf,
  tokensOf,
} from "./logins.ts";

let issuer: ForeignIssuer;
let answers: ReturnType<typeof serveTokens>;
let organization: Organization;
let idp = "";
let subject = "";
let browser: Browser;

beforeAll(async () => {
  issuer = await startIssuer();
  answers = serveTokens(issuer);
});
afterAll(() => issuer.close());
beforeEach(async () => {
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: issuer.url });
  subject = randomName("ada");
  browser = new Browser();
});

interface Invite {
  uid: string;
  code: string;
}

/** An invite as an editor for one person, unless the fields say otherwise. */
const newInvite = async (fields: Record<string, unknown> = {}, of = organization.uid) => {
  const body = { roleUid: await roleUid("editor"), ttl: "3600s", singleUse: true, ...fields };
  const path = `/iam/v2/groupInvites/${of}`;
  return (await createResource(path, organization.owner.token, body)) as unknown as Invite;
};

/** Changes a resource as the owner. */
async function patch(path: string, body: Record<string, unknown>) {
  const { token } = organization.owner;
  const { status } = await callRest(path, { method: "PATCH", token, body });
  expect(status).toBe(200);
}

/** A login of the subject, up to the first page or redirect after their provider. */
const logIn = (
  code: string,
  claims: Record<string, unknown> = {},
  { at = idp, by = browser, query = {} as Record<string, string> } = {},
) =>
  logInWithIdToken(
    issuer,
    answers,
    at,
    { sub: subject, ...claims },
    { invite: code, ...query },
    by,
  );

const press = (page: OpenedPage, answer = "accept", by = browser) => answerInvite(page, answer, by);

async function rolesOf(name = subject): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    `select roles.name from role_bindings join roles on roles.uid = role_uid
     where identity_uid = ? order by roles.name`,
    await personUid(issuer.url, name),
  );
  return rows.map((row) => row.name);
}

const invitesLeft = async () => {
  const rows = await sql("select uid from group_invites where parent = ?", organization.uid);
  return rows.length;
};

/** The rows that the login of the subject wrote. */
async function traces() {
  const uid = await personUid(issuer.url, subject);
  return Promise.all([
    sql("select * from identities where uid = ?", uid),
    sql("select * from sign_ins where identity_uid = ?", uid),
    sql("select * from role_bindings where identity_uid = ?", uid),
    sql("select * from refresh_tokens where identity_uid = ?", uid),
    sql("select * from events where json_extract(data, '$.actor.subject') = ?", uid),
  ]);
}

function expectQuestion(page: OpenedPage): void {
  expect([page.status, page.headers.get("location")]).toEqual([200, null]);
  expect(page.text).toContain("Accept and sign in");
  expect(page.text).toContain("Sign in without accepting");
}

function expectPage({ status, location, text }: OpenedPage, expected: number, words: RegExp): void {
  expect([status, location.href]).toEqual([expected, "about:blank"]);
  expect(text).toMatch(words);
}

test("an invite is accepted only when the person presses the button, and once, with its event", async () => {
  const { code } = await newInvite();
  const page = await logIn(code);
  expectQuestion(page);
  expect(await traces()).toEqual([[], [], [], [], []]);
  expect(await invitesLeft()).toBe(1);

  const done = await press(page);
  expect(done.location.href.startsWith("http://127.0.0.1:9/callback")).toBe(true);
  const uid = tokensOf(done).claims.sub ?? "";
  expect(await rolesOf()).toEqual(["editor", "viewer"]);
  const events = await sql<{ type: string; data: string }>(
    "select * from events where json_extract(data, '$.actor.subject') = ? order by rowid",
    uid,
  );
  const bound = events.filter(({ type }) => /rolebindings/.test(type));
  expect(bound.map(({ data }) => JSON.parse(data).body.role.name).sort()).toEqual([
    "editor",
    "viewer",
  ]);

  subject = randomName("second");
  expect(errorOf(await logIn(code))[0]).toBe("404");
  expect(await traces()).toEqual([[], [], [], [], []]);
});

test("a person can sign in without accepting, and the invite stays open", async () => {
  const { code } = await newInvite();
  tokensOf(await press(await logIn(code), "decline"));
  expect([await rolesOf(), await invitesLeft()]).toEqual([["viewer"], 1]);
  tokensOf(await press(await logIn(code)));
  expect([await rolesOf(), await invitesLeft()]).toEqual([["editor", "viewer"], 0]);
});

test("the page shows the group with its path, the role, who invites, the end, and the account", async () => {
  const { owner, uid } = organization;
  const team = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
  const role = await createResource(`/iam/v2/roles/${uid}`, owner.token, {
    name: "reader",
    description: `<b>can "read"</b>`,
    capabilities: ["CAP_IAM_GROUPS_LIST"],
  });
  const invite = await newInvite({ roleUid: role.uid }, team.uid);
  await sql("update group_invites set expiration_time = 4102444800000 where uid = ?", invite.uid);
  const [organizationRow] = await sql<{ name: string }>(
    "select name from groups where uid = ?",
    uid,
  );
  const [inviter] = await sql<{ name: string }>(
    "select name from identities where uid = ?",
    owner.uid,
  );

  const page = await logIn(invite.code, { email: "ada@people.example" });
  const text = textOf(page);
  expect(text).toContain(`Group ${organizationRow?.name} / team Role`);
  expect(text).toContain("reader: &lt;b&gt;can &quot;read&quot;&lt;/b&gt;It allows only reading.");
  expect(text).toContain(`Invited by ${inviter?.name} `);
  expect(text).toContain("The invite expires 2100-01-01 00:00 UTC");
  expect(text).toContain("You sign in as ada@people.example, at people of the tests");

  await sql("update group_invites set inviter_uid = ? where uid = ?", "0".repeat(40), invite.uid);
  expect(textOf(await logIn(invite.code))).toContain("Invited by Someone who has left");
  const editor = await newInvite();
  expect(textOf(await logIn(editor.code))).toContain("It allows changes.");
});

describe("what changed between the page and the press is shown again, and nothing is accepted:", () => {
  test.each<[string, (invite: Invite, role: string, group: string) => Promise<unknown>, string]>([
    [
      "the role of the invite",
      async ({ uid }) => patch(`/iam/v2/groupInvites/${uid}`, { roleUid: await roleUid("owner") }),
      "Role owner",
    ],
    [
      "the capabilities of the role",
      (_, role) => patch(`/iam/v2/roles/${role}`, { capabilities: ["CAP_IAM_GROUPS_DELETE"] }),
      "It allows changes.",
    ],
    [
      "the name of the role",
      (_, role) => patch(`/iam/v2/roles/${role}`, { name: "renamed" }),
      "Role renamed",
    ],
    [
      "the name of the group",
      (_, __, group) => patch(`/iam/v2/groups/${group}`, { name: "renamed" }),
      "/ renamed Role",
    ],
  ])("%s", async (_, change, words) => {
    const { owner, uid } = organization;
    const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: "team" });
    const role = await createResource(`/iam/v2/roles/${uid}`, owner.token, {
      name: "reader",
      capabilities: ["CAP_IAM_GROUPS_LIST"],
    });
    const invite = await newInvite({ roleUid: role.uid }, group.uid);
    const page = await logIn(invite.code);
    expect(textOf(page)).not.toContain(words);
    await change(invite, role.uid, group.uid);

    const again = await press(page);
    expectQuestion(again);
    expect(again.text).toContain("you have not\naccepted it");
    expect(textOf(again)).toContain(words);
    expect(await traces()).toEqual([[], [], [], [], []]);
    // The first form is used up.
    expectPage(await press(page), 403, /no such login in progress/);
    tokensOf(await press(again));
    expect(await rolesOf()).toHaveLength(2);
  });
});

test("a withdrawn or expired invite is refused at the press, and the person is not signed in", async () => {
  const { token } = organization.owner;
  for (const end of [
    ({ uid }: Invite) => callRest(`/iam/v2/groupInvites/${uid}`, { method: "DELETE", token }),
    ({ uid }: Invite) => sql("update group_invites set expiration_time = 1 where uid = ?", uid),
  ]) {
    const invite = await newInvite();
    const page = await logIn(invite.code);
    await end(invite);
    const refused = await press(page);
    expect(refused.location.href.startsWith("http://127.0.0.1:9/callback")).toBe(true);
    expect(errorOf(refused)[0]).toBe("404");
    expect(await traces()).toEqual([[], [], [], [], []]);
  }
});

describe("a second answer has no effect:", () => {
  test("one after the other", async () => {
    const { code } = await newInvite({ singleUse: false });
    const page = await logIn(code);
    const cookies = new Map(browser.cookies);
    tokensOf(await press(page));
    const before = await traces();
    expectPage(await press(page), 403, /no such login in progress/);
    // A copy of the cookie does not help.
    for (const answer of ["accept", "decline"]) {
      for (const [key, value] of cookies) browser.cookies.set(key, value);
      const [status, reason] = errorOf(await press(page, answer));
      expect([status, reason]).toEqual(["403", expect.stringContaining("the first press counted")]);
    }
    expect(await traces()).toEqual(before);
  });

  test("at the same time", async () => {
    const { code } = await newInvite({ singleUse: false });
    const page = await logIn(code, {}, { query: { create_refresh_token: "true" } });
    const done = await Promise.all([press(page), press(page), press(page, "decline")]);
    const outcomes = done.map(({ location }) => location.searchParams.has("token"));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    const [, , , refreshTokens, events] = await traces();
    expect(refreshTokens).toHaveLength(1);
    expect(events.filter((one) => (one as { type: string }).type.includes("login"))).toHaveLength(
      1,
    );
  });
});

describe("an answer is refused", () => {
  test("without the cookie of the question, also with that of another login", async () => {
    const { code } = await newInvite();
    const page = await logIn(code);
    const stranger = new Browser();
    await logIn((await newInvite()).code, { sub: randomName("eve") }, { by: stranger });
    for (const by of [new Browser(), stranger])
      expectPage(await press(page, "accept", by), 403, /no such login in progress/);
    // The value of one cookie under the name of the other.
    const [theirs = ""] = stranger.cookies.values();
    const [name = ""] = browser.cookies.keys();
    stranger.cookies.set(name, theirs);
    expectPage(await press(page, "accept", stranger), 403, /no such login in progress/);
    expect(await traces()).toEqual([[], [], [], [], []]);
    tokensOf(await press(page));
  });

  test("if the issuer did not seal the question, or sealed it for another use", async () => {
    const page = await logIn((await newInvite()).code);
    const config = { encryptionKeys: JSON.parse(inject("encryptionKeys")) } as Config;
    const others = ["", "x", await seal(config, "login", "{}"), `${questionIn(page)}x`];
    for (const question of others) {
      const shown = { ...page, text: `name="question" value="${question}"` };
      expectPage(await press(shown), 403, /no such login in progress/);
    }
  });

  test("after ten minutes", async () => {
    const page = await logIn((await newInvite()).code);
    const config = { encryptionKeys: JSON.parse(inject("encryptionKeys")) } as Config;
    const text = (await unseal(config, "invite_question", questionIn(page))) ?? "";
    const { until, ...question } = JSON.parse(text);
    expect(until).toBeGreaterThan(Date.now());
    expect(until).toBeLessThanOrEqual(Date.now() + 10 * 60_000);
    const old = { ...question, until: Date.now() };
    const value = await seal(config, "invite_question", JSON.stringify(old));
    const shown = { ...page, text: `name="question" value="${value}"` };
    expectPage(await press(shown), 403, /no such login in progress/);
    expect(await traces()).toEqual([[], [], [], [], []]);
  });

  test("without one of the two buttons", async () => {
    const page = await logIn((await newInvite()).code);
    expectPage(await press(page, ""), 400, /answer must be accept or decline/);
    expect(await traces()).toEqual([[], [], [], [], []]);
  });

  test("if the provider was changed or deleted in between", async () => {
    const page = await logIn((await newInvite()).code);
    await sql("update identity_providers set client_id = 'other' where uid = ?", idp);
    expect(errorOf(await press(page))).toEqual(["403", expect.stringContaining("was changed")]);
    const second = await newProvider(organization.uid, { issuer: issuer.url });
    const other = await logIn((await newInvite()).code, {}, { at: second });
    await sql("delete from identity_providers where uid = ?", second);
    expect(errorOf(await press(other))).toEqual(["403", expect.stringContaining("was deleted")]);
    expect(await traces()).toEqual([[], [], [], [], []]);
  });
});

describe("no page asks", () => {
  test("about a group that the login does not reach", async () => {
    const { owner, uid } = organization;
    const team = await createResource(`/iam/v2/groups/${uid}`, owner.token, {
      name: randomName("team"),
    });
    const below = await newProvider(team.uid, { issuer: issuer.url });
    const above = await newInvite();
    expect(errorOf(await logIn(above.code, {}, { at: below }))[0]).toBe("403");
    const other = await newOrganization();
    const body = { roleUid: await roleUid("editor"), ttl: "3600s" };
    const path = `/iam/v2/groupInvites/${other.uid}`;
    const { code } = await createResource(path, other.owner.token, body);
    expect(errorOf(await logIn(code as string))[0]).toBe("403");
    expect(await traces()).toEqual([[], [], [], [], []]);
  });

  test("about an invite for an address that the provider has not verified", async () => {
    const email = "ada@people.example";
    const { code } = await newInvite({ email });
    for (const claims of [{}, { email }, { email: "eve@people.example", email_verified: true }])
      expect(errorOf(await logIn(code, claims))[0]).toBe("403");
    expect(await traces()).toEqual([[], [], [], [], []]);
    tokensOf(await press(await logIn(code, { email, email_verified: true })));
  });
});

test("a person with many groups can answer, and has the roles of their groups", async () => {
  const at = await newProvider(organization.uid, { issuer: issuer.url, groups_claim: "teams" });
  await mapGroup(at, "team 1", await roleUid("owner"), organization.uid);
  const teams = Array.from({ length: 900 }, (_, index) => `team ${index} ${"x".repeat(30)}`);
  const page = await logIn((await newInvite()).code, { teams: [...teams, "team 1"] }, { at });
  expect(questionIn(page).length).toBeGreaterThan(40_000);
  expect(tokensOf(await press(page)).claims.groups).toEqual(["team 1"]);
});

test("a login for a program elsewhere asks too, and the program gets its token after the answer", async () => {
  const key = newHeadlessKey();
  const { code } = await newInvite();
  const query = { idp_id: idp, headless_code: key.code, invite: code };
  const confirmation = await browser.open(loginUrl(query));
  const [, state = ""] = /name="state" value="([^"]+)"/.exec(confirmation.text) ?? [];
  const onward = await browser.open("/oauth/confirm", { state });
  const [, next = ""] = /content="0;url=([^"]+)"/.exec(onward.text) ?? [];
  const asked = new URL(next.replaceAll("&amp;", "&")).searchParams;
  const nonce = asked.get("nonce");
  answers.idToken = await issuer.sign({ aud: "public", nonce, sub: subject });
  const back = new URLSearchParams({ code: "c", state: asked.get("state") ?? "" });
  const page = await browser.open(`${asked.get("redirect_uri")}?${back}`);
  expectQuestion(page);
  expect((await callRest(`/sts/headless_sessions?code=${key.code}`)).status).toBe(404);
  expect((await press(page)).text).toContain("You can close this window");
  expect(await awaitToken(baseUrl(), key, 5000)).toContain(".");
  expect(await rolesOf()).toEqual(["editor", "viewer"]);
});
