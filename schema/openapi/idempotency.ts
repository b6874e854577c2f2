/** The idempotency key of a POST of version 2, as the document describes it. */
import type { DescMethod, JsonObject } from "@bufbuild/protobuf";
import type { Parameter } from "./form.ts";
import { sample } from "./sample.ts";

/** Whether an operation carries out equal calls with one key once: the POSTs of version 2 that have an event. */
export const isKeyed = (
  { parent }: DescMethod,
  { verb, hasEvent }: { verb: string; hasEvent: boolean },
): boolean => verb === "post" && hasEvent && parent.file.proto.package.endsWith(".v2");

export const idempotencyKeyParameter: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A key of your choice with 1 to 255 characters, such as a UUID, with or without quotes. For 24 hours, your calls " +
    "with the same key and the same request take effect once and have the same answer. With another request, the key " +
    "is refused.",
  schema: { type: "string", minLength: 1 },
  example: `"${sample.requestId}"`,
};

/** The header of the response to a repeated call. */
export const replayedHeaders: JsonObject = {
  "idempotency-replayed": {
    description: "`true` if the answer is that of an earlier call with the same key.",
    schema: { type: "string", enum: ["true"] },
  },
};

/** The message for a key with another request (src/aip/errors.ts). */
export const keyReusedText =
  "this key was sent with another request in the last 24 hours; send a new key with a new request";
