import {
  Apko,
  Charts,
  Entitlements,
  Policies,
} from "../../schema/gen/platform/registry/unimplemented_pb.js";
import { unimplementedService } from "../rpc/service.ts";

/** Services of version 1 that only a seller of images has a use for. */
export const unimplemented = [Apko, Charts, Policies, Entitlements].map(unimplementedService);
