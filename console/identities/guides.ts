/** Guides: the facts that a person knows about their workload, and the tokens that an identity for it must accept. */
import {
  exact,
  initialValues,
  literal,
  pattern,
  type SystemId,
  type Values,
  type WorkloadSystem,
} from "../../schema/workloads/fields.ts";
import { workloadSystems } from "../../schema/workloads/systems.ts";
import { type Draft, emptyDraft } from "./drafts.ts";

/** The kinds of workloads that have a form of their own. */
export type GuideName = SystemId | "kubernetes" | "oidc" | "aws" | "static" | "none";

/** The choices of the first step: the name, the title and a sentence. */
export const guideNames: readonly (readonly [GuideName, string, string])[] = [
  ...workloadSystems.map(({ id, title, about }) => [id, title, about] as const),
  ["kubernetes", "Kubernetes service account", "The pods of a cluster"],
  ["aws", "AWS role or user", "A workload at AWS, without a token"],
  ["oidc", "Another OpenID Connect issuer", "Anything that gets signed tokens from an issuer"],
  ["static", "Issuer with stored keys", "An issuer that the platform cannot reach"],
  ["none", "Nothing yet", "A name that roles can be bound to, and that accepts no token"],
];

/** The system with this name, if the name is one of a system. */
export const systemOf = (name: GuideName): WorkloadSystem | undefined =>
  workloadSystems.find(({ id }) => id === name);

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
  systems: Readonly<Record<SystemId, Values>>;
  kubernetes: KubernetesGuide;
  aws: AwsGuide;
  /** The fields of the other choices. */
  draft: Draft;
}

export const emptyGuides: Guides = {
  // A cast, because the compiler does not know that the table has every name.
  systems: Object.fromEntries(
    workloadSystems.map((system) => [system.id, initialValues(system)]),
  ) as Record<SystemId, Values>,
  kubernetes: { issuer: "", isReachable: true, keys: "", namespace: "", account: "" },
  aws: { account: "", principal: "role", name: "", id: "" },
  draft: emptyDraft,
};

function ofSystem(system: WorkloadSystem, values: Values): Draft {
  const { issuer, subject, audience = "", claims } = system.match(values);
  return {
    ...emptyDraft,
    issuer: exact(issuer),
    subject,
    audience: exact(audience),
    claims: Object.entries(claims).map(([name, value]) => ({ name, ...exact(value) })),
  };
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
  const system = systemOf(name);
  if (system) return ofSystem(system, guides.systems[system.id]);
  switch (name) {
    case "kubernetes":
      return ofKubernetes(guides.kubernetes);
    case "aws":
      return ofAws(guides.aws);
    case "static":
      return { ...guides.draft, kind: "staticKeys" };
    case "oidc":
      return { ...guides.draft, kind: "claimMatch" };
    default:
      return { ...emptyDraft, kind: "none" };
  }
}

/** The fields that name a workload of a system best. */
const namingFields: Record<SystemId, readonly string[]> = {
  github: ["repository"],
  gitlab: ["project"],
  buildkite: ["organization", "pipeline"],
  circleci: ["origin"],
  jenkins: ["job"],
  bitbucket: ["workspace"],
  "aws-token": ["role"],
  google: ["account"],
  azure: ["principal"],
};

function wordsOf(name: GuideName, { systems, kubernetes, aws }: Guides): string[] {
  const system = systemOf(name);
  if (system) return namingFields[system.id].map((field) => systems[system.id][field] ?? "");
  if (name === "kubernetes") return [kubernetes.namespace, kubernetes.account];
  return name === "aws" ? [aws.name] : [];
}

/** A name that fits the fields, or an empty text. Names have no capitals and few signs. */
export function suggestedName(name: GuideName, guides: Guides): string {
  const words = wordsOf(name, guides);
  if (words.every((word) => word === "")) return "";
  return [name, ...words]
    .join(" ")
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, " ")
    .trim()
    .slice(0, 255);
}

/** Whether the fields say enough to show in words what the identity would accept. */
export function isDescribed(name: GuideName, guides: Guides): boolean {
  const { kubernetes, aws, draft } = guides;
  const system = systemOf(name);
  if (system) return isComplete(system, guides.systems[system.id]);
  const texts: Partial<Record<GuideName, string[]>> = {
    kubernetes: [kubernetes.issuer, kubernetes.namespace, kubernetes.account],
    aws: [aws.account, aws.name, aws.id],
    oidc: [draft.issuer.value, draft.subject.value],
    static: [draft.issuer.value, draft.subject.value],
  };
  return (texts[name] ?? [""]).every((text) => text !== "");
}

const isComplete = ({ fields }: WorkloadSystem, values: Values) =>
  fields.every(
    ({ name, isMark, isOptional, isShown }) =>
      isMark || isOptional?.(values) || isShown?.(values) === false || values[name] !== "",
  );
