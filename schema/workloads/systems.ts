/**
 * CI systems and clouds that sign tokens for their workloads: which tokens an identity accepts, and how a job gets one. The
 * guide (docs/guides/ci.md) and the page "New identity" of the console show the same rows. Each row follows the
 * documentation that it names, as of November 2026.
 */
import { clouds } from "./clouds.ts";
import { claimsOf, exact, literal, pattern, type WorkloadSystem } from "./fields.ts";
import { buildkiteJob, circleciJob, jenkinsJob } from "./jobs.ts";
import { bitbucket, github, gitlab } from "./repositories.ts";

const buildkite: WorkloadSystem = {
  id: "buildkite",
  title: "Buildkite",
  about: "A step of a pipeline at Buildkite",
  fields: [
    { name: "organization", label: "Organization", hint: "Its slug.", example: "acme" },
    { name: "pipeline", label: "Pipeline", hint: "Its slug.", example: "app" },
    { name: "branch", label: "Branch", example: "main", initial: "main" },
    {
      name: "organizationId",
      label: "Id of the organization",
      hint: "Its UUID, which no one else can get. All organizations have the same issuer.",
      example: "0189a6a5-0000-4000-8000-000000000001",
    },
  ],
  match: ({ organization = "", pipeline = "", branch = "", organizationId = "" }) => ({
    issuer: "https://agent.buildkite.com",
    subject: pattern(
      `${literal(`organization:${organization}:pipeline:${pipeline}:ref:refs/heads/${branch}:commit:`)}[0-9a-f]+:step:.*`,
    ),
    claims: claimsOf({ organization_id: organizationId }),
  }),
  token: "`buildkite-agent oidc request-token --audience …`",
  notes: ["The subject contains the commit and the step, so the identity has a pattern."],
  job: { path: ".buildkite/pipeline.yml", language: "yaml", text: buildkiteJob },
  source: "https://buildkite.com/docs/agent/v3/cli-oidc",
};

const circleci: WorkloadSystem = {
  id: "circleci",
  title: "CircleCI",
  about: "A job of a project at CircleCI",
  fields: [
    {
      name: "organization",
      label: "Id of the organization",
      hint: "Its UUID, from the settings of the organization.",
      example: "0189a6a5-0000-4000-8000-000000000002",
    },
    {
      name: "project",
      label: "Id of the project",
      hint: "Its UUID, from the settings of the project.",
      example: "0189a6a5-0000-4000-8000-000000000003",
    },
    {
      name: "origin",
      label: "Repository",
      hint: "Builds of forks have the same subject, but another repository.",
      example: "github.com/acme/app",
    },
    { name: "branch", label: "Branch", example: "main", initial: "main" },
  ],
  match: ({ organization = "", project = "", origin = "", branch = "" }) => ({
    issuer: `https://oidc.circleci.com/org/${organization}`,
    subject: pattern(`${literal(`org/${organization}/project/${project}/user/`)}.*`),
    claims: claimsOf({
      "oidc.circleci.com/vcs-origin": origin,
      "oidc.circleci.com/vcs-ref": branch === "" ? "" : `refs/heads/${branch}`,
    }),
  }),
  token: '`circleci run oidc get --claims \'{"aud": "…"}\'`',
  notes: ["The subject contains the user who started the job, so the identity has a pattern."],
  job: { path: ".circleci/config.yml", language: "yaml", text: circleciJob },
  source: "https://circleci.com/docs/oidc-tokens-with-custom-claims",
};

const jenkins: WorkloadSystem = {
  id: "jenkins",
  title: "Jenkins",
  about: "A job of your Jenkins, with its plugin OpenID Connect Provider",
  fields: [
    { name: "address", label: "Address of Jenkins", example: "https://jenkins.example.com" },
    {
      name: "job",
      label: "Job",
      hint: "The folders, the job and the branch if the job has several: `acme/app/main`",
      example: "app/main",
    },
  ],
  match({ address = "", job = "" }) {
    const root = address.replace(/\/+$/, "");
    const parts = job.split("/").filter((part) => part !== "");
    const path = parts.map((part) => `job/${encodeURIComponent(part)}/`).join("");
    return { issuer: `${root}/oidc`, subject: exact(`${root}/${path}`), claims: {} };
  },
  token: "a credential of the kind **OpenID Connect id token**, whose audience is the registry",
  notes: [
    "Install the plugin OpenID Connect Provider. Create a credential of the kind **OpenID Connect id token** with the id `registry-token` and the audience `registry.example.com`.",
    "Jenkins must be at a public https address. Otherwise store its keys, or serve its two documents elsewhere.",
  ],
  job: { path: "Jenkinsfile", language: "groovy", text: jenkinsJob },
  source: "https://plugins.jenkins.io/oidc-provider/",
};

/** All systems, in the order of the guide and of the console. */
export const workloadSystems: readonly WorkloadSystem[] = [
  ...[github, gitlab, buildkite, circleci, jenkins, bitbucket],
  ...clouds,
];
