/** Calls a tool: one call is one RPC. */

import { codeOf } from "../client/errors.ts";
import { operations } from "../client/gen/operations.ts";
import type { JsonObject, Operation } from "../client/operation.ts";
import { type ClientRequest, toHttp } from "../client/request.ts";
import { argumentProblem } from "./arguments.ts";
import { isObject, type Tool } from "./tools.ts";

/** The result of `tools/call`. */
export interface ToolResult {
  content: { type: "text"; text: string }[];
  structuredContent?: JsonObject;
  isError?: true;
}

/** Sends a request with the caller's token to the API at `base`. */
export interface Api {
  base: string;
  send(request: ClientRequest): Promise<Response>;
}

/** The largest response of the API, in bytes. A model could not read more. */
export const maxResultBytes = 1024 * 1024;

const byRpc = new Map<string, Operation>(
  Object.values(operations).map((operation) => [operation.rpc, operation]),
);

/**
 * Calls the RPC of a tool. An error of the API and a wrong argument are results too, so that a model can read them and
 * correct its call. `api.send` can throw.
 */
export async function callTool(tool: Tool, input: JsonObject, api: Api): Promise<ToolResult> {
  const problem = argumentProblem(tool.inputSchema, input);
  if (problem !== undefined) return failedResult({ code: "INVALID_ARGUMENT", message: problem });
  let request: ClientRequest;
  try {
    request = toHttp(operationOf(tool), input, api.base);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return failedResult({ code: "INVALID_ARGUMENT", message: error.message });
  }
  const response = await api.send(request);
  const text = await boundedText(response);
  if (text === undefined) {
    const message = `the response has more than ${maxResultBytes} bytes; ask for a smaller page with pageSize, and read on with pageToken`;
    return failedResult({ code: "RESOURCE_EXHAUSTED", message });
  }
  return response.ok ? succeeded(text) : failedResult(apiErrorOf(response, text));
}

/** Returns the client's operation of a tool. */
export function operationOf({ rpc }: Tool): Operation {
  const operation = byRpc.get(rpc);
  if (!operation) throw new Error(`the client has no ${rpc}`);
  return operation;
}

/** Reads a response. Returns undefined if it has more than {@link maxResultBytes}. */
async function boundedText(response: Response): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    length += value.byteLength;
    if (length > maxResultBytes) {
      await reader?.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** A response of the API as text, and as JSON if it is an object. An exported document can be another text. */
function succeeded(text: string): ToolResult {
  const json = objectOf(text === "" ? "{}" : text);
  return {
    content: [{ type: "text", text: text === "" ? "{}" : text }],
    ...(json ? { structuredContent: json } : {}),
  };
}

/** An error of the API, in a form that is the same over all of its transports. */
export interface ToolError {
  /** The name of the google.rpc.Code, such as `NOT_FOUND`. */
  code: string;
  message: string;
  reason?: string;
  requestId?: string;
  /** The id of a refusal, with which an owner can explain it. */
  decisionId?: string;
  fieldViolations?: unknown;
}

/** The result of a call that failed. */
export function failedResult(error: ToolError): ToolResult {
  const { code, message, reason, requestId, decisionId } = error;
  const more = [
    reason && `reason ${reason}`,
    requestId && `request id ${requestId}`,
    decisionId && `decision id ${decisionId}`,
  ];
  const note = more.filter((text) => text).join(", ");
  return {
    content: [{ type: "text", text: `${code}: ${message}${note === "" ? "" : ` (${note})`}` }],
    structuredContent: { error },
    isError: true,
  };
}

/** Reads the google.rpc.Status in a response. */
function apiErrorOf(response: Response, text: string): ToolError {
  const { code, message, details } = objectOf(text) ?? {};
  const all = (Array.isArray(details) ? details : []) as JsonObject[];
  const detail = (name: string) =>
    all.find((candidate) => String(candidate["@type"]).endsWith(`.${name}`));
  const { reason, metadata } = detail("ErrorInfo") ?? {};
  const decisionId = (metadata as JsonObject | undefined)?.decision_id;
  const fieldViolations = detail("BadRequest")?.fieldViolations;
  const requestId = response.headers.get("x-request-id");
  return {
    code: codeOf(code) ?? "UNKNOWN",
    message: typeof message === "string" ? message : `the API responded with ${response.status}`,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(requestId === null ? {} : { requestId }),
    ...(typeof decisionId === "string" ? { decisionId } : {}),
    ...(fieldViolations === undefined ? {} : { fieldViolations }),
  };
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
