/**
 * Handles a typed request in the same way for every transport: identifies the caller, checks the request, and
 * calls the handler.
 */
import { create, type DescMessage, type Message } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { classOf } from "../../schema/rate_classes.ts";
import { findEtagMismatch, invalidArguments, unimplemented } from "../aip/errors.ts";
import { retryStale } from "../aip/stale.ts";
import { requireTexts } from "../aip/text.ts";
import { isUid, rootOf, uidPattern } from "../aip/uid_path.ts";
import { patternViolation, validate } from "../aip/validation.ts";
import { errorWithVendorNames, plainMaskPath } from "../aip/vendor_names.ts";
import { addDecisionId } from "../auth/access_decision.ts";
import { type Call, type Credential, callerUid, uidOfCaller } from "../auth/call.ts";
import { authenticate, bearerToken } from "../auth/token.ts";
import type { Config, Env } from "../config.ts";
import { storedKeyOf } from "../idempotency/attempt.ts";
import { attemptOnce } from "../idempotency/call.ts";
import { keyOf } from "../idempotency/idempotency_key.ts";
import { type CallLimit, countToken, limitOf, rememberAccess } from "../limits/rate_limit.ts";
import { codeName } from "../telemetry/codes.ts";
import { openDatabase, serverTiming } from "./database.ts";
import { readBookmarks } from "./nearest.ts";
import { readIfMatch, setVersion, withoutEtag } from "./precondition.ts";
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
  const { trace } = transport.execution;
  trace?.note({ operation: operationOf(rpc), class: classOf(rpc.method), code: "OK" });
  try {
    const admission = admit(rpc, transport.headers);
    return write(await run(rpc, await read(), admission, transport));
  } catch (thrown) {
    const refusal = refusalOf(thrown, rpc, transport);
    trace?.note({ code: codeName(refusal.code) });
    throw refusal;
  }
}

const operationOf = ({ method }: Rpc) => `${method.parent.typeName}/${method.name}`;

/** The token to verify, and the idempotency key of the call, if there are any. */
interface Admission {
  token: string | undefined;
  key: string | undefined;
}

/** Refuses a call before its body is read: an RPC that is not served, no token at all, or a wrong idempotency key. */
function admit(rpc: Rpc, headers: Headers): Admission {
  if (rpc.unimplementedReason) throw unimplemented(rpc.unimplementedReason);
  const bearer = rpc.open && !rpc.readsBearer ? undefined : bearerToken(headers);
  return { token: rpc.open ? undefined : bearer, key: keyOf(rpc.method, headers) };
}

async function run(
  rpc: Rpc,
  request: Message,
  { token, key }: Admission,
  transport: TransportContext,
) {
  const { env, execution, config, headers, responseHeaders } = transport;
  const now = Date.now();
  const bookmarks = await readBookmarks(rpc, request, headers, { config, now });
  const database = openDatabase(env, execution, bookmarks?.startOf);
  const { databases, meter } = database;
  const works = newWorks(execution);
  const { method, capabilities } = rpc;
  const rateClass = classOf(method);
  const limit = limitOf({ env, config, databases, headers, now, rateClass, after: works.after });
  const uid = uidOfRequest(method, request);
  let answer: Message | undefined;
  let credential: Credential | undefined;
  const attempt = async () => {
    const { audience } = config;
    credential =
      token === undefined
        ? undefined
        : await authenticate(config, databases, token, now, audience, limit.unverified);
    await countCall(rpc, limit, { config, headers, now, credential, uid });
    checkRequest(rpc, request, config);
    const about = { config, method, capabilities, now, credential };
    const validateOnly = isValidateOnly(request);
    // A call that only validates leaves no trace, not even of its use of access.
    const after = validateOnly ? () => undefined : works.after;
    noteCaller(execution, credential, uid);
    const db = databases.databaseOf(uid || uidOfCaller({ credential }));
    const ifMatch = readIfMatch(rpc, request, headers);
    const access = { db, databases, headers, responseHeaders, after };
    const own = { ...about, ...access, validateOnly, ifMatch };
    const made = await handle(rpc, withoutEtag(rpc, request), own, key);
    if (isV2(rpc) && !validateOnly) setVersion(rpc, responseHeaders, made);
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
    // A List can succeed without access, and is then empty.
    const showsAccess = capabilities.length > 0 && rateClass !== "list";
    if (credential && showsAccess) rememberAccess(config, credential, uid);
    return answer;
  } catch (thrown) {
    const decided = { credential, method: operationOf(rpc), time: now };
    if (credential) await addDecisionId(config, thrown, { ...decided, credential });
    throw thrown;
  } finally {
    if (credential || rpc.open)
      await bookmarks?.give(database.seenStates(), responseHeaders, answer);
    if (config.meter) responseHeaders.set("server-timing", serverTiming(meter));
    works.start({ hasSucceeded: answer !== undefined });
  }
}

/**
 * Counts a call of its caller. A call of an open RPC counts for our own token if the RPC reads one, and otherwise for the
 * network. Throws RATE_LIMITED.
 */
async function countCall(
  rpc: Rpc,
  limit: CallLimit,
  call: Pick<Call, "config" | "headers" | "now" | "credential"> & { uid: string },
): Promise<void> {
  const { config, headers, now, credential, uid } = call;
  if (credential) return limit.caller(credential, uid);
  if (!rpc.readsBearer) return limit.network();
  return countToken(limit, config, bearerToken(headers), now);
}

/** Calls the handler. A handler throws Stale if another call wrote between its read and its write. */
async function handle(
  rpc: Rpc,
  request: Message,
  call: Omit<Call, "guards">,
  key: string | undefined,
): Promise<Message> {
  const { method, credential, validateOnly } = call;
  const handleOnce = (own: Call) => rpc.handle(request, own);
  const scope = uidOfRequest(method, request);
  const storedKey =
    key === undefined || !credential || validateOnly
      ? undefined
      : await storedKeyOf(method, key, request, { scope, credential });
  return retryStale(async () => {
    const own = { ...call, guards: new Map() };
    if (storedKey) return attemptOnce(own, storedKey, handleOnce);
    return create(method.output, await handleOnce(own));
  });
}

/** The organization is that of the caller, as anyone can name another one. A person has none. */
function noteCaller({ trace }: Execution, credential: Credential | undefined, asked: string) {
  const uid = uidOfCaller({ credential }) || asked;
  trace?.note({ caller: callerUid(credential), organization: isUid(uid) ? rootOf(uid) : "" });
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
