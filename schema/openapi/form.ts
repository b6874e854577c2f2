/** Types for the parts of an OpenAPI 3.1 document that are used here (spec.openapis.org/oas/v3.1). */
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** A JSON Schema of the dialect 2020-12, or a reference to one. */
export type Schema = JsonObject;

/** A parameter of the path, the query or the headers, or a reference to one. */
export type Parameter = JsonObject;

/** A response of an operation with one status, or a reference to one. */
export type ResponseObject = JsonObject;

/** One verb of one path. */
export type OperationObject = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: JsonObject;
  responses: Record<string, ResponseObject>;
  /** The credentials of a caller. By default, any token of the platform. */
  security?: JsonObject[];
} & Record<`x-${string}`, JsonValue | undefined>;

/** A path: its operations by lowercase verb, and the hosts that serve it. */
export type PathItem = { servers?: JsonObject[] } & { [verb in HttpVerb]?: OperationObject };

export type HttpVerb = "get" | "post" | "put" | "patch" | "delete";

/** A tag of operations. `group` is the heading for the tag in viewers (`x-tagGroups`). */
export type Tag = { name: string; title: string; description: string; group: string };

/** Parts that are written by hand: paths, and the components that they use. */
export type Chapter = {
  tags: Tag[];
  paths: Record<string, PathItem>;
  schemas: Record<string, Schema>;
  securitySchemes?: Record<string, JsonObject>;
};

/** Returns a reference to a component. */
export const ref = (kind: "schemas" | "parameters" | "responses" | "examples", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
});

/** Returns the content of a body or a response with one media type. */
export const content = (
  schema: Schema,
  examples: Record<string, JsonValue> = {},
  type = "application/json",
): JsonObject => ({
  [type]: {
    schema,
    ...(Object.keys(examples).length > 0 ? { examples: named(examples) } : {}),
  },
});

const named = (examples: Record<string, JsonValue>): JsonObject =>
  Object.fromEntries(
    Object.entries(examples).map(([name, example]) => {
      const isReference = typeof example === "object" && example !== null && "$ref" in example;
      return [name, isReference ? example : { value: example }];
    }),
  );
