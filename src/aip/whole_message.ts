/** Builds messages of which no field can be forgotten. */
import {
  create,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { Resource } from "./etags.ts";

/** The field that no mapping sets: src/aip/etags.ts computes it for the response. */
type Computed<Message> = Message extends Resource ? "etag" : never;

/** The fields of a message, without the properties that every message has, and without the etag of a resource. */
export type FieldOf<Message> = Exclude<keyof Message, "$typeName" | "$unknown" | Computed<Message>>;

/** All fields of a message. A message field, and a field with `optional`, can be undefined. */
export type AllFields<Desc extends DescMessage> = {
  [Field in FieldOf<MessageShape<Desc>>]: Field extends keyof MessageInitShape<Desc>
    ? MessageInitShape<Desc>[Field]
    : never;
};

/** A message of which every field is given. A new field of its proto does not compile until it has a value here. */
export const wholeMessage = <Desc extends DescMessage>(
  schema: Desc,
  fields: AllFields<Desc>,
): MessageShape<Desc> => create(schema, fields as MessageInitShape<Desc>);
