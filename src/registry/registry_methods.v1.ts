import type { Registry } from "../../schema/gen/platform/registry/registry_pb.js";
import type { Handlers } from "../rpc/service.ts";

/** Handlers of some methods: the one service of version 1 is written in a file for each resource. */
export type RegistryHandlers = Partial<Handlers<typeof Registry>>;
