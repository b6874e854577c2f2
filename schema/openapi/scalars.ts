/** The schemas of scalar values of the protos in JSON (protobuf.dev, "ProtoJSON Format"). */
import { ScalarType } from "@bufbuild/protobuf";
import type { Schema } from "./form.ts";

export function scalarSchema(type: ScalarType): Schema {
  switch (type) {
    case ScalarType.BOOL:
      return { type: "boolean" };
    case ScalarType.STRING:
      return { type: "string" };
    case ScalarType.BYTES:
      return { type: "string", contentEncoding: "base64" };
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return { type: "string", format: "int64", pattern: "^-?[0-9]+$" };
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return { type: "number" };
    case ScalarType.UINT32:
      return { type: "integer", format: "int64", minimum: 0, maximum: 2 ** 32 - 1 };
    default:
      return { type: "integer", format: "int32" };
  }
}
