/** The tools that `npm run gen` makes from the protos. */
import type { JsonObject } from "../client/operation.ts";
import generated from "../schema/gen/tools.json" with { type: "json" };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A method of the API as a tool for language models. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of the request in proto JSON, without references. */
  inputSchema: JsonObject;
  /** Hints, as MCP defines them. */
  annotations: { readOnlyHint: boolean } & Record<string, boolean>;
  /** The full name of the RPC. */
  rpc: string;
  /** The numbers of the capabilities that the caller needs. */
  capabilities: number[];
}

// A cast, because the type of the file would be a union of all its schemas.
const all = generated as unknown as Tool[];

const reads = all.filter(({ annotations }) => annotations.readOnlyHint);

/** The tools that change nothing, or all tools. The order is always the same. */
export const toolsOf = (access: "read" | "write"): readonly Tool[] =>
  access === "read" ? reads : all;
