/**
 * Builds version 1 on version 2. An RPC of version 1 translates its request to version 2, and uses the rules,
 * the rows and the events of the RPC there.
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
import { invalidArguments } from "../aip/errors.ts";
import { isAtOrAbove, isUid, parentOf, uidPattern } from "../aip/uid_path.ts";
import { patternViolation, withRenamedPath } from "../aip/validation.ts";
import {
  type Call,
  type CallAnywhere,
  callAt,
  type EventDraft,
  uidOfCaller,
} from "../auth/call.ts";
import { requestedScope } from "../paging/requested_scope.ts";
import { validateRequest } from "./dispatch.ts";
import { uidOfRequest } from "./scope_field.ts";
import type { Rpc, ServiceOf } from "./service.ts";

/** The differences between an RPC of version 1 and the RPC of version 2 that serves it. */
export interface V1Mapping {
  /**
   * The names of version 1 for field paths of version 2, such as `role` for `role_uid`. Violations use them.
   * By default `uid` is `id`.
   */
  names?: Record<string, string>;
  /** Converts the event to that of version 1: its body, and its subject if that differs. */
  event?: (draft: EventDraft) => EventDraft;
}

/** Creates an event whose body is the request of version 1. Deletions have such events. */
export const requestEvent =
  (desc: DescMessage, message: Message) =>
  (draft: EventDraft): EventDraft => ({ ...draft, body: { desc, message } });

/** Creates an event whose body is that of version 2, as a message of version 1. */
export const bodyEvent =
  <V2, Desc extends DescMessage>(desc: Desc, toV1: (message: V2) => MessageInitShape<Desc>) =>
  (draft: EventDraft): EventDraft => ({
    ...draft,
    // The handler of version 2 has written the body of its RPC's event.
    body: { desc, message: toV1(draft.body?.message as V2) },
  });

type Method<S extends DescService, K extends keyof S["method"]> = S["method"][K];

/**
 * Calls an RPC of version 2 for the caller of this call, with the capabilities that this call's RPC requires.
 * Throws the errors of that RPC, with the field names of version 1.
 */
export const callV2 = <S extends DescService, K extends keyof S["method"] & string>(
  service: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  call: CallAnywhere,
  mapping: V1Mapping = {},
): Promise<MessageShape<Method<S, K>["output"]>> =>
  invokeV2(service, name, request, { ...call, mapping }, async (message, callOfV2, rpc) => {
    // Casts here and in invokeV2, because an RPC that is found by its name has lost the types of its
    // messages.
    const answer = await rpc.handle(message, callOfV2);
    return create(rpc.method.output, answer) as MessageShape<Method<S, K>["output"]>;
  });

/**
 * Like {@link callV2}, for an RPC of version 1 that differs from every RPC of version 2. `handle` replaces
 * the handler of the RPC whose request is checked.
 */
export async function invokeV2<S extends DescService, K extends keyof S["method"] & string, T>(
  { rpcs }: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  {
    mapping: { names = {}, event = (draft) => draft },
    ...call
  }: CallAnywhere & { mapping: V1Mapping },
  handle: (request: MessageShape<Method<S, K>["input"]>, call: Call, rpc: Rpc) => Promise<T>,
): Promise<T> {
  const rpc = rpcs.find(({ method }) => method.localName === name);
  if (!rpc) throw new Error(`no RPC ${name}`);
  const { method } = rpc;
  const message = create(method.input, request as never);
  const origin = { method: call.method, event };
  try {
    validateRequest(rpc, message);
    const uid = uidOfRequest(method, message) || uidOfCaller(call);
    return await handle(message as never, callAt({ ...call, method, origin }, uid), rpc);
  } catch (thrown) {
    throw thrown instanceof ConnectError ? inVersion1(thrown, { uid: "id", ...names }) : thrown;
  }
}

/** Like {@link callV2}, for a List that returns all its rows at once, in the order of version 2. */
export const listV2 = <S extends DescService, K extends keyof S["method"] & string>(
  service: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  call: CallAnywhere,
  mapping: V1Mapping = {},
) => callV2(service, name, request, { ...call, unpaged: true }, mapping);

/**
 * Translates the filter of a List of version 1. A row must match all parts of it: an `id`, and filters by the
 * tree such as its `uidp`. Returns the request for version 2, a function that selects rows from the result,
 * and the name of an invalid `id`. Throws INVALID_ARGUMENT for `uidp` if it contains several filters.
 */
export function filterOf(id: string, ...filters: (UIDPFilter | undefined)[]) {
  const byId = id === "" ? [] : [create(UIDPFilterSchema, { ids: [id] })];
  const [uidp, ...others] = [...byId, ...filters.filter((filter) => filter !== undefined)];
  for (const other of others) requestedScope(other);
  const keeps = (uid: string) => others.every((other) => isWithin(uid, other));
  const names: Record<string, string> = id === "" ? {} : { "uidp.ids[0]": "id" };
  return { uidp, keeps, names };
}

/**
 * Throws INVALID_ARGUMENT for a field that is neither empty nor a uid. The messages of version 1 have no
 * rules of their own.
 */
export function checkOptionalUid(field: string, text: string): void {
  if (text !== "") requireUid(field, text);
}

/** Like {@link checkOptionalUid}, for a field that must not be empty. */
export function requireUid(field: string, text: string): void {
  if (!isUid(text)) throw invalidArguments([patternViolation(field, uidPattern, text)]);
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
 * The response to a read of a resource that does not exist: an empty message with success (contract:
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
          // Some errors contain the whole path, others only its last name.
          const [from, to] = description.includes(field)
            ? [field, said]
            : [lastStep(field), lastStep(said)];
          return { field: said, description: withRenamedPath(description, from, to) };
        }),
      );
    }
  }
  return error;
}

const lastStep = (path: string) => path.slice(path.lastIndexOf(".") + 1);

/**
 * Replaces the longest prefix of the path that has another name. A name without an index matches every
 * index: with `users.username` as `users.user_name`, `users[3].username` becomes `users[3].user_name`.
 */
function renamePath(path: string, names: Record<string, string>): string {
  const longestFirst = Object.entries(names).sort(([a], [b]) => b.length - a.length);
  for (const [name, said] of longestFirst) {
    const steps = name.split(".").map((step) => step.replace(/[[\]]/g, "\\$&"));
    const match = new RegExp(`^${steps.join("(\\[\\d+\\])?\\.")}(?=[.[]|$)`).exec(path);
    if (!match) continue;
    const [start, ...indices] = match;
    const all = said.split(".").map((step, index) => `${step}${indices[index] ?? ""}`);
    return `${all.join(".")}${path.slice(start.length)}`;
  }
  return path;
}
