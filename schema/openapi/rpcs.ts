/** Every RPC that is served over REST, as paths of the document. */
import type { DescMethod } from "@bufbuild/protobuf";
import { httpRules, unimplementedReason } from "../options.ts";
import type { Path, Verb } from "./form.ts";
import { isPathOfV1 } from "./names.ts";
import { operationOf, type Place, type Shelves } from "./operations.ts";
import { variablesOf } from "./parameters.ts";
import { rpcName } from "./refusals.ts";

/** One RPC at one of its rules. */
type Bound = Place & { method: DescMethod };

/** Names that a variable gets where several operations share a path, the first that one of them has. */
const preferred = ["uid", "id", "group"];

const organization = {
  summary: "Create organization",
  comment: "Creates an organization, a group without a parent, and makes the caller its owner.",
  denial: "an identity or token of a group cannot create an organization",
};

/** RPCs whose last variable may be left out with its slash, and what they do then. */
const withoutParent: Record<string, NonNullable<Place["own"]>> = {
  "platform.iam.v2.GroupsService/CreateGroup": {
    ...organization,
    operationId: "createOrganization",
  },
  "platform.iam.Groups/Create": { ...organization, operationId: "v1GroupsCreateOrganization" },
};

/** The path without the names of its variables, by which paths are the same. */
const shapeOf = (path: string) => path.replace(/\{[^}]*\}/g, "{}");

/** The paths of some methods. Throws where two operations have the same verb and path, or id. */
export function pathsOf(methods: readonly DescMethod[], shelves: Shelves): Record<string, Path> {
  const bounds = methods
    .filter((method) => unimplementedReason(method) === undefined)
    .flatMap(boundsOf);
  const names = namesByShape(bounds);
  const paths: Record<string, Path> = {};
  const ids = new Set<string>();
  for (const bound of bounds) {
    const shape = shapeOf(bound.rule.path);
    const called = names.get(shape) ?? [];
    const path = withNames(shape, called);
    const operation = operationOf(bound.method, { ...bound, names: called }, shelves);
    const verb = bound.rule.verb as Verb;
    const there = paths[path] ?? {};
    if (there[verb]) throw new Error(`two RPCs answer ${verb} ${path}`);
    if (ids.has(operation.operationId)) throw new Error(`two are called ${operation.operationId}`);
    ids.add(operation.operationId);
    paths[path] = inVerbOrder({ ...there, [verb]: operation });
  }
  return paths;
}

const verbs: Verb[] = ["get", "post", "put", "patch", "delete"];

const inVerbOrder = (path: Path): Path =>
  Object.fromEntries(verbs.flatMap((verb) => (path[verb] ? [[verb, path[verb]]] : [])));

function boundsOf(method: DescMethod): Bound[] {
  const own = withoutParent[rpcName(method)];
  return httpRules(method).flatMap((rule, at): Bound[] => {
    const variables = variablesOf(method.input, rule.path);
    const bound: Bound = { method, rule, variables, names: [] };
    if (at > 0) bound.own = alsoBy(method, rule.verb);
    if (!own) return [bound];
    const path = rule.path.replace(/\/\{[^}]*\}$/, "");
    const omitted = variables.map((one) => one.path[0] ?? "");
    return [bound, { method, rule: { ...rule, path }, variables: [], names: [], omitted, own }];
  });
}

/** A further rule of the same RPC has to have an id of its own. */
const alsoBy = ({ localName }: DescMethod, verb: string) => ({
  operationId: `${localName}By${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
  summary: `Exchange token, by ${verb.toUpperCase()}`,
  comment: `The same as \`${localName}\`, for clients that can only ${verb.toUpperCase()}.`,
});

/** What the variables of each shape are called: the same in all operations of the path. */
function namesByShape(bounds: Bound[]): Map<string, string[]> {
  const all = new Map<string, string[][]>();
  for (const { rule, variables } of bounds) {
    const shape = shapeOf(rule.path);
    all.set(shape, [...(all.get(shape) ?? []), variables.map(({ name }) => name)]);
  }
  return new Map(
    [...all].map(([shape, lists]) => [shape, (lists[0] ?? []).map((_, at) => chosen(lists, at))]),
  );
}

function chosen(lists: string[][], at: number): string {
  const names = lists.map((list) => list[at] ?? "");
  const [first = ""] = names;
  if (names.every((name) => name === first)) return first;
  return preferred.find((name) => names.includes(name)) ?? first;
}

function withNames(shape: string, names: string[]): string {
  let at = 0;
  return shape.replace(/\{\}/g, () => `{${names[at++]}}`);
}

/** Version 2 before version 1; otherwise in the order of the protos, and collections first. */
export function inReadingOrder(paths: Record<string, Path>): Record<string, Path> {
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
