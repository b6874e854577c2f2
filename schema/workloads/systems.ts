/**
 * CI systems and clouds that sign tokens for their workloads: which tokens an identity accepts, and how a job gets one. The
 * guide (docs/guides/ci.md) and the page "New identity" of the console show the same rows. Each row follows the
 * documentation that it names, as of November 2026.
 */
import { clouds } from "./clouds.ts";
import { claimsOf, exact, literal, pattern, type Values, type WorkloadSystem } from "./fields.ts";
import {
  bitbucketJob,
  buildkiteJob,
  circleciJob,
  githubJob,
  gitlabJob,
  jenkinsJob,
} from "./jobs.ts";

const is =
  (name: string, ...values: string[]) =>
  (entered: Values) =>
    values.includes(entered[name] ?? "");

const refLabels: Record<string, string> = {
  branch: "Branch",
  tag: "Tag, or nothing for every tag",
  environment: "Environment",
};
const refLabel = ({ when = "" }: Values) => refLabels[when] ?? "Branch";

function githubMatch(values: Values) {
  const { repository = "", when = "", ref = "", ownerId = "", repositoryId = "", hasIds } = values;
  const [owner = "", name = ""] = repository.trim().split("/");
  const [ownerMark, nameMark] = hasIds === "true" ? [`@${ownerId}`, `@${repositoryId}`] : ["", ""];
  const start = `repo:${owner}${ownerMark}/${name}${nameMark}:`;
  const everyTag = pattern(`${literal(start)}ref:refs/tags/.*`);
  const subjects: Record<string, ReturnType<typeof exact>> = {
    branch: exact(`${start}ref:refs/heads/${ref}`),
    tag: ref === "" ? everyTag : exact(`${start}ref:refs/tags/${ref}`),
    environment: exact(`${start}environment:${ref}`),
    pull_request: exact(`${start}pull_request`),
  };
  return {
    issuer: "https://token.actions.githubusercontent.com",
    subject: subjects[when] ?? pattern(`${literal(start)}.*`),
    claims:
      hasIds === "true"
        ? {}
        : claimsOf({ repository_owner_id: ownerId, repository_id: repositoryId }),
  };
}

const github: WorkloadSystem = {
  id: "github",
  title: "GitHub Actions",
  about: "A job of a repository at GitHub",
  fields: [
    { name: "repository", label: "Repository", hint: "`owner/name`", example: "acme/app" },
    {
      name: "when",
      label: "Who gets in",
      example: "branch",
      initial: "branch",
      options: [
        ["branch", "Jobs of one branch"],
        ["tag", "Jobs of tags"],
        ["environment", "Jobs with an environment"],
        ["pull_request", "Jobs of pull requests"],
        ["any", "Every job of the repository"],
      ],
    },
    {
      name: "ref",
      label: refLabel,
      example: "main",
      initial: "main",
      isOptional: is("when", "tag"),
      isShown: is("when", "branch", "tag", "environment"),
    },
    {
      name: "ownerId",
      label: "Id of the owner",
      hint: "Someone else can get a name after a rename, but never an id. `gh api repos/OWNER/NAME --jq .owner.id` shows it.",
      example: "1234",
      isOptional: is("hasIds", ""),
    },
    {
      name: "repositoryId",
      label: "Id of the repository",
      hint: "`gh api repos/OWNER/NAME --jq .id` shows it.",
      example: "5678",
      isOptional: is("hasIds", ""),
    },
    {
      name: "hasIds",
      label: "The subjects of this repository contain the ids",
      hint: "As in `repo:owner@123/name@456:…` Repositories made or renamed since July 15, 2026 have such subjects.",
      example: "true",
      isMark: true,
    },
  ],
  match: githubMatch,
  token:
    "`permissions: id-token: write`, then `GET $ACTIONS_ID_TOKEN_REQUEST_URL&audience=…` with `$ACTIONS_ID_TOKEN_REQUEST_TOKEN`",
  notes: [
    "A token is valid for five minutes, so the job logs in after the build.",
    "The subject of an older repository is `repo:acme/app:ref:refs/heads/main`. Require its ids as claims too, and log in with the uid of the identity. An owner can also switch the repository to subjects with ids.",
  ],
  job: { path: ".github/workflows/image.yml", language: "yaml", text: githubJob },
  source: "https://docs.github.com/en/actions/reference/security/oidc",
};

const gitlab: WorkloadSystem = {
  id: "gitlab",
  title: "GitLab CI/CD",
  about: "A job of a project, at gitlab.com or on your own server",
  fields: [
    {
      name: "address",
      label: "Address of GitLab",
      example: "https://gitlab.com",
      initial: "https://gitlab.com",
    },
    { name: "project", label: "Project", hint: "`group/project`", example: "acme/app" },
    {
      name: "when",
      label: "Who gets in",
      example: "branch",
      initial: "branch",
      options: [
        ["branch", "Jobs of one branch"],
        ["tag", "Jobs of tags"],
        ["any", "Every job of the project"],
      ],
    },
    {
      name: "ref",
      label: refLabel,
      example: "main",
      initial: "main",
      isOptional: is("when", "tag"),
      isShown: is("when", "branch", "tag"),
    },
    {
      name: "projectId",
      label: "Id of the project",
      hint: "Someone else can get a path after a rename, but never an id. The page of the project shows it.",
      example: "4321",
      isOptional: () => true,
    },
  ],
  match({ address = "", project = "", when = "", ref = "", projectId = "" }) {
    const start = `project_path:${project.trim()}:`;
    const everyTag = when === "tag" && ref === "";
    const every = pattern(`${literal(start)}${everyTag ? "ref_type:tag:ref:" : ""}.*`);
    const isEvery = when === "any" || everyTag;
    return {
      issuer: address,
      subject: isEvery ? every : exact(`${start}ref_type:${when}:ref:${ref}`),
      claims: claimsOf({ project_id: projectId }),
    };
  },
  token: "`id_tokens:` in the job, with the audience",
  notes: [
    "The subject contains names, so the identity also requires the id of the project.",
    "Your own server must be at a public https address. Otherwise store its keys.",
  ],
  job: { path: ".gitlab-ci.yml", language: "yaml", text: gitlabJob },
  source: "https://docs.gitlab.com/ci/secrets/id_token_authentication",
};

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
      hint: "The folders, the job and the branch of a multibranch job: `acme/app/main`",
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

const bitbucket: WorkloadSystem = {
  id: "bitbucket",
  title: "Bitbucket Pipelines",
  about: "A step of a pipeline at Bitbucket",
  fields: [
    { name: "workspace", label: "Workspace", example: "acme" },
    {
      name: "repository",
      label: "Id of the repository",
      hint: "Its UUID, from **OpenID Connect** in the settings of the repository.",
      example: "0189a6a5-0000-4000-8000-000000000004",
    },
    {
      name: "branch",
      label: "Branch, or nothing for every branch",
      example: "main",
      initial: "main",
      isOptional: () => true,
    },
  ],
  match: ({ workspace = "", repository = "", branch = "" }) => ({
    issuer: `https://api.bitbucket.org/2.0/workspaces/${workspace}/pipelines-config/identity/oidc`,
    subject: pattern(`${literal(`{${repository.replace(/[{}]/g, "")}}:`)}.*`),
    claims: claimsOf({ branchName: branch }),
  }),
  token: "`oidc: audiences:` in the step, then `$BITBUCKET_STEP_OIDC_TOKEN`",
  notes: ["The subject contains the step, so the identity has a pattern."],
  job: { path: "bitbucket-pipelines.yml", language: "yaml", text: bitbucketJob },
  source:
    "https://support.atlassian.com/bitbucket-cloud/docs/integrate-pipelines-with-resource-servers-using-oidc/",
};

/** All systems, in the order of the guide and of the console. */
export const workloadSystems: readonly WorkloadSystem[] = [
  ...[github, gitlab, buildkite, circleci, jenkins, bitbucket],
  ...clouds,
];
