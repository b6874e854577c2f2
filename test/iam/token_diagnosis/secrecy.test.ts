/** A token under diagnosis leaves no trace: not in the database, the log, the events or the response. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OWNER_ROLE } from "../../../schema/tables/iam/roles.ts";
import { type ForeignIssuer, startIssuer } from "../../issuer/foreign_issuer.ts";
import { startOwnPlatform, storedRows } from "../../world/own_platform.ts";
import { randomUid } from "../../world/personas.ts";
import { tokenFor } from "../../world/platform.ts";

const logged: string[] = [];
const answers: string[] = [];
const confidential = randomBytes(16).toString("hex");
const owner = randomUid();
const group = randomUid();
let platform: Awaited<ReturnType<typeof startOwnPlatform>>;
let issuer: ForeignIssuer;
let token: string;

beforeAll(async () => {
  platform = await startOwnPlatform({ log: (message) => logged.push(message) });
  issuer = await startIssuer();
  token = await issuer.sign({ confidential, jti: confidential });
  const { db } = platform;
  const times = "1, 1";
  const match = { issuer: issuer.url, subject: "robot" };
  const relationship = JSON.stringify({ case: "claimMatch", value: match });
  await db.batch([
    db
      .prepare(`insert into groups (uid, name, create_time, update_time) values (?, 'g', ${times})`)
      .bind(group),
    db
      .prepare(
        `insert into identities (uid, name, last_seen_time, create_time, update_time) values (?, 'o', 1, ${times})`,
      )
      .bind(owner),
    db
      .prepare(
        `insert into identities (uid, name, last_seen_time, create_time, update_time, relationship_type, relationship, issuer, subject)
        values (?, 'robot', 1, ${times}, 1, ?, ?, 'robot')`,
      )
      .bind(`${group}/0123456789abcdef`, relationship, issuer.url),
    db
      .prepare(
        `insert into role_bindings (uid, identity_uid, role_uid, accepted, create_time, update_time) values (?, ?, ?, 1, ${times})`,
      )
      .bind(`${group}/00000000000000aa`, owner, OWNER_ROLE),
  ]);
});
afterAll(async () => {
  issuer.close();
  await platform.stop();
});

async function send(body: unknown, { as = owner, at = group, headers = {} } = {}): Promise<number> {
  const response = await fetch(`${platform.origin}/iam/v2/groups/${at}:diagnoseToken`, {
    method: "POST",
    headers: { authorization: `Bearer ${await tokenFor(as)}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  answers.push(JSON.stringify([...response.headers]), await response.text());
  return response.status;
}

/** Parts of the token that nothing else contains. */
function secretsOf(text: string): string[] {
  const [, payload = "", signature = ""] = text.split(".");
  return [
    confidential,
    payload.slice(8, 40),
    payload.slice(-24),
    signature.slice(0, 24),
    signature.slice(-24),
  ];
}

function expectNoTrace(places: string[]): void {
  for (const secret of secretsOf(token)) {
    expect(secret.length).toBeGreaterThan(20);
    expect(places.filter((text) => text.includes(secret))).toEqual([]);
  }
}

const dump = () => storedRows(platform.db);

/** The platform writes after a response that the caller and the role binding were used today. */
async function recordCaller(): Promise<void> {
  await send({ claims: { iss: issuer.url } });
  const used = async () =>
    (await dump()).filter((text) => /"last_used_time":[1-9]/.test(text)).length;
  await expect.poll(used).toBe(2);
}

test("no call with a token leaves it in the database, in the log or in the response", async () => {
  await recordCaller();
  const before = await dump();
  expect(before.some((text) => text.includes(issuer.url))).toBe(true);
  const [header, payload, signature = ""] = token.split(".");
  const other = randomUid();
  const statuses = {
    valid: await send({ token }),
    all: await send({ token, all: true, pageSize: 1 }),
    one: await send({ token, identityUid: `${group}/0123456789abcdef` }),
    claims: await send({ claims: { iss: issuer.url, sub: "robot", confidential } }),
    wrongSignature: await send({
      token: `${header}.${payload}.${signature.split("").reverse().join("")}`,
    }),
    noAlgorithm: await send({ token: `${btoa('{"alg":"none"}')}.${payload}.${signature}` }),
    cut: await send({ token: `${payload}.${signature}` }),
    long: await send({ token: token.padEnd(70_000, token) }),
    spaced: await send({ token: ` ${token}\n` }),
    wrongType: await send({ token: [token] }),
    unknownField: await send({ token, [token]: token }),
    wrongField: await send({ tokens: token }),
    both: await send({ token, claims: { confidential } }),
    notJson: await send(`{"token": ${token}}`),
    notUtf8: await send(`{"token": "${token}\\ud800"}`),
    longClaims: await send({ claims: { confidential: confidential.repeat(3000) } }),
    wrongPage: await send({ token, all: true, pageToken: token.slice(0, 4000) }),
    nobody: await send({ token }, { as: randomUid() }),
    noGroup: await send({ token }, { at: other }),
    nested: await send({ token, identityUid: `${group}/aaaaaaaaaaaaaaaa` }),
  };
  expect(statuses).toEqual({
    ...{ valid: 200, all: 200, one: 200, claims: 200, wrongSignature: 200, noAlgorithm: 200 },
    ...{ cut: 200, long: 400, spaced: 200, wrongType: 400, unknownField: 200, wrongField: 200 },
    ...{ both: 400, notJson: 400, notUtf8: 400, longClaims: 400, wrongPage: 400, nobody: 401 },
    ...{ noGroup: 403, nested: 404 },
  });
  expectNoTrace(answers);
  expectNoTrace(logged);
  expectNoTrace(await dump());
  // Nothing at all was written: no event, no use of the identity with the token, no time.
  expect(await dump()).toEqual(before);
});

test("a failure inside the call does not log the token", async () => {
  answers.length = 0;
  const { db } = platform;
  await db.prepare("alter table identities rename column relationship_type to broken").run();
  await db.prepare("drop index identities_0_by_matcher").run();
  await db.prepare("alter table identities rename column name to broken_name").run();
  expect(await send({ token })).toBe(500);
  expect(await send({ token, all: true })).toBe(500);
  expect(await send({ claims: { iss: issuer.url, sub: "robot", confidential } })).toBe(500);
  expect(logged.length).toBeGreaterThan(0);
  expectNoTrace([...logged, ...answers]);
});
