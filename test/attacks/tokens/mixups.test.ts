/** Tokens and codes sent to an identity or a provider that they are not meant for (RFC 9700). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange } from "../../issuer/exchange_call.ts";
import { type Key, newKey } from "../../issuer/foreign_issuer.ts";
import { Browser } from "../../issuer/login/browser.ts";
import { logInWithIdToken, loginUrl, redirect, serveTokens } from "../../issuer/login/logins.ts";
import { callRest, issuer as platform, registryAudience, sql } from "../../world/platform.ts";
import { workloadTokenEntryPoints } from "./entry_points.ts";
import { type ForeignWorld, newForeignWorld, unreachableIssuer } from "./foreign_world.ts";

let w: ForeignWorld;
beforeAll(async () => {
  w = await newForeignWorld();
});
afterAll(() => w.close());

const asRobot = () => ({ identity: w.robot });
const asDevice = () => ({ identity: w.device });

/** The doors where a caller names the identity. */
const namedDoors = (identity: string) =>
  Object.entries(workloadTokenEntryPoints(w.here.uid, identity)).filter(([name]) =>
    name.includes("identity"),
  );
const aud = [platform, registryAudience];

test("the doors where a caller names the identity accept the right token", async () => {
  const token = await w.honest.sign({ aud, sub: "robot" });
  const doors = namedDoors(w.robot);
  expect(doors.map(([name]) => name)).toContain("registry login as an identity");
  for (const [name, { ask }] of doors) expect((await ask(token)).status, name).toBe(200);
});

describe("an exchange, and a login that names the identity, reject", () => {
  const forRobot = { aud, sub: "robot" };
  const forPerson = { aud: "public", sub: "ada" };
  const ofDevice = { iss: unreachableIssuer, sub: "device", aud };
  const at = (uid: () => string) => () => ({ identity_provider: uid() });
  type Row = [string, () => string | Promise<string>, () => Record<string, string>];
  const sentTo = (parameters: Row[2], tokens: Record<string, Row[1]>) =>
    Object.entries(tokens).map(([name, make]): Row => [name, make, parameters]);
  test.each([
    ...sentTo(asRobot, {
      "an identity that names another issuer": () => w.evil.sign(forRobot),
      "an identity that names another subject": () => w.honest.sign({ ...forRobot, sub: "ada" }),
      "a token of the platform as another's identity": () => w.there.owner.token,
    }),
    ...sentTo(asDevice, {
      "an identity with static keys, with a token of an issuer": () => w.honest.sign(forRobot),
      "a device's token under the id of another key": () =>
        w.honest.sign(ofDevice, w.deviceKey, { kid: "another" }),
      "a token of the platform as a device": () => w.here.owner.token,
    }),
    ...sentTo(() => ({ identity: w.otherDevice }), {
      "a token by the keys of another device of the same issuer, subject and key id": () =>
        w.honest.sign(ofDevice, w.deviceKey),
    }),
    ...sentTo(() => ({}), {
      "a device's token without being named": () => w.honest.sign(ofDevice, w.deviceKey),
      "an ID token in place of an access token": () => w.honest.sign(forPerson),
    }),
    ...sentTo(() => ({ identity: w.here.owner.uid }), {
      "an owner's uid, by a token of an issuer": () => w.honest.sign(forRobot),
    }),
    ...sentTo(
      at(() => w.otherProvider),
      {
        "an ID token of one provider for another": () => w.honest.sign(forPerson),
      },
    ),
    ...sentTo(
      at(() => w.otherClient),
      {
        "an ID token for another client of the same issuer": () => w.honest.sign(forPerson),
      },
    ),
    ...sentTo(
      at(() => w.provider),
      {
        "an ID token for us and another client": () =>
          w.honest.sign({ ...forPerson, aud: ["public", "private"] }),
        "an ID token for another client": () => w.honest.sign({ ...forPerson, azp: "private" }),
        "an ID token whose only audience is a text with two": () =>
          w.honest.sign({ ...forPerson, aud: "public private" }),
        "an access token as ID token (RFC 9068)": () =>
          w.honest.sign(forPerson, undefined, { typ: "at+jwt" }),
        "an access token as ID token, its whole media type": () =>
          w.honest.sign(forPerson, undefined, { typ: "application/at+JWT" }),
        "a logout token as ID token": () =>
          w.honest.sign({
            ...forPerson,
            events: { "http://schemas.openid.net/event/backchannel-logout": {} },
          }),
        "a logout token by its type": () =>
          w.honest.sign(forPerson, undefined, { typ: "logout+jwt" }),
        "a client's assertion as ID token": () =>
          w.honest.sign(forPerson, undefined, { typ: "client-authentication+jwt" }),
        "an ID token without a time of issue": () =>
          w.honest.sign({ ...forPerson, iat: undefined }),
        "a workload's token as ID token": () => w.honest.sign(forRobot),
        "a device's token as ID token": () =>
          w.honest.sign({ ...ofDevice, aud: "public" }, w.deviceKey),
        "an ID token by the issuer's former key": () => w.honest.sign(forPerson, former),
      },
    ),
    ...sentTo(
      at(() => w.here.uid),
      {
        "a provider that is a group": () => w.honest.sign(forPerson),
      },
    ),
    ...sentTo(
      at(() => `${w.here.uid}/${"0".repeat(16)}`),
      {
        "a provider that belongs to no organization": () => w.honest.sign(forPerson),
      },
    ),
  ])("%s", async (_, make, parameters) => {
    former ??= await newKey("former");
    const token = await make();
    const { status, body } = await exchange(token, parameters());
    expect([status, body.code], body.message).toEqual([403, 7]);
    const { identity } = parameters();
    if (identity === undefined) return;
    for (const [name, { ask, refuses }] of namedDoors(identity)) {
      const answer = await ask(token);
      expect(refuses, `${name}: ${answer.status} ${answer.text}`).toContain(answer.status);
    }
  });
  let former: Key;
});

describe("a code of one provider, sent to another,", () => {
  test("is not redeemed there, whichever login receives it", async () => {
    const [good, bad] = [serveTokens(w.honest), serveTokens(w.evil)];
    const browser = new Browser();
    const start = async (idp: string) =>
      (await browser.open(loginUrl({ redirect, idp_id: idp }))).location.searchParams;
    const [toHonest, toEvil] = [await start(w.provider), await start(w.otherProvider)];
    const before = w.honest.requests.length;
    const claims = { aud: "public", sub: "ada" };
    good.idToken = await w.honest.sign({ ...claims, nonce: toHonest.get("nonce") });
    bad.idToken = await w.evil.sign({ ...claims, nonce: toEvil.get("nonce") });
    const back = (to: URLSearchParams, state: URLSearchParams) =>
      browser.open(
        `${to.get("redirect_uri")}?${new URLSearchParams({ code: "stolen", state: state.get("state") ?? "" })}`,
      );
    for (const [to, state] of [
      [toHonest, toEvil],
      [toEvil, toHonest],
    ] as const) {
      const { status, location } = await back(to, state);
      expect([status, location.href]).toEqual([403, "about:blank"]);
    }
    expect(w.honest.requests.slice(before)).not.toContain("/token");
    expect(w.evil.requests).not.toContain("/token");
  });

  test("an ID token that another provider signs with the claims of the right one creates no person", async () => {
    const answers = serveTokens(w.evil);
    const done = await logInWithIdToken(w.evil, answers, w.otherProvider, {
      iss: w.honest.url,
      sub: "ada",
    });
    expect(done.location.searchParams.has("token")).toBe(false);
    const rows = await sql(
      "select * from sign_ins where identity_provider_uid = ?",
      w.otherProvider,
    );
    expect(rows).toEqual([]);
  });

  test("another provider creates another person for the same subject, without any access of the first", async () => {
    const answers = serveTokens(w.evil);
    const done = await logInWithIdToken(w.evil, answers, w.otherProvider, { sub: "ada" });
    const token = done.location.searchParams.get("token") ?? "";
    expect((await callRest("/auth/v1/ok", { token })).status).toBe(200);
    expect((await callRest(`/iam/v2/groups/${w.here.uid}`, { token })).status).toBe(403);
  });
});
