/** Reads documents of the kind TagRule. They can name a repository, and roles and a trust policy instead of their uids. */
import { isObject, type JsonObject } from "../resources/flags.ts";
import { checkedMessage, fieldNamesOf } from "./fields.ts";
import type { Source } from "./files.ts";
import { isGroupPath, type KindName, resourceOfKind } from "./kinds.ts";

/** The content of a document. */
export type Contents = {
  /** The name or uid of the repository of a tag rule. Undefined for a rule of the group itself. */
  repo?: string;
  /** The names, paths or uids of the resources that it refers to, by their key. */
  refers: Record<string, string>;
  /** The fields to set, in the JSON of the API. Roles are in `keep.role` and `serve.exemptRole`, because their uids are not known yet. */
  fields: JsonObject;
};

/** Where to report problems, and how to name a place. */
export type Reading = { problems: string[]; locate: Source["locate"] };

/** The messages of the kinds, and their keys that take a role instead of the uid of one. */
const kinds = {
  keep: { message: "platform.registry.v2.KeepRule", field: "roleUid", key: "role" },
  serve: { message: "platform.registry.v2.ServeRule", field: "exemptRoleUid", key: "exemptRole" },
} as const;

type RuleKind = keyof typeof kinds;

/** The kinds of rules. Those of the kind expire name no role. */
const ruleKinds = ["keep", "serve", "expire"];

/** Returns the repository of a resource that can be in one. Reports another value than a name or a uid. */
export function readRepo(repo: unknown, { problems, locate }: Reading): Pick<Contents, "repo"> {
  if (typeof repo === "string" && repo !== "") return { repo };
  if (repo !== undefined)
    problems.push(`${locate(["repo"])}: The repo must be the name or the uid of a repository.`);
  return {};
}

/** Returns the content of a tag rule. Reports every problem. */
export function readTagRule(kind: KindName, rest: JsonObject, reading: Reading): Contents {
  const { problems, locate } = reading;
  const { repo, keep, serve, ...plain } = rest;
  const { message } = resourceOfKind(kind);
  const known = ["kind", "group", "repo", ...fieldNamesOf(message)];
  const fields = checkedMessage(message, plain, { problems, known, locate });
  const named = readRepo(repo, reading);
  const given = ruleKinds.filter((one) => rest[one] !== undefined);
  if (given[1] !== undefined)
    problems.push(`${locate([given[1]])}: Only one of ${given.join(", ")} is possible.`);
  const [keeping, serving] = [
    withoutPolicy("keep", keep, reading),
    withoutPolicy("serve", serve, reading),
  ];
  const kept = keep === undefined ? undefined : readKept(keeping.value, reading);
  const served = serve === undefined ? undefined : readServed(serving.value, reading);
  const trustPolicy = keeping.trustPolicy ?? serving.trustPolicy;
  const { role } = kept ?? {};
  const { exemptRole } = served ?? {};
  return {
    ...named,
    refers: {
      ...(typeof role === "string" && { role }),
      ...(typeof exemptRole === "string" && { exemptRole }),
      ...(trustPolicy !== undefined && { trustPolicy }),
    },
    fields: { ...fields, ...(kept && { keep: kept }), ...(served && { serve: served }) },
  };
}

/** Takes the trust policy out of the requirement of a kind. */
function withoutPolicy(
  kind: RuleKind,
  value: unknown,
  { problems, locate }: Reading,
): { value: unknown; trustPolicy?: string } {
  const requirement = isObject(value) ? value.requirement : undefined;
  const signedBy = isObject(requirement) ? requirement.signedBy : undefined;
  if (!isObject(value) || !isObject(requirement) || !isObject(signedBy)) return { value };
  const { trustPolicy, trustPolicyUid, ...others } = signedBy;
  const path = [kind, "requirement", "signedBy"];
  if (trustPolicyUid !== undefined)
    problems.push(
      `${locate([...path, "trustPolicyUid"])}: Use trustPolicy instead of trustPolicyUid. It takes a name or a uid.`,
    );
  else if (typeof trustPolicy !== "string" || !isGroupPath(trustPolicy))
    problems.push(
      `${locate(path)}: The trustPolicy must be a name, a path such as acme.example/payments/NAME, or a uid.`,
    );
  return {
    value: { ...value, requirement: { ...requirement, signedBy: others } },
    ...(typeof trustPolicy === "string" && { trustPolicy }),
  };
}

/** Takes the role out of the value of a kind, and checks it. Undefined if the value is not usable at all. */
function withoutRole(kind: RuleKind, value: unknown, { problems, locate: whole }: Reading) {
  const { message, field, key } = kinds[kind];
  const locate = (path: (string | number)[]) => whole([kind, ...path]);
  if (!isObject(value)) {
    problems.push(`${locate([])}: ${kind} must be an object.`);
    return undefined;
  }
  if (value[field] !== undefined) {
    problems.push(`${locate([field])}: Use ${key} instead of ${field}. It takes a name or a uid.`);
    return undefined;
  }
  const { [key]: role, ...others } = value;
  if (role !== undefined && (typeof role !== "string" || !isGroupPath(role)))
    problems.push(
      `${locate([key])}: The ${key} must be a name, a path such as acme.example/payments/NAME, or a uid.`,
    );
  const known = fieldNamesOf(message).map((name) => (name === field ? key : name));
  return { role, others, known, locate, check: { problems, known, locate } };
}

function readKept(keep: unknown, reading: Reading): JsonObject {
  const read = withoutRole("keep", keep, reading);
  if (!read) return {};
  const { role, others, known, locate, check } = read;
  if (role === undefined) return checkedMessage(kinds.keep.message, others, check);
  const [other] = Object.keys(others);
  if (other !== undefined)
    reading.problems.push(`${locate([other])}: Only one of ${known.join(", ")} is possible.`);
  return { role };
}

function readServed(serve: unknown, reading: Reading): JsonObject {
  const read = withoutRole("serve", serve, reading);
  if (!read) return {};
  const { role, others, check } = read;
  const fields = checkedMessage(kinds.serve.message, others, check);
  return role === undefined ? fields : { ...fields, exemptRole: role };
}
