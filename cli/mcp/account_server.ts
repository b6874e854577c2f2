/** Serves the tools of the API to a local client, with the login of an account. */
import { readResponse } from "../../client/answer.ts";
import { Bookmarks, primary } from "../../client/bookmarks.ts";
import { PlatformError } from "../../client/errors.ts";
import type { ClientRequest } from "../../client/request.ts";
import { type RetryOptions, withRetries } from "../../client/retry.ts";
import { callTool, failedResult, type ToolResult } from "../../mcp/call.ts";
import type { ToolServer } from "../../mcp/protocol.ts";
import { toolsOf } from "../../mcp/tools.ts";
import { tokenSource } from "../account/client.ts";
import type { Account } from "../account/credentials.ts";
import { noteWait } from "../account/rate_limit_waits.ts";
import { toFailure } from "../failure.ts";
import { packageJson } from "../project.ts";
import { here } from "../surroundings.ts";
import { serveStdio } from "./stdio.ts";

/** The longest time of a call, in milliseconds. */
const timeoutMs = 120_000;

/** How many milliseconds a call waits in all for rate limits. Many assistants give up on a call after a minute. */
const maxWaitMs = 45_000;

/** Answers the messages on standard input until it ends. */
export const serveAccount = (account: Account, access: "read" | "write"): Promise<void> =>
  serveStdio(here().stdin, here().stdout, serverOf(account, access));

function serverOf(account: Account, access: "read" | "write"): ToolServer {
  const tokens = tokenSource(account, account.audience);
  const bookmarks = new Bookmarks(primary);
  return {
    version: packageJson().version,
    tools: toolsOf(access),
    async call(tool, input, signal): Promise<ToolResult> {
      const send = async ({ method, url, headers, body }: ClientRequest): Promise<Response> => {
        const token = await tokens({ signal });
        const limit = AbortSignal.timeout(timeoutMs);
        const { headers: sent, end } = bookmarks.begin();
        const response = await fetch(url, {
          method,
          headers: { ...headers, ...sent, authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body }),
          redirect: "error",
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
        });
        end(response.headers);
        return response;
      };
      const sendPatiently = (request: ClientRequest) =>
        waitingForLimits(() => send(request), {
          isSafe: request.isSafe,
          isConditional: false,
          retries: 1,
          signal,
          maxWait: maxWaitMs,
          onWait: noteWait,
        });
      try {
        return await callTool(tool, input, { base: account.url, send: sendPatiently });
      } catch (error) {
        if (signal?.aborted) throw error;
        const isLate = error instanceof Error && error.name === "TimeoutError";
        const message = isLate
          ? `${account.url} did not respond within ${timeoutMs / 1000} seconds`
          : toFailure(error, account.url).message;
        // Such as a platform that cannot be reached, or a login that has expired.
        return failedResult({ code: "UNAVAILABLE", message });
      }
    },
  };
}

/** Sends a request again after each rate limit. Returns the refusal if that would take too long. */
async function waitingForLimits(
  send: () => Promise<Response>,
  options: RetryOptions,
): Promise<Response> {
  let refusal: Response | undefined;
  const sendOnce = async () => {
    const response = await send();
    if (response.status !== 429) return response;
    refusal = response.clone();
    await readResponse(response, false);
    return refusal;
  };
  return withRetries(sendOnce, options).catch((error: unknown) => {
    if (refusal && error instanceof PlatformError) return refusal;
    throw error;
  });
}
