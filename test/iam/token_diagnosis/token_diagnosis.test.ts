/** A diagnosis checks a token, and shows how it differs from the identities of a group. */
import { UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newIdentityWithMatchers } from "../../issuer/exchange_call.ts";
import { type ForeignIssuer, newKey, startIssuer } from "../../issuer/foreign_issuer.ts";
import {
  createResource,
  newIdentity,
  newOrganization,
  type Organization,
} from "../../world/personas.ts";
import { issuer as platform } from "../../world/platform.ts";
import { diagnose, outcomesOf } from "./diagnose.ts";

let organization: Organization;
let issuer: ForeignIssuer;
beforeAll(async () => {
  organization = await newOrganization();
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

type Field = {
  field: string;
  outcome: string;
  nearMiss?: string;
  difference?: { kind: string; text: string }[];
};

/** The difference with marks: `[-only in the identity-]` and `{+only in the token+}`. */
const marked = ({ difference = [] }: Field) =>
  difference
    .map(({ kind, text }) => {
      if (kind.endsWith("EQUAL")) return text;
      return kind.endsWith("DELETED") ? `[-${text}-]` : `{+${text}+}`;
    })
    .join("");

/** The only field that differs, between a token with these claims and an identity with this claim match. */
async function differenceOf(claimMatch: Record<string, unknown>, claims: Record<string, unknown>) {
  const match = { issuer: issuer.url, subject: "robot", ...claimMatch };
  const identityUid = await newIdentityWithMatchers(organization, { claimMatch: match });
  const token = await issuer.sign(claims);
  const { body } = await diagnose(organization, { token, identityUid });
  const fields = body.identities[0].fields as Field[];
  const failed = fields.filter(({ outcome }) => outcome === "CHECK_OUTCOME_FAILED");
  expect(failed).toHaveLength(1);
  const [one] = failed as [Field];
  return [one.field, one.nearMiss?.replace("NEAR_MISS_", "") ?? "", marked(one)];
}

const main = "repo:acme/app:ref:refs/heads/main";

describe("a near miss is shown as a difference:", () => {
  test.for<[Record<string, unknown>, Record<string, unknown>, string[]]>([
    [
      { subject: "repo:acme/app:ref:refs/heads/Main" },
      { sub: main },
      ["subject", "CASE", "repo:acme/app:ref:refs/heads/[-Main-]{+main+}"],
    ],
    [
      { subject: "repo:acme/app:environment:prod" },
      { sub: main },
      ["subject", "", "repo:acme/app:[-environment-]{+ref+}:[-prod-]{+refs/heads/main+}"],
    ],
    [{ subject: "robot " }, { sub: "robot" }, ["subject", "WHITESPACE", "robot[- -]"]],
    [
      { subject: undefined, subjectPattern: "repo:acme/app:ref:refs/heads/release-.*" },
      { sub: main },
      ["subject_pattern", "", "repo:acme/app:ref:refs/heads/{+main+}"],
    ],
    [
      { subject: undefined, subjectPattern: "repo:acme/app" },
      { sub: main },
      ["subject_pattern", "PARTIAL_MATCH", "repo:acme/app{+:ref:refs/heads/main+}"],
    ],
    [
      { subject: undefined, subjectPattern: "repo:acme/*" },
      { sub: main },
      ["subject_pattern", "GLOB", "repo:acme/{+app:ref:refs/heads/main+}"],
    ],
    [
      { subject: undefined, subjectPattern: "repo:Acme/.*" },
      { sub: main },
      ["subject_pattern", "CASE", "repo:{+acme/app:ref:refs/heads/main+}"],
    ],
    [
      { audience: "https://me.example" },
      { aud: "https://me.example/" },
      ["audience", "TRAILING_SLASH", "https://me.example{+/+}"],
    ],
    [
      { audience: "https://me.example" },
      { aud: ["other", "http://me.example"] },
      ["audience", "SCHEME", "[-https-]{+http+}://me.example"],
    ],
    [{ claims: { ref: "main" } }, {}, ['claims["ref"]', "MISSING_CLAIM", ""]],
    [{ claims: { ref: "main" } }, { ref: ["main"] }, ['claims["ref"]', "CLAIM_TYPE", ""]],
    [{ claimPatterns: { ref: "v.*" } }, { ref: "main" }, ['claim_patterns["ref"]', "", "{+main+}"]],
  ])("%j and %j", async ([match, claims, [field, ...expected]]) => {
    expect(await differenceOf(match, claims)).toEqual([`claim_match.${field}`, ...expected]);
  });

  test("an issuer with a slash at its end, which only one of them has", async () => {
    const [field, nearMiss, text] = await differenceOf({ issuer: `${issuer.url}/` }, {});
    expect([field, nearMiss, text]).toEqual([
      ...["claim_match.issuer", "TRAILING_SLASH", `${issuer.url}[-/-]`],
    ]);
  });
});

describe("the checks of the token itself:", () => {
  beforeAll(async () => {
    await newIdentityWithMatchers(organization, {
      claimMatch: { issuer: issuer.url, subject: "ci" },
    });
  });
  const now = Math.floor(Date.now() / 1000);
  const good = {
    ...{ FORMAT: "PASSED", ALGORITHM: "PASSED", CLAIMS: "PASSED", EXPIRY: "PASSED" },
    ...{ ISSUER: "PASSED", AUDIENCE: "PASSED", SIGNATURE: "PASSED" },
  };
  const sign = (claims: Record<string, unknown>) => issuer.sign({ sub: "ci", ...claims });

  test.for<[string, () => Promise<string> | string, Record<string, string>]>([
    ["a good one", () => sign({}), good],
    ["an expired one", () => sign({ exp: now - 60 }), { ...good, EXPIRY: "FAILED" }],
    ["one within the tolerance", () => sign({ exp: now - 10 }), good],
    ["an early one", () => sign({ nbf: now + 600 }), { ...good, NOT_BEFORE: "FAILED" }],
    ["one for others", () => sign({ aud: "https://x.example" }), { ...good, AUDIENCE: "FAILED" }],
    [
      "one with another key",
      async () => issuer.sign({ sub: "ci" }, await newKey("first")),
      { ...good, SIGNATURE: "FAILED" },
    ],
    [
      "one without a signature",
      () => new UnsecuredJWT({ iss: issuer.url, sub: "ci", aud: platform, exp: now + 60 }).encode(),
      { ...good, FORMAT: "FAILED" },
    ],
    [
      "one with a wrong type",
      () => sign({ sub: 7 }),
      { ...good, CLAIMS: "FAILED", SIGNATURE: "NOT_CHECKED" },
    ],
    ["no token at all", () => "hello", { FORMAT: "FAILED", SIGNATURE: "NOT_CHECKED" }],
  ])("%s", async ([name, newToken, expected]) => {
    const answer = await diagnose(organization, { token: await newToken() });
    const found = outcomesOf(answer);
    if (name === "one without a signature") {
      expect(found.ALGORITHM ?? found.FORMAT).toBe("FAILED");
      expect(found.SIGNATURE).toBe("NOT_CHECKED");
    } else expect(found).toEqual(expected);
  });

  test("claims are compared without a signature, and what is missing is not checked", async () => {
    const claims = { iss: issuer.url, sub: "ci" };
    const answer = await diagnose(organization, { claims });
    expect(outcomesOf(answer)).toMatchObject({ CLAIMS: "NOT_CHECKED", SIGNATURE: "NOT_CHECKED" });
    const [first] = answer.body.identities;
    expect(first.exchange).toBe("TOKEN_ACCEPTANCE_REFUSED");
    const whole = await diagnose(organization, { claims: { ...claims, aud: platform } });
    expect(whole.body.identities[0].exchange).toBe("TOKEN_ACCEPTANCE_UNDECIDED");
  });
});

test("no keys are fetched from an issuer that no identity of the group accepts", async () => {
  const stranger = await startIssuer();
  const [other, alone] = [await newOrganization(), await newOrganization()];
  const match = { issuer: stranger.url, subject: "other" };
  await newIdentityWithMatchers(other, { claimMatch: match });
  await newIdentityWithMatchers(alone, { claimMatch: { ...match, issuer: "https://i.example" } });
  for (const body of [
    { token: await stranger.sign() },
    { token: await stranger.sign(), all: true },
  ]) {
    const answer = await diagnose(alone, body);
    expect(outcomesOf(answer)).toMatchObject({ SIGNATURE: "NOT_CHECKED", ISSUER: "FAILED" });
  }
  expect(stranger.requests).toEqual([]);
  expect(outcomesOf(await diagnose(other, { token: await stranger.sign() })).SIGNATURE).toBe(
    "PASSED",
  );
  expect(stranger.requests).not.toEqual([]);
  stranger.close();
});

test("in a large group the most similar identities come first, and every one can be read", async () => {
  const large = await newOrganization();
  const team = await createResource(`/iam/v2/groups/${large.uid}`, large.owner.token, {
    name: "team",
  });
  // In the middle of the others, far from the patterns.
  const here = "repo:acme/nn:ref:refs/heads/main";
  const near = here.replace("main", "Main");
  for (let at = 0; at < 30; at += 1) {
    const subject = `repo:acme/${String.fromCharCode(97 + (at % 26))}${at}:ref:refs/heads/main`;
    await newIdentityWithMatchers(large, { claimMatch: { issuer: issuer.url, subject } });
  }
  const { uid } = await createResource(`/iam/v2/identities/${team.uid}`, large.owner.token, {
    name: "near",
    claimMatch: { issuer: issuer.url, subject: near },
  });
  const pattern = await newIdentityWithMatchers(large, {
    claimMatch: { issuer: issuer.url, subjectPattern: ".*", claims: { a: "b" } },
  });
  const token = await issuer.sign({ sub: here });
  const { body } = await diagnose(large, { token, pageSize: 10 });
  expect(body.identities).toHaveLength(10);
  expect(body.incomplete).toBe(true);
  expect(
    body.identities
      .slice(0, 2)
      .map((one: { uid: string }) => one.uid)
      .sort(),
  ).toEqual([uid, pattern].sort());

  const seen: string[] = [];
  for (let pageToken = ""; ; ) {
    const page = await diagnose(large, { token, all: true, pageSize: 7, pageToken });
    seen.push(...page.body.identities.map((one: { uid: string }) => one.uid));
    pageToken = page.body.nextPageToken ?? "";
    if (pageToken === "") break;
  }
  expect(seen).toHaveLength(32);
  expect(new Set(seen).size).toBe(32);

  const inTeam = await diagnose(large, { token }, { group: team.uid });
  expect(inTeam.body.identities.map((one: { uid: string }) => one.uid)).toEqual([uid]);
  expect(inTeam.body.incomplete ?? false).toBe(false);
});

test("only a caller who can change the identities of the group can call it, and only for these identities", async () => {
  const other = await newOrganization();
  const foreign = await newIdentity(other, undefined);
  const token = await issuer.sign();
  for (const role of ["viewer", "editor"]) {
    const { token: weak } = await newIdentity(organization, role);
    const { status, body } = await diagnose(organization, { token }, { token: weak });
    expect(status).toBe(403);
    expect(body.message).toContain("identity.update");
  }
  const elsewhere = await diagnose(organization, { token, identityUid: foreign.uid });
  expect(elsewhere.status).toBe(404);
  expect((await diagnose(organization, { token }, { token: other.owner.token })).status).toBe(403);
  const paged = await diagnose(organization, { token, pageToken: "x" });
  expect(paged.status).toBe(400);
  expect(paged.body.message).toContain("page_token is only for pages of every identity");
});
