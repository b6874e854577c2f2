/** Partial updates with a field mask (AIP-134), and the paths that a mask may contain (AIP-161, AIP-203). */
import {
  clone,
  create,
  type DescField,
  type DescMessage,
  equals,
  type MessageShape,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { isOutputOnly } from "../../schema/options.ts";
import { invalidArgument } from "./errors.ts";
import { toWellFormed } from "./well_formed.ts";

/** Finds a field by its proto name or its JSON name. */
export const findField = (desc: DescMessage, name: string) =>
  desc.fields.find((field) => field.name === name || field.jsonName === name);

/**
 * Returns the resource after an update: `current`, with the masked fields taken from `change`. A masked field
 * that `change` does not contain is cleared. Without a mask, the populated fields of `change` are taken. With
 * `*`, every field that a client may set is taken. Output-only fields keep their values. Throws
 * INVALID_ARGUMENT for `update_mask` if a path names a field that the resource does not have.
 */
export function applyMask<Desc extends DescMessage>(
  desc: Desc,
  current: MessageShape<Desc>,
  change: MessageShape<Desc>,
  mask: { paths: string[] } | undefined,
): MessageShape<Desc> {
  const next = clone(desc, toWellFormed(current));
  for (const path of pathsOf(desc, change, mask)) {
    copy(desc, reflect(desc, next), reflect(desc, change), path.split("."), path);
  }
  return next;
}

/**
 * Whether an update leaves a resource unchanged. In that case nothing is written: the update time stays the
 * same, and there is no event. Call this after all checks, so that an invalid update fails even if it changes
 * nothing.
 */
export const isUnchangedMessage = <Desc extends DescMessage>(
  desc: Desc,
  before: MessageShape<Desc>,
  after: MessageShape<Desc>,
): boolean => equals(desc, before, after);

function pathsOf<Desc extends DescMessage>(
  desc: Desc,
  change: MessageShape<Desc>,
  mask: { paths: string[] } | undefined,
): string[] {
  if (mask?.paths.includes("*")) {
    if (mask.paths.length > 1)
      throw invalidArgument(
        "update_mask",
        "update_mask must contain no other path if it contains *",
      );
    return desc.fields.map((field) => field.name);
  }
  if (mask && mask.paths.length > 0) return mask.paths;
  const changed = reflect(desc, change);
  return desc.fields.filter((field) => changed.isSet(field)).map((field) => field.name);
}

function copy(
  desc: DescMessage,
  to: ReflectMessage,
  from: ReflectMessage,
  steps: string[],
  path: string,
): void {
  const field = findField(desc, steps[0] ?? "");
  if (!field)
    throw invalidArgument("update_mask", `update_mask names a field that does not exist: ${path}`);
  const rest = steps.slice(1);
  if (isOutputOnly(field)) {
    checkPath(desc, steps, path);
    return;
  }
  if (rest.length === 0) {
    if (from.isSet(field)) to.set(field, settableValue(field, to, from));
    else if (!(field.oneof && to.oneofCase(field.oneof) !== field)) to.clear(field);
    return;
  }
  if (field.fieldKind !== "message") {
    throw invalidArgument(
      "update_mask",
      `update_mask names a field inside a value that has no fields: ${path}`,
    );
  }
  if (!from.isSet(field) && !to.isSet(field)) {
    checkPath(field.message, rest, path);
    return;
  }
  const inner = to.isSet(field) ? to.get(field) : reflect(field.message, create(field.message));
  const source = from.isSet(field)
    ? from.get(field)
    : reflect(field.message, create(field.message));
  copy(field.message, inner, source, rest, path);
  to.set(field, inner);
}

/** Returns the new value of a field. Output-only members of a message keep their current values. */
function settableValue(field: DescField, to: ReflectMessage, from: ReflectMessage): unknown {
  if (field.fieldKind !== "message") return from.get(field);
  const before = to.isSet(field) ? to.get(field) : undefined;
  const { message } = from.get(field);
  const result = reflect(field.message, clone(field.message, message));
  for (const inner of field.message.fields) {
    if (isOutputOnly(inner)) {
      if (before?.isSet(inner)) result.set(inner, before.get(inner));
      else result.clear(inner);
    } else if (inner.fieldKind === "message" && result.isSet(inner) && before) {
      result.set(inner, settableValue(inner, before, result));
    }
  }
  return result;
}

function checkPath(desc: DescMessage, steps: string[], path: string): void {
  const field = findField(desc, steps[0] ?? "");
  const inner = field?.fieldKind === "message" ? field.message : undefined;
  if (!field || (steps.length > 1 && !inner)) {
    throw invalidArgument("update_mask", `update_mask names a field that does not exist: ${path}`);
  }
  if (inner && steps.length > 1) checkPath(inner, steps.slice(1), path);
}
