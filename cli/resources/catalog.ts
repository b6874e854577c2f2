/** The resources of version 2 and their operations, from schema/gen/catalog.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  Catalog,
  CatalogField,
  CatalogOperation,
  CatalogValue,
} from "../../schema/describe/catalog.ts";
import { usageFailure } from "../failure.ts";
import { projectRoot } from "../project.ts";
import { didYouMean, foldWord, nearestWord } from "./spelling.ts";

/** The verbs for resources. */
export const verbs = ["list", "get", "describe", "create", "update", "delete"] as const;
export type Verb = (typeof verbs)[number];

/** A kind of resource. */
export type CatalogResource = {
  /** `roleBinding`, and `role-binding` on the command line. */
  name: string;
  word: string;
  /** `roleBindings`, and `role-bindings` on the command line. */
  plural: string;
  words: string;
  /** The full name of its message. */
  message: string;
  /** The standard methods that it has. */
  methods: Partial<Record<Exclude<Verb, "describe">, CatalogOperation>>;
  /** The kind of resource that it is created in. */
  parent: "group" | "repo" | "identity" | "identity-provider" | "artifact" | undefined;
  /** The field that people know it by, and the List filter for that field. Undefined if it has only a uid. */
  key: NameKey | undefined;
};

/** `isList` means that the filter takes several values. `isPart` means that it matches parts of the field. */
export type NameKey = { field: string; filter: string; isList?: true; isPart?: true };

let cachedCatalog: Catalog | undefined;

/** Returns the catalog, which is read once. */
export function catalog(): Catalog {
  const file = join(projectRoot, "schema/gen/catalog.json");
  cachedCatalog ??= JSON.parse(readFileSync(file, "utf8")) as Catalog;
  return cachedCatalog;
}

/** Other words for resources, in the singular. With an `s`, they are plurals. */
const nicknames: Record<string, string> = {
  association: "accountAssociation",
  binding: "roleBinding",
  idp: "identityProvider",
  invite: "groupInvite",
  mapping: "externalGroupRoleMapping",
  org: "group",
  readme: "repoReadme",
};

const parents: Record<string, CatalogResource["parent"]> = {
  artifactVersion: "artifact",
  expiryPlan: "repo",
  externalGroupRoleMapping: "identity-provider",
  imageHold: "repo",
  key: "identity",
  manifest: "repo",
  repoReadme: "repo",
  sbom: "repo",
  tag: "repo",
  vulnReport: "repo",
  advisory: undefined,
  artifact: undefined,
  document: undefined,
  resolvedVulnsReport: undefined,
  vulnerabilityMetadata: undefined,
};

/** Whether a resource of groups can also be in a repository. */
export const isAlsoInRepo = ({ name }: Pick<CatalogResource, "name">): boolean =>
  ["tagRule", "trustPolicy", "roleBinding"].includes(name);

const keys: Record<string, NameKey | undefined> = {
  advisory: { field: "advisoryId", filter: "advisoryIds", isList: true },
  artifact: { field: "name", filter: "query", isPart: true },
  document: { field: "id", filter: "id" },
  groupInvite: { field: "keyId", filter: "keyId" },
  // Many images have a package of the same name.
  package: undefined,
  vulnerabilityMetadata: { field: "id", filter: "id" },
};

let cachedResources: CatalogResource[] | undefined;

/** Returns every resource, sorted by name. */
export function resources(): CatalogResource[] {
  cachedResources ??= buildResources();
  return cachedResources;
}

/** Lists whose rows are not resources, because they have no uid. `access who`, `quota list` and `rules show` call them. */
const listsOfOthers = [
  "platform.iam.access.v2.AccessService/ListAccess",
  "platform.iam.quotas.v2.QuotasService/ListDefaultQuotas",
  "platform.iam.quotas.v2.QuotasService/ListQuotas",
  "platform.registry.v2.ExpiryPlansService/ListExpiryPlanItems",
];

function buildResources(): CatalogResource[] {
  const byName = new Map<string, CatalogResource>();
  for (const operation of catalog().operations) {
    const [, verb = "", noun = ""] =
      /\/(Get|List|Create|Update|Delete)(\w+)$/.exec(operation.rpc) ?? [];
    const message = verb === "List" ? rowsFieldOf(operation)?.type : operation.output;
    if (!message || listsOfOthers.includes(operation.rpc)) continue;
    if (!isStandard(verb, noun, operation, message)) continue;
    const name = verb === "Delete" ? lowerFirst(noun) : lowerFirst(shortName(message));
    const plural = verb === "List" ? lowerFirst(noun) : undefined;
    const resource = byName.get(name) ?? newResource(name);
    if (plural) Object.assign(resource, { plural, words: kebab(plural) });
    if (verb !== "Delete") resource.message = message;
    resource.methods[verb.toLowerCase() as "get"] = operation;
    byName.set(name, resource);
  }
  const all = [...byName.values()].sort((a, b) => (a.words < b.words ? -1 : 1));
  for (const resource of all) resource.key = keyOf(resource);
  return all;
}

function newResource(name: string): CatalogResource {
  const plural = `${name}s`;
  const parent = name in parents ? parents[name] : "group";
  return {
    name,
    word: kebab(name),
    plural,
    words: kebab(plural),
    message: "",
    methods: {},
    parent,
    key: undefined,
  };
}

/** Whether a method is a standard method of a resource: its response has the name of the resource, and a uid. */
function isStandard(verb: string, noun: string, { body }: CatalogOperation, message: string) {
  if (verb === "List") return true;
  if (verb === "Delete") return true;
  return shortName(message) === noun && body !== "*" && fieldNamed(message, "uid") !== undefined;
}

function keyOf({ name, methods }: CatalogResource): NameKey | undefined {
  if (name in keys) return keys[name];
  if (!methods.list || !fieldNamed(methods.list.input, "name")) return undefined;
  return { field: "name", filter: "name" };
}

/** Returns the field of a List response that contains the rows. */
export const rowsFieldOf = ({ output }: CatalogOperation): CatalogField | undefined =>
  fieldsOf(output).find(({ many, kind }) => many === "list" && kind === "message");

/** Returns the fields of a message, or none for a message of Google. */
export const fieldsOf = (message: string): CatalogField[] => catalog().messages[message] ?? [];

/** Returns a field of a message by its JSON name. */
export const fieldNamed = (message: string, name: string): CatalogField | undefined =>
  fieldsOf(message).find((field) => field.name === name);

/** Returns the values of an enum without the first one, which means "unspecified". */
export const valuesOf = (type: string): CatalogValue[] => (catalog().enums[type] ?? []).slice(1);

/** Returns the text of a message, enum or operation up to the end of its first sentence. */
export const firstSentence = (text: string): string =>
  /^[\s\S]*?[.!?](?=\s|$)/.exec(text.split("\n\n")[0] ?? "")?.[0] ?? text;

/**
 * Returns the first sentence of an operation without the capability that its rows need, which is the same phrase for
 * most lists. The help of the command itself has the whole text.
 */
export const summaryOf = (text: string): string =>
  firstSentence(text).replace(
    /,?(?: in the groups)? where you have the `[\w.]+` capability(?:, directly or through a group above)?(?=[.,])/,
    "",
  );

const shortName = (message: string) => message.slice(message.lastIndexOf(".") + 1);

export const kebab = (name: string) =>
  name
    .replace(/_/g, "-")
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase();

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** Returns the noun for a resource in a sentence. */
export const nounOf = ({ word }: Pick<CatalogResource, "word">): string =>
  word.replaceAll("-", " ").replace(/^repo\b/, "repository");

/** Whether its List can be limited to a part of the hierarchy. */
export const hasScope = ({ methods }: CatalogResource): boolean =>
  methods.list !== undefined && fieldNamed(methods.list.input, "uidp") !== undefined;

/** Finds a resource by any of its words, or returns undefined. */
export function resourceNamed(word: string): CatalogResource | undefined {
  const asked = foldWord(word);
  const nickname = nicknames[asked] ?? nicknames[asked.replace(/s$/, "")];
  return resources().find(
    ({ name, plural }) =>
      foldWord(name) === asked || foldWord(plural) === asked || name === nickname,
  );
}

/** Returns a standard method of a resource, which must exist. */
export function requireMethod(
  { name, methods }: CatalogResource,
  method: keyof CatalogResource["methods"],
): CatalogOperation {
  const operation = methods[method];
  if (!operation) throw new Error(`${name} has no ${method}`);
  return operation;
}

/** The commands that show these resources, with more than their rows. */
const ownCommands: Record<string, string> = {
  finding: "affected",
  package: "contains",
  repoUsage: "usage",
  usage: "usage",
};

/** Returns the command that takes the place of `list`, `get` and `describe`, if there is one. */
export const commandOf = ({ name }: CatalogResource): string | undefined => ownCommands[name];

/** Whether a resource supports a verb. A resource that can be read or found by name can also be described. */
export function supportsVerb(resource: CatalogResource, verb: Verb): boolean {
  const { methods, key } = resource;
  if (commandOf(resource) !== undefined) return false;
  if (verb === "get" || verb === "describe") return Boolean(methods.get ?? (methods.list && key));
  return methods[verb] !== undefined;
}

/** Finds a resource by a word of the command line. Throws a USAGE Failure that lists the resources. */
export function requireResource(word: string, verb: Verb): CatalogResource {
  const resource = resourceNamed(word);
  if (resource && supportsVerb(resource, verb)) return resource;
  const able = resources().filter((resource) => supportsVerb(resource, verb));
  const words = able.map(({ words, word: single }) => (verb === "list" ? words : single));
  if (resource) {
    const others = verbs.filter((otherVerb) => supportsVerb(resource, otherVerb)).join(", ");
    throw usageFailure(
      `You cannot ${verb} ${resource.words}. You can use: ${others}.\nResources that you can ${verb}: ${words.join(", ")}`,
    );
  }
  throw usageFailure(
    `There is no resource ${JSON.stringify(word)}.${didYouMean(nearestWord(word, words))}\nResources that you can ${verb}: ${words.join(", ")}`,
  );
}
