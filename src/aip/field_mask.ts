/** AIP-134: partial updates with a field mask, and what a mask may name (AIP-161, AIP-203). */
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

/** The field of that proto or JSON name. */
export const findField = (desc: DescMessage, name: string) =>
  desc.fields.find((field) => field.name === name || field.jsonName === name);

/**
 * The resource after an update: `current` with the masked fields taken from `change`, where an
 * absent value clears. Without a mask, the populated fields of `change`; with `*`, every field a
 * client may set. Output-only fields are left alone. Throws INVALID_ARGUMENT naming `update_mask`
 * for a path the resource does not have.
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
 * Whether an update leaves a resource as it was. Then nothing is written: the update time stays, and there is no
 * event. Asked once all is checked, so that what is refused is refused all the same.
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
    if (mask.paths.length > 1) throw invalidArgument("update_mask", "update_mask: * stands alone");
    return desc.fields.map((field) => field.name);
  }
  if (mask && mask.paths.length > 0) return mask.paths;
  const given = reflect(desc, change);
  return desc.fields.filter((field) => given.isSet(field)).map((field) => field.name);
}

function copy(
  desc: DescMessage,
  to: ReflectMessage,
  from: ReflectMessage,
  steps: string[],
  path: string,
): void {
  const field = findField(desc, steps[0] ?? "");
  if (!field) throw invalidArgument("update_mask", `update_mask names no field: ${path}`);
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
    throw invalidArgument("update_mask", `update_mask goes into a field without fields: ${path}`);
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

/** The field's given value; what only the server sets in a message stays as it was. */
function settableValue(field: DescField, to: ReflectMessage, from: ReflectMessage): unknown {
  if (field.fieldKind !== "message") return from.get(field);
  const before = to.isSet(field) ? to.get(field) : undefined;
  const { message } = from.get(field);
  const given = reflect(field.message, clone(field.message, message));
  for (const inner of field.message.fields) {
    if (isOutputOnly(inner)) {
      if (before?.isSet(inner)) given.set(inner, before.get(inner));
      else given.clear(inner);
    } else if (inner.fieldKind === "message" && given.isSet(inner) && before) {
      given.set(inner, settableValue(inner, before, given));
    }
  }
  return given;
}

function checkPath(desc: DescMessage, steps: string[], path: string): void {
  const field = findField(desc, steps[0] ?? "");
  const inner = field?.fieldKind === "message" ? field.message : undefined;
  if (!field || (steps.length > 1 && !inner)) {
    throw invalidArgument("update_mask", `update_mask names no field: ${path}`);
  }
  if (inner && steps.length > 1) checkPath(inner, steps.slice(1), path);
}
