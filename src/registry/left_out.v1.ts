import {
  Apko,
  Charts,
  Entitlements,
  Policies,
} from "../../schema/gen/platform/registry/left_out_pb.js";
import { leftOutService } from "../rpc/service.ts";

/** Services of version 1 that only a seller of images has a use for. */
export const leftOut = [Apko, Charts, Policies, Entitlements].map(leftOutService);
