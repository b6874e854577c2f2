/**
 * Version 1 on top of version 2: an RPC of version 1 says what it wants in the words of version 2,
 * and gets the rules, the rows and the events of that one.
 */
import {
  create,
  type DescMessage,
  type DescService,
  type Message,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type BadRequest, BadRequestSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import {
  type UIDPFilter,
  UIDPFilterSchema,
} from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArgument, invalidArguments } from "../aip/errors.ts";
import { isAtOrAbove, isUid, parentOf, uidPattern } from "../aip/uid_path.ts";
import type { Call, EventDraft } from "../auth/call.ts";
import { requestedScope } from "../paging/requested_scope.ts";
import { validateRequest } from "./dispatch.ts";
import type { Rpc, ServiceOf } from "./service.ts";

/** How an RPC of version 1 differs from the one of version 2 that serves it. */
export interface V1Mapping {
  /**
   * Field paths of version 2 as version 1 calls them, `role_uid` as `role`, for violations. `uid` is
   * `id` unless said otherwise.
   */
  names?: Record<string, string>;
  /** Turns the event into that of version 1: its body, and its subject where that differs. */
  event?: (draft: EventDraft) => EventDraft;
}

/** The event whose body is the request of version 1, as those of deletions are. */
export const requestEvent =
  (desc: DescMessage, message: Message) =>
  (draft: EventDraft): EventDraft => ({ ...draft, body: { desc, message } });

/** The event whose body is that of version 2 as a message of version 1. */
export const bodyEvent =
  <V2, Desc extends DescMessage>(desc: Desc, toV1: (message: V2) => MessageInitShape<Desc>) =>
  (draft: EventDraft): EventDraft => ({
    ...draft,
    // The handler of version 2 has written what its RPC's event is about.
    body: { desc, message: toV1(draft.body?.message as V2) },
  });

type Method<S extends DescService, K extends keyof S["method"]> = S["method"][K];

/**
 * Calls an RPC of version 2 as the caller of this call, with the capabilities that this call's RPC
 * demands. Throws what that one throws, in the words of version 1.
 */
export const callV2 = <S extends DescService, K extends keyof S["method"] & string>(
  service: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  call: Call,
  mapping: V1Mapping = {},
): Promise<MessageShape<Method<S, K>["output"]>> =>
  invokeV2(service, name, request, { ...call, mapping }, async (message, callOfV2, rpc) => {
    // Casts here and in invokeV2, as an RPC found by its name has lost the types of its messages.
    const answer = await rpc.handle(message, callOfV2);
    return create(rpc.method.output, answer) as MessageShape<Method<S, K>["output"]>;
  });

/**
 * As {@link callV2} where version 1 does what no RPC of version 2 does quite so: `handle` stands for
 * the handler of the one whose request is checked.
 */
export async function invokeV2<S extends DescService, K extends keyof S["method"] & string, T>(
  { rpcs }: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  { mapping: { names = {}, event = (draft) => draft }, ...call }: Call & { mapping: V1Mapping },
  handle: (request: MessageShape<Method<S, K>["input"]>, call: Call, rpc: Rpc) => Promise<T>,
): Promise<T> {
  const rpc = rpcs.find(({ method }) => method.localName === name);
  if (!rpc) throw new Error(`no RPC ${name}`);
  const { method } = rpc;
  const message = create(method.input, request as never);
  const origin = { method: call.method, event };
  try {
    validateRequest(rpc, message);
    return await handle(message as never, { ...call, method, origin }, rpc);
  } catch (thrown) {
    throw thrown instanceof ConnectError ? inVersion1(thrown, { uid: "id", ...names }) : thrown;
  }
}

/** As {@link callV2} for a List that answers all its rows at once, in the order of version 2. */
export const listV2 = <S extends DescService, K extends keyof S["method"] & string>(
  service: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  call: Call,
  mapping: V1Mapping = {},
) => callV2(service, name, request, { ...call, unpaged: true }, mapping);

/**
 * The filter of a List of version 1, all of whose parts have to fit: an `id`, and places such as its
 * `uidp`. Answers what to ask version 2 for, which of the rows to keep, and how to call a bad `id`.
 * Throws INVALID_ARGUMENT naming `uidp` for a place that is several.
 */
export function filterOf(id: string, ...places: (UIDPFilter | undefined)[]) {
  const byId = id === "" ? [] : [create(UIDPFilterSchema, { ids: [id] })];
  const [uidp, ...others] = [...byId, ...places.filter((one) => one !== undefined)];
  for (const other of others) requestedScope(other);
  const keeps = (uid: string) => others.every((other) => isWithin(uid, other));
  const names: Record<string, string> = id === "" ? {} : { "uidp.ids[0]": "id" };
  return { uidp, keeps, names };
}

/**
 * Throws INVALID_ARGUMENT for a field that is neither empty nor a uid: the messages of version 1 carry
 * no rules of their own.
 */
export function checkOptionalUid(field: string, text: string): void {
  if (text !== "") requireUid(field, text);
}

/** As {@link checkOptionalUid}, of a field that must not be empty either. */
export function requireUid(field: string, text: string): void {
  if (!isUid(text)) throw invalidArgument(field, `${field} must match "${uidPattern}"`);
}

function isWithin(uid: string, filter: UIDPFilter): boolean {
  const { ancestorsOf, descendantsOf, childrenOf, inRoot, ids } = filter;
  if (ancestorsOf !== "" && (uid === ancestorsOf || !isAtOrAbove(uid, ancestorsOf))) return false;
  if (descendantsOf !== "" && (uid === descendantsOf || !isAtOrAbove(descendantsOf, uid)))
    return false;
  if (childrenOf !== "" && parentOf(uid) !== childrenOf) return false;
  if (inRoot && parentOf(uid) !== "") return false;
  return ids.length === 0 || ids.includes(uid);
}

/**
 * What a read answers of a resource that does not exist: nothing, with success (contract:
 * v1-operations, "missing row").
 */
export async function emptyIfNotFound<T>(read: Promise<T>): Promise<T | Record<never, never>> {
  try {
    return await read;
  } catch (thrown) {
    if (thrown instanceof ConnectError && thrown.code === Code.NotFound) return {};
    throw thrown;
  }
}

function inVersion1(error: ConnectError, names: Record<string, string>): ConnectError {
  for (const detail of error.details) {
    if (!("desc" in detail)) continue;
    if (detail.desc.typeName === BadRequestSchema.typeName) {
      const { fieldViolations } = detail.value as BadRequest;
      return invalidArguments(
        fieldViolations.map(({ field, description }) => {
          const said = renamePath(field, names);
          // Some tell the whole path, others its last name only.
          const [from, to] = description.includes(field)
            ? [field, said]
            : [lastStep(field), lastStep(said)];
          // What is one thing in version 1 may be an item of a list in version 2.
          const text = said.endsWith("]") ? description : description.replace(/^each of /, "");
          return { field: said, description: text.replace(from, () => to) };
        }),
      );
    }
  }
  return error;
}

const lastStep = (path: string) => path.slice(path.lastIndexOf(".") + 1);

/**
 * The longest beginning of the path that has another name, replaced by it. A name that tells no index
 * fits all: with `users.username` as `users.user_name`, `users[3].username` is `users[3].user_name`.
 */
function renamePath(path: string, names: Record<string, string>): string {
  const longestFirst = Object.entries(names).sort(([a], [b]) => b.length - a.length);
  for (const [name, said] of longestFirst) {
    const steps = name.split(".").map((step) => step.replace(/[[\]]/g, "\\$&"));
    const found = new RegExp(`^${steps.join("(\\[\\d+\\])?\\.")}(?=[.[]|$)`).exec(path);
    if (!found) continue;
    const [start, ...indices] = found;
    const all = said.split(".").map((step, at) => `${step}${indices[at] ?? ""}`);
    return `${all.join(".")}${path.slice(start.length)}`;
  }
  return path;
}
