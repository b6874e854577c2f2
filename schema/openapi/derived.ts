/**
 * What the platform answers to a call, as far as the proto says it: which field of a bad call is named and how, what
 * is not found, by what a list is sorted. test/contract/openapi/answers.test.ts asks the platform itself; what it
 * answers otherwise stands in recorded.json.
 */
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { createValidator, type Violation } from "@bufbuild/protovalidate";
import { field as fieldRules } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { registry } from "../descriptors.ts";
import { resource } from "../gen/google/api/resource_pb.js";
import { iam_scope } from "../gen/platform/annotations/v1/annotations_pb.js";
import { httpRules } from "../options.ts";

/** What the platform answers. `{uid}` stands for the uid that was asked for. */
export type Derived = {
  /** INVALID_ARGUMENT: a field and what is wrong with it. */
  invalid?: { field: string; description: string }[] | null;
  /** NOT_FOUND: `registry/Repo` and its name. */
  missing?: { type: string; name: string } | null;
  /** Fields that a List can be sorted by. */
  orders?: string[] | null;
};

/** The parts that are derived. In recorded.json null takes away what the proto would say. */
export const derivedParts = ["invalid", "missing", "orders"] as const;

/** What the proto says of a method. */
export function derivedOf(method: DescMethod): Derived {
  const [invalid, missing, orders] = [invalidOf(method), missingOf(method), ordersOf(method)];
  return {
    ...(invalid ? { invalid } : {}),
    ...(missing ? { missing } : {}),
    ...(orders ? { orders } : {}),
  };
}

/** The kind of a resource, `registry/Repo`, by its google.api.resource option. */
export function kindOf(message: DescMessage | undefined): string | undefined {
  if (!message || !hasOption(message, resource)) return undefined;
  return getOption(message, resource).type.replace(/\..*\//, "/");
}

const uidPattern = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

/** What is wrong with a bad call: the resource of a Create is empty, a page too large, a uid malformed. */
function invalidOf(method: DescMethod): Derived["invalid"] {
  const { input } = method;
  const [rule] = httpRules(method);
  const body = input.fields.find(({ name }) => name === rule?.body);
  const isUpdate = input.fields.some(({ name }) => name === "update_mask");
  if (body?.fieldKind === "message" && !isUpdate) {
    const violations = violationsOfEmpty(body.message);
    if (violations.length > 0) return violations;
  }
  const size = input.fields.find(({ name }) => name === "page_size");
  const range = size && hasOption(size, fieldRules) ? getOption(size, fieldRules).type : undefined;
  if (range?.case === "int32") {
    const { greaterThan, lessThan } = range.value;
    const limits = `greater than or equal to ${greaterThan.value} and less than or equal to ${lessThan.value}`;
    return [{ field: "page_size", description: `page_size must be ${limits}` }];
  }
  const isFiltered = input.fields.some(({ name }) => name === "uidp");
  const field = isFiltered ? "uidp.children_of" : scopeOf(method)?.at(-1)?.name;
  return field ? [{ field, description: `${field} must match "${uidPattern}"` }] : undefined;
}

const validator = createValidator({ registry });

/** Violations of a resource that nothing is said of, in the words of src/aip/validation.ts. */
function violationsOfEmpty(desc: DescMessage): { field: string; description: string }[] {
  const { violations = [] } = validator.validate(desc, create(desc));
  return violations.map(describe);
}

function describe({ field: path, message, ruleId }: Violation) {
  const fields = path.filter((one) => one.kind !== "list_sub" && one.kind !== "map_sub");
  const field = fields.map(({ name }) => name).join(".");
  const last = fields.at(-1);
  const rules =
    last && "parent" in last && hasOption(last as DescField, fieldRules)
      ? getOption(last as DescField, fieldRules).type
      : undefined;
  const pattern = rules?.case === "string" ? rules.value.pattern : "";
  if (ruleId === "required") return { field, description: `${field} is required` };
  if (ruleId === "string.pattern") {
    return { field, description: `${field} must match "${pattern}"` };
  }
  return { field, description: `${field} ${message.replace(/^value /, "")}` };
}

/** Path of the field with the uid that decides about access, or of the resource's own. */
function scopeOf({ input }: DescMethod): DescField[] | undefined {
  const within = (fields: readonly DescField[]): DescField[] | undefined => {
    const field = fields.find((one) => getOption(one, iam_scope));
    if (field?.fieldKind !== "message") return field && [field];
    return [field, ...(within(field.message.fields) ?? [])];
  };
  const named = input.fields.find(({ name }) => name === "uid" || name === "parent");
  return within(input.fields) ?? (named && [named]);
}

/** What is not there if nothing has the uid: a resource, or the group under which one is made. */
function missingOf(method: DescMethod): Derived["missing"] {
  const path = scopeOf(method);
  const last = path?.at(-1);
  const [rule] = httpRules(method);
  // A read of version 1, whose messages have no resource option, answers empty.
  if (!last || (/^parent(_id)?$/.test(last.name) && rule?.verb === "get")) return undefined;
  if (/^parent(_id)?$/.test(last.name)) return { type: "iam/Group", name: "{uid}" };
  const resources = method.parent.file.messages.filter((one) => kindOf(one));
  const named = resources.filter(({ name }) => method.name.endsWith(name));
  const own = path?.length === 2 ? path[0]?.message : named[0];
  const type = kindOf(own) ?? kindOf(method.output);
  return last.name === "uid" && type ? { type, name: "{uid}" } : undefined;
}

/** A list of version 2 is sorted by what every resource has, and by the name if it has one. */
function ordersOf({ input, output }: DescMethod): Derived["orders"] {
  const rows = output.fields.find(({ fieldKind }) => fieldKind === "list")?.message;
  if (!kindOf(rows) || !input.fields.some(({ name }) => name === "order_by")) return undefined;
  const common = ["uid", "name", "create_time", "update_time"];
  return common.filter((name) => rows?.fields.some((field) => field.name === name));
}
