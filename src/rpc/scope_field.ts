/** Finds the uid that a request is about, whose root decides about the database. */
import type { DescMessage, DescMethod, Message } from "@bufbuild/protobuf";
import { isScopeField } from "../../schema/options.ts";
import type { Credential } from "../auth/call.ts";

/**
 * The uid in the field that the proto marks with `iam_scope`. If there is none, it is the identity of the caller: an
 * identity of a group has all of its access in one organization. Empty for a person's call about nothing.
 */
export function uidOfCall(
  { input }: DescMethod,
  request: Message,
  credential: Credential | undefined,
): string {
  const named = scopeIn(input, request);
  if (named !== "") return named;
  const { bearer } = credential ?? {};
  return bearer && "uid" in bearer && bearer.uid.includes("/") ? bearer.uid : "";
}

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
