/** The meaning of the fields in version 1's requests, which have no rules that express it. */
import {
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import type { ContractRpc } from "./rpcs.ts";

export const fieldPathText = (path: DescField[]) => path.map(({ name }) => name).join(".");

/**
 * The name in a violation. It is relative to the body if the body is one field, and a oneof has its own name.
 */
export function violationName(rpc: ContractRpc, path: DescField[]): string {
  const steps = path.map((field, index) => {
    const isLast = index === path.length - 1;
    if (!isLast && field.fieldKind === "list") return `${field.name}[0]`;
    return isLast && field.oneof ? field.oneof.name : field.name;
  });
  return steps.slice(steps.length > 1 && steps[0] === rpc.body ? 1 : 0).join(".");
}

/** The parts of a request: a list itself, and the fields of its first item. */
export function fieldPathsIn(json: JsonObject, desc: DescMessage): DescField[][] {
  return Object.entries(json).flatMap(([key, value]): DescField[][] => {
    const field = desc.fields.find(({ jsonName }) => jsonName === key);
    if (!field) throw new Error(`${desc.typeName} has no ${key}`);
    const [inner] = Array.isArray(value) ? value : [value];
    const isPlain = typeof inner !== "object" || inner === null || !field.message;
    const below = isPlain ? [] : fieldPathsIn(inner as JsonObject, field.message);
    return [[field], ...below.map((path) => [field, ...path])];
  });
}

/** The names of fields that contain uids. */
const uidNames = [
  ...["id", "ids", "uid", "parent", "parent_id", "group", "group_id", "role", "identity"],
  ...["role_uidp", "identity_provider_uidp", "identity_provider_id", "identity_id", "default_role"],
  ...["scope", "repo_id", "source", "descendants_of", "children_of", "ancestors_of"],
];

/** Fields with those names that contain no uid, or that a client cannot set. */
export const noUids: [RegExp, string][] = [
  [/^iam\.Groups\/Create: parent$/, "a name does as well"],
  [/^libraries\.Artifacts\/ListVersions: id$/, "any text: one that is none has no versions"],
  [/: (repo\.)?sync_config\.source$/, "a name does as well, and neither need be there"],
  [/^iam\.GroupInvites\/CreateWithGroup: group$/, "the name of the group to be made"],
  [/\/(Create|CreateBatch|CreateRepo|CreateTag): \w+\.id$/, "the service's to say, so ignored"],
  [/Advisories\/\w+: (\w+\.)?events\.id$/, "the service's to say, so ignored"],
  [/CreateAdvisoryEvent: advisory_event\.id$/, "the service's to say, so ignored"],
  [/: mapping\.identity_provider_uidp$/, "the parent's, so ignored"],
  [/RoleBindings\/\w+: (\w+\.)?group$/, "the parent's, so ignored"],
];

const isUidHeld = (field: DescField) =>
  "scalar" in field && field.scalar === ScalarType.STRING && uidNames.includes(field.name);

/** The selected fields of a request, including those of its messages. */
export function fieldPaths(
  desc: DescMessage,
  isWanted: (field: DescField) => boolean,
  above: DescField[] = [],
): DescField[][] {
  return desc.fields.flatMap((field): DescField[][] => {
    const path = [...above, field];
    if (isWanted(field)) return [path];
    const isDeeper = field.message && above.length < 3 && !/^google/.test(field.message.typeName);
    return isDeeper && field.message ? fieldPaths(field.message, isWanted, path) : [];
  });
}

/** The fields of a request that contain uids, including those of its messages. */
export const uidPaths = (desc: DescMessage) => fieldPaths(desc, isUidHeld);

/** Every such field of these RPCs, and its name in a violation. */
export const uidFieldsOf = (some: ContractRpc[]) =>
  some.flatMap((rpc) =>
    uidPaths(rpc.method.input)
      .map((path) => ({
        rpc,
        path,
        violationField: violationName(rpc, path),
        name: `${rpc.name}: ${fieldPathText(path)}`,
      }))
      .filter(({ name }) => !noUids.some(([pattern]) => pattern.test(name))),
  );

/** The request with the field set. In a list, the field of the first item is set. */
export function setFieldIn(
  json: JsonObject,
  [field, ...rest]: DescField[],
  value: JsonValue,
): JsonObject {
  if (!field) return json;
  const { jsonName, fieldKind } = field;
  if (rest.length === 0) return { ...json, [jsonName]: fieldKind === "list" ? [value] : value };
  const old = json[jsonName];
  const [inner] = (Array.isArray(old) ? old : [old]) as [JsonObject | undefined];
  const made = setFieldIn(inner ?? {}, rest, value);
  return { ...json, [jsonName]: fieldKind === "list" ? [made] : made };
}
