/**
 * MCP over HTTP (2026-07-28, "Transports"): each message is a POST, and its response is JSON. A tool call becomes one
 * request to the domain of its RPC, with the token of the caller.
 */
import type { ClientRequest } from "../../client/request.ts";
import { callTool } from "../../mcp/call.ts";
import {
  type Answer,
  answerMessage,
  errorCodes,
  type Received,
  readMessage,
  refusal,
  supportedVersions,
  type ToolServer,
  unsupportedVersion,
  versionIn,
} from "../../mcp/protocol.ts";
import { type Tool, toolsOf } from "../../mcp/tools.ts";
import { invalidArgument, noSuchRoute, permissionDenied } from "../aip/errors.ts";
import { quoted } from "../aip/quoted.ts";
import { requestIdHeader } from "../aip/request_id.ts";
import type { Credential } from "../auth/call.ts";
import type { Databases } from "../auth/databases.ts";
import { mcpEndpoints } from "../auth/scopes.ts";
import { authenticate, bearerToken } from "../auth/token.ts";
import { type Config, configOf, type Env, errorNamesOf } from "../config.ts";
import { addressHeader } from "../limits/network.ts";
import { limitOf } from "../limits/rate_limit.ts";
import { bookmarkHeader, primaryBookmark } from "../rpc/bookmark.ts";
import { withCors } from "../rpc/browsers.ts";
import { openDatabase } from "../rpc/database.ts";
import { decodeUtf8, readBody } from "../rpc/request.ts";
import type { Execution, Worker } from "../rpc/runtime.ts";
import { methodNotAllowed, toStatus } from "../rpc/status.ts";
import { workerFetch } from "../rpc/worker_fetch.ts";
import { traceparentHeader, tracestateHeader } from "../telemetry/trace_context.ts";
import { headerProblem, isAllowedOrigin } from "./headers.ts";
import {
  insufficientScope,
  metadataPath,
  refuse,
  showMetadata,
  withChallenge,
} from "./protected_resource.ts";

/** Sends a request to the Worker of a domain, such as `registry`. */
export type AskDomain = (
  domain: string,
  request: Request,
  env: Env,
  execution: Execution,
) => Promise<Response>;

/** The version of the protocol's server. It changes with the tools, and nothing depends on it. */
const version = "2.0.0";

/** The largest message, in bytes. The arguments of no tool are that large. */
const maxMessageBytes = 256 * 1024;

/** Everything that a call needs. */
interface McpContext {
  config: Config;
  env: Env;
  execution: Execution;
  request: Request;
  path: string;
  askDomain: AskDomain;
  /** The bookmark in the response of the tool's domain. */
  bookmark?: string | null;
}

/** The response that refuses the caller of a tool. It replaces the answer to the message. */
class CallerRefused extends Error {
  readonly response: Response;
  constructor(response: Response) {
    super("the caller of a tool was refused");
    this.response = response;
  }
}

/** Creates the Worker of the MCP endpoints and of their metadata. */
export function mcpWorker(askDomain: AskDomain): Worker {
  const answer = async (request: Request, env: Env, execution: Execution): Promise<Response> => {
    const { pathname: path } = new URL(request.url);
    execution.trace?.note({ operation: "mcp" });
    try {
      const config = configOf(env);
      if (path.startsWith(metadataPath)) return showMetadata(request, path, config);
      return await answerEndpoint({ config, env, execution, request, path, askDomain });
    } catch (thrown) {
      return refuse(request, toStatus(thrown, request.headers), errorNamesOf(env));
    }
  };
  return { fetch: workerFetch("mcp", withCors(answer)) };
}

async function answerEndpoint(context: McpContext): Promise<Response> {
  const { config, request, path } = context;
  if (mcpEndpoints[path] === undefined)
    return refuse(request, noSuchRoute(`${request.method} ${path}`), config);
  const origin = request.headers.get("origin");
  if (!isAllowedOrigin(origin, config)) {
    const text = `a page of the origin ${quoted(origin ?? "")} must not call a platform on this machine`;
    return refuse(request, permissionDenied(text), config);
  }
  if (request.method !== "POST") return methodNotAllowed(request, path, "POST", "mcp", config);
  let credential: Credential;
  try {
    const { databases } = openDatabase(context.env, context.execution);
    const now = Date.now();
    const { unverified } = limitOfMessage(context, databases, now);
    const token = bearerToken(request.headers);
    credential = await authenticate(config, databases, token, now, config.audience, unverified);
  } catch (thrown) {
    const refused = refuse(request, toStatus(thrown, request.headers), config);
    return refused.status === 401 ? withChallenge(refused, path, config) : refused;
  }
  try {
    const response = toResponse(await answerText(context, await readText(request), credential));
    if (context.bookmark) response.headers.set(bookmarkHeader, context.bookmark);
    return response;
  } catch (thrown) {
    if (thrown instanceof CallerRefused) return thrown.response;
    throw thrown;
  }
}

/** A message itself costs little. The domain of a tool counts the call of the tool, with the limits of its RPC. */
const limitOfMessage = (
  { env, config, execution, request: { headers } }: McpContext,
  databases: Databases,
  now: number,
) =>
  limitOf({
    env,
    config,
    databases,
    headers,
    now,
    rateClass: "read",
    after: (work) => execution.waitUntil(work()),
  });

async function readText(request: Request): Promise<string> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw invalidArgument("content-type", "content-type must be application/json");
  }
  const tooLarge = () => invalidArgument("body", `body must have at most ${maxMessageBytes} bytes`);
  return decodeUtf8(await readBody(request, maxMessageBytes, tooLarge));
}

function toResponse({ status, message }: Answer): Response {
  if (!message) return new Response(null, { status });
  return Response.json(message, { status, headers: { "cache-control": "no-store" } });
}

async function answerText(
  context: McpContext,
  text: string,
  credential: Credential,
): Promise<Answer> {
  const received = readMessage(text);
  if ("status" in received) return received;
  const wrong = checkHeaders(received, context.request.headers);
  return wrong ?? answerMessage(received, serverOf(context, credential));
}

/** Checks that the headers of a message agree with it (2026-07-28, "Server Validation"). */
function checkHeaders(received: Received, headers: Headers): Answer | undefined {
  const { id } = received;
  const named = headers.get("mcp-protocol-version");
  if (named !== null && !supportedVersions.includes(named)) return unsupportedVersion(id, named);
  const problem = headerProblem(received, versionIn(received), headers);
  return problem === undefined ? undefined : refusal(id, 400, errorCodes.headerMismatch, problem);
}

const serverOf = (context: McpContext, credential: Credential): ToolServer => ({
  version,
  tools: toolsOf(mcpEndpoints[context.path] ?? "read"),
  call(tool, input) {
    requireCapabilities(context, tool, credential);
    const send = (asked: ClientRequest) => ask(context, tool, asked);
    return callTool(tool, input, { base: context.config.baseUrl, send });
  },
});

/**
 * A token can be limited to some capabilities. If they do not include those of the tool, the client can ask the person
 * for more. A caller without the right role gets the error of the API instead, because a new token would not help.
 */
function requireCapabilities(
  { config, request, path }: McpContext,
  { capabilities, annotations }: Tool,
  { capabilities: limit }: Credential,
): void {
  if (limit === undefined || capabilities.every((capability) => limit.includes(capability))) return;
  const access = annotations.readOnlyHint ? "read" : "write";
  throw new CallerRefused(insufficientScope(request, path, access, config));
}

/** Sends the request of a tool to its domain. Throws CallerRefused if the token has expired since. */
async function ask(context: McpContext, tool: Tool, asked: ClientRequest): Promise<Response> {
  const { config, env, execution, request, path, askDomain } = context;
  const headers = new Headers(asked.headers);
  headers.set("authorization", request.headers.get("authorization") ?? "");
  for (const name of [requestIdHeader, traceparentHeader, tracestateHeader, addressHeader]) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  // Most clients of MCP keep no header for their next call, which must see what this one has written.
  headers.set(bookmarkHeader, request.headers.get(bookmarkHeader) ?? primaryBookmark);
  const sent = new Request(asked.url, {
    method: asked.method,
    headers,
    ...(asked.body === undefined ? {} : { body: asked.body }),
  });
  const response = await askDomain(domainOf(tool), sent, env, execution);
  context.bookmark = response.headers.get(bookmarkHeader);
  if (response.status === 401) throw new CallerRefused(withChallenge(response, path, config));
  return response;
}

/** The domain that serves an RPC: `registry` for `platform.registry.findings.v2.FindingsService/ListFindings`. */
export function domainOf({ rpc }: Pick<Tool, "rpc">): string {
  const [, domain = ""] = rpc.split(".");
  return domain === "auth" || domain === "oidc" ? "issuer" : domain;
}
