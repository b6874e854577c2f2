/**
 * MCP over standard input and output: one message on each line (2026-07-28, "stdio"). Nothing else may be written to
 * standard output.
 */
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import {
  type Answer,
  answerMessage,
  errorCodes,
  type Received,
  readMessage,
  refusal,
  type ToolServer,
} from "../../mcp/protocol.ts";
import { here } from "../surroundings.ts";

/** The largest message, in characters. */
const maxMessageLength = 256 * 1024;

/** How long calls may still run after the input has ended, in milliseconds. A client then expects an exit soon. */
const lastCallsMs = 1000;

/** The calls that have no response yet, by the id of their request. */
type Running = Map<string | number, AbortController>;

/** Answers messages until the input ends. Calls that then run for another second are cancelled. */
export async function serveStdio(
  input: Readable,
  output: Writable,
  server: ToolServer,
): Promise<void> {
  const running: Running = new Map();
  const answers = new Set<Promise<void>>();
  const write = ({ message }: Answer) => {
    if (message) output.write(`${JSON.stringify(message)}\n`);
  };
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === "") continue;
    const received = readLine(line);
    if ("status" in received) write(received);
    else if (received.id === undefined) cancel(received, running);
    else {
      // Other messages are read meanwhile, such as the one that cancels this call.
      const done = answer(received, received.id, server, running).then((response) => {
        if (response) write(response);
        answers.delete(done);
      });
      answers.add(done);
    }
  }
  const timer = setTimeout(() => {
    for (const controller of running.values()) controller.abort();
  }, lastCallsMs);
  await Promise.all(answers);
  clearTimeout(timer);
}

function readLine(line: string): Received | Answer {
  if (line.length <= maxMessageLength) return readMessage(line);
  const text = `A message must have at most ${maxMessageLength} characters.`;
  return refusal(undefined, 400, errorCodes.invalidRequest, text);
}

/** The answer to a request. Undefined if the client cancelled it, because a server must not answer it then. */
async function answer(
  received: Received,
  id: string | number,
  server: ToolServer,
  running: Running,
): Promise<Answer | undefined> {
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const done = await answerMessage(received, server, controller.signal);
    return controller.signal.aborted ? undefined : done;
  } catch (error) {
    if (controller.signal.aborted) return undefined;
    here().stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return refusal(id, 500, errorCodes.internalError, "platformctl has a bug; see its log.");
  } finally {
    if (running.get(id) === controller) running.delete(id);
  }
}

function cancel({ method, params }: Received, running: Running): void {
  if (method !== "notifications/cancelled") return;
  const { requestId } = params;
  if (typeof requestId === "string" || typeof requestId === "number")
    running.get(requestId)?.abort();
}
