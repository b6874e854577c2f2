/** The device flow (RFC 8628): a program on another machine gets a token only if a person types its code and approves. */
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { sha256 } from "../../../src/aip/sha256.ts";
import { seal } from "../../../src/auth/secrets.ts";
import type { Config } from "../../../src/config.ts";
import { placeOf } from "../../../src/issuer/oauth/device.ts";
import { startOwnPlatform } from "../../world/own_platform.ts";
import { newOrganization, type Organization, randomName, roleUid } from "../../world/personas.ts";
import {
  audience,
  baseUrl,
  callRest,
  issuer,
  registryAudience,
  sql,
} from "../../world/platform.ts";
import { newProvider, textOf } from "../login/logins.ts";
import { type OpenidProvider, startProvider } from "../login/openid_provider.ts";
import {
  answer,
  approve,
  DeviceBrowser,
  grantType,
  logInFor,
  newNetwork,
  poll,
  postForm,
  requestCode,
  typeCode,
} from "./device_flow.ts";

let provider: OpenidProvider;
let organization: Organization;
let idp: string;
beforeAll(async () => {
  provider = await startProvider();
  organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
});
afterAll(() => provider.close());

const plain = (userCode: string) => userCode.replace("-", "");
const update = (userCode: string, change: string) =>
  sql(`update device_codes set ${change} where user_code = ?`, plain(userCode));
const errorOf = async (code: string, client?: string) => (await poll(code, client)).body.error;

async function register(): Promise<string> {
  const body = JSON.stringify({ client_name: "television", grant_types: [grantType] });
  const response = await fetch(`${baseUrl()}/oauth/register`, { method: "POST", body });
  expect(response.status).toBe(201);
  return ((await response.json()) as { client_id: string }).client_id;
}

test("discovery names the endpoint and the grant", async () => {
  const { body } = await callRest("/.well-known/openid-configuration");
  expect(body.device_authorization_endpoint).toBe(`${issuer}/oauth/device_authorization`);
  expect(body.grant_types_supported).toContain(grantType);
});

test("a code is short-lived, has eight letters of twenty, and comes without a link that contains it", async () => {
  const { status, body, headers } = await postForm("/oauth/device_authorization", {
    client_id: "platformctl",
  });
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(Object.keys(body).sort()).toEqual(
    ["device_code", "expires_in", "interval", "user_code", "verification_uri"].sort(),
  );
  expect(body.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  expect(body.verification_uri).toBe(`${issuer}/oauth/device`);
  expect(body.expires_in).toBeLessThanOrEqual(600);
  const { text } = await new DeviceBrowser().open(`/oauth/device?user_code=${body.user_code}`);
  expect(text).not.toContain(body.user_code);
});

test("the person sees who asks and from where, logs in and approves, and the program gets one token", async () => {
  const network = newNetwork();
  const { device_code, user_code } = await requestCode({ scope: "write", idp_id: "acme" }, network);
  expect(await errorOf(device_code)).toBe("authorization_pending");
  const browser = new DeviceBrowser();
  const page = await typeCode(user_code.toLowerCase().replace("-", " "), browser);
  for (const shown of ["“platformctl”", network, "Read and change everything", user_code])
    expect(textOf(page)).toContain(shown);
  expect(textOf(page)).toContain("Stop if you did not start that program yourself");
  expect(page.text).toContain('value="acme"');
  const account = randomName("ada");
  const question = await logInFor(page, idp, account, browser);
  for (const shown of ["“platformctl”", network, account, "people of the tests", "Stop if you"])
    expect(textOf(question)).toContain(shown);
  await update(user_code, "poll_time = 0");
  expect(await errorOf(device_code)).toBe("authorization_pending");
  const done = await answer(question, "approve", browser);
  expect(textOf(done)).toContain("You are signed in as");
  const { status, body, headers } = await poll(device_code);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(body).toMatchObject({ token_type: "Bearer", scope: "read write" });
  expect(body.refresh_token).toBeUndefined();
  expect(decodeJwt(body.access_token)).toMatchObject({ idp, aud: [issuer, audience] });
  expect(await errorOf(device_code)).toBe("invalid_grant");
  const exchanged = await callRest(`/sts/exchange?aud=${registryAudience}`, {
    token: body.access_token,
  });
  expect(decodeJwt(exchanged.body.token).aud).toBe(registryAudience);
});

test("polls that cross get one token, and it stays valid", async () => {
  const { device_code, user_code } = await requestCode();
  await approve(user_code, idp, randomName("ada"));
  const all = await Promise.all([1, 2, 3, 4, 5].map(() => poll(device_code)));
  const [first, ...others] = all.filter(({ status }) => status === 200);
  expect(others).toEqual([]);
  const { status } = await callRest("/registry/v2/repos", { token: first?.body.access_token });
  expect(status).toBe(200);
});

test("a read scope limits the token, as for any other program", async () => {
  const editors = { issuer: provider.url, default_role: await roleUid("editor") };
  const editorIdp = await newProvider((await newOrganization()).uid, editors);
  for (const [scope, status] of [
    ["read", 403],
    ["write", 200],
  ] as const) {
    const { device_code, user_code } = await requestCode({ scope });
    await approve(user_code, editorIdp, randomName("ada"));
    const { body } = await poll(device_code);
    const path = `/registry/v2/repos/${editorIdp.split("/")[0]}`;
    const name = randomName("repo");
    const written = await callRest(path, { token: body.access_token, body: { name } });
    expect([scope, written.status]).toEqual([scope, status]);
  }
});

describe("a program that polls", () => {
  test("too early is slowed down, and waits longer from then on", async () => {
    const { device_code, user_code } = await requestCode();
    expect(await errorOf(device_code)).toBe("authorization_pending");
    expect(await errorOf(device_code)).toBe("slow_down");
    const rows = await sql(
      "select poll_interval from device_codes where user_code = ?",
      plain(user_code),
    );
    expect(rows).toEqual([{ poll_interval: 10 }]);
  });

  test("after a refusal gets access_denied, with and without a login", async () => {
    const early = await requestCode();
    const browser = new DeviceBrowser();
    const page = await typeCode(early.user_code, browser);
    const state = /name="state" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
    await browser.open("/oauth/device/login", { state, answer: "refuse" });
    expect(await errorOf(early.device_code)).toBe("access_denied");

    const late = await requestCode();
    const other = new DeviceBrowser();
    const asked = await logInFor(
      await typeCode(late.user_code, other),
      idp,
      randomName("a"),
      other,
    );
    expect(textOf(await answer(asked, "refuse", other))).toContain("gets no access");
    expect(await errorOf(late.device_code)).toBe("access_denied");
  });

  test("after the end gets expired_token, also if a person has approved", async () => {
    const { device_code, user_code } = await requestCode();
    await approve(user_code, idp, randomName("ada"));
    await update(user_code, "expire_time = 1");
    expect((await poll(device_code)).status).toBe(400);
    const content = {
      userCode: plain(user_code),
      device: "x",
      client: await sha256("platformctl"),
    };
    const config = { encryptionKeys: JSON.parse(inject("encryptionKeys")) } as Config;
    const old = await seal(config, "device_code", JSON.stringify({ ...content, until: 1 }));
    expect(await errorOf(old)).toBe("expired_token");
  });

  test("with another client id gets nothing, and does not use up the token", async () => {
    const { device_code, user_code } = await requestCode();
    await approve(user_code, idp, randomName("ada"));
    expect(await errorOf(device_code, await register())).toBe("invalid_grant");
    expect(await errorOf(device_code, "console")).toBe("invalid_grant");
    expect((await poll(device_code)).status).toBe(200);
  });

  test.each(["", "x", "a.b.c.d.e"])("with the code %j gets an error", async (code) => {
    const { status, body } = await poll(code);
    expect([status, body.error]).toEqual([400, code === "" ? "invalid_request" : "invalid_grant"]);
  });
});

describe("a request for a code", () => {
  test.each<[Record<string, string>, string]>([
    [{ client_id: "" }, "invalid_client"],
    [{ client_id: "stranger" }, "invalid_client"],
    [{ client_id: "console" }, "unauthorized_client"],
    [{ scope: "admin" }, "invalid_scope"],
    [{ resource: "https://other.example" }, "invalid_target"],
    [{ idp_id: "x".repeat(300) }, "invalid_request"],
  ])("%j is refused", async (given, error) => {
    const form = { client_id: "platformctl", ...given };
    expect((await postForm("/oauth/device_authorization", form)).body.error).toBe(error);
  });

  test("of a registered program shows the name that it gave itself, and its token has only the API as audience", async () => {
    const client_id = await register();
    const { device_code, user_code } = await requestCode({ client_id });
    expect(textOf(await typeCode(user_code))).toContain("“television”");
    await approve(user_code, idp, randomName("ada"));
    const { body } = await poll(device_code, client_id);
    expect(decodeJwt(body.access_token).aud).toBe(audience);
  });

  test("cannot come from a page of another origin, nor with GET", async () => {
    const asked = await postForm("/oauth/device_authorization", { client_id: "platformctl" });
    expect(asked.headers.get("access-control-allow-origin")).toBe(null);
    expect((await fetch(`${baseUrl()}/oauth/device_authorization`)).status).toBe(405);
  });

  test("is refused if the network has requested twenty, and not in another network", async () => {
    const network = newNetwork();
    for (let count = 0; count < 20; count += 1) await requestCode({}, network);
    const form = { client_id: "platformctl" };
    const { status, body } = await postForm("/oauth/device_authorization", form, network);
    expect([status, body.error]).toEqual([503, "temporarily_unavailable"]);
    await requestCode({});
  });
});

describe("a person who types codes", () => {
  test("cannot try more than ten wrong ones in a network, even at the same time", async () => {
    const { user_code } = await requestCode();
    const network = newNetwork();
    const wrong = Array.from({ length: 12 }, () => "BBBB-BBBB");
    const tried = await Promise.all(
      wrong.map((code) => typeCode(code, new DeviceBrowser(network))),
    );
    const statuses = tried.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(404), 429, 429]);
    expect((await typeCode(user_code, new DeviceBrowser(network))).status).toBe(429);
    expect((await typeCode(user_code)).status).toBe(200);
  });

  test("can type right ones as often as others do, because only wrong ones count", async () => {
    const network = newNetwork();
    for (let count = 0; count < 12; count += 1) {
      const { user_code } = await requestCode();
      expect((await typeCode(user_code, new DeviceBrowser(network))).status).toBe(200);
    }
  });

  test("can type one code five times", async () => {
    const { user_code } = await requestCode();
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await typeCode(user_code)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test.each(["", "BCDF", "BCDF-GHJA", "BCDFGHJKL", "12345678"])(
    "gets a page for the malformed code %j",
    async (code) => expect((await typeCode(code)).status).toBe(400),
  );

  test("cannot be led there by a page of another origin, which lacks the secret of the browser", async () => {
    const { user_code } = await requestCode();
    const { status } = await new DeviceBrowser().open("/oauth/device", { secret: "x", user_code });
    expect(status).toBe(403);
  });

  test("cannot use a code that has expired, was refused or was approved", async () => {
    for (const change of ["expire_time = 1", "state = 'refused'", "state = 'approved'"]) {
      const { user_code } = await requestCode();
      await update(user_code, change);
      expect((await typeCode(user_code)).status).toBe(404);
    }
  });
});

describe("of two people who type the same code", () => {
  test("the first answer counts, and the second gets a page that says so", async () => {
    const { device_code, user_code } = await requestCode();
    const asked = await Promise.all(
      [randomName("ada"), randomName("eve")].map(async (account) => {
        const browser = new DeviceBrowser();
        const page = await logInFor(await typeCode(user_code, browser), idp, account, browser);
        return { browser, page };
      }),
    );
    const statuses: number[] = [];
    for (const { browser, page } of asked)
      statuses.push((await answer(page, "approve", browser)).status);
    expect(statuses).toEqual([200, 403]);
    expect((await poll(device_code)).status).toBe(200);
  });

  test("no one can answer the question of another browser, or answer twice", async () => {
    const { user_code } = await requestCode();
    const browser = new DeviceBrowser();
    const page = await logInFor(await typeCode(user_code, browser), idp, randomName("a"), browser);
    expect((await answer(page, "approve", new DeviceBrowser())).status).toBe(403);
    expect((await answer(page, "maybe", browser)).status).toBe(400);
    expect((await answer(page, "approve", browser)).status).toBe(200);
    expect((await answer(page, "approve", browser)).status).toBe(403);
  });
});

test("the texts of a program cannot add to the page", async () => {
  const body = JSON.stringify({ client_name: "<b>x\u202e</b>", grant_types: [grantType] });
  const response = await fetch(`${baseUrl()}/oauth/register`, { method: "POST", body });
  const { client_id } = (await response.json()) as { client_id: string };
  const { user_code } = await requestCode({ client_id, idp_id: '"><script>' });
  const { text } = await typeCode(user_code);
  expect(text).not.toContain("<b>");
  expect(text).not.toContain("\u202e");
  expect(text).not.toContain("<script>");
});

test("the login that waits is stored only in an encrypted form", async () => {
  const { user_code } = await requestCode();
  await approve(user_code, idp, randomName("ada"));
  const [row] = await sql(
    "select login_grant from device_codes where user_code = ?",
    plain(user_code),
  );
  expect(row?.login_grant).toMatch(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/);
});

/** Puts a row into every place of the table. */
const fillSql = `with letters(l) as (select value from json_each('["${[..."BCDFGHJKLMNPQRSTVWXZ"].join('","')}"]'))
     insert or ignore into device_codes
     select a.l || b.l || c.l, '', '', '', '', '', '', 'pending', '', 0, 5, 0, ?
     from letters a, letters b, letters c`;

test("while every place is taken by a program that waits, a request is refused", async () => {
  const own = await startOwnPlatform();
  const ask = () =>
    fetch(`${own.origin}/oauth/device_authorization`, {
      method: "POST",
      body: new URLSearchParams({ client_id: "platformctl" }),
    });
  expect((await ask()).status).toBe(200);
  await own.db
    .prepare(fillSql)
    .bind(Date.now() + 600_000)
    .run();
  const refused = await ask();
  expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
    503,
    "temporarily_unavailable",
  ]);
  await own.stop();
});

test("the table has at most 8000 rows: a request takes the place of one that has expired", async () => {
  await sql(fillSql, 1);
  await approve((await requestCode()).user_code, idp, randomName("ada"));
  const [row] = await sql("select count(*) as count from device_codes");
  expect(row?.count).toBe(8000);
});

test.each([
  [{ country: "DE", asOrganization: "Example GmbH" }, "Germany, Example GmbH, 203.0.113.7"],
  [{ country: "T1" }, "the Tor network, 203.0.113.7"],
  [{ country: "XX" }, "203.0.113.7"],
  [{ country: 5, asOrganization: "a\u202eb" }, "a b, 203.0.113.7"],
  [undefined, "203.0.113.7"],
])("the place of a request with %j is %j", (cf, place) => {
  const request = new Request("http://localhost", {
    headers: { "cf-connecting-ip": "203.0.113.7" },
  });
  expect(placeOf(Object.assign(request, { cf }))).toBe(place);
});
