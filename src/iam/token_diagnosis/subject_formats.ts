/**
 * The forms of subjects that well-known issuers write. A form says which part of a subject names the owner,
 * which one the project, and which one the run, and which claims say the same. Sources are the documentation
 * of each issuer, read in 2026.
 */

/** The parts of a subject: someone else's tokens differ in the first, and other tokens of one's own in the others. */
export type PartName = "owner" | "project" | "run";

export interface SubjectFormat {
  /** The name of the issuer, for people. */
  name: string;
  /** A part of the issuer's URL, if it is the same for everyone. */
  issuer: string;
  /** A regular expression with a group for each part. */
  form: RegExp;
  write: (parts: Record<PartName, string>) => string;
  /** The words for the parts, for people. */
  words: Record<PartName, string>;
  /** Runs of every kind. A pattern that matches all of them matches every run. */
  runs: string[];
  /** Texts for the wildcards of a pattern, so that it becomes a whole subject. */
  fillers: string[];
  /** Claims that fix a part if an identity requires them. A claim that fixes the project fixes the owner, too. */
  claims: Record<PartName, string[]>;
  /** Claims with an id that is never given to anyone else. */
  lasting: string[];
  /** Whether the parts are ids that are never given to anyone else. Undefined if they never are. */
  isLasting?: (parts: Record<PartName, string>) => boolean;
  /** Claims with a name that can be given to someone else. */
  names: string[];
}

const hasId = (text: string) => /@\d+$/.test(text);

/** https://docs.github.com/en/actions/reference/security/oidc, with the immutable form of 2026. */
const github: SubjectFormat = {
  name: "GitHub Actions",
  issuer: "token.actions.githubusercontent.com",
  form: /^repo:(?<owner>[^/:]+)\/(?<project>[^/:]+):(?<run>.+)$/,
  write: ({ owner, project, run }) => `repo:${owner}/${project}:${run}`,
  words: { owner: "account", project: "repository", run: "branch, tag and pull request" },
  runs: ["pull_request", "ref:refs/heads/any-branch"],
  fillers: [
    "any",
    "/any:pull_request",
    "any:pull_request",
    "any/any:pull_request",
    "pull_request",
    "main",
  ],
  claims: {
    owner: ["repository_owner", "repository_owner_id", "repository", "repository_id"],
    project: ["repository", "repository_id"],
    run: ["ref", "ref_type", "environment", "event_name", "base_ref"],
  },
  lasting: ["repository_owner_id", "repository_id"],
  isLasting: ({ owner }) => hasId(owner),
  names: ["repository", "repository_owner", "actor", "job_workflow_ref", "workflow_ref"],
};

/** https://docs.gitlab.com/ci/secrets/id_token_authentication */
const gitlab: SubjectFormat = {
  name: "GitLab CI/CD",
  issuer: "//gitlab.com",
  form: /^project_path:(?<owner>[^/:]+)\/(?<project>[^:]+):(?<run>ref_type:.+)$/,
  write: ({ owner, project, run }) => `project_path:${owner}/${project}:${run}`,
  words: { owner: "group", project: "project", run: "branch and tag" },
  runs: ["ref_type:branch:ref:any-branch", "ref_type:tag:ref:any-tag"],
  fillers: [
    "any",
    "/any:ref_type:branch:ref:any",
    "any:ref_type:branch:ref:any",
    "any/any:ref_type:branch:ref:any",
    "ref_type:branch:ref:any",
  ],
  claims: {
    owner: ["namespace_id", "namespace_path", "project_id", "project_path"],
    project: ["project_id", "project_path"],
    run: ["ref", "ref_type", "ref_path", "ref_protected", "environment", "pipeline_source"],
  },
  lasting: ["namespace_id", "project_id"],
  names: ["project_path", "namespace_path", "user_login", "user_email"],
};

/** https://buildkite.com/docs/pipelines/security/oidc */
const buildkite: SubjectFormat = {
  name: "Buildkite",
  issuer: "agent.buildkite.com",
  form: /^organization:(?<owner>[^:]+):pipeline:(?<project>[^:]+):(?<run>ref:.+)$/,
  write: ({ owner, project, run }) => `organization:${owner}:pipeline:${project}:${run}`,
  words: { owner: "organization", project: "pipeline", run: "branch, tag and step" },
  runs: [
    "ref:refs/heads/any-branch:commit:0123456789abcdef0123456789abcdef01234567:step:any",
    "ref:refs/tags/any-tag:commit:0123456789abcdef0123456789abcdef01234567:step:any",
  ],
  fillers: [
    "any",
    "ref:refs/heads/any:commit:0:step:any",
    "any:ref:refs/heads/any:commit:0:step:any",
    "any:pipeline:any:ref:refs/heads/any:commit:0:step:any",
  ],
  claims: {
    owner: ["organization_id", "organization_slug", "pipeline_id"],
    project: ["pipeline_id", "pipeline_slug"],
    run: ["build_branch", "build_tag", "build_source", "step_key"],
  },
  lasting: ["organization_id", "pipeline_id"],
  names: ["organization_slug", "pipeline_slug"],
};

/** https://developer.hashicorp.com/terraform/cloud-docs/dynamic-provider-credentials/workload-identity-tokens */
const terraform: SubjectFormat = {
  name: "HCP Terraform",
  issuer: "app.terraform.io",
  form: /^organization:(?<owner>[^:]+):project:(?<project>[^:]+:workspace:[^:]+):run_phase:(?<run>.+)$/,
  write: ({ owner, project, run }) => `organization:${owner}:project:${project}:run_phase:${run}`,
  words: { owner: "organization", project: "workspace", run: "phase of a run, such as a plan" },
  runs: ["plan", "apply"],
  fillers: [
    "any",
    "any:workspace:any:run_phase:plan",
    "any:run_phase:plan",
    "any:project:any:workspace:any:run_phase:plan",
  ],
  claims: {
    owner: ["terraform_organization_id", "terraform_organization_name", "terraform_workspace_id"],
    project: ["terraform_workspace_id", "terraform_workspace_name"],
    run: ["terraform_run_phase"],
  },
  lasting: ["terraform_organization_id", "terraform_workspace_id", "terraform_project_id"],
  names: ["terraform_organization_name", "terraform_workspace_name", "terraform_project_name"],
};

/** https://circleci.com/docs/openid-connect-tokens. Both parts are UUIDs. */
const circleci: SubjectFormat = {
  name: "CircleCI",
  issuer: "oidc.circleci.com",
  form: /^org\/(?<owner>[^/]+)\/project\/(?<project>[^/]+)\/(?<run>user\/.+)$/,
  write: ({ owner, project, run }) => `org/${owner}/project/${project}/${run}`,
  words: { owner: "organization", project: "project", run: "user" },
  runs: [],
  fillers: ["any", "any/user/any", "any/project/any/user/any", "user/any"],
  claims: { owner: [], project: ["oidc.circleci.com/project-id"], run: [] },
  lasting: ["oidc.circleci.com/project-id"],
  isLasting: () => true,
  names: [],
};

/** https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin. No claim with an id can match. */
const kubernetes: SubjectFormat = {
  name: "Kubernetes",
  issuer: "kubernetes.default.svc",
  form: /^system:serviceaccount:(?<owner>[^:]+):(?<project>[^:]+)(?<run>)$/,
  write: ({ owner, project }) => `system:serviceaccount:${owner}:${project}`,
  words: { owner: "namespace", project: "service account", run: "pod" },
  runs: [],
  fillers: ["any", "any:any"],
  claims: { owner: [], project: [], run: [] },
  lasting: [],
  names: [],
};

/** https://docs.cloud.google.com/docs/authentication/token-types. The subject is the number of an account. */
const google: SubjectFormat = {
  name: "Google",
  issuer: "accounts.google.com",
  form: /^(?<owner>\d{15,30})(?<project>)(?<run>)$/,
  write: ({ owner }) => owner,
  words: { owner: "account", project: "account", run: "run" },
  runs: [],
  fillers: ["117000000000000000001"],
  claims: { owner: ["email", "hd", "azp"], project: ["email", "azp"], run: [] },
  lasting: [],
  isLasting: () => true,
  names: ["email"],
};

export const subjectFormats = [github, gitlab, buildkite, terraform, circleci, kubernetes, google];

/** The parts of a subject, if it has the form. */
export const partsOf = ({ form }: SubjectFormat, text: string) =>
  form.exec(text)?.groups as Record<PartName, string> | undefined;

/**
 * Owners who are someone else: with another name, with the same name and another id, or with only a number.
 */
export const strangers = (owner: string): string[] => [
  "stranger",
  `${owner.replace(/@\d+$/, "")}-stranger`,
  "stranger@1",
  `${owner.replace(/@\d+$/, "")}@987654321`,
  "117000000000000000002",
];

/** Issuers of strangers, and hosts that anyone can register. An issuer pattern must not match them. */
export const strangeIssuers = [
  "https://stranger.example",
  "https://oidc.circleci.com/org/00000000-0000-4000-8000-000000000000",
  "https://login.microsoftonline.com/00000000-0000-4000-8000-000000000000/v2.0",
  "https://sts.windows.net/00000000-0000-4000-8000-000000000000/",
  "https://oidc.eks.us-east-1.amazonaws.com/id/00000000000000000000000000000000",
  "https://container.googleapis.com/v1/projects/stranger/locations/us/clusters/stranger",
  "https://00000000-0000-4000-8000-000000000000.tokens.sts.global.api.aws",
  "https://stranger.gitlab.io",
  "https://stranger.github.io",
];
