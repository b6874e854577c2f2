/** The operations of version 2 with the client's names, from which the client is generated. */
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescService,
  type FileRegistry,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { EmptySchema } from "@bufbuild/protobuf/wkt";
import { isEmptyUnlessValidating, pathVariables, servicesOf } from "../describe/protos.ts";
import { resource as resourceOption } from "../gen/google/api/resource_pb.js";
import { vendor_named } from "../gen/platform/annotations/v1/annotations_pb.js";
import { type HttpRule, httpRules, unimplementedReason } from "../options.ts";
import { isRequired } from "./fields.ts";

/** How a method of the client takes its request. `plain` takes the request message as it is. */
export type RequestForm = "list" | "get" | "create" | "update" | "delete" | "plain";

/** One operation. */
export interface ClientOperation {
  /** The resource, such as `repos`. */
  resource: string;
  /** The name of the method: `list`, or the name of the RPC if it is not a standard method. */
  name: string;
  form: RequestForm;
  method: DescMethod;
  verb: string;
  /** The path, with its variables by JSON name, such as `/registry/v2/repos/{repo.uid}`. */
  path: string;
  /** The field that is the body, `*` for the whole request, or undefined for no body. */
  body: DescField | "*" | undefined;
  /** The rows of a page, if the response is a page. */
  rows: DescField | undefined;
}

/** A service and its operations. */
export interface ClientResource {
  name: string;
  service: DescService;
  operations: ClientOperation[];
}

const lowerFirst = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

/** Returns the resource of a service in the plural, such as `repos` for ReposService. */
const resourceName = ({ name }: DescService) => lowerFirst(name.replace(/Service$/, ""));

/** Returns every service of version 2 with the operations that are served over REST. */
export const clientResources = (registry: FileRegistry): ClientResource[] =>
  servicesOf(registry)
    .filter(({ file }) => file.proto.package.endsWith(".v2"))
    .map((service) => ({
      name: resourceName(service),
      service,
      operations: service.methods.flatMap(toOperations),
    }))
    .filter(({ operations }) => operations.length > 0);

function toOperations(method: DescMethod): ClientOperation[] {
  const [httpRule] = httpRules(method);
  if (!httpRule || unimplementedReason(method) !== undefined) return [];
  const rule = fitsInQuery(method, httpRule) ? httpRule : connectRule(method);
  const rows = rowsOf(method.output);
  const standard = standardName(method);
  return [
    {
      resource: resourceName(method.parent),
      name: standard ?? lowerFirst(method.name),
      // A List without pages is an ordinary call.
      form: standard === "list" || !standard ? (rows ? "list" : "plain") : standard,
      method,
      verb: rule.verb.toUpperCase(),
      path: jsonPath(method.input, rule.path),
      body: bodyOf(method.input, rule.body),
      rows,
    },
  ];
}

/** Whether the request fits in a query string, which cannot contain a list of messages. */
const fitsInQuery = ({ input }: DescMethod, { body }: HttpRule) =>
  body !== "" ||
  !input.fields.some(
    (field) => field.fieldKind === "list" && field.listKind === "message" && isRequired(field),
  );

/** The Connect protocol takes any request as JSON: https://connectrpc.com/docs/protocol */
const connectRule = ({ parent, name }: DescMethod): HttpRule => ({
  verb: "post",
  path: `/${parent.typeName}/${name}`,
  body: "*",
});

/** The standard methods for one resource (AIP-131 to AIP-135). */
const verbs = { get: "Get", create: "Create", update: "Update", delete: "Delete" } as const;

/** Returns `get` for GetRepo of ReposService, or undefined if it is not a standard method. */
function standardName({ name, parent }: DescMethod): Exclude<RequestForm, "plain"> | undefined {
  if (name === `List${parent.name.replace(/Service$/, "")}`) return "list";
  const thing = resourceMessage(parent);
  if (!thing) return undefined;
  return (["get", "create", "update", "delete"] as const).find(
    (form) => name === `${verbs[form]}${thing.name}`,
  );
}

/** Returns the message of a service's resource: the message whose resource option has its name as the plural. */
const resourceMessage = (service: DescService): DescMessage | undefined =>
  service.file.messages.find(
    (message) =>
      hasOption(message, resourceOption) &&
      getOption(message, resourceOption).plural === resourceName(service),
  );

/** Returns the repeated field of a response that is a page (AIP-158). A response with two lists of messages is none. */
function rowsOf({ fields }: DescMessage): DescField | undefined {
  if (!fields.some(({ name }) => name === "next_page_token")) return undefined;
  const lists = fields.filter(({ fieldKind }) => fieldKind === "list");
  return lists.filter(({ message }) => message).length > 1 ? undefined : lists[0];
}

function bodyOf({ fields }: DescMessage, name: string): DescField | "*" | undefined {
  return name === "*" ? "*" : fields.find((field) => field.name === name);
}

/** Returns the path with JSON names and without patterns: `{repo.uid=**}` becomes `{repo.uid}`. */
function jsonPath(input: DescMessage, path: string): string {
  const names = new Map(pathVariables(path).map((name) => [name, jsonNames(input, name)]));
  return path.replace(/\{([^}=]+)(?:=[^}]*)?\}/g, (_, name: string) => `{${names.get(name)}}`);
}

function jsonNames(message: DescMessage, path: string): string {
  const [first = "", ...rest] = path.split(".");
  const field = message.fields.find(({ name }) => name === first);
  if (!field) throw new Error(`${message.typeName} has no field ${first}`);
  const inner = rest.length > 0 && field.message && jsonNames(field.message, rest.join("."));
  return inner ? `${field.jsonName}.${inner}` : field.jsonName;
}

/** Whether the response is empty. */
export const isEmpty = ({ method }: ClientOperation) =>
  method.output.typeName === EmptySchema.typeName;

/** Whether the call can only validate its request (AIP-163). */
export const canValidateOnly = ({ method }: ClientOperation) =>
  method.input.fields.some(({ name }) => name === "validate_only");

/** Whether a call can be made although a tag rule refuses it. A plain call has the reason as a member of its request. */
export const canOverride = ({ method, form }: ClientOperation) =>
  form !== "plain" && method.input.fields.some(({ name }) => name === "override_reason");

/** Returns the filter of a List by the tree of resources. The client takes its members next to the others. */
export const scopeFilterField = ({ method }: ClientOperation): DescField | undefined =>
  method.input.fields.find(({ name }) => name === "uidp");

/** Returns the name of the resource of a call, from its resource option, or undefined. */
function resourceWord({ method, rows, form }: ClientOperation): string | undefined {
  const message =
    form === "delete" ? resourceMessage(method.parent) : (rows?.message ?? method.output);
  return message && hasOption(message, resourceOption)
    ? getOption(message, resourceOption).singular
    : undefined;
}

/** Returns the table of client/gen/operations.ts. */
export function operationsText(resources: ClientResource[]): string {
  const entries = resources.flatMap(({ operations }) => operations.map(entryText));
  return `import type { Operation } from "../operation.ts";

/** Every operation of version 2 by \`resource.method\`. */
export const operations = {
${entries.join("")}} as const satisfies Record<string, Operation>;

/** The name of an operation, such as \`repos.list\`. */
export type OperationName = keyof typeof operations;
`;
}

function entryText(operation: ClientOperation): string {
  const { resource, name, form, method, verb, path, body, rows } = operation;
  const thing = resourceWord(operation);
  const answered = rows?.message ?? method.output;
  const vendorNamed = answered.fields.find((field) => getOption(field, vendor_named));
  const members = {
    rpc: `${method.parent.typeName}/${method.name}`,
    verb,
    path,
    body: typeof body === "object" ? body.jsonName : (body ?? ""),
    form,
    fields: method.input.fields.map((field) => field.jsonName),
    ...(rows && { rows: rows.jsonName }),
    ...(thing && { resource: thing }),
    ...(isEmpty(operation) && { empty: true }),
    ...(isEmptyUnlessValidating(method) && { mayBeEmpty: true }),
    ...(vendorNamed && { vendorNamed: vendorNamed.jsonName }),
  };
  const lines = Object.entries(members).map(([key, value]) => {
    const text = Array.isArray(value)
      ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
      : JSON.stringify(value);
    return `    ${key}: ${text},\n`;
  });
  return `  "${resource}.${name}": {\n${lines.join("")}  },\n`;
}
