/** Finds the uid that a request is about, whose root decides about the database. */
import type { DescMessage, DescMethod, Message } from "@bufbuild/protobuf";
import { isScopeField } from "../../schema/options.ts";

/** The uid in the field that the proto marks with `iam_scope`. Empty if there is none. */
export const uidOfRequest = ({ input }: DescMethod, request: Message): string =>
  scopeIn(input, request);

function scopeIn({ fields }: DescMessage, message: Message): string {
  const field = fields.find(isScopeField);
  if (!field) return "";
  // The field is found by its option, because the type of the request is not known here.
  const value = (message as unknown as Record<string, string | Message | undefined>)[
    field.localName
  ];
  if (typeof value === "string") return value;
  return value && field.message ? scopeIn(field.message, value) : "";
}
