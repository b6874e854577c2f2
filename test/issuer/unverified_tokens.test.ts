/**
 * The cost of a token before its signature is verified: no pattern is compiled, and no other host is called.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { NEVER_USED } from "../../schema/tables/iam/identities.ts";
import { exchangeAudiences } from "../../src/auth/identity_matchers.ts";
import type { Config } from "../../src/config.ts";
import { assumeByAws } from "../../src/issuer/aws_identity.ts";
import type { SignedRequest } from "../../src/issuer/aws_request.ts";
import { assumeByForeignToken, type IdentityRow } from "../../src/issuer/identity.ts";
import { randomUid } from "../world/personas.ts";
import { issuer as platform, vendor } from "../world/platform.ts";
import { type ForeignIssuer, newKey, startIssuer } from "./foreign_issuer.ts";

const { compiled } = vi.hoisted(() => ({ compiled: [] as string[] }));
vi.mock("@bufbuild/re2", async (load) => {
  const library = await load<typeof import("@bufbuild/re2")>();
  class Counted extends library.RE2JS {
    constructor(pattern: string) {
      compiled.push(pattern);
      super(pattern);
    }
  }
  return { ...library, RE2JS: Counted };
});

let issuer: ForeignIssuer;
let stranger: ForeignIssuer;
beforeEach(async () => {
  [issuer, stranger] = [await startIssuer(), await startIssuer()];
  compiled.length = 0;
});
afterEach(() => {
  issuer.close();
  stranger.close();
});

const config = {
  ...{ baseUrl: platform, registryUrl: platform, issuerUrl: platform, dnsUrl: "" },
  ...{ vendor, awsStsUrl: "http://127.0.0.1:9" },
} as Config;

const rowOf = (relationship: IdentityRow["relationship"]): IdentityRow => ({
  uid: `${randomUid()}/0123456789abcdef`,
  createTime: 1,
  relationship,
  issuer: null,
  relationshipTime: 0,
  firstUsedTime: NEVER_USED,
});

/** The identity that a token gets with that claim match, or the reason for the refusal. */
async function outcome(token: string, value: Record<string, unknown>): Promise<string> {
  const claims = JSON.parse(
    atob((token.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/")),
  );
  const row = rowOf({ case: "claimMatch", value });
  const foreign = { token, issuer: claims.iss, claims, audiences: exchangeAudiences(config) };
  return assumeByForeignToken(config, foreign, [row], row.uid, Date.now()).then(
    (assumed) => (assumed.row.uid === row.uid ? "assumed" : "another"),
    (error) => error.message,
  );
}

const unsigned = (token: string) => token.replace(/[^.]*$/, "A".repeat(86));
const badKey = async () => ({ ...(await newKey("first")) });

const byPatterns = () => ({
  issuerPattern: `${issuer.url.replaceAll(".", "\\.")}`,
  subjectPattern: "repo:org/[a-z]+",
  audiencePattern: "http.*",
  claimPatterns: { ref: "refs/heads/.*" },
});
const good = { sub: "repo:org/app", ref: "refs/heads/main" };

describe("an identity with patterns", () => {
  test("can be assumed with a valid token, and each pattern is compiled once", async () => {
    const aud = ["http://a", "http://b", platform];
    expect(await outcome(await issuer.sign({ ...good, aud }), byPatterns())).toBe("assumed");
    expect(compiled).toHaveLength(4);
  });

  test.for([
    [
      "has no signature",
      async () => unsigned(await issuer.sign(good)),
      "signature of the token is wrong",
    ],
    ["is signed with another key", async () => issuer.sign(good, await badKey()), "signature"],
    ["has another subject", async () => issuer.sign({ ...good, sub: "repo:evil/x" }), "not match"],
    ["names another issuer", () => stranger.sign(good), "does not match an identity"],
    ["has a subject without end", async () => issuer.sign({ sub: "a".repeat(5000) }), "not match"],
  ] as const)("compiles nothing for a token that %s", async ([, make, why]) => {
    const token = await make();
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await outcome(token, byPatterns())).toContain(why);
    }
    expect(compiled).toEqual([]);
    expect(stranger.requests).toEqual([]);
  });

  test("sends no request to an issuer that the issuer pattern or the subject pattern does not match", async () => {
    await outcome(await stranger.sign(good), byPatterns());
    await outcome(await issuer.sign({ ...good, sub: "repo:evil/x" }), byPatterns());
    expect([...issuer.requests, ...stranger.requests]).toEqual([]);
  });
});

/** Patterns that could be stored before the bounds existed. */
const heavy = {
  "many repetitions": "x{0,1000}".repeat(220),
  "many Unicode classes": `(?i)[${"\\p{Lu}".repeat(330)}]*`,
  "a long text": `.*${"a|".repeat(1500)}`,
};

describe("a stored pattern above the bounds", () => {
  const places = {
    issuerPattern: (pattern: string) => ({ issuerPattern: pattern, subject: "robot" }),
    subjectPattern: (pattern: string) => ({ issuer: issuer.url, subjectPattern: pattern }),
    audiencePattern: (pattern: string) => ({ audiencePattern: pattern }),
    claimPatterns: (pattern: string) => ({ claimPatterns: { iss: pattern } }),
  };
  for (const [name, place] of Object.entries(places)) {
    test.for(Object.entries(heavy))(`as ${name}, %s, is never compiled`, async ([, pattern]) => {
      const exact = name === "issuerPattern" || name === "subjectPattern";
      const match = exact
        ? place(pattern)
        : { issuer: issuer.url, subject: "robot", ...place(pattern) };
      expect(await outcome(await issuer.sign(), match)).toContain("does not match an identity");
      expect(compiled).toEqual([]);
      if (exact) expect(issuer.requests).toEqual([]);
    });
  }

  test("prevents the identity's other patterns from being compiled too", async () => {
    const claimPatterns = Object.fromEntries(
      Array.from({ length: 50 }, (_, at) => [`c${at}`, "x{100}"]),
    );
    const match = { issuer: issuer.url, subjectPattern: "robot", claimPatterns };
    expect(await outcome(await issuer.sign(), match)).toContain("does not match an identity");
    expect(compiled).toEqual([]);
  });
});

test("claims that are too long together are not matched", async () => {
  const names = Array.from({ length: 10 }, (_, at) => `c${at}`);
  const of = (text: string) => Object.fromEntries(names.map((name) => [name, text]));
  const match = { issuer: issuer.url, subject: "robot", claimPatterns: of("a*") };
  expect(await outcome(await issuer.sign(of("a".repeat(400))), match)).toBe("assumed");
  compiled.length = 0;
  const why = await outcome(await issuer.sign(of("a".repeat(500))), match);
  expect(why).toContain("more than 4096 characters");
  expect(compiled).toEqual([]);
});

test("a request that AWS has not confirmed compiles nothing", async () => {
  const row = rowOf({
    case: "awsIdentity",
    value: { awsAccount: "123456789012", arnPattern: "arn:.*", userIdPattern: "AROA.*" },
  });
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const names = `host;x-amz-date;${vendor}-audience;${vendor}-identity`;
  const credential = `k/${date.slice(0, 8)}/us-east-1/sts/aws4_request`;
  const headers = new Map([
    ["host", "sts.amazonaws.com"],
    ["x-amz-date", date],
    [`${vendor}-audience`, platform],
    [`${vendor}-identity`, row.uid],
    [
      "authorization",
      `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${"0".repeat(64)}`,
    ],
  ]);
  const target = "/?Action=GetCallerIdentity&Version=2011-06-15";
  const request: SignedRequest = { method: "POST", target, headers, body: "" };
  const binding = { config, identity: row.uid, now: Date.now() };
  await expect(assumeByAws(request, binding, async () => row)).rejects.toThrow(
    "AWS did not return",
  );
  expect(compiled).toEqual([]);
});
