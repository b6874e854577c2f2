/** Writes the interface of each resource: its methods with their requests and responses. */
import type { DescField } from "@bufbuild/protobuf";
import type { CommentWriter } from "./comments.ts";
import { isRequired } from "./fields.ts";
import type { Declarations } from "./messages.ts";
import {
  type ClientOperation,
  type ClientResource,
  canOverride,
  canValidateOnly,
  isEmpty,
  scopeFilterField,
} from "./operations.ts";

/** Returns the interfaces of all resources, and declares the types that they refer to. */
export function resourcesText(
  resources: ClientResource[],
  declarations: Declarations,
  comments: CommentWriter,
): string {
  const interfaces = resources.map(({ service, operations }) => {
    const methods = operations.map((operation) => methodText(operation, declarations, comments));
    return `${comments(service)}export interface ${service.name} {\n${methods.join("\n")}}\n`;
  });
  const members = resources.map(
    ({ name, service }) => `${comments(service, "  ")}  readonly ${name}: ${service.name};\n`,
  );
  return `${interfaces.join("\n")}
/** Every resource of version 2. */
export interface Resources {
${members.join("\n")}}
`;
}

function methodText(
  operation: ClientOperation,
  declarations: Declarations,
  comments: CommentWriter,
): string {
  const { name, method } = operation;
  const { parameters, answer } = signature(operation, declarations, comments);
  const line = `  ${name}(${parameters.join(", ")}): ${answer};`;
  const lines = parameters.map((parameter) => `    ${parameter},\n`).join("");
  const text = line.length <= 100 ? line : `  ${name}(\n${lines}  ): ${answer};`;
  return `${comments(method, "  ")}${text}\n`;
}

interface Signature {
  parameters: string[];
  answer: string;
}

function signature(
  operation: ClientOperation,
  declarations: Declarations,
  comments: CommentWriter,
): Signature {
  const { form, rows, method } = operation;
  const overriding = canOverride(operation) ? " & OverrideOptions" : "";
  const validating = (canValidateOnly(operation) ? " & ValidateOptions" : "") + overriding;
  const options = `options?: CallOptions${validating}`;
  if (form === "list") {
    const row = rows?.message ? declarations.message(rows.message, "answer") : "unknown";
    const request = requestParameter(operation, declarations, comments);
    return { parameters: [request, options], answer: `Listing<${row}>` };
  }
  const type = isEmpty(operation) ? "void" : declarations.message(method.output, "answer");
  const answer = `Promise<${type}>`;
  switch (form) {
    case "get":
    case "delete":
      return { parameters: ["uid: string", options], answer };
    case "create":
      return {
        parameters: ["parent: string", bodyParameter(operation, declarations), options],
        answer,
      };
    case "update": {
      const changes = `changes: Changes<${inputOf(operation, declarations)}>`;
      return {
        parameters: ["uid: string", changes, `options?: UpdateOptions${validating}`],
        answer,
      };
    }
    case "plain":
      return { parameters: [requestParameter(operation, declarations, comments), options], answer };
  }
}

function inputOf({ body, method }: ClientOperation, declarations: Declarations): string {
  if (typeof body !== "object" || !body.message) throw new Error(`${method.name} has no body`);
  return declarations.message(body.message, "input");
}

function bodyParameter(operation: ClientOperation, declarations: Declarations): string {
  const name = typeof operation.body === "object" ? operation.body.jsonName : "";
  return `${name}: ${inputOf(operation, declarations)}`;
}

/** Returns the parameter for the whole request. It is optional if no member is required. */
function requestParameter(
  operation: ClientOperation,
  declarations: Declarations,
  comments: CommentWriter,
): string {
  const { input } = operation.method;
  const members = membersOf(operation, declarations);
  const isNeeded = input.fields.some((field) => isRequired(field));
  if (members.length === 0) {
    declarations.declare(
      input.name,
      `${comments(input)}export type ${input.name} = Record<string, never>;\n`,
    );
  } else {
    declarations.declare(
      input.name,
      `${comments(input)}export interface ${input.name} {\n${members.join("")}}\n`,
    );
  }
  return `request${isNeeded ? "" : "?"}: ${input.name}`;
}

function membersOf(operation: ClientOperation, declarations: Declarations): string[] {
  const scopeFilter = scopeFilterField(operation);
  const isNamed = (field: DescField) => operation.path.includes(`{${field.jsonName}.`);
  return operation.method.input.fields.flatMap((field) => {
    if (field === scopeFilter) {
      return (scopeFilter.message?.fields ?? []).map((scopeField) =>
        declarations.member(scopeField, "input"),
      );
    }
    if (!isNamed(field)) return [declarations.member(field, "input")];
    // The server sets the uid. Here it identifies the resource to change.
    const type = `${declarations.type(field, "input")} & { uid: string }`;
    return [declarations.member(field, "input", type)];
  });
}

/** Returns names that two members of a request share. There must be none. */
export function duplicateNames(operation: ClientOperation): string[] {
  const scopeFields = scopeFilterField(operation)?.message?.fields ?? [];
  const own = operation.method.input.fields.map(({ jsonName }) => jsonName);
  return scopeFields.map(({ jsonName }) => jsonName).filter((name) => own.includes(name));
}
