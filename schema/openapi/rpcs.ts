/** The paths of the document: every RPC that is served over REST. */
import type { DescMethod } from "@bufbuild/protobuf";
import { httpRules, unimplementedReason } from "../options.ts";
import type { HttpVerb, PathItem } from "./form.ts";
import { isPathOfV1 } from "./names.ts";
import { type HttpBinding, operationOf, type SharedParts } from "./operations.ts";
import { variablesOf } from "./parameters.ts";
import { rpcName } from "./refusals.ts";

/** One RPC at one of its rules. */
type BoundRpc = HttpBinding & { method: DescMethod };

/**
 * Names of a variable in paths that several operations share. The first one that an operation uses is taken.
 */
const preferred = ["uid", "id", "group"];

const organization = {
  summary: "Create organization",
  comment: "Creates an organization, which is a group without a parent, and makes you its owner.",
  denial: "an identity or token of a group cannot create an organization",
};

/** RPCs whose last variable can be left out with its slash, and the operation without it. */
const withoutParent: Record<string, NonNullable<HttpBinding["own"]>> = {
  "platform.iam.v2.GroupsService/CreateGroup": {
    ...organization,
    operationId: "createOrganization",
  },
  "platform.iam.Groups/Create": { ...organization, operationId: "v1GroupsCreateOrganization" },
};

/** Returns the path without the names of its variables. Paths with the same shape are the same path. */
const shapeOf = (path: string) => path.replace(/\{[^}]*\}/g, "{}");

/**
 * Returns the paths of some methods. Throws an Error if two operations have the same verb and path, or the
 * same id.
 */
export function pathsOf(
  methods: readonly DescMethod[],
  shared: SharedParts,
): Record<string, PathItem> {
  const boundRpcs = methods
    .filter((method) => unimplementedReason(method) === undefined)
    .flatMap(boundRpcsOf);
  const names = namesByShape(boundRpcs);
  const paths: Record<string, PathItem> = {};
  const ids = new Set<string>();
  for (const bound of boundRpcs) {
    const shape = shapeOf(bound.rule.path);
    const called = names.get(shape) ?? [];
    const path = withNames(shape, called);
    const operation = operationOf(bound.method, { ...bound, names: called }, shared);
    const verb = bound.rule.verb as HttpVerb;
    const there = paths[path] ?? {};
    if (there[verb]) throw new Error(`two RPCs serve ${verb} ${path}`);
    if (ids.has(operation.operationId))
      throw new Error(`two operations have the id ${operation.operationId}`);
    ids.add(operation.operationId);
    paths[path] = inVerbOrder({ ...there, [verb]: operation });
  }
  return paths;
}

const verbs: HttpVerb[] = ["get", "post", "put", "patch", "delete"];

const inVerbOrder = (path: PathItem): PathItem =>
  Object.fromEntries(verbs.flatMap((verb) => (path[verb] ? [[verb, path[verb]]] : [])));

function boundRpcsOf(method: DescMethod): BoundRpc[] {
  const own = withoutParent[rpcName(method)];
  return httpRules(method).flatMap((rule, index): BoundRpc[] => {
    const variables = variablesOf(method.input, rule.path);
    const bound: BoundRpc = { method, rule, variables, names: [] };
    if (index > 0) bound.own = furtherRule(method, rule.verb);
    if (!own) return [bound];
    const path = rule.path.replace(/\/\{[^}]*\}$/, "");
    const omitted = variables.map((variable) => variable.path[0] ?? "");
    return [bound, { method, rule: { ...rule, path }, variables: [], names: [], omitted, own }];
  });
}

/** A further rule of the same RPC needs its own id. */
const furtherRule = ({ localName }: DescMethod, verb: string) => ({
  operationId: `${localName}By${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
  summary: `Exchange token, by ${verb.toUpperCase()}`,
  comment: `Does the same as \`${localName}\`, for clients that can send only ${verb.toUpperCase()} requests.`,
});

/** The names of the variables of each shape. They are the same in all operations of the path. */
function namesByShape(boundRpcs: BoundRpc[]): Map<string, string[]> {
  const all = new Map<string, string[][]>();
  for (const { rule, variables } of boundRpcs) {
    const shape = shapeOf(rule.path);
    all.set(shape, [...(all.get(shape) ?? []), variables.map(({ name }) => name)]);
  }
  return new Map(
    [...all].map(([shape, lists]) => [
      shape,
      (lists[0] ?? []).map((_, index) => chooseName(lists, index)),
    ]),
  );
}

function chooseName(lists: string[][], index: number): string {
  const names = lists.map((list) => list[index] ?? "");
  const [first = ""] = names;
  if (names.every((name) => name === first)) return first;
  return preferred.find((name) => names.includes(name)) ?? first;
}

function withNames(shape: string, names: string[]): string {
  let index = 0;
  return shape.replace(/\{\}/g, () => `{${names[index++]}}`);
}

/**
 * Returns the paths in reading order: version 2 before version 1, then by the order of the protos, then
 * collections first.
 */
export function inReadingOrder(paths: Record<string, PathItem>): Record<string, PathItem> {
  const domains = [...new Set(Object.keys(paths).map(domainOf))];
  return Object.fromEntries(
    Object.entries(paths).sort(([a], [b]) => {
      const versions = Number(isPathOfV1(a)) - Number(isPathOfV1(b));
      return (
        versions || domains.indexOf(domainOf(a)) - domains.indexOf(domainOf(b)) || (a < b ? -1 : 1)
      );
    }),
  );
}

const domainOf = (path: string) => path.split("/")[1] ?? "";
