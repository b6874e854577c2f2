/** Calls of the platform's own RPCs that a push makes for its caller. */
import type { DescMethod } from "@bufbuild/protobuf";
import { demandsOf } from "../../schema/options.ts";
import type { Call } from "../auth/call.ts";
import type { Reach } from "./access.ts";
import type { RegistryBearer } from "./bearer.ts";
import type { RegistryContext } from "./context.ts";

/** The call of an RPC with the caller's credential. Everything that it writes has the event of that RPC. */
export const callOf = (
  { config, db, databases, now, request, after }: RegistryContext,
  { credential }: Pick<RegistryBearer, "credential">,
  { guards }: Pick<Reach, "guards">,
  method: DescMethod,
): Call => ({
  config,
  db,
  databases,
  now,
  method,
  credential,
  guards,
  after,
  capabilities: demandsOf(method).capabilities,
  headers: request.headers,
  responseHeaders: new Headers(),
});
