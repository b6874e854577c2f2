/** Checks the documents of `apply`, and turns them into the JSON of the API. */
import { type Failure, usageFailure } from "../failure.ts";
import { isAlsoInRepo } from "../resources/catalog.ts";
import { isObject, type JsonObject } from "../resources/flags.ts";
import { didYouMean, nearestWord } from "../resources/spelling.ts";
import { checkedMessage, fieldNamesOf } from "./fields.ts";
import type { Source } from "./files.ts";
import {
  bindingReferences,
  hasName,
  isGroupPath,
  type KindName,
  kindNames,
  resourceOfKind,
} from "./kinds.ts";
import { type Contents, type Reading, readRepo, readTagRule } from "./tag_rule.ts";

/** A document that has been checked. */
export type Wanted = Contents & {
  kind: KindName;
  /** The path or uid of the group that it belongs to. */
  group: string;
  /** The name, or an empty text for a role binding. */
  name: string;
  /** `file:line` of the document, and of a key in it. */
  location: string;
  locationOf: (key: string) => string;
};

/** Returns the checked documents. Throws a USAGE Failure with every problem, each with its file and line. */
export function checkDocuments(sources: Source[], defaultGroup: string | undefined): Wanted[] {
  const problems: string[] = [];
  const all = sources.flatMap((source): Wanted[] => {
    try {
      return [checkDocument(source, defaultGroup, problems)];
    } catch (error) {
      if (!(error instanceof DocumentProblem)) throw error;
      problems.push(error.message);
      return [];
    }
  });
  const seen = new Map<string, Wanted>();
  for (const document of all) {
    const { kind, group, repo, name, refers } = document;
    const key = JSON.stringify([kind, group, repo, name, hasName(kind) ? {} : refers]);
    const first = seen.get(key);
    if (first)
      problems.push(`${document.location}: ${titleOf(document)} is already in ${first.location}.`);
    else seen.set(key, document);
  }
  if (problems.length > 0) throw problemFailure(problems);
  return all;
}

/** A problem after which nothing else of the document can be checked. */
class DocumentProblem extends Error {}

const mostProblems = 20;

/** Returns a Failure with all problems. */
export function problemFailure(problems: string[]): Failure {
  const shown = problems.slice(0, mostProblems);
  const rest = problems.length - shown.length;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  return usageFailure(["Nothing was changed.", ...shown, ...more].join("\n"));
}

/** Returns a title such as `Repo acme.example/payments/python`. */
export function titleOf({ kind, group, repo, name, refers }: Wanted): string {
  if (hasName(kind)) return [`${kind} ${group}`, ...(repo ? [repo] : []), name].join("/");
  return `${kind} of ${refers.identity} as ${refers.role} in ${group}`;
}

function checkDocument(
  { value, locate }: Source,
  defaultGroup: string | undefined,
  problems: string[],
): Wanted {
  const location = locate([]);
  if (!isObject(value))
    throw new DocumentProblem(`${location}: A document must be an object with a kind.`);
  const { kind: asked, group: own, ...rest } = value;
  const kind = kindOf(asked, locate);
  const group = own ?? defaultGroup;
  if (typeof group !== "string" || !isGroupPath(group)) {
    const text =
      own === undefined
        ? "Add the group, or use --group."
        : "The group must be a uid, or a path of names such as acme.example/payments.";
    throw new DocumentProblem(`${own === undefined ? location : locate(["group"])}: ${text}`);
  }
  const read = kind === "TagRule" ? readTagRule : readPlain;
  const { fields, ...others } = read(kind, rest, { problems, locate });
  const name = fields.name;
  if (hasName(kind) && (typeof name !== "string" || name === ""))
    throw new DocumentProblem(`${location}: Add the name of the ${kind}.`);
  return {
    kind,
    group,
    ...others,
    fields,
    location,
    name: typeof name === "string" ? name : "",
    locationOf: (key) => locate([key]),
  };
}

function kindOf(asked: unknown, locate: Source["locate"]): KindName {
  const kind = kindNames.find((name) => name === asked);
  if (kind) return kind;
  const near = typeof asked === "string" ? nearestWord(asked, [...kindNames]) : undefined;
  throw new DocumentProblem(
    asked === undefined
      ? `${locate([])}: Add the kind. It is one of ${kindNames.join(", ")}.`
      : `${locate(["kind"])}: There is no kind ${JSON.stringify(asked)}.${didYouMean(near)} The kinds are: ${kindNames.join(", ")}.`,
  );
}

/** Reads a document whose keys are the fields of the API, the references of a role binding, and a repository. */
function readPlain(kind: KindName, rest: JsonObject, { problems, locate }: Reading): Contents {
  const { refers, others } = referencesOf(kind, rest, locate, problems);
  const { message } = resourceOfKind(kind);
  const canBeInRepo = isAlsoInRepo(resourceOfKind(kind));
  const { repo, ...own } = others;
  const fields = canBeInRepo ? own : others;
  const keys = [...(canBeInRepo ? ["repo"] : []), ...Object.keys(refers)];
  const known = ["kind", "group", ...fieldNamesOf(message), ...keys];
  return {
    ...(canBeInRepo ? readRepo(repo, { problems, locate }) : {}),
    refers,
    fields: checkedMessage(message, fields, { problems, known, locate }),
  };
}

/** Takes the references of a role binding out of its values. */
function referencesOf(
  kind: KindName,
  rest: JsonObject,
  locate: Source["locate"],
  problems: string[],
) {
  const refers: Record<string, string> = {};
  if (kind !== "RoleBinding") return { refers, others: rest };
  const others = { ...rest };
  for (const { key, field } of bindingReferences) {
    const reference = others[key];
    delete others[key];
    if (field in others) {
      problems.push(
        `${locate([field])}: Use ${key} instead of ${field}. It takes a name or a uid.`,
      );
      delete others[field];
    } else if (typeof reference === "string" && isGroupPath(reference)) refers[key] = reference;
    else
      problems.push(
        reference === undefined
          ? `${locate([])}: Add the ${key} of the role binding.`
          : `${locate([key])}: The ${key} must be a name, a path such as acme.example/payments/NAME, or a uid.`,
      );
    refers[key] ??= "";
  }
  return { refers, others };
}
