import {
  Apko,
  Charts,
  Entitlements,
  Policies,
} from "../../schema/gen/platform/registry/unimplemented_pb.js";
import { unimplementedService } from "../rpc/service.ts";

/** Services of version 1 that only sellers of images use. */
export const unimplemented = [Apko, Charts, Policies, Entitlements].map(unimplementedService);
