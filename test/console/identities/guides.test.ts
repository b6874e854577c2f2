/** The tokens that an identity accepts, by the facts that a person enters about their workload. */
import { describe, expect, test } from "vitest";
import { draftOf, relationshipOf } from "../../../console/identities/drafts.ts";
import { draftOfGuide, emptyGuides, suggestedName } from "../../../console/identities/guides.ts";
import type { Relationship } from "../../../console/identities/kinds.ts";
import type { Values } from "../../../schema/workloads/fields.ts";

const claims = { claims: {}, claimPatterns: {} };
const { systems } = emptyGuides;
const github = (entered: Values) => {
  const values = { ...systems.github, repository: "acme/my.app", ...entered };
  const guides = { ...emptyGuides, systems: { ...systems, github: values } };
  return relationshipOf(draftOfGuide("github", guides)).claimMatch;
};

describe("a workflow at GitHub is accepted", () => {
  test.each([
    ["of one branch", {}, { subject: "repo:acme/my.app:ref:refs/heads/main" }],
    [
      "of one tag",
      { when: "tag", ref: "v1.0" },
      { subject: "repo:acme/my.app:ref:refs/tags/v1.0" },
    ],
    [
      "of every tag",
      { when: "tag", ref: "" },
      { subjectPattern: "repo:acme/my\\.app:ref:refs/tags/.*" },
    ],
    [
      "of an environment",
      { when: "environment", ref: "production" },
      { subject: "repo:acme/my.app:environment:production" },
    ],
    ["of pull requests", { when: "pull_request" }, { subject: "repo:acme/my.app:pull_request" }],
    ["of every run", { when: "any" }, { subjectPattern: "repo:acme/my\\.app:.*" }],
    [
      "with ids in its subject",
      { hasIds: "true", ownerId: "12", repositoryId: "34" },
      { subject: "repo:acme@12/my.app@34:ref:refs/heads/main" },
    ],
    [
      "with ids in its claims",
      { ownerId: "12", repositoryId: "34" },
      {
        subject: "repo:acme/my.app:ref:refs/heads/main",
        claims: { repository_owner_id: "12", repository_id: "34" },
      },
    ],
  ] as const)("%s", (_, guide, expected) => {
    const issuer = "https://token.actions.githubusercontent.com";
    expect(github(guide)).toEqual({ issuer, ...claims, ...expected });
  });

  test("and a pattern matches only the repository that was entered, whose dot is no wildcard", () => {
    const pattern = new RegExp(`^(?:${github({ when: "any" })?.subjectPattern})$`);
    expect("repo:acme/my.app:pull_request").toMatch(pattern);
    expect("repo:acme/my-app:pull_request").not.toMatch(pattern);
    expect("repo:acme/my.app-stranger:pull_request").not.toMatch(pattern);
  });
});

test("a cluster that the platform cannot reach is accepted by its stored keys", () => {
  const kubernetes = {
    ...{ issuer: "https://cluster.internal", isReachable: false, keys: '{"keys":[]}' },
    ...{ namespace: "prod", account: "puller" },
  };
  expect(relationshipOf(draftOfGuide("kubernetes", { ...emptyGuides, kubernetes }))).toEqual({
    staticKeys: {
      issuer: "https://cluster.internal",
      subject: "system:serviceaccount:prod:puller",
      issuerKeys: '{"keys":[]}',
    },
  });
});

test("a role at AWS is accepted in all its sessions, and no other role with a longer name", () => {
  const aws = { account: "123456789012", principal: "role", name: "deploy", id: "AROA1" } as const;
  const { awsIdentity } = relationshipOf(draftOfGuide("aws", { ...emptyGuides, aws }));
  const arn = new RegExp(`^(?:${awsIdentity?.arnPattern})$`);
  expect("arn:aws:sts::123456789012:assumed-role/deploy/i-1").toMatch(arn);
  expect("arn:aws:sts::123456789012:assumed-role/deployer/i-1").not.toMatch(arn);
  expect(awsIdentity?.userIdPattern).toBe("AROA1:.*");
});

test("a suggested name is one that the platform accepts", () => {
  const gitlab = { ...systems.gitlab, project: "Größe/My_App" };
  const guides = { ...emptyGuides, systems: { ...systems, gitlab } };
  expect(suggestedName("gitlab", guides)).toMatch(/^[a-z0-9 ._-]+$/);
});

describe("a form that nobody changes keeps what an identity accepts:", () => {
  test.each<[string, Relationship]>([
    [
      "a claim match",
      {
        claimMatch: {
          ...{ issuer: "https://a.example", subjectPattern: "b.*", audience: "c" },
          ...{ claims: { d: "e" }, claimPatterns: { f: "g.*" } },
        },
      },
    ],
    [
      "static keys",
      {
        staticKeys: {
          ...{ issuer: "a", subject: "b", issuerKeys: "{}", audiences: ["c"] },
          expirationTime: "2027-01-31T12:30:00.000Z",
        },
      },
    ],
    ["AWS", { awsIdentity: { awsAccount: "123456789012", arn: "a", userIdPattern: "b.*" } }],
    ["a service of the operator", { servicePrincipal: "SERVICE_PRINCIPAL_INGESTER" }],
    ["nothing", {}],
  ])("%s", (_, relationship) => {
    expect(relationshipOf(draftOf(relationship))).toEqual(relationship);
  });
});
