/**
 * Version 1 on top of version 2: an RPC of version 1 says what it wants in the words of version 2,
 * and gets the rules, the rows and the events of that one.
 */
import {
  create,
  type DescService,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type BadRequest, BadRequestSchema } from "../../schema/gen/google/rpc/error_details_pb.js";
import { TermsNotAcceptedDetailSchema as TermsV1Schema } from "../../schema/gen/platform/iam/terms_pb.js";
import { TermsNotAcceptedDetailSchema } from "../../schema/gen/platform/iam/v2/terms_pb.js";
import {
  type UIDPFilter,
  UIDPFilterSchema,
} from "../../schema/gen/platform/uidp/v1/uidp_filter_pb.js";
import { invalidArguments } from "../aip/errors.ts";
import { isAtOrAbove, parentOf } from "../aip/uid_path.ts";
import type { Call, Happening } from "../auth/call.ts";
import { check } from "./dispatch.ts";
import type { ServiceOf } from "./service.ts";

/** How an RPC of version 1 says what version 2 answers it. */
export interface Dialect {
  /**
   * Field paths of version 2 as version 1 calls them, `role_uid` as `role`, for violations. `uid` is
   * `id` unless said otherwise.
   */
  names?: Record<string, string>;
  /** The event as version 1 tells it: its body, and its subject where that differs. */
  event?: (told: Happening) => Happening;
}

type Method<S extends DescService, K extends keyof S["method"]> = S["method"][K];

/**
 * Calls an RPC of version 2 as the caller of this call, with the capabilities that this call's RPC
 * demands. Throws what that one throws, in the words of version 1.
 */
export async function callV2<S extends DescService, K extends keyof S["method"] & string>(
  { rpcs }: ServiceOf<S>,
  name: K,
  request: MessageInitShape<Method<S, K>["input"]>,
  call: Call,
  { names = {}, event = (told) => told }: Dialect = {},
): Promise<MessageShape<Method<S, K>["output"]>> {
  const rpc = rpcs.find(({ method }) => method.localName === name);
  if (!rpc) throw new Error(`no RPC ${name}`);
  const { method } = rpc;
  const message = create(method.input, request as never);
  const origin = { method: call.method, event };
  try {
    check(rpc, message);
    const answer = await rpc.handle(message as never, { ...call, method, origin });
    return create(method.output, answer) as MessageShape<Method<S, K>["output"]>;
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
  dialect: Dialect = {},
) => callV2(service, name, request, { ...call, isWhole: true }, dialect);

/**
 * The filter of a List of version 1, whose `id` narrows what `uidp` selects: what to ask version 2
 * for, which of the rows to keep, and how to call a bad `id`.
 */
export function filterOf(id: string, uidp: UIDPFilter | undefined) {
  if (id === "") return { uidp, keeps: () => true, names: {} };
  const keeps = (uid: string) => uidp === undefined || isWithin(uid, uidp);
  return { uidp: create(UIDPFilterSchema, { ids: [id] }), keeps, names: { "uidp.ids[0]": "id" } };
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
export async function orEmpty<T>(read: Promise<T>): Promise<T | Record<never, never>> {
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
          const said = renamed(field, names);
          return { field: said, description: description.replace(field, () => said) };
        }),
      );
    }
    if (detail.desc.typeName === TermsNotAcceptedDetailSchema.typeName) detail.desc = TermsV1Schema;
  }
  return error;
}

/** The longest beginning of the path that has another name, replaced by it. */
function renamed(path: string, names: Record<string, string>): string {
  const starts = Object.keys(names).filter(
    (name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
  );
  const [longest] = starts.sort((a, b) => b.length - a.length);
  return longest === undefined ? path : `${names[longest]}${path.slice(longest.length)}`;
}
