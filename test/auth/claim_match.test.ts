/** The tokens that an identity's matchers accept and refuse, including patterns. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { matchesFully } from "../../src/auth/claim_match.ts";
import { exchange, newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { newOrganization, type Organization } from "../world/personas.ts";
import { issuer as platform } from "../world/platform.ts";

let organization: Organization;
let issuer: ForeignIssuer;
beforeAll(async () => {
  organization = await newOrganization();
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The status of an exchange of a token with these claims for an identity with this claim match. */
async function statusOf(claimMatch: Record<string, unknown>, claims: Record<string, unknown>) {
  const match = { issuer: issuer.url, subject: "robot", ...claimMatch };
  const identity = await newIdentityWithMatchers(organization, { claimMatch: match });
  return (await exchange(await issuer.sign(claims), { identity })).status;
}

const bySubject = { subject: undefined, subjectPattern: "repo:a/.*" };

test.for([
  ["repo:a/b", 200],
  ["repo:a/", 200],
  ["xrepo:a/b", 403],
  ["repo:a/b\nfoo", 403],
  ["foo\nrepo:a/b", 403],
  ["repo:a/b\n", 403],
  ["repo:A/b", 403],
  ["repo:a", 403],
] as const)("subject_pattern repo:a/.* on the subject %j returns %i", async ([sub, status]) => {
  expect(await statusOf(bySubject, { sub })).toBe(status);
});

test("a subject pattern with anchors for lines must still match the whole subject", async () => {
  const match = { subject: undefined, subjectPattern: "(?m)^repo:a/.*$" };
  expect(await statusOf(match, { sub: "repo:a/b" })).toBe(200);
  expect(await statusOf(match, { sub: "repo:a/b\nfoo" })).toBe(403);
});

test("a branch of a pattern is anchored on both sides", async () => {
  const match = { subject: undefined, subjectPattern: "a|b" };
  expect(await statusOf(match, { sub: "b" })).toBe(200);
  expect(await statusOf(match, { sub: "ax" })).toBe(403);
  expect(await statusOf(match, { sub: "xb" })).toBe(403);
});

test("issuer_pattern must match the whole issuer", async () => {
  const match = (issuerPattern: string) => ({ issuer: undefined, issuerPattern });
  expect(await statusOf(match("http://localhost:[0-9]+"), {})).toBe(200);
  expect(await statusOf(match("http://localhost"), {})).toBe(403);
  expect(await statusOf(match("ttp://localhost:[0-9]+"), {})).toBe(403);
});

test("an issuer that only a pattern rejects receives no request for its keys", async () => {
  const stranger = await startIssuer();
  const identity = await newIdentityWithMatchers(organization, {
    claimMatch: { issuerPattern: `${escaped(issuer.url)}`, subjectPattern: ".*" },
  });
  expect((await exchange(await stranger.sign(), { identity })).status).toBe(403);
  expect(stranger.requests).toEqual([]);
  stranger.close();
});

test("audience replaces the issuer's own", async () => {
  const match = { audience: "https://me.example.com" };
  expect(await statusOf(match, { aud: "https://me.example.com" })).toBe(200);
  expect(await statusOf(match, { aud: ["x", "https://me.example.com"] })).toBe(200);
  expect(await statusOf(match, { aud: platform })).toBe(403);
});

test("audience_pattern must match one whole audience", async () => {
  const match = { audiencePattern: "https://[a-z]+\\.example\\.com" };
  expect(await statusOf(match, { aud: ["x", "https://me.example.com"] })).toBe(200);
  expect(await statusOf(match, { aud: "https://me.example.com.evil" })).toBe(403);
  expect(await statusOf(match, { aud: ["https://me", ".example.com"] })).toBe(403);
});

test("claims must be there with exactly these values", async () => {
  const match = { claims: { ref: "refs/heads/main", run: "7", protected: "true" } };
  const good = { ref: "refs/heads/main", run: 7, protected: true };
  expect(await statusOf(match, good)).toBe(200);
  expect(await statusOf(match, { ...good, ref: "refs/heads/main2" })).toBe(403);
  expect(await statusOf(match, { ...good, run: undefined })).toBe(403);
  expect(await statusOf(match, { ...good, ref: ["refs/heads/main"] })).toBe(403);
});

test("claim_patterns must match whole claims", async () => {
  const match = { claimPatterns: { ref: "refs/heads/.*" } };
  expect(await statusOf(match, { ref: "refs/heads/x" })).toBe(200);
  expect(await statusOf(match, { ref: "xrefs/heads/x" })).toBe(403);
  expect(await statusOf(match, { ref: "refs/heads/x\ny" })).toBe(403);
  expect(await statusOf(match, {})).toBe(403);
});

test("members of an object's prototype are not claims", async () => {
  expect(await statusOf({ claimPatterns: { constructor: ".*" } }, {})).toBe(403);
});

test("without identity, patterns and further claims do not count", async () => {
  await newIdentityWithMatchers(organization, {
    claimMatch: { issuer: issuer.url, subjectPattern: ".*" },
  });
  await newIdentityWithMatchers(organization, {
    claimMatch: { issuer: issuer.url, subject: "only-with-claims", claims: { a: "b" } },
  });
  for (const sub of ["anyone", "only-with-claims"]) {
    const { status, body } = await exchange(await issuer.sign({ sub, a: "b" }));
    expect(status).toBe(403);
    expect(body.message).toContain("no identity matches");
  }
});

test("a pattern that would take exponential time in other engines is evaluated at once", () => {
  const started = performance.now();
  expect(matchesFully("(a*)*b(x+x+)+y", "a".repeat(4096))).toBe(false);
  expect(performance.now() - started).toBeLessThan(1000);
});

test("a pattern or a claim beyond the limits matches nothing", () => {
  expect(matchesFully("(?:a?){900}(?:a?){900}(?:a?){900}", "a")).toBe(false);
  expect(matchesFully("a*", "a".repeat(1024))).toBe(true);
  expect(matchesFully("a*", "a".repeat(1025))).toBe(false);
  expect(matchesFully("[", "[")).toBe(false);
});
