import type { Registry } from "../../schema/gen/platform/registry/registry_pb.js";
import type { Handlers } from "../rpc/service.ts";

/** The handlers of some methods. Each resource has its own file, but version 1 has one service for them. */
export type RegistryHandlers = Partial<Handlers<typeof Registry>>;
