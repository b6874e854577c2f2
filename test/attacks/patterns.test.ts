/**
 * Patterns of identities as an attack. A pattern that is expensive to compile is refused before it is
 * compiled. A stored pattern above the limits admits no one.
 * test/issuer/unverified_tokens.test.ts counts what is compiled.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange, newIdentityWithMatchers } from "../issuer/exchange_call.ts";
import { type ForeignIssuer, startIssuer } from "../issuer/foreign_issuer.ts";
import { newOrganization, type Organization, randomName } from "../world/personas.ts";
import { callRest, sql } from "../world/platform.ts";

const named = { issuer: "https://i.example", subject: "s" };
const many = (count: number, of: string | ((at: number) => string)) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`c${at}`, typeof of === "string" ? of : of(at)]),
  );
const unicode = ["Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Greek", "Han", "Thai", "Cyrillic"];

interface Attack {
  name: string;
  matcher: Record<string, unknown>;
  /** The member in the error, and the text about it. */
  member: string;
  says: string;
}

const bySubject = (name: string, subjectPattern: string, says: string): Attack => {
  const matcher = { claimMatch: { issuer: named.issuer, subjectPattern } };
  return { name, matcher, member: "claim_match.subject_pattern", says };
};

const byClaims = (name: string, claimPatterns: Record<string, string>, says: string): Attack => {
  const matcher = { claimMatch: { ...named, claimPatterns } };
  return { name, matcher, member: "claim_match.claim_patterns", says };
};

const byMatch = (member: string, match: Record<string, unknown>, says: string): Attack => ({
  name: `${member}: ${says}`,
  matcher: { claimMatch: { ...named, ...match } },
  member: `claim_match.${member}`,
  says,
});

const byAws = (member: string, patterns: Record<string, string>, says: string): Attack => ({
  name: `${member}: ${says}`,
  matcher: { awsIdentity: { awsAccount: "123456789012", ...patterns } },
  member: `aws_identity.${member}`,
  says,
});

const tooLarge = "more than 512 instructions";
const ofUnicode = (names: string[]) => names.map((one) => `\\p{${one}}`).join("");

const attacks: Attack[] = [
  bySubject("a repetition, again and again", "x{0,1000}".repeat(200), tooLarge),
  bySubject("a repetition of repetitions", "(((x{100}){10}){10})*", tooLarge),
  bySubject("a repetition behind flags", "x{100}(?i){10}", tooLarge),
  bySubject("a repetition of nothing", "(?:(?:){900}){900}", tooLarge),
  bySubject("many branches", "ab|".repeat(400), tooLarge),
  bySubject("many groups", "()".repeat(300), tooLarge),
  bySubject("a break behind what is dear", `${"x{1000}".repeat(100)}(`, tooLarge),
  bySubject("groups within groups", `${"(?:".repeat(400)}${")".repeat(400)}`, "50 nested groups"),
  bySubject("folded Unicode classes", `(?i)[${"\\p{Lu}".repeat(300)}]`, "ranges"),
  bySubject("Unicode classes by a letter", `[${"\\pL".repeat(600)}]`, "ranges"),
  bySubject("negated ones in a group", `(?i:${"[^\\p{Lu}]".repeat(150)})`, "ranges"),
  bySubject("ranges to fold", "(?i)[A-\\x{1E942}]", "ranges"),
  bySubject("different Unicode classes", ofUnicode(unicode), "3 Unicode classes"),
  bySubject("a long text", `[${"a".repeat(2047)}]`, "2048"),
  byClaims("400 repetitions in a claim", { a: "x{0,1000}".repeat(200) }, tooLarge),
  byClaims("a hundred patterns, large together", many(100, "x{100}"), "2048 instructions"),
  byClaims("a hundred patterns of a class", many(100, "(?i)\\p{Lu}"), "8192 ranges"),
  byClaims(
    "classes of each their own",
    many(10, (at) => `\\p{${unicode[at]}}`),
    "3 Unicode",
  ),
  byClaims("patterns that are long together", many(20, `[${"a".repeat(1000)}]`), "16384"),
  byMatch("issuer_pattern", { issuer: undefined, issuerPattern: "(.{0,900}){9}" }, tooLarge),
  byMatch("audience_pattern", { audiencePattern: "(a{30}){30}" }, tooLarge),
  byMatch("claims", { claims: many(20, "a".repeat(1000)) }, "16384 characters"),
  byMatch("claims", { claims: many(101, "a") }, "100"),
  byAws("arn_pattern", { arnPattern: "x{0,600}", userId: "u" }, tooLarge),
  byAws("user_id_pattern", { arnPattern: "\\pL\\pN", userIdPattern: "\\pS\\pP" }, "3 Unicode"),
];

let organization: Organization;
let issuer: ForeignIssuer;
beforeAll(async () => {
  organization = await newOrganization();
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

const call = (method: string, path: string, body?: unknown) =>
  callRest(path, { method, token: organization.owner.token, body });

describe.for(attacks)("$name", ({ matcher, member, says }) => {
  test("is rejected by create and update of both versions, and nothing is written", async () => {
    const robot = await call("POST", `/iam/v2/identities/${organization.uid}`, { name: "robot" });
    const { uid } = robot.body;
    const body = { name: randomName("robot"), ...matcher };
    const calls = {
      "create, version 2": () => call("POST", `/iam/v2/identities/${organization.uid}`, body),
      "update, version 2": () => call("PATCH", `/iam/v2/identities/${uid}`, body),
      "create, version 1": () => call("POST", `/iam/v1/identities/${organization.uid}`, body),
      "update, version 1": () => call("PUT", `/iam/v1/identities/${uid}`, body),
    };
    for (const [name, send] of Object.entries(calls)) {
      const { status, body: refusal } = await send();
      expect(status, name).toBe(400);
      const violations = refusal.details.flatMap(
        (one: { fieldViolations?: unknown[] }) => one.fieldViolations ?? [],
      );
      expect(violations, name).toEqual([
        {
          field: expect.stringContaining(member),
          description: expect.stringContaining(says),
        },
      ]);
    }
    expect((await call("GET", `/iam/v2/identities/${uid}`)).body).toEqual(robot.body);
    const written = await sql("select uid from identities where name = ?", body.name);
    expect(written).toEqual([]);
  });
});

/** Matchers that could be stored before there were limits, and claims that would match. */
const stored: { name: string; matcher: () => Record<string, unknown> }[] = [
  {
    name: "an issuer pattern of many repetitions",
    matcher: () => ({ issuerPattern: `.*${"x{0,1000}".repeat(220)}`, subject: "robot" }),
  },
  {
    name: "a subject pattern of many Unicode classes",
    matcher: () => ({ issuer: issuer.url, subjectPattern: `(?i)[${"\\p{Lu}".repeat(300)}]*` }),
  },
  {
    name: "a claim pattern of many repetitions",
    matcher: () => ({
      issuer: issuer.url,
      subject: "robot",
      claimPatterns: { sub: `.*${"x{0,1000}".repeat(400)}` },
    }),
  },
  {
    name: "a hundred patterns that are large together",
    matcher: () => ({
      issuer: issuer.url,
      subject: "robot",
      claimPatterns: many(100, ".{0,100}"),
    }),
  },
];

describe.for(stored)("a stored identity with $name", ({ matcher }) => {
  const plant = async () => {
    const good = { issuer: issuer.url, subject: "robot" };
    const uid = await newIdentityWithMatchers(organization, { claimMatch: good });
    const relationship = JSON.stringify({ case: "claimMatch", value: matcher() });
    await sql(
      "update identities set relationship = ?, issuer = null, subject = null where uid = ?",
      relationship,
      uid,
    );
    return { uid, good };
  };

  test("an identity with a stored pattern like this accepts no token", async () => {
    const { uid } = await plant();
    const { status, body } = await exchange(await issuer.sign(), { identity: uid });
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: `Permission denied: the token does not match an identity with the uid ${uid}`,
    });
  });

  test("can be read, listed and replaced by a valid pattern", async () => {
    const { uid, good } = await plant();
    const read = await call("GET", `/iam/v2/identities/${uid}`);
    expect(read.body.claimMatch).toEqual(matcher());
    const listed = await call("GET", `/iam/v2/identities?uidp.ids=${uid}`);
    expect(listed.body.identities).toEqual([read.body]);
    const changed = await call("PATCH", `/iam/v2/identities/${uid}?updateMask=claim_match`, {
      claimMatch: good,
    });
    expect(changed.body.claimMatch).toEqual(good);
    expect((await exchange(await issuer.sign(), { identity: uid })).status).toBe(200);
  });
});

test("no request goes to another server for a token without a valid signature", async () => {
  const stranger = await startIssuer();
  const patterns = [`${issuer.url}`, "https://.*\\.example", "http://localhost:[0-9]{1,3}"];
  for (const issuerPattern of patterns) {
    const identity = await newIdentityWithMatchers(organization, {
      claimMatch: { issuerPattern, subjectPattern: ".*" },
    });
    const token = (await stranger.sign()).replace(/[^.]*$/, "A".repeat(86));
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => exchange(token, { identity })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
  }
  expect(stranger.requests).toEqual([]);
  stranger.close();
});
