/** The examples that show how a workload uses an identity. */
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Relationship } from "../../../console/identities/kinds.ts";
import { snippetsFor } from "../../../console/identities/snippets.ts";

const uid = `${"a".repeat(40)}/${"b".repeat(16)}`;
const platform = {
  ...{ api: "https://api.example.com", issuerName: "https://issuer.example.com" },
  ...{ audience: "https://api.example.com", vendor: "vendor" },
};
const snippets = (relationship: Relationship, audience = platform.issuerName) =>
  snippetsFor({ uid, relationship, audience, platform });
const titles = (relationship: Relationship) => snippets(relationship).map(({ title }) => title);

const keys = { issuer: "https://kubernetes.default.svc", issuerKeys: "{}" };
const github = "https://token.actions.githubusercontent.com";

describe("an identity gets the examples for its own issuer:", () => {
  test.each<[string, Relationship, string[]]>([
    [
      "GitHub, by a pattern",
      { claimMatch: { issuer: github, subjectPattern: "repo:a/.*" } },
      ["GitHub Actions", "curl", "platformctl"],
    ],
    [
      "GitLab, whose token also works without an exchange",
      { claimMatch: { issuer: "https://gitlab.com", subject: "a" } },
      ["GitLab", "curl", "platformctl", "Without an exchange"],
    ],
    [
      "Kubernetes",
      { staticKeys: { ...keys, subject: "system:serviceaccount:prod:puller" } },
      ["Kubernetes", "curl", "platformctl"],
    ],
    ["AWS", { awsIdentity: { awsAccount: "1", arn: "a", userId: "b" } }, ["Python at AWS"]],
    ["none for a service of the operator", { servicePrincipal: "SERVICE_PRINCIPAL_SKILLS" }, []],
    ["none without a relationship", {}, []],
  ])("%s", (_, relationship, expected) => {
    expect(titles(relationship)).toEqual(expected);
  });
});

test("every example names the identity and the exchange of the platform", () => {
  const relationship = { claimMatch: { issuer: github, subjectPattern: "a.*" } };
  const [action, curl] = snippets(relationship);
  const url = `https://issuer.example.com/sts/exchange?aud=https%3A%2F%2Fapi.example.com&identity=${uid}`;
  expect(action?.text).toContain(url);
  expect(curl?.text).toContain(url);
});

describe("hostile texts stay values in YAML:", () => {
  const hostile = ['x"\n  evil: true', "a: b", "# a", "true", "{a}", "  a  ", "a\u2028b"];
  test.each(hostile)("the audience %j", (audience) => {
    const [gitlab] = snippets(
      { claimMatch: { issuer: "https://gitlab.com", subject: "a" } },
      audience,
    );
    const [document] = parseAllDocuments(gitlab?.text ?? "");
    expect(document?.errors).toEqual([]);
    const job = document?.toJS();
    expect(Object.keys(job)).toEqual(["id_tokens", "script"]);
    expect(job.id_tokens).toEqual({ CI_TOKEN: { aud: audience } });
    expect(job.script).toHaveLength(1);
  });

  test.each(hostile)("the service account %j", (account) => {
    const subject = `system:serviceaccount:prod:${account}`;
    const [example] = snippets({ staticKeys: { ...keys, subject } });
    if (account.includes(":")) return expect(example?.title).toBe("curl");
    const spec = parseAllDocuments(example?.text ?? "")[0]?.toJS().spec;
    expect(spec.serviceAccountName).toBe(account);
  });
});
