/** The diagnosis decides exactly like an exchange and like a call with the token. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { exchange, newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, type Key, newKey, startIssuer } from "../../issuer/foreign_issuer.ts";
import { newOrganization, type Organization } from "../../world/personas.ts";
import {
  type Answer,
  audience,
  callRest,
  issuer as platform,
  tokenFor,
} from "../../world/platform.ts";
import { long } from "../../world/tiers.ts";
import { diagnose } from "./diagnose.ts";

let organization: Organization;
let issuers: [ForeignIssuer, ForeignIssuer];
let staticKey: Key;
let identities: string[];

/** Random numbers that are the same in every run (xorshift32). */
let state = 20_261_125;
function random(below: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % below;
}
const pick = <T>(...some: T[]): T => some[random(some.length)] as T;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const subjects = [
  "repo:a/b:ref:refs/heads/main",
  "repo:a/b:pull_request",
  "repo:A/b:pull_request",
  "robot",
];
const subjectPatterns = ["repo:a/.*", ".*", "repo:[a-z]+/b:pull_request", "(?i)repo:a/b.*", "robo"];

function newClaimMatch(): Record<string, unknown> {
  const [{ url }, other] = issuers;
  const match: Record<string, unknown> = pick<Record<string, unknown>>(
    { issuer: url },
    { issuer: url },
    { issuer: `${url}/` },
    { issuer: other.url },
    { issuer: platform },
    { issuerPattern: `${escaped(url)}|${escaped(other.url)}` },
    { issuerPattern: "http://localhost:[0-9]+" },
  );
  if (pick(true, true, false)) match.subject = pick(...subjects, organization.owner.uid);
  else match.subjectPattern = pick(...subjectPatterns);
  const extra = random(6);
  if (extra === 0) match.audience = pick("https://me.example.com", audience);
  if (extra === 1) match.audiencePattern = pick("https://.*", ".*", "me");
  if (extra === 2) match.claims = { ref: pick("main", "7", "true") };
  if (extra === 3) match.claimPatterns = { ref: pick("ma.*", "[0-9]", ".*") };
  return match;
}

beforeAll(async () => {
  organization = await newOrganization();
  issuers = [await startIssuer(), await startIssuer()];
  staticKey = await newKey("static");
  const staticKeys = () => ({
    issuer: pick(issuers[0].url, "https://unreachable.invalid"),
    subject: pick(...subjects),
    issuerKeys: JSON.stringify({ keys: [staticKey.jwk] }),
    ...pick({}, { audiences: ["https://me.example.com"] }),
  });
  const matchers = Array.from({ length: 40 }, (_, at) =>
    at % 8 === 7 ? { staticKeys: staticKeys() } : { claimMatch: newClaimMatch() },
  );
  identities = [];
  for (const one of matchers) {
    identities.push(await newIdentityWithMatchers(organization, one, "viewer"));
  }
});
afterAll(() => {
  for (const one of issuers) one.close();
});

/** A token with random claims, signed by the right key, by another one, or by the static key. */
async function newToken(): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  if (random(6) === 0) {
    const claims = pick<Record<string, unknown>>(
      {},
      { aud: "https://other.example" },
      { aud: platform },
    );
    return tokenFor(pick(organization.owner.uid, identities[3] ?? "", identities[7] ?? ""), claims);
  }
  const [first, second] = issuers;
  const signer = pick(first, first, second);
  const claims = {
    sub: pick(...subjects),
    aud: pick<unknown>(
      platform,
      platform,
      audience,
      [audience, "x"],
      "https://me.example.com",
      "me",
    ),
    ...pick({}, {}, { ref: pick<unknown>("main", 7, true, ["main"]) }),
    ...pick(
      {},
      {},
      {},
      { exp: now - 3600 },
      { exp: now - 5 },
      { nbf: now + 3600 },
      { nbf: now + 5 },
    ),
    ...pick({}, {}, {}, { iss: "https://unreachable.invalid" }, { iss: `${first.url}/` }),
  };
  const key = pick(
    signer.keys[0],
    signer.keys[0],
    signer.keys[0],
    signer.keys[0],
    signer.keys[0],
    staticKey,
    await newKey("first"),
  );
  return signer.sign(claims, key);
}

const isAccepted = (acceptance: string) => acceptance === "TOKEN_ACCEPTANCE_ACCEPTED";

/** The rounds of each tier. */
const rounds = [
  [8, {}],
  [52, long],
] as const;

for (const [count, tier] of rounds)
  test(
    `for ${count} random tokens, the diagnosis says accepted if and only if the exchange succeeds`,
    tier,
    async () => {
      const seen = { accepted: 0, refused: 0 };
      for (let round = 0; round < count; round += 1) {
        const token = await newToken();
        const { status, body } = await diagnose(organization, { token, all: true, pageSize: 50 });
        expect(status).toBe(200);
        expect(body.identities).toHaveLength(identities.length);
        const nearest = await diagnose(organization, { token });
        const hasAccepted = ({ body: found }: Answer) =>
          found.identities.some(({ exchange: one }: { exchange: string }) => isAccepted(one));
        if (body.identities.some(({ exchange: one }: { exchange: string }) => isAccepted(one)))
          expect({ token, found: hasAccepted(nearest) }).toEqual({ token, found: true });
        // Identities at random, and all that the diagnosis accepts.
        const some = body.identities.filter(
          ({ exchange: one }: { exchange: string }) => isAccepted(one) || random(4) === 0,
        );
        for (const { uid: identity, exchange: acceptance, description } of some) {
          const real = await exchange(token, { identity });
          const said = { identity, token, description, accepted: isAccepted(acceptance) };
          expect({ ...said, message: real.body.message }).toEqual({
            ...said,
            message: real.body.message,
            accepted: real.status === 200,
          });
          if (real.status === 200) seen.accepted += 1;
          else seen.refused += 1;
        }
      }
      expect(seen.accepted).toBeGreaterThan(count / 3);
      expect(seen.refused).toBeGreaterThan(3 * count);
    },
  );

for (const [count, tier] of rounds)
  test(
    `for ${count} random tokens, the diagnosis says accepted as a bearer if and only if a call succeeds`,
    tier,
    async () => {
      const seen = { accepted: 0, refused: 0 };
      for (let round = 0; round < count; round += 1) {
        const token = await newToken();
        const { body } = await diagnose(organization, { token, all: true, pageSize: 50 });
        const bearers = body.identities.filter(({ bearer }: { bearer: string }) =>
          isAccepted(bearer),
        );
        // The owner is a person, and belongs to no group.
        const { sub } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
        if (sub === organization.owner.uid) continue;
        const real = await callRest(`/iam/v2/groups/${organization.uid}`, { token });
        expect({ token, accepted: bearers.length > 0 }).toEqual({
          token,
          accepted: real.status === 200,
        });
        if (real.status === 200) seen.accepted += 1;
        else seen.refused += 1;
      }
      expect(seen.refused).toBeGreaterThan(count / 6);
      if (count > 20) expect(seen.accepted).toBeGreaterThan(0);
    },
  );
