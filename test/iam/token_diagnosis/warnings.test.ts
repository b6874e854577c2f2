/** Warnings about identities, judged by what their patterns really match. */
import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { IdentityWarningKind } from "../../../schema/gen/platform/iam/diagnosis/v2/token_diagnosis_pb.js";
import {
  Identity_AWSIdentitySchema,
  Identity_ClaimMatchSchema,
} from "../../../schema/gen/platform/iam/v2/identities_pb.js";
import type { Relationship } from "../../../schema/tables/iam/identities.ts";
import { matchesFully } from "../../../src/auth/claim_match.ts";
import type { Config } from "../../../src/config.ts";
import type { IdentityRow } from "../../../src/iam/token_diagnosis/nearest.ts";
import { newJudge } from "../../../src/iam/token_diagnosis/warnings.ts";

type Match = MessageInitShape<typeof Identity_ClaimMatchSchema>;

const config = { issuerUrl: "https://issuer.example.com" } as Config;
const urls = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
  selfHosted: "https://gitlab.acme.example",
  google: "https://accounts.google.com",
  azure: "https://login.microsoftonline.com/11111111-2222-4333-8444-555555555555/v2.0",
  kubernetes: "https://oidc.eks.eu-west-1.amazonaws.com/id/ABCDEF",
  buildkite: "https://agent.buildkite.com",
  circleci: "https://oidc.circleci.com/org/1111",
  terraform: "https://app.terraform.io",
};

const rowOf = (relationship: Relationship): IdentityRow => ({
  ...{ uid: "", name: "", createTime: 0, relationship },
  ...{ issuer: null, subject: null, matcherKey: null },
});

function judge(relationship: Relationship) {
  return newJudge(config)(rowOf(relationship)).map(({ kind, field, sample }) => ({
    kind: IdentityWarningKind[kind ?? 0] ?? "",
    field: field ?? "",
    sample: sample ?? "",
  }));
}

const judgeMatch = (match: Match) =>
  judge({
    case: "claimMatch",
    value: toJson(Identity_ClaimMatchSchema, create(Identity_ClaimMatchSchema, match)),
  });

/** The kinds of warnings about a claim match. Every sample must really match. */
function kindsOf(issuer: string, subject: string, more: Match = {}): string[] {
  const isPattern = subject.startsWith("~");
  const pattern = subject.slice(1);
  const sub = isPattern
    ? ({ case: "subjectPattern", value: pattern } as const)
    : ({ case: "subject", value: subject } as const);
  const found = judgeMatch({ iss: { case: "issuer", value: issuer }, sub, ...more });
  for (const { field, sample } of found) {
    if (field === "claim_match.subject_pattern" && sample !== "")
      expect({ pattern, sample, matches: matchesFully(pattern, sample) }).toMatchObject({
        matches: true,
      });
  }
  return found.map(({ kind }) => kind);
}

const { github, gitlab, selfHosted, google, azure, kubernetes, buildkite, circleci, terraform } =
  urls;
const reused = "NAME_CAN_BE_REUSED";

describe("subjects:", () => {
  test.each<[string, string, string[], Record<string, string>?]>([
    // GitHub Actions
    [github, "~.*", ["MATCHES_EVERYTHING"]],
    [github, "~.+", ["MATCHES_EVERYTHING"]],
    [github, "~(?s).*", ["MATCHES_EVERYTHING"]],
    [github, "~repo:.*", ["OTHER_OWNER"]],
    [github, "~repo:acme.*", ["OTHER_OWNER"]],
    [github, "~repo:acme[^/]*/app:.*", ["OTHER_OWNER"]],
    [github, "~repo:[^/]+/app:ref:refs/heads/main", ["OTHER_OWNER"]],
    [github, "~.*acme/app.*", ["OTHER_OWNER"]],
    [github, "~.*:ref:refs/heads/main", ["OTHER_OWNER"]],
    [github, "~repo:acme/.*", ["EVERY_PROJECT", "EVERY_RUN", reused]],
    [github, "~repo:acme/.*:ref:refs/heads/main", ["EVERY_PROJECT", reused]],
    [github, "~repo:acme/app.*", ["EVERY_PROJECT", "EVERY_RUN", reused]],
    [github, "~repo:acme/app:.*", ["EVERY_RUN", reused]],
    [github, "~repo:acme/app:ref:refs/heads/.*", [reused]],
    [github, "~repo:acme/app:ref:refs/heads/(main|release-[0-9]+)", [reused]],
    [github, "~repo:(acme|beta)/app:ref:refs/heads/main", [reused]],
    [github, "~repo:acme@123/app@456:ref:refs/heads/.*", []],
    [github, "~repo:acme@[0-9]+/app@[0-9]+:ref:refs/heads/main", ["OTHER_OWNER"]],
    [github, "~repo:acme@123/.*", ["EVERY_PROJECT", "EVERY_RUN"]],
    [github, "repo:acme/app:ref:refs/heads/main", [reused]],
    [github, "repo:acme@123/app@456:ref:refs/heads/main", []],
    [github, "repo:acme/app:ref:refs/heads/main", [], { repository_owner_id: "123" }],
    [github, "repo:acme/app:ref:refs/heads/main", [], { repository_id: "456" }],
    [github, "repo:acme/app:ref:refs/heads/main", [reused], { repository: "acme/app" }],
    [github, "~repo:acme/.*", ["EVERY_RUN"], { repository_id: "456" }],
    [github, "~repo:.*", [], { repository_id: "456", ref: "refs/heads/main" }],
    [github, "~.*", [reused], { repository: "acme/app" }],
    [github, "~.*", [], { repository: "acme/app", repository_owner_id: "123" }],
    // GitLab, with a host of its own too
    [gitlab, "~project_path:acme/.*", ["EVERY_PROJECT", "EVERY_RUN", reused]],
    [gitlab, "~project_path:.*", ["OTHER_OWNER"]],
    [gitlab, "~project_path:acme/app:ref_type:branch:ref:.*", [reused]],
    [selfHosted, "~project_path:acme.*", ["OTHER_OWNER"]],
    [gitlab, "project_path:acme/app:ref_type:branch:ref:main", [reused]],
    [gitlab, "project_path:acme/app:ref_type:branch:ref:main", [], { project_id: "7" }],
    // Buildkite
    [buildkite, "~organization:acme:pipeline:.*", ["EVERY_PROJECT", "EVERY_RUN", reused]],
    [buildkite, "~organization:acme:pipeline:app:ref:refs/heads/main:commit:.*:step:.*", [reused]],
    [buildkite, "~organization:.*", ["OTHER_OWNER"]],
    [buildkite, "~organization:acme:pipeline:app:.*", ["EVERY_RUN"], { pipeline_id: "1-2" }],
    // HCP Terraform
    [terraform, "~organization:acme:project:.*", ["EVERY_PROJECT", "EVERY_RUN", reused]],
    [terraform, "~organization:acme:project:p:workspace:w:run_phase:.*", ["EVERY_RUN", reused]],
    [terraform, "organization:acme:project:p:workspace:w:run_phase:apply", [reused]],
    [
      terraform,
      "organization:acme:project:p:workspace:w:run_phase:apply",
      [],
      { terraform_workspace_id: "ws-1" },
    ],
    // CircleCI: its parts are ids
    [circleci, "org/1111/project/2222/user/3333", []],
    [circleci, "~org/1111/project/2222/user/.*", []],
    [circleci, "~org/1111/project/.*", ["EVERY_PROJECT"]],
    [circleci, "~org/.*", ["OTHER_OWNER"]],
    // Kubernetes
    [kubernetes, "system:serviceaccount:prod:deployer", [reused]],
    [kubernetes, "~system:serviceaccount:prod:.*", ["EVERY_PROJECT", reused]],
    [kubernetes, "~system:serviceaccount:.*:deployer", ["OTHER_OWNER"]],
    // Google and Azure: the subject is an id
    [google, "117000000000000000001", []],
    [google, "~[0-9]+", ["OTHER_OWNER"]],
    [google, "~.*", [reused], { email: "ci@acme.iam.gserviceaccount.com" }],
    [azure, "6f1c1c8e-0000-4000-8000-000000000001", []],
    [azure, "~.*", ["MATCHES_EVERYTHING"]],
    [azure, "~.*", [reused], { preferred_username: "ann@acme.example" }],
    [azure, "~.*", [], { oid: "6f1c1c8e" }],
    // People by their address, and our own tokens
    ["https://login.acme.example", "ann@acme.example", [reused]],
    ["https://login.acme.example", "robot", []],
    [config.issuerUrl, "0".repeat(40), []],
  ])("%s with the subject %s: %j", (issuer, subject, expected, claims = {}) => {
    expect(kindsOf(issuer, subject, { claims })).toEqual(expected);
  });

  test("a claim pattern that matches everything protects nothing, and is reported itself", () => {
    const patterns = (repository_id: string) => ({ claimPatterns: { repository_id } });
    expect(kindsOf(github, "~repo:acme/.*", patterns("4|5"))).toEqual(["EVERY_RUN"]);
    expect(kindsOf(github, "~repo:acme/.*", patterns(".*"))).toEqual([
      ...["EVERY_PROJECT", "EVERY_RUN", reused],
      "MATCHES_EVERYTHING",
    ]);
  });
});

describe("issuers:", () => {
  test.each<[string, string | undefined]>([
    [".*", "MATCHES_EVERYTHING"],
    ["https://.*", "OTHER_ISSUER"],
    ["https://.*\\.acme\\.example", "OTHER_ISSUER"],
    ["https://gitlab\\.acme\\.example.*", "OTHER_ISSUER"],
    ["https://token.actions.githubusercontent.com", "OTHER_ISSUER"],
    ["https://login\\.microsoftonline\\.com/.*/v2\\.0", "OTHER_ISSUER"],
    ["https://oidc\\.eks\\.[^/]+\\.amazonaws\\.com/id/[0-9A-F]+", "OTHER_ISSUER"],
    ["https://oidc\\.circleci\\.com/org/.*", "OTHER_ISSUER"],
    ["https://token\\.actions\\.githubusercontent\\.com", undefined],
    ["https://[^/.]+\\.acme\\.example", undefined],
    ["https://gitlab\\.(acme|beta)\\.example/?", undefined],
  ])("the pattern %s: %s", (pattern, expected) => {
    const found = judgeMatch({
      iss: { case: "issuerPattern", value: pattern },
      sub: { case: "subject", value: "robot" },
    });
    for (const { sample } of found) expect(matchesFully(pattern, sample)).toBe(true);
    expect(found.map(({ kind, field }) => [kind, field])).toEqual(
      expected ? [[expected, "claim_match.issuer_pattern"]] : [],
    );
  });
});

describe("audiences:", () => {
  test.each<[Match["aud"], string | undefined]>([
    [{ case: "audiencePattern", value: ".*" }, "MATCHES_EVERYTHING"],
    [{ case: "audiencePattern", value: "https://.*" }, "OTHER_AUDIENCE"],
    [{ case: "audiencePattern", value: "https://.*\\.acme\\.example" }, "OTHER_AUDIENCE"],
    [{ case: "audiencePattern", value: "(sts\\.amazonaws\\.com|me)" }, "OTHER_AUDIENCE"],
    [{ case: "audiencePattern", value: "https://(api|www)\\.acme\\.example" }, undefined],
    [{ case: "audience", value: "sts.amazonaws.com" }, "OTHER_AUDIENCE"],
    [{ case: "audience", value: "sigstore" }, "OTHER_AUDIENCE"],
    [{ case: "audience", value: "https://registry.acme.example" }, undefined],
  ])("%j: %s", (aud, expected) => {
    expect(kindsOf("https://login.acme.example", "robot", aud ? { aud } : {})).toEqual(
      expected ? [expected] : [],
    );
  });
});

describe("AWS principals:", () => {
  const judgeAws = (arn: string, userId: string) =>
    judge({
      case: "awsIdentity",
      value: toJson(
        Identity_AWSIdentitySchema,
        create(Identity_AWSIdentitySchema, {
          awsAccount: "123456789012",
          awsArn: arn.startsWith("~")
            ? { case: "arnPattern", value: arn.slice(1) }
            : { case: "arn", value: arn },
          awsUserId: userId.startsWith("~")
            ? { case: "userIdPattern", value: userId.slice(1) }
            : { case: "userId", value: userId },
        }),
      ),
    }).map(({ kind }) => kind);
  const role = "arn:aws:sts::123456789012:assumed-role";

  test.each([
    ["~.*", "~.*", ["EVERY_PROJECT"]],
    [`~${role}/.*`, "~.*", ["EVERY_PROJECT"]],
    [`~${role}/ci/.*`, "~.*", [reused]],
    [`~${role}/ci/.*`, "~AROAEXAMPLEEXAMPLE123:.*", []],
    [`~${role}/.*`, "~AROAEXAMPLEEXAMPLE123:.*", []],
    ["arn:aws:iam::123456789012:user/ci", "AIDAEXAMPLEEXAMPLE123", []],
  ])("%s and %s: %j", (arn, userId, expected) => {
    expect(judgeAws(arn, userId)).toEqual(expected);
  });
});

test("patterns beyond the limit of a call are not judged, and the response says so", () => {
  const huge = `(${"abcdefgh".repeat(40)})`;
  expect(kindsOf(github, `~${huge}`)).toEqual(["NOT_JUDGED"]);
  const judgeNext = newJudge(config);
  const value = toJson(
    Identity_ClaimMatchSchema,
    create(Identity_ClaimMatchSchema, {
      iss: { case: "issuer", value: github },
      sub: { case: "subjectPattern", value: `repo:acme/app:ref:refs/heads/${"x".repeat(200)}` },
    }),
  );
  const row = rowOf({ case: "claimMatch", value });
  const kinds = Array.from({ length: 50 }, () => judgeNext(row)[0]?.kind);
  expect(kinds[0]).toBe(IdentityWarningKind.NAME_CAN_BE_REUSED);
  expect(kinds.at(-1)).toBe(IdentityWarningKind.NOT_JUDGED);
});
