/** The parts that all operations of SCIM have. */
import type { JsonObject } from "@bufbuild/protobuf";
import { content, type OperationObject } from "../form.ts";
import { commonErrors, mediaType } from "./answers.ts";

const provider = {
  name: "provider",
  in: "path",
  required: true,
  description: "The uid of the identity provider. Write slashes as they are.",
  schema: { type: "string", pattern: "^[0-9a-f]{40}(/[0-9a-f]{16})+$" },
};

/** A parameter of the query with a text. */
export const text = (name: string, description: string, example: string) => ({
  name,
  in: "query",
  description,
  schema: { type: "string" },
  example,
});

/** The body of a request, in both media types. */
export const body = (schema: JsonObject, example: JsonObject): JsonObject => ({
  required: true,
  content: {
    ...content(schema, { example }, mediaType),
    ...content(schema, { example }, "application/json"),
  },
});

/** An operation with the provider in its path, and the errors that all have. */
export const operation = (
  operationId: string,
  summary: string,
  description: string,
  rest: Pick<OperationObject, "responses"> & Partial<OperationObject>,
): OperationObject => ({
  operationId,
  summary,
  description,
  tags: ["Scim"],
  ...rest,
  parameters: [provider, ...(rest.parameters ?? [])],
  responses: { ...commonErrors, ...rest.responses },
  security: [{ scimToken: [] }],
});

/** The parameters for a page of `noun`, such as "users". */
export const pageParameters = (noun: string, example: string, rest: string) => [
  text("filter", "A filter expression (RFC 7644 section 3.4.2.2).", example),
  {
    name: "startIndex",
    in: "query",
    description: `The position of the first of the ${noun} on the page. Positions begin with 1.`,
    schema: { type: "integer", default: 1 },
  },
  {
    name: "count",
    in: "query",
    description: `The number of ${noun} on a page: at most 200. ${rest}`,
    schema: { type: "integer", default: 100 },
  },
];

/** The parameters that select attributes. */
export const projectionOf = (included: string, excluded: string) => [
  text(
    "attributes",
    "The attributes to return, separated by commas. The default is all attributes.",
    included,
  ),
  text("excludedAttributes", "The attributes to leave out, separated by commas.", excluded),
];

/** The header for a change of only one version of a `noun`. */
export const versionOf = (noun: string) => ({
  name: "if-match",
  in: "header",
  description: `The version of the ${noun} that you last read. If it has changed, the call returns 412.`,
  schema: { type: "string" },
});
