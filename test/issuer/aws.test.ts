/** AWS identities: a principal signs requests to get tokens, and roles trust our issuer. */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import type { Config } from "../../src/config.ts";
import { askAws } from "../../src/issuer/aws_request.ts";
import {
  createResource,
  newOrganization,
  type Organization,
  randomUid,
  roleUid,
} from "../world/personas.ts";
import { audience, callRest, costOf, issuer as platform, sql } from "../world/platform.ts";
import { type AwsKey, awsError, startAws } from "./aws_cloud.ts";
import { amzDate, encode, type SigningOptions, signLines, url } from "./aws_signer.ts";
import { exchange, exchangeForToken, newIdentityWithMatchers } from "./exchange_call.ts";
import { startIssuer } from "./foreign_issuer.ts";

const account = "123456789012";
const arn = `arn:aws:sts::${account}:assumed-role/deployer/i-0abc`;
const userId = "AROAEXAMPLE:i-0abc";
const key: AwsKey = {
  accessKeyId: "AKIAEXAMPLE",
  secretAccessKey: randomBytes(30).toString("base64url"),
  caller: { Account: account, Arn: arn, UserId: userId },
};

let aws: Awaited<ReturnType<typeof startAws>>;
let organization: Organization;
let identity: string;
beforeAll(async () => {
  aws = await startAws();
  aws.keys.push(key);
  organization = await newOrganization();
  identity = await newIdentityWithMatchers(organization, principal(), "viewer");
});
afterEach(() => {
  aws.page = undefined;
});
afterAll(() => aws.close());

const principal = (more: Record<string, string> = { arn, userId }) => ({
  awsIdentity: { awsAccount: account, ...more },
});

const signedLines = (options: Partial<SigningOptions> = {}) =>
  signLines({ as: identity, by: key, ...options });
const signed = async (options?: Partial<SigningOptions>) => encode(await signedLines(options));

async function expectDenied(token: string, text: string | RegExp, as = identity) {
  const before = aws.seen.length;
  const { status, body } = await exchange(token, { identity: as });
  expect(body.message).toMatch(text);
  expect([status, body.code]).toEqual([403, 7]);
  return aws.seen.length - before;
}

describe("a signed request", () => {
  test("can be exchanged for a token of the identity, whose actor is the principal of AWS", async () => {
    const { token, claims } = await exchangeForToken(await signed(), { identity });
    expect(claims).toMatchObject({ iss: platform, sub: identity, aud: audience });
    const act = { sub: arn, aud: platform, "aws-acct": account, "aws-arn": arn };
    expect(claims.act).toEqual({ iss: "https://sts.amazonaws.com", ...act });
    expect((await callRest(`/iam/v2/groups/${organization.uid}`, { token })).status).toBe(200);
  });

  test("accepts an invite for the identity that it names, and for no other", async () => {
    const invited = { roleUid: await roleUid("editor"), ttl: "3600s" };
    const at = `/iam/v2/groupInvites/${organization.uid}`;
    const { code } = await createResource(at, organization.owner.token, invited);
    const register = async (identityId: string) =>
      callRest("/auth/v1/register", { token: await signed(), body: { code, identityId } });
    const other = await newIdentityWithMatchers(organization, principal());
    expect((await register(other)).status).toBe(403);
    const { status, body } = await register("");
    expect([status, body.message]).toEqual([400, expect.stringContaining("identity_id")]);
    const joined = await register(identity);
    expect([joined.status, joined.body]).toEqual([200, { identity, group: organization.uid }]);
    const roles = await sql("select role_uid from role_bindings where identity_uid = ?", identity);
    expect(roles).toContainEqual({ role_uid: invited.roleUid });
  });

  test("is sent to AWS as it was signed, with nothing else", async () => {
    const lines = await signedLines();
    lines.splice(1, 0, "Cookie: a=b", "User-Agent: sdk");
    await exchangeForToken(encode(lines), { identity });
    const { method, url, headers, body } = aws.seen.at(-1) as (typeof aws.seen)[number];
    expect([method, url.search, body]).toEqual(["POST", new URL(url).search, ""]);
    expect(headers).toMatchObject({ accept: "application/json", "vendor-identity": identity });
    expect(headers).not.toHaveProperty("cookie");
    expect(headers["user-agent"]).not.toBe("sdk");
  });

  test("of session credentials works, padded base64 too", async () => {
    const session = { ...key, accessKeyId: "ASIASESSION", sessionToken: "a+session/token==" };
    aws.keys.push(session);
    const lines = await signedLines({ by: session });
    const padded = Buffer.from(`${lines.join("\r\n")}`).toString("base64");
    const token = padded.replaceAll("+", "-").replaceAll("/", "_");
    expect((await exchangeForToken(token, { identity })).claims.sub).toBe(identity);
    const bare = lines.filter((line) => !line.startsWith("x-amz-security-token"));
    await expectDenied(encode(bare), "InvalidClientTokenId");
  });

  test("costs two round trips, and its event and the next change name the actor", async () => {
    const owner = await newIdentityWithMatchers(organization, principal(), "owner");
    const answer = await exchange(await signed({ as: owner }), { identity: owner });
    expect(costOf(answer).roundTrips).toBe(2);
    await createResource(`/registry/v2/repos/${organization.uid}`, answer.body.token, {
      name: "image",
    });
    const events = await sql<{ data: string }>(
      "select data from events where json_extract(data, '$.actor.subject') = ? order by seq",
      owner,
    );
    const act = { "aws-acct": account, "aws-arn": arn };
    expect(events.map(({ data }) => JSON.parse(data))).toMatchObject([
      { actor: { subject: owner, act }, body: { kind: "KIND_AWS_REQUEST", identityUid: owner } },
      { actor: { subject: owner, act } },
    ]);
  });

  test("names are compared without case, and values without surplus blanks", async () => {
    const lines = (await signedLines()).map((line) =>
      line.replace(/^vendor-identity: /i, "VENDOR-IDENTITY:  \t "),
    );
    expect((await exchangeForToken(encode(lines), { identity })).claims.sub).toBe(identity);
  });

  test("requires the identity to be named", async () => {
    const { status, body } = await exchange(await signed());
    expect([status, body.code]).toEqual([400, 3]);
    expect(JSON.stringify(body.details)).toContain('"field":"identity"');
  });
});

describe("AWS receives no request", () => {
  test.for<[string, Partial<SigningOptions>, string]>([
    ["of another method", { method: "GET" }, "is a GET"],
    [
      "to another host",
      { url: url.replace("sts.", "sts.evil.") },
      "must be for the host sts.amazonaws.com",
    ],
    [
      "for another action",
      { url: url.replace("GetCaller", "Get") },
      "GetCallerIdentity and nothing else",
    ],
    [
      "of another version",
      { url: url.replace("2011", "2012") },
      "GetCallerIdentity and nothing else",
    ],
    [
      "with an additional parameter",
      { url: `${url}&X-Amz-Expires=1` },
      "GetCallerIdentity and nothing else",
    ],
    [
      "with two actions",
      { url: `${url}&Action=GetCallerIdentity` },
      "GetCallerIdentity and nothing else",
    ],
    ["to another path", { url: url.replace("/?", "/x?") }, "GetCallerIdentity and nothing else"],
    ["with a body", { body: "Action=AssumeRole" }, "must not have a body"],
    ["of another service", { service: "iam" }, "for the service sts"],
    ["for another audience", { headers: { "Vendor-Audience": "https://a.example" } }, "audience"],
    [
      "for another identity",
      { headers: { "Vendor-Identity": "0".repeat(40) } },
      "another identity",
    ],
    ["of 15 minutes ago", { datetime: amzDate(Date.now() - 15 * 60_000 - 5_000) }, "expired"],
    ["of 5 minutes ahead", { datetime: amzDate(Date.now() + 5 * 60_000 + 30_000) }, "future"],
  ])("%s", async ([, options, text]) => {
    expect(await expectDenied(await signed(options), `verifying token: the AWS request`)).toBe(0);
    expect(await expectDenied(await signed(options), text)).toBe(0);
  });

  test.for(["authorization", "x-amz-date", "vendor-audience", "vendor-identity", "host"])(
    "that has %s twice, or not at all",
    async (name) => {
      const lines = await signedLines();
      const line = lines.findIndex((one) => one.toLowerCase().startsWith(`${name}: `));
      const twice = lines.toSpliced(line, 0, lines[line] ?? "");
      expect(await expectDenied(encode(twice), `contains the header ${name} twice`)).toBe(0);
      expect(await expectDenied(encode(lines.toSpliced(line, 1)), "verifying token: ")).toBe(0);
    },
  );

  test.for(["host", "x-amz-date", "vendor-audience", "vendor-identity"])(
    "whose signature does not cover %s",
    async (name) => {
      const lines = (await signedLines()).map((line) =>
        line.startsWith("authorization")
          ? line.replace(new RegExp(`(SignedHeaders=|;)${name}(;?)`), "$1").replace(";,", ",")
          : line,
      );
      expect(await expectDenied(encode(lines), `must cover the header ${name}`)).toBe(0);
    },
  );

  test.for<[string, (lines: string[]) => string[]]>([
    ["a date of another form", (l) => l.map((x) => x.replace(/^(x-amz-date: ).*/, "$1today"))],
    ["a date of another day", (l) => l.map((x) => x.replace(/^(x-amz-date: )\d{8}/, "$120200101"))],
    ["another algorithm", (l) => l.map((x) => x.replace("HMAC-SHA256", "HMAC-SHA1"))],
    ["a folded header", (l) => l.toSpliced(2, 0, " folded")],
    ["a header without a colon", (l) => l.toSpliced(2, 0, "nonsense")],
    ["a line feed alone", (l) => l.map((x) => x.replace("accept: ", "accept: a\nb: "))],
    ["bytes beyond ASCII", (l) => l.toSpliced(2, 0, "x: é")],
    ["no end of its headers", (l) => l.slice(0, -2)],
    [
      "a signed header of the connection",
      (l) => [
        ...l.slice(0, -2).map((x) => x.replace("SignedHeaders=", "SignedHeaders=connection;")),
        "connection: close",
        ...l.slice(-2),
      ],
    ],
    [
      "transfer in chunks",
      (l) => [
        ...l
          .slice(0, -2)
          .map((x) => x.replace("SignedHeaders=", "SignedHeaders=transfer-encoding;")),
        "transfer-encoding: chunked",
        ...l.slice(-2),
      ],
    ],
    ["an absolute target", (l) => l.toSpliced(0, 1, `POST ${url} HTTP/1.1`)],
    ["too many bytes", (l) => l.toSpliced(2, 0, `x: ${"a".repeat(13_000)}`)],
  ])("AWS is not asked about a request with %s", async ([, change]) => {
    const lines = change(await signedLines());
    expect(await expectDenied(encode(lines), /^Permission denied: verifying token: /)).toBe(0);
  });

  test("that names an unknown identity, or one of another kind, with the same bytes", async () => {
    const none = `${organization.uid}/${"0".repeat(16)}`;
    const other = await newIdentityWithMatchers(organization, {});
    const texts = await Promise.all(
      [none, other].map(async (uid) => {
        const { body } = await exchange(await signed({ as: uid }), { identity: uid });
        return JSON.stringify(body).replaceAll(uid, "");
      }),
    );
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toContain("does not match an identity");
    expect(await expectDenied(await signed({ as: other }), "does not match", other)).toBe(0);
  });
});

describe("the response of AWS decides", () => {
  test("a request signed with a wrong secret is rejected", async () => {
    const forged = await signed({ by: { ...key, secretAccessKey: "guessed" } });
    expect(await expectDenied(forged, /AWS rejected .*403, SignatureDoesNotMatch/)).toBe(1);
  });

  test("a request changed after it was signed is rejected", async () => {
    const other = await newIdentityWithMatchers(organization, principal());
    const lines = (await signedLines()).map((line) => line.replace(identity, other));
    expect(await expectDenied(encode(lines), "SignatureDoesNotMatch", other)).toBe(1);
  });

  test.for<[string, number, string]>([
    ["an error of its own", 500, "{}"],
    ["too many calls", 429, "{}"],
    ["no JSON", 200, "<GetCallerIdentityResponse/>"],
    ["no caller", 200, '{"GetCallerIdentityResponse":{"GetCallerIdentityResult":{}}}'],
    [
      "a caller of other types",
      200,
      `{"GetCallerIdentityResponse":{"GetCallerIdentityResult":{"Account":${account},"Arn":"a","UserId":"u"}}}`,
    ],
    ["null", 200, "null"],
    ["more than is read", 200, " ".repeat(70_000)],
  ])("%s of AWS is UNAVAILABLE", async ([, status, text]) => {
    aws.page = (_, response) => response.writeHead(status).end(text);
    const { status: response, body } = await exchange(await signed(), { identity });
    expect([response, body.code]).toEqual([503, 14]);
  });

  test("a redirect of AWS is not followed", async () => {
    aws.page = ({ url }, response) => {
      response.setHeader("location", "/elsewhere");
      awsError(response, url.pathname === "/" ? 307 : 500, "x", "");
    };
    // Asked directly: what carries a test platform's requests follows redirects by itself.
    const config = { awsStsUrl: `http://127.0.0.1:${inject("clouds").aws}` } as Config;
    await expect(askAws(config, new Headers())).rejects.toThrow(
      "rejected the request (HTTP 307, x)",
    );
  });
});

describe("an AWS identity", () => {
  test.for<[string, Record<string, string>, boolean]>([
    [
      "patterns of both",
      { arnPattern: "arn:aws:sts::.*:assumed-role/dep.*", userIdPattern: "AROA.*" },
      true,
    ],
    ["another ARN", { arn: `${arn}x`, userId }, false],
    ["another user id", { arn, userId: "AROAOTHER" }, false],
    ["a pattern of the beginning", { arnPattern: "arn:aws:sts::", userId }, false],
    ["a pattern of the end", { arn, userIdPattern: "i-0abc" }, false],
    ["another account", { awsAccount: "000000000000", arn, userId }, false],
  ])("with %s stands for the principal: %s", async ([, more, isTheirs]) => {
    const uid = await newIdentityWithMatchers(organization, principal(more));
    const token = await signed({ as: uid });
    if (isTheirs) expect((await exchangeForToken(token, { identity: uid })).claims.sub).toBe(uid);
    else expect(await expectDenied(token, "does not match an identity", uid)).toBe(1);
  });

  test.for([{ arn }, { userId }, {}])("requires more than %j", async (some) => {
    const body = { name: "aws", ...principal(some as Record<string, string>) };
    const path = `/iam/v2/identities/${organization.uid}`;
    const { status, body: response } = await callRest(path, {
      token: organization.owner.token,
      body,
    });
    expect(status).toBe(400);
    expect(response.message).toContain("aws_identity.");
  });

  test("cannot be assumed with a JWT, and nothing is fetched", async () => {
    const foreign = await startIssuer();
    await expectDenied(await foreign.sign(), "does not match an identity");
    expect(foreign.requests).toEqual([]);
    foreign.close();
  });
});

describe("the check of a link to AWS", () => {
  const linked = "210987654321";
  const newGroup = async () => {
    const { uid, owner } = organization;
    const group = await createResource(`/iam/v2/groups/${uid}`, owner.token, { name: randomUid() });
    const clouds = { name: "clouds", amazon: { account: linked } };
    await createResource(`/iam/v2/accountAssociations/${group.uid}`, owner.token, clouds);
    return group.uid;
  };
  const check = (group: string) =>
    callRest(`/iam/v2/accountAssociations/${group}:checkAccountAssociation`, {
      token: organization.owner.token,
      body: { providerType: "ACCOUNT_PROVIDER_TYPE_AMAZON" },
    });

  test("is READY if the role trusts our issuer for this group, and shows no credentials", async () => {
    const group = await newGroup();
    aws.trusts.set(`${linked}/vendor-check`, group);
    const { status, body } = await check(group);
    expect([status, body]).toEqual([200, { status: "CHECK_STATUS_READY" }]);
    const { form, method } = aws.seen.at(-1) as (typeof aws.seen)[number];
    expect([method, form.get("Version"), form.get("DurationSeconds")]).toEqual([
      "POST",
      "2011-06-15",
      "900",
    ]);
  });

  test("is NOT_READY with the text of AWS if it trusts another group", async () => {
    const group = await newGroup();
    aws.trusts.set(`${linked}/vendor-check`, await newGroup());
    const { status, body } = await check(group);
    expect([status, body]).toEqual([
      200,
      {
        status: "CHECK_STATUS_NOT_READY",
        reason: "exchange failed",
        message: "AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
      },
    ]);
  });

  test.for<[string, number, (token: string) => string, string]>([
    ["an error in JSON", 400, () => '{"Error":{"Code":"A","Message":"a \\"b\\""}}', 'A: a "b"'],
    ["no words", 503, () => "", "the response was HTTP 503, without credentials"],
    ["another role", 200, () => "{}", "the response does not name the assumed role"],
    [
      "our token",
      400,
      (token) => `<Code>Bad</Code><Message>${token} is bad</Message>`,
      "Bad: [token] is bad",
    ],
    ["very many words", 400, () => `<Code>${"x ".repeat(20_000)}</Code>`, `${"x ".repeat(249)}x…`],
    ["more than is read", 200, () => "x".repeat(70_000), "did not return a readable response"],
  ])("is NOT_READY where AWS answers with %s", async ([, status, answer, message]) => {
    aws.page = ({ form }, response) => {
      response.writeHead(status, { location: "/" }).end(answer(form.get("WebIdentityToken") ?? ""));
    };
    const { body } = await check(await newGroup());
    expect(body).toMatchObject({ status: "CHECK_STATUS_NOT_READY", reason: "exchange failed" });
    expect(body.message).toContain(message);
    expect(body.message).not.toContain("eyJ");
    expect(body.message.length).toBeLessThanOrEqual(500);
  });
});
