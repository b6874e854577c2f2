/**
 * Derives parts of responses from the protos: the field in the error of a bad call, the missing resource, and
 * the sort orders of a list. The test test/contract/openapi/answers.test.ts makes the calls to the platform.
 * The responses that differ are in recorded.json.
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

/** The derived parts of responses. `{uid}` stands for the uid in the request. */
export type Derived = {
  /** INVALID_ARGUMENT: fields and descriptions of their faults. */
  invalid?: { field: string; description: string }[] | null;
  /** NOT_FOUND: the type of the resource, such as `registry/Repo`, and its name. */
  missing?: { type: string; name: string } | null;
  /** The fields that a List can be sorted by. */
  orders?: string[] | null;
};

/** The derived parts. In recorded.json, null removes the part that the proto implies. */
export const derivedParts = ["invalid", "missing", "orders"] as const;

/** Returns the parts of a method's responses that follow from its proto. */
export function derivedOf(method: DescMethod): Derived {
  const [invalid, missing, orders] = [invalidOf(method), missingOf(method), ordersOf(method)];
  return {
    ...(invalid ? { invalid } : {}),
    ...(missing ? { missing } : {}),
    ...(orders ? { orders } : {}),
  };
}

/** Returns the type of a resource, such as `registry/Repo`, from its google.api.resource option. */
export function kindOf(message: DescMessage | undefined): string | undefined {
  if (!message || !hasOption(message, resource)) return undefined;
  return getOption(message, resource).type.replace(/\..*\//, "/");
}

const uidPattern = "^[0-9a-f]{40}(/[0-9a-f]{16})*$";

/**
 * Returns the violations of a bad call: an empty resource in a Create, too large a page, or a malformed uid.
 */
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

/** Returns the violations of an empty resource, in the words of src/aip/validation.ts. */
function violationsOfEmpty(desc: DescMessage): { field: string; description: string }[] {
  const { violations = [] } = validator.validate(desc, create(desc));
  return violations.map(describe);
}

function describe({ field: path, message, ruleId }: Violation) {
  const fields = path.filter((step) => step.kind !== "list_sub" && step.kind !== "map_sub");
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

/** Returns the path of the field with the uid that decides about access, or of the resource's own uid. */
function scopeOf({ input }: DescMethod): DescField[] | undefined {
  const within = (fields: readonly DescField[]): DescField[] | undefined => {
    const field = fields.find((candidate) => getOption(candidate, iam_scope));
    if (field?.fieldKind !== "message") return field && [field];
    return [field, ...(within(field.message.fields) ?? [])];
  };
  const named = input.fields.find(({ name }) => name === "uid" || name === "parent");
  return within(input.fields) ?? (named && [named]);
}

/** Returns what is missing if nothing has the uid: the resource, or the group to create it in. */
function missingOf(method: DescMethod): Derived["missing"] {
  const path = scopeOf(method);
  const last = path?.at(-1);
  const [rule] = httpRules(method);
  // A read in version 1 returns an empty response instead. Its messages have no resource option.
  if (!last || (/^parent(_id)?$/.test(last.name) && rule?.verb === "get")) return undefined;
  if (/^parent(_id)?$/.test(last.name)) return { type: "iam/Group", name: "{uid}" };
  const resources = method.parent.file.messages.filter((message) => kindOf(message));
  const named = resources.filter(({ name }) => method.name.endsWith(name));
  const own = path?.length === 2 ? path[0]?.message : named[0];
  const type = kindOf(own) ?? kindOf(method.output);
  return last.name === "uid" && type ? { type, name: "{uid}" } : undefined;
}

/**
 * Returns the sort orders of a list in version 2: the fields of every resource, and the name if it has one.
 */
function ordersOf({ input, output }: DescMethod): Derived["orders"] {
  const rows = output.fields.find(({ fieldKind }) => fieldKind === "list")?.message;
  if (!kindOf(rows) || !input.fields.some(({ name }) => name === "order_by")) return undefined;
  const common = ["uid", "name", "create_time", "update_time"];
  return common.filter((name) => rows?.fields.some((field) => field.name === name));
}
