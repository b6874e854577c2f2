/** Guides: the facts that a person knows about their workload, and the tokens that an identity for it must accept. */
import { type Draft, emptyDraft, type MatcherDraft } from "./drafts.ts";

/** The kinds of workloads that have a form of their own. */
export type GuideName = "github" | "gitlab" | "kubernetes" | "oidc" | "aws" | "static" | "none";

/** The choices of the first step: the name, the title and a sentence. */
export const guideNames: readonly (readonly [GuideName, string, string])[] = [
  ["github", "GitHub Actions workflow", "A job of a repository at GitHub"],
  ["gitlab", "GitLab job", "A job of a project, at gitlab.com or on your own server"],
  ["kubernetes", "Kubernetes service account", "The pods of a cluster"],
  ["oidc", "Another OpenID Connect issuer", "Anything that gets signed tokens from an issuer"],
  ["aws", "AWS role or user", "A workload at AWS, without a token"],
  ["static", "Issuer with stored keys", "An issuer that the platform cannot reach"],
  ["none", "Nothing yet", "A name that roles can be bound to, and that accepts no token"],
];

/** A repository at GitHub, and which of its runs get in. */
export interface GitHubGuide {
  /** `owner/name` */
  repository: string;
  when: "branch" | "tag" | "environment" | "pull_request" | "any";
  /** The branch, tag or environment. Without a tag, every tag gets in. */
  ref: string;
  ownerId: string;
  repositoryId: string;
  /** Whether the subjects of the repository contain the two ids, as those of newer repositories do. */
  hasIds: boolean;
}

/** A project at GitLab, and which of its pipelines get in. */
export interface GitLabGuide {
  issuer: string;
  /** `group/project` */
  project: string;
  when: "branch" | "tag" | "any";
  ref: string;
  projectId: string;
}

/** A service account in a cluster. */
export interface KubernetesGuide {
  issuer: string;
  isReachable: boolean;
  /** A JSON Web Key Set, for a cluster that the platform cannot reach. */
  keys: string;
  namespace: string;
  account: string;
}

/** A role or user at AWS. */
export interface AwsGuide {
  account: string;
  principal: "role" | "user";
  name: string;
  /** The unique id, such as `AROA…`, which AWS never gives to another one. */
  id: string;
}

/** The fields of all guides, so that another choice loses nothing. */
export interface Guides {
  github: GitHubGuide;
  gitlab: GitLabGuide;
  kubernetes: KubernetesGuide;
  aws: AwsGuide;
  /** The fields of the other choices. */
  draft: Draft;
}

export const emptyGuides: Guides = {
  github: {
    repository: "",
    when: "branch",
    ref: "main",
    ownerId: "",
    repositoryId: "",
    hasIds: false,
  },
  gitlab: { issuer: "https://gitlab.com", project: "", when: "branch", ref: "main", projectId: "" },
  kubernetes: { issuer: "", isReachable: true, keys: "", namespace: "", account: "" },
  aws: { account: "", principal: "role", name: "", id: "" },
  draft: emptyDraft,
};

/** A text as a part of a regular expression that matches only itself. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const exact = (value: string): MatcherDraft => ({ value, isPattern: false });
const pattern = (value: string): MatcherDraft => ({ value, isPattern: true });

const claim = (name: string, value: string) =>
  value === "" ? [] : [{ name, value, isPattern: false }];

function ofGitHub(guide: GitHubGuide): Draft {
  const { repository, when, ref, ownerId, repositoryId, hasIds } = guide;
  const [owner = "", name = ""] = repository.trim().split("/");
  const [ownerMark, nameMark] = hasIds ? [`@${ownerId}`, `@${repositoryId}`] : ["", ""];
  const start = `repo:${owner}${ownerMark}/${name}${nameMark}:`;
  const subjects: Record<GitHubGuide["when"], MatcherDraft> = {
    branch: exact(`${start}ref:refs/heads/${ref}`),
    tag:
      ref === ""
        ? pattern(`${literal(start)}ref:refs/tags/.*`)
        : exact(`${start}ref:refs/tags/${ref}`),
    environment: exact(`${start}environment:${ref}`),
    pull_request: exact(`${start}pull_request`),
    any: pattern(`${literal(start)}.*`),
  };
  return {
    ...emptyDraft,
    issuer: exact("https://token.actions.githubusercontent.com"),
    subject: subjects[when],
    claims: hasIds
      ? []
      : [...claim("repository_owner_id", ownerId), ...claim("repository_id", repositoryId)],
  };
}

function ofGitLab({ issuer, project, when, ref, projectId }: GitLabGuide): Draft {
  const start = `project_path:${project.trim()}:`;
  const subject =
    when === "any"
      ? pattern(`${literal(start)}.*`)
      : when === "tag" && ref === ""
        ? pattern(`${literal(start)}ref_type:tag:ref:.*`)
        : exact(`${start}ref_type:${when}:ref:${ref}`);
  return { ...emptyDraft, issuer: exact(issuer), subject, claims: claim("project_id", projectId) };
}

function ofKubernetes(guide: KubernetesGuide): Draft {
  const { issuer, isReachable, keys, namespace, account } = guide;
  return {
    ...emptyDraft,
    kind: isReachable ? "claimMatch" : "staticKeys",
    issuer: exact(issuer),
    subject: exact(`system:serviceaccount:${namespace}:${account}`),
    keys,
  };
}

function ofAws({ account, principal, name, id }: AwsGuide): Draft {
  const isRole = principal === "role";
  return {
    ...emptyDraft,
    kind: "awsIdentity",
    account,
    arn: isRole
      ? pattern(`arn:aws:sts::${literal(account)}:assumed-role/${literal(name)}/.*`)
      : exact(`arn:aws:iam::${account}:user/${name}`),
    userId: isRole ? pattern(`${literal(id)}:.*`) : exact(id),
  };
}

/** Returns the tokens that the identity accepts, by the fields of the chosen guide. */
export function draftOfGuide(name: GuideName, guides: Guides): Draft {
  switch (name) {
    case "github":
      return ofGitHub(guides.github);
    case "gitlab":
      return ofGitLab(guides.gitlab);
    case "kubernetes":
      return ofKubernetes(guides.kubernetes);
    case "aws":
      return ofAws(guides.aws);
    case "static":
      return { ...guides.draft, kind: "staticKeys" };
    case "oidc":
      return { ...guides.draft, kind: "claimMatch" };
    case "none":
      return { ...emptyDraft, kind: "none" };
  }
}

/** A name that fits the fields, or an empty text. Names have no capitals and few signs. */
export function suggestedName(name: GuideName, guides: Guides): string {
  const { github, gitlab, kubernetes, aws } = guides;
  const texts: Record<GuideName, string> = {
    github: github.repository.split("/")[1] ? `github ${github.repository}` : "",
    gitlab: gitlab.project === "" ? "" : `gitlab ${gitlab.project}`,
    kubernetes:
      kubernetes.account === "" ? "" : `kubernetes ${kubernetes.namespace} ${kubernetes.account}`,
    aws: aws.name === "" ? "" : `aws ${aws.name}`,
    oidc: "",
    static: "",
    none: "",
  };
  return texts[name]
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, " ")
    .trim()
    .slice(0, 255);
}

/** Whether the fields say enough to show in words what the identity would accept. */
export function isDescribed(name: GuideName, guides: Guides): boolean {
  const { github, gitlab, kubernetes, aws, draft } = guides;
  const texts: Record<GuideName, string[]> = {
    github: [github.repository.split("/")[0] ?? "", github.repository.split("/")[1] ?? ""],
    gitlab: [gitlab.issuer, gitlab.project],
    kubernetes: [kubernetes.issuer, kubernetes.namespace, kubernetes.account],
    aws: [aws.account, aws.name, aws.id],
    oidc: [draft.issuer.value, draft.subject.value],
    static: [draft.issuer.value, draft.subject.value],
    none: [""],
  };
  return texts[name].every((text) => text !== "");
}
