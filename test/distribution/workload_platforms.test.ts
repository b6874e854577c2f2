/** The token of a workload as a password, on platforms with several hosts, several databases or small limits. */
import type { D1Database } from "@cloudflare/workers-types";
import { decodeJwt } from "jose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { few, haveTime, startLimited } from "../limits/limited_platform.ts";
import { startOwnPlatform } from "../world/own_platform.ts";
import { randomName } from "../world/personas.ts";
import { audience, issuer as platformIssuer, registryAudience } from "../world/platform.ts";
import { startSpread } from "../world/spread.ts";
import { patience } from "../world/times.ts";
import { basicHeader } from "./stored_images.ts";

let ci: ForeignIssuer;
beforeAll(async () => {
  ci = await startIssuer();
});
afterAll(() => ci.close());

let stop = async () => {};
afterEach(() => stop());

const logIn = (origin: string, token: string, query = "") =>
  fetch(`${origin}/token${query}`, { headers: basicHeader(token, "oidc") });

/** A form for the token endpoint. */
const tokenForm = (token: string) =>
  new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  });

/** An identity in the database of a platform. Returns the subject that it accepts. */
async function newJobIn(db: D1Database): Promise<string> {
  const sub = randomName("job");
  const parent = "1".repeat(40);
  const match = { case: "claimMatch", value: { issuer: ci.url, subject: sub } };
  await db
    .prepare("insert into groups (uid, name, create_time, update_time) values (?, 'org', 1, 1)")
    .bind(parent)
    .run();
  await db
    .prepare(
      `insert into identities (uid, name, relationship_type, relationship, issuer, subject, last_seen_time, create_time, update_time)
       values (?, 'job', 1, ?, ?, ?, 1, 1, 1)`,
    )
    .bind(`${parent}/${"2".repeat(16)}`, JSON.stringify(match), ci.url, sub)
    .run();
  return sub;
}

test("a token for the registry gets nothing from the issuer, and a token for the issuer nothing from the registry", async () => {
  const host = "registry.example.com";
  const bindings = { REGISTRY_URL: `https://${host}`, REGISTRY_AUDIENCE: host };
  const platform = await startOwnPlatform({ bindings });
  stop = platform.stop;
  const sub = await newJobIn(platform.db);
  const statuses = async (aud: string) => {
    const token = await ci.sign({ sub, aud });
    const headers = { authorization: `Bearer ${token}` };
    const asked = [
      logIn(platform.origin, token),
      fetch(`${platform.origin}/sts/exchange?aud=${audience}`, { headers }),
      fetch(`${platform.origin}/oauth/token`, { method: "POST", body: tokenForm(token) }),
    ];
    return (await Promise.all(asked)).map(({ status }) => status);
  };
  expect(await statuses(host)).toEqual([200, 403, 400]);
  expect(await statuses(platformIssuer)).toEqual([401, 200, 200]);
  const body = tokenForm(await ci.sign({ sub, aud: platformIssuer }));
  body.set("resource", `https://${host}`);
  const answer = await fetch(`${platform.origin}/oauth/token`, { method: "POST", body });
  expect(decodeJwt((await answer.json()).access_token).aud).toBe(host);
});

test("a full database still lets a job log in", async () => {
  const platform = await startOwnPlatform();
  stop = platform.stop;
  const sub = await newJobIn(platform.db);
  const full = "begin select raise(abort, 'database or disk is full'); end";
  await platform.db.prepare(`create trigger full before insert on events ${full}`).run();
  const token = await ci.sign({ sub, aud: registryAudience });
  expect((await logIn(platform.origin, token)).status).toBe(200);
});

test("an identity of another database logs in, with its event there", async () => {
  const platform = await startSpread();
  stop = platform.stop;
  const { uid, token } = await platform.newHome("DB_2");
  const sub = randomName("job");
  const claimMatch = { issuer: ci.url, subject: sub };
  const body = { name: "job", claimMatch };
  const identity = await platform.done(`/iam/v2/identities/${uid}`, token, body);
  const { roles } = await platform.done("/iam/v2/roles?name=registry.pull", token);
  const binding = { identityUid: identity.uid, roleUid: roles[0].uid };
  await platform.done(`/iam/v2/roleBindings/${uid}`, token, binding);
  const job = await ci.sign({ sub, aud: registryAudience });
  const answer = await logIn(platform.origin, job, `?scope=repository:${uid}/app:pull`);
  const issued = await answer.json();
  expect(decodeJwt(issued.token)).toMatchObject({ sub: identity.uid });
  const query = "select count(*) as n from events where subject = ? and type like '%exchanged.v1'";
  const counts = await Promise.all(
    (["DB", "DB_2"] as const).map((at) => platform.rowsIn<{ n: number }>(at, query, identity.uid)),
  );
  expect(counts).toEqual([[{ n: 0 }], [{ n: 1 }]]);
});

test(
  "logins of strangers have the limit of exchanges, at the registry and at the token endpoint",
  async () => {
    const platform = await startLimited(false);
    stop = platform.stop;
    const { call } = platform;
    await haveTime();
    const address = platform.newAddress();
    const token = await ci.sign({ sub: randomName("stranger"), aud: registryAudience });
    const headers = basicHeader(token, "oidc");
    const statuses = [];
    for (let at = 0; at < few; at++)
      statuses.push((await call("/token", { headers, address })).status);
    expect(statuses).toEqual(Array(few).fill(401));
    const refused = await call("/token", { headers, address });
    const policy = `"exchange-unverified";q=${few};w=60`;
    expect([refused.status, refused.headers.get("ratelimit-policy")]).toEqual([429, policy]);
    expect(JSON.parse(refused.text).errors[0].code).toBe("TOOMANYREQUESTS");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const asked = { headers: form, body: tokenForm(token).toString(), address };
    const atIssuer = await call("/oauth/token", asked);
    expect([atIssuer.status, atIssuer.headers.get("ratelimit-policy")]).toEqual([429, policy]);
  },
  10 * patience + 10_000,
);
