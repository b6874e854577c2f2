import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import type { ScopedRequest } from "../../schema/gen/scoped_requests.d.ts";
import { demandsOf, httpRules, unimplementedReason } from "../../schema/options.ts";
import type { Call, CallAnywhere } from "../auth/call.ts";

/**
 * Handles one RPC. The request meets its rules and the caller is known, but the caller's access is not
 * checked yet. If the proto marks the uid that the request is about (`iam_scope`), the call is in the database of that
 * uid. Otherwise the handler chooses one with `callAt`, or reads all of them.
 */
export type Handler<I extends DescMethod["input"], O extends DescMethod["output"]> = (
  request: MessageShape<I>,
  call: MessageShape<I>["$typeName"] extends ScopedRequest ? Call : CallAnywhere,
) => Promise<MessageInitShape<O>>;

/** A handler for every method of a service, by the method's name in lowerCamelCase. */
export type Handlers<S extends DescService> = {
  [K in keyof S["method"]]: Handler<S["method"][K]["input"], S["method"][K]["output"]>;
};

/** One RPC: its descriptor, its requirements, and its handler without the types. */
export interface Rpc {
  method: DescMethod;
  /** The RPC requires no credential. */
  open: boolean;
  /** The RPC is open, but reads a bearer token of another kind itself. */
  readsBearer: boolean;
  /** The numbers of the capabilities. The caller needs all of them. */
  capabilities: number[];
  /** The request field with the resource of a Create or Update. Empty for other RPCs. */
  resource: string;
  /** The reason why the RPC is UNIMPLEMENTED. Undefined if it is served. */
  unimplementedReason: string | undefined;
  handle: Handler<DescMethod["input"], DescMethod["output"]>;
}

/** The packages of version 1 have no version in their name, except one. */
export const isV2 = ({ method }: Pick<Rpc, "method">): boolean =>
  method.parent.file.proto.package.endsWith(".v2");

/** A service with its handlers. */
export interface Service {
  desc: DescService;
  rpcs: Rpc[];
}

/** A service whose methods can be called by name (src/rpc/version1.ts). */
export interface ServiceOf<S extends DescService> extends Service {
  desc: S;
}

/**
 * Binds handlers to a service. The requirements of each RPC come from its options. `unimplemented` lists the
 * methods without a handler, which have the option `unimplemented_reason`. `bearerReaders` lists the open
 * methods that read a bearer token of another kind. Without any token, such a call fails with UNAUTHENTICATED
 * before its body is read.
 */
export function service<S extends DescService, L extends keyof S["method"] = never>(
  desc: S,
  handlers: Omit<Handlers<S>, L>,
  unimplemented: L[] = [],
  bearerReaders: (keyof S["method"])[] = [],
): ServiceOf<S> {
  const rpcs = desc.methods.map((method): Rpc => {
    const body = httpRules(method)[0]?.body ?? "";
    const reason = unimplementedReason(method);
    if ((reason !== undefined) !== unimplemented.some((name) => name === method.localName)) {
      throw new Error(
        `${method.name} must be unimplemented both in the proto and in the code, or in neither`,
      );
    }
    return {
      method,
      // Decoded when the RPC is called. A Worker has about a hundred of them, and needs one to serve its
      // first call.
      get open() {
        return demandsOf(method).open;
      },
      get capabilities() {
        return demandsOf(method).capabilities;
      },
      readsBearer: bearerReaders.some((name) => name === method.localName),
      resource: body === "*" ? "" : body,
      unimplementedReason: reason,
      handle: (handlers as Record<string, unknown>)[method.localName] as Rpc["handle"],
    };
  });
  return { desc, rpcs };
}

/** A service without any method that is served. */
export const unimplementedService = <S extends DescService>(desc: S): ServiceOf<S> =>
  service(
    desc,
    {} as Omit<Handlers<S>, keyof S["method"]>,
    desc.methods.map((method) => method.localName as keyof S["method"]),
  );
