/**
 * Handles a typed request in the same way for every transport: identifies the caller, checks the request, and
 * calls the handler.
 */
import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { findEtagMismatch, invalidArguments, unimplemented } from "../aip/errors.ts";
import { retryStale } from "../aip/stale.ts";
import { requireTexts } from "../aip/text.ts";
import { isUid, uidPattern } from "../aip/uid_path.ts";
import { patternViolation, validate } from "../aip/validation.ts";
import { errorWithVendorNames, plainMaskPath } from "../aip/vendor_names.ts";
import { addDecisionId } from "../auth/access_decision.ts";
import { type Call, type Credential, uidOfCaller } from "../auth/call.ts";
import { authenticate, bearerToken } from "../auth/token.ts";
import type { Config, Env } from "../config.ts";
import { openDatabase, serverTiming } from "./database.ts";
import { readBookmarks } from "./nearest.ts";
import { readIfMatch, setVersion } from "./precondition.ts";
import { type Execution, newWorks } from "./runtime.ts";
import { uidOfRequest } from "./scope_field.ts";
import { isV2, type Rpc } from "./service.ts";
import { completeError, toStatus, withV1Details } from "./status.ts";

/** Data that a transport has about a call before it reads the request. */
export interface TransportContext {
  env: Env;
  execution: Execution;
  config: Config;
  headers: Headers;
  /** Headers of the response. The call fills them while it runs. */
  responseHeaders: Headers;
}

/** How a transport reads the request of an accepted call, and how it writes the response. */
export interface Transport<Answer> {
  read(): Promise<Message> | Message;
  write(answer: Message): Answer;
}

/** Runs one RPC. Throws only complete ConnectErrors. */
export async function dispatch<Answer>(
  rpc: Rpc,
  transport: TransportContext,
  { read, write }: Transport<Answer>,
): Promise<Answer> {
  try {
    const token = admit(rpc, transport.headers);
    return write(await run(rpc, await read(), token, transport));
  } catch (thrown) {
    throw refusalOf(thrown, rpc, transport);
  }
}

/**
 * Refuses a call before its body is read if the RPC is not served, or if the caller has no token at all.
 * Returns the token to verify, if there is one.
 */
function admit(rpc: Rpc, headers: Headers): string | undefined {
  if (rpc.unimplementedReason) throw unimplemented(rpc.unimplementedReason);
  if (rpc.open && !rpc.readsBearer) return undefined;
  const token = bearerToken(headers);
  return rpc.open ? undefined : token;
}

async function run(
  rpc: Rpc,
  request: Message,
  token: string | undefined,
  transport: TransportContext,
) {
  const { env, execution, config, headers, responseHeaders } = transport;
  const now = Date.now();
  const bookmarks = await readBookmarks(rpc, request, headers, { config, now });
  const database = openDatabase(env, execution, bookmarks?.startOf);
  const { databases, meter } = database;
  const works = newWorks(execution);
  let answer: Message | undefined;
  let credential: Credential | undefined;
  const attempt = async () => {
    credential =
      token === undefined ? undefined : await authenticate(config, databases, token, now);
    checkRequest(rpc, request, config);
    const { method, capabilities } = rpc;
    const about = { config, method, capabilities, now, credential };
    const validateOnly = isValidateOnly(request);
    // A call that only validates leaves no trace, not even of its use of access.
    const after = validateOnly ? () => undefined : works.after;
    const db = databases.databaseOf(uidOfRequest(method, request) || uidOfCaller({ credential }));
    const ifMatch = readIfMatch(rpc, headers);
    const call = {
      ...about,
      db,
      databases,
      headers,
      responseHeaders,
      after,
      validateOnly,
      ifMatch,
    };
    const handle = () => rpc.handle(request, { ...call, guards: new Map() } satisfies Call);
    // A handler throws Stale if another call wrote between its read and its write.
    const made = create(method.output, await retryStale(handle));
    if (isV2(rpc) && !validateOnly) setVersion(responseHeaders, made);
    return made;
  };
  try {
    answer = await attempt().catch((thrown: unknown) => {
      // The primary may have what a replica does not have yet, so a replica refuses nothing.
      if (!database.leaveReplica()) throw thrown;
      works.drop();
      credential = undefined;
      return attempt();
    });
    return answer;
  } catch (thrown) {
    const method = `${rpc.method.parent.typeName}/${rpc.method.name}`;
    if (credential) await addDecisionId(config, thrown, { credential, method, time: now });
    throw thrown;
  } finally {
    if (credential || rpc.open)
      await bookmarks?.give(database.seenStates(), responseHeaders, answer);
    if (config.meter) responseHeaders.set("server-timing", serverTiming(meter));
    works.start({ hasSucceeded: answer !== undefined });
  }
}

/** Whether the request has a set `validate_only`. It is found by its name, as every RPC has its own message. */
const isValidateOnly = (request: Message): boolean =>
  (request as { validateOnly?: boolean }).validateOnly === true;

/** Converts any thrown value to the error for the caller of the RPC. */
function refusalOf(
  thrown: unknown,
  rpc: Rpc,
  { config, headers, responseHeaders }: TransportContext,
): ConnectError {
  const error = errorWithVendorNames(toStatus(thrown, headers), violationRoots(rpc), config.vendor);
  const current = findEtagMismatch(error)?.current;
  if (current !== undefined) responseHeaders.set("etag", current);
  return completeError(isV2(rpc) ? error : withV1Details(error), errorDomain(rpc), config, headers);
}

/** The messages at which the paths of an error can begin: the resource, or the request itself. */
function violationRoots({ method: { input }, resource }: Rpc): DescMessage[] {
  const field = input.fields.find(({ name }) => name === resource);
  return field?.message ? [field.message, input] : [input];
}

/** Refuses a request that is not valid, before the handler sees it. */
function checkRequest(rpc: Rpc, request: Message, config: Config): void {
  requireTexts(rpc.method.input, request, rpc.resource);
  canonicalizeMask(rpc, request, config);
  validateRequest(rpc, request);
}

/** Converts the names in a mask to those of the proto, over every transport. */
function canonicalizeMask(rpc: Rpc, request: Message, { vendor }: Config): void {
  const { updateMask } = request as { updateMask?: { paths: string[] } };
  const [desc] = violationRoots(rpc);
  if (!updateMask || !desc) return;
  updateMask.paths = updateMask.paths.map((path) => plainMaskPath(desc, path, vendor));
}

/** The first part of the package after `platform`: `iam`. */
export const errorDomain = (rpc: Rpc) => rpc.method.parent.typeName.split(".")[1] ?? "";

/**
 * Checks the rules of the proto. A partial update is complete only after its mask is applied. The handler
 * therefore checks the resource, and only the rest of the request is checked here.
 */
export function validateRequest(rpc: Rpc, request: Message): void {
  const { input } = rpc.method;
  const masked = input.fields.some((field) => field.name === "update_mask");
  const resource = input.fields.find((field) => field.name === rpc.resource);
  if (!masked || !resource) {
    validate(input, request, rpc.resource);
    return;
  }
  // The field is found by its name, because the type of the request is not known here.
  const message = (request as unknown as Record<string, { uid?: string } | undefined>)[
    resource.localName
  ];
  if (message === undefined) validate(input, request, rpc.resource);
  else if (!isUid(message.uid ?? ""))
    throw invalidArguments([patternViolation("uid", uidPattern, message.uid ?? "")]);
}
