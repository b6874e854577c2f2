/** The systems whose jobs belong to a repository that they host themselves. */
import { claimsOf, exact, literal, pattern, type Values, type WorkloadSystem } from "./fields.ts";
import { bitbucketJob, githubJob, gitlabJob } from "./jobs.ts";

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

export const github: WorkloadSystem = {
  id: "github",
  title: "GitHub Actions",
  about: "A job of a repository at GitHub",
  fields: [
    { name: "repository", label: "Repository", hint: "`owner/name`", example: "acme/app" },
    {
      name: "when",
      label: "Jobs that may log in",
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

export const gitlab: WorkloadSystem = {
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
      label: "Jobs that may log in",
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

export const bitbucket: WorkloadSystem = {
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
