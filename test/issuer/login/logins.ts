/** Providers in the platform's tables, and logins through them, for the tests of logins. */
import { decodeJwt, type JWTPayload } from "jose";
import { expect, inject } from "vitest";
import { seal } from "../../../src/auth/secrets.ts";
import type { Config } from "../../../src/config.ts";
import { randomUid, roleUid } from "../../world/personas.ts";
import { issuer as platform, sql } from "../../world/platform.ts";
import type { ForeignIssuer } from "../foreign_issuer.ts";
import { Browser, type OpenedPage } from "./browser.ts";

/** The columns of a provider that matter to a test. */
export interface ProviderColumns {
  issuer: string;
  client_id: string;
  secret: string;
  default_role: string;
  additional_scopes: string[];
  groups_claim: string;
  correlation_rule: number;
  pkce_enabled: number;
  scim_enabled: number;
}

/** Inserts an identity provider of a group into the table. */
export async function newProvider(group: string, given: Partial<ProviderColumns>): Promise<string> {
  const uid = `${group}/${randomUid().slice(0, 16)}`;
  const { secret = "", ...rest } = given;
  const config = { encryptionKeys: JSON.parse(inject("encryptionKeys")) } as Config;
  const columns: Record<string, unknown> = {
    client_id: "public",
    default_role: await roleUid("viewer"),
    pkce_enabled: 1,
    ...rest,
    additional_scopes: JSON.stringify(given.additional_scopes ?? ["email", "profile"]),
    client_secret: secret === "" ? "" : await seal(config, `client_secret ${uid}`, secret),
    uid,
    name: "people of the tests",
    create_time: 1,
    update_time: 1,
  };
  const names = Object.keys(columns);
  await sql(
    `insert into identity_providers (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
    ...Object.values(columns),
  );
  return uid;
}

/** A role mapping of an external group. */
export const mapGroup = (provider: string, external: string, role: string, scope: string) =>
  sql(
    `insert into external_group_role_mappings
     (uid, external_group_id, role_uid, scope, create_time, update_time) values (?, ?, ?, ?, 1, 1)`,
    `${provider}/${randomUid().slice(0, 16)}`,
    external,
    role,
    scope,
  );

/** A user provisioned at a provider. */
export async function newScimUser(
  provider: string,
  externalId: string,
  active = true,
): Promise<string> {
  const uid = `${provider}/${randomUid().slice(0, 16)}`;
  await sql(
    `insert into scim_users (uid, user_name, user_name_key, external_id, active, attributes, create_time, update_time)
     values (?, ?, ?, ?, ?, '{}', 1, 1)`,
    uid,
    uid,
    uid,
    externalId,
    active ? 1 : 0,
  );
  return uid;
}

/** The address where the tests' programs would receive the tokens. Nothing listens there. */
export const redirect = "http://127.0.0.1:9/callback/nonce?kept=1";

/** The address of a login. */
export const loginUrl = (query: Record<string, string | string[]>) => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, one]),
  );
  return `${platform}/oauth?${new URLSearchParams(pairs)}`;
};

const isEnd = (at: URL) => at.href.startsWith("http://127.0.0.1:9/");

/** Completes a login at a real provider with the account. Returns the last response of the platform. */
export async function logIn(
  account: string,
  query: Record<string, string | string[]>,
  browser = new Browser(),
): Promise<OpenedPage> {
  const page = await browser.follow(loginUrl({ redirect, ...query }), isEnd);
  return page.status === 200 ? signInOnPage(account, page, browser) : page;
}

/** Continues from the page of an authorization request. Returns the page of the provider. */
export async function continueToProvider(
  page: OpenedPage,
  provider: string,
  browser: Browser,
): Promise<OpenedPage> {
  const [, state = ""] = /name="state" value="([^"]+)"/.exec(page.text) ?? [];
  const onward = await browser.open("/oauth/authorize", { state, idp_id: provider });
  const [, next = ""] = /<a href="([^"]+)"[^>]*>Continue/.exec(onward.text) ?? [];
  return browser.follow(next.replaceAll("&amp;", "&"), () => false);
}

/** Fills in the provider's page that the browser has opened. */
export async function signInOnPage(
  account: string,
  page: OpenedPage,
  browser: Browser,
): Promise<OpenedPage> {
  expect(page.text).toContain("<title>Provider</title>");
  const done = await browser.open(browser.last, { login: account });
  return done.status < 400 ? browser.follow(done.location, isEnd) : done;
}

/** The encrypted question on the page that asks about an invite. */
export const questionIn = ({ text }: OpenedPage) =>
  /name="question" value="([^"]+)"/.exec(text)?.[1] ?? "";

/**
 * Presses a button of the page that asks about an invite. Returns the next page. Its location is the address where it
 * continues.
 */
export async function answerInvite(
  page: OpenedPage,
  answer: string,
  browser: Browser,
): Promise<OpenedPage> {
  const next = await browser.open("/oauth/invite", { question: questionIn(page), answer });
  const [, url] = /content="0;url=([^"]+)"/.exec(next.text) ?? [];
  return url === undefined ? next : { ...next, location: new URL(url.replaceAll("&amp;", "&")) };
}

/** The text that a reader sees, in one line, with the escapes of HTML. */
export const textOf = ({ text }: OpenedPage) =>
  text
    .replace(/^.*<main>/su, "")
    .replace(/<[^>]*>/gu, "")
    .replace(/\s+/gu, " ");

/** The tokens in the redirect of a login. */
export function tokensOf({ status, location }: OpenedPage) {
  const parameters = Object.fromEntries(location.searchParams);
  // The answer to a form continues on a page.
  expect([[200, 303].includes(status), parameters.error]).toEqual([true, undefined]);
  const token = parameters.token ?? "";
  return {
    token,
    refreshToken: parameters.refresh_token,
    claims: decodeJwt(token) as LoginTokenClaims,
  };
}

export type LoginTokenClaims = JWTPayload & {
  idp?: string;
  groups?: string[];
  scopes?: string[];
  act?: Record<string, string>;
};

/** The error in the redirect of a login: its status and its text. A page without a redirect is no such error. */
export function errorOf({ location, status, text }: OpenedPage): [string | null, string | null] {
  expect(location.searchParams.has("token")).toBe(false);
  if (location.href === "about:blank") return [`page ${status}`, text];
  return [location.searchParams.get("status_code"), location.searchParams.get("error")];
}

/** Adds a token endpoint to an issuer of handmade tokens, so that logins can use it. It has no login page. */
export function serveTokens(issuer: ForeignIssuer, further: Record<string, unknown> = {}) {
  const answers: { idToken: string; status?: number } = { idToken: "" };
  issuer.pages["/.well-known/openid-configuration"] = issuer.json(() => ({
    issuer: issuer.url,
    jwks_uri: `${issuer.url}/keys`,
    authorization_endpoint: `${issuer.url}/authorize`,
    token_endpoint: `${issuer.url}/token`,
    id_token_signing_alg_values_supported: ["ES256"],
    ...further,
  }));
  issuer.pages["/token"] = (response) => {
    response.writeHead(answers.status ?? 200, { "content-type": "application/json" });
    const body = { access_token: "at", token_type: "Bearer", id_token: answers.idToken };
    response.end(JSON.stringify(answers.status ? { error: "invalid_grant" } : body));
  };
  return answers;
}

/**
 * Completes a login whose handmade ID token has these claims too. Returns the last response of the platform.
 */
export async function logInWithIdToken(
  issuer: ForeignIssuer,
  answers: { idToken: string },
  idp: string,
  claims: Record<string, unknown>,
  query: Record<string, string> = {},
  browser = new Browser(),
): Promise<OpenedPage> {
  const { location } = await browser.open(loginUrl({ redirect, idp_id: idp, ...query }));
  const { nonce, state = "", redirect_uri = "" } = Object.fromEntries(location.searchParams);
  answers.idToken = await issuer.sign({ aud: "public", nonce, ...claims });
  return browser.open(`${redirect_uri}?${new URLSearchParams({ code: "c", state })}`);
}
