import {
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { fromJson } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { awaitToken, fingerprintOf, newHeadlessKey } from "../../../cli/account/headless.ts";
import { Auth, HeadlessSessionSchema } from "../../../schema/gen/platform/auth/auth_pb.js";
import { newOrganization, randomName } from "../../world/personas.ts";
import { baseUrl, callRest, sql, transports } from "../../world/platform.ts";
import { Browser, type OpenedPage } from "./browser.ts";
import { errorOf, loginUrl, newProvider, redirect, signInOnPage } from "./logins.ts";
import { type OpenidProvider, startProvider } from "./openid_provider.ts";

let provider: OpenidProvider;
let idp = "";
let browser: Browser;

beforeAll(async () => {
  provider = await startProvider();
});
afterAll(() => provider.close());
beforeEach(async () => {
  const organization = await newOrganization();
  idp = await newProvider(organization.uid, { issuer: provider.url });
  browser = new Browser();
});

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync("x25519");
  return { code: publicKey.export({ format: "jwk" }).x ?? "", privateKey };
}

const fetchSession = (code: string) => callRest(`/sts/headless_sessions?code=${code}`);
const stateIn = ({ text }: OpenedPage) => /name="state" value="([^"]+)"/.exec(text)?.[1] ?? "";

/** Reads the fields of the session as existing clients do: as bytes, and the bytes of the key as text. */
interface Session {
  ecdhPublicKey: Uint8Array;
  encryptedIdtoken: Uint8Array;
}

/** Decrypts them like such a client: ECDH over X25519, AES-256-GCM, with a nonce of 12 bytes at the front. */
function open({ ecdhPublicKey, encryptedIdtoken }: Session, privateKey: KeyObject): string {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(ecdhPublicKey);
  expect(text).toMatch(/^[A-Za-z0-9_-]{43}$/);
  const x = Buffer.from(text, "base64url");
  expect(x).toHaveLength(32);
  const theirs = createPublicKey({ key: { kty: "OKP", crv: "X25519", x: text }, format: "jwk" });
  const secret = diffieHellman({ privateKey, publicKey: theirs });
  const sealed = Buffer.from(encryptedIdtoken);
  const decipher = createDecipheriv("aes-256-gcm", secret, sealed.subarray(0, 12));
  decipher.setAuthTag(sealed.subarray(-16));
  return decipher.update(sealed.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
}

/** Completes a login, including the click. Returns the last page. */
async function logIn(code: string, query: Record<string, string> = {}): Promise<OpenedPage> {
  const page = await browser.open(loginUrl({ idp_id: idp, headless_code: code, ...query }));
  const onward = await browser.open("/oauth/confirm", { state: stateIn(page) });
  expect(onward.status).toBe(200);
  const next = /http-equiv="refresh" content="0;url=([^"]+)"/.exec(onward.text)?.[1] ?? "";
  const at = await browser.follow(next.replaceAll("&amp;", "&"), () => false);
  return signInOnPage(randomName("ada"), at, browser);
}

test("the token waits for the owner of the key, once", async () => {
  const { code, privateKey } = newKey();
  const missing = await fetchSession(code);
  expect([missing.status, missing.body.code]).toEqual([404, 5]);
  const done = await logIn(code, { create_refresh_token: "true" });
  expect([done.status, done.text]).toEqual([200, expect.stringContaining("You are signed in as")]);
  expect(done.text).not.toMatch(/eyJ/);
  const { status, body, headers } = await fetchSession(code);
  expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(Object.keys(body).sort()).toEqual(["ecdhPublicKey", "encryptedIdtoken"]);
  expect(headers.get("referrer-policy")).toBe("no-referrer");
  const text = open(fromJson(HeadlessSessionSchema, body), privateKey);
  expect(decodeJwt(text).idp).toBe(idp);
  expect((await fetchSession(code)).status).toBe(404);
  expect(await sql("select * from refresh_tokens where identity_provider_uid = ?", idp)).toEqual(
    [],
  );
});

test("a token that waits is stored only in a form that the key of its machine opens", async () => {
  const { code, privateKey } = newKey();
  await logIn(code);
  const [row = {}] = await sql("select * from headless_sessions where code = ?", code);
  const session = fromJson(HeadlessSessionSchema, (await fetchSession(code)).body);
  const [, payload = "", signature = ""] = open(session, privateKey).split(".");
  const plain = (text: string) => Buffer.from(text, "base64").toString("latin1");
  const stored = Object.values(row).flatMap((value) => [`${value}`, plain(`${value}`)]);
  expect(stored).toContain(code);
  for (const part of [payload, signature])
    expect(stored.filter((text) => text.includes(part))).toEqual([]);
  expect(() => open(session, newKey().privateKey)).toThrow();
});

test.each(["connect", "connectJson", "grpcWeb"] as const)(
  "it can be read over %s as well, once, with the key as the text of REST",
  async (transport) => {
    const { code, privateKey } = newKey();
    await logIn(code);
    const client = createClient(Auth, transports()[transport]);
    const session = await client.getHeadlessSession({ code });
    expect(decodeJwt(open(session, privateKey)).idp).toBe(idp);
    const again = client.getHeadlessSession({ code });
    await expect(again).rejects.toMatchObject({ code: Code.NotFound });
    await expect(client.getHeadlessSession({ code: "x" })).rejects.toMatchObject({
      code: Code.InvalidArgument,
    });
  },
);

test("platformctl reads the token that waits for it", async () => {
  const key = newHeadlessKey();
  await logIn(key.code);
  expect(decodeJwt(await awaitToken(baseUrl(), key, 5_000)).idp).toBe(idp);
});

test("before anyone logs in, the page asks for a click and shows the program's code", async () => {
  const { code } = newKey();
  const page = await browser.open(loginUrl({ idp_id: idp, headless_code: code }));
  expect([page.status, page.location.href]).toEqual([200, "about:blank"]);
  expect(page.text).toContain(fingerprintOf(code));
  expect(page.text).toContain("people of the tests");
  expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
});

test("the click counts only from the browser that showed the page", async () => {
  const { code } = newKey();
  const page = await browser.open(loginUrl({ idp_id: idp, headless_code: code }));
  const stranger = new Browser();
  const state = stateIn(page);
  expect((await stranger.open("/oauth/confirm", { state })).status).toBe(403);
  expect((await browser.open("/oauth/confirm", { state: `${state}x` })).status).toBe(403);
  const callback = await browser.open(`/oauth/callback?code=c&state=${state}`);
  expect([callback.status, callback.text]).toEqual([403, expect.stringContaining("no such login")]);
  expect((await browser.open("/oauth/confirm", { state })).status).toBe(200);
  expect((await browser.open("/oauth/confirm", { state })).status).toBe(403);
});

test("a token that no client fetches is deleted after ten minutes", async () => {
  const { code } = newKey();
  await logIn(code);
  const [row] = await sql<{ expire_time: number }>(
    "select expire_time from headless_sessions where code = ?",
    code,
  );
  expect(Math.abs((row?.expire_time ?? 0) - Date.now() - 600_000)).toBeLessThan(30_000);
  await sql("update headless_sessions set expire_time = 1 where code = ?", code);
  expect((await fetchSession(code)).status).toBe(404);
});

test("a second login under the same code does not replace the token that waits", async () => {
  const { code } = newKey();
  await logIn(code);
  const before = await sql("select * from headless_sessions where code = ?", code);
  browser = new Browser();
  expect((await logIn(code)).status).toBe(409);
  expect(await sql("select * from headless_sessions where code = ?", code)).toEqual(before);
});

test.each([
  ["of small order", Buffer.alloc(32).toString("base64url")],
  ["too short", Buffer.alloc(31, 9).toString("base64url")],
  ["in another alphabet", `${"+".repeat(43)}`],
])("a key %s is rejected before anything else", async (_, code) => {
  const { status, text } = await browser.open(loginUrl({ idp_id: idp, headless_code: code }));
  expect([status, text]).toEqual([400, expect.stringContaining("X25519")]);
});

test("a token goes to the waiting program or to a redirect, not to both", async () => {
  const query = { redirect, idp_id: idp, headless_code: newKey().code };
  expect(errorOf(await browser.open(loginUrl(query)))[0]).toBe("400");
});

test("a session with a text that is not a code is rejected", async () => {
  expect((await fetchSession("x")).status).toBe(400);
  expect((await callRest("/sts/headless_sessions")).status).toBe(400);
});
