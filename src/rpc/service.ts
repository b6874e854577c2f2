import type { DescMethod, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { demandsOf, httpRules, unimplementedReason } from "../../schema/options.ts";
import type { Call } from "../auth/call.ts";

/** Answers one RPC. The request has passed its rules; the caller is known, not yet what it may. */
export type Handler<I extends DescMethod["input"], O extends DescMethod["output"]> = (
  request: MessageShape<I>,
  call: Call,
) => Promise<MessageInitShape<O>>;

/** A handler for every method of a service, by the method's name in lowerCamel. */
export type Handlers<S extends DescService> = {
  [K in keyof S["method"]]: Handler<S["method"][K]["input"], S["method"][K]["output"]>;
};

/** One RPC: its descriptor, what it demands, and its handler with the types taken off. */
export interface Rpc {
  method: DescMethod;
  /** No credential is asked for. */
  open: boolean;
  /** It is open, but reads a bearer token of another kind itself. */
  readsBearer: boolean;
  /** Capability numbers, all of which must be held. */
  capabilities: number[];
  /** The request field that carries the resource of a Create or Update; empty otherwise. */
  resource: string;
  /** Why it answers UNIMPLEMENTED; undefined where it is served. */
  unimplementedReason: string | undefined;
  handle: Handler<DescMethod["input"], DescMethod["output"]>;
}

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
 * Binds handlers to a service. What every RPC demands is read from its options. `unimplemented` names the
 * methods without a handler, which are those with the option `unimplemented_reason`; `bearerReaders` the open ones that
 * read a bearer token of another kind: a call without any is UNAUTHENTICATED before it is looked at.
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
        `${method.name} is unimplemented in the proto or in the code, but not in both`,
      );
    }
    return {
      method,
      // Decoded when the RPC is called: a Worker that starts has a hundred of them, for one call.
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

/** A service of which nothing is served. */
export const unimplementedService = <S extends DescService>(desc: S): ServiceOf<S> =>
  service(
    desc,
    {} as Omit<Handlers<S>, keyof S["method"]>,
    desc.methods.map((method) => method.localName as keyof S["method"]),
  );
