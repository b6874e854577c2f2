import {
  AWSMarketplaceSubscriptions,
  Entitlements,
  LibraryPolicies,
  LibraryPolicyBindings,
  LibraryPolicyBlockEvents,
  Malware,
  NpmPackages,
  ResolutionCache,
} from "../../schema/gen/platform/libraries/left_out_pb.js";
import { leftOutService } from "../rpc/service.ts";

/** Services of version 1 that only a seller of packages has a use for. */
export const leftOut = [
  Entitlements,
  AWSMarketplaceSubscriptions,
  Malware,
  NpmPackages,
  LibraryPolicies,
  LibraryPolicyBindings,
  LibraryPolicyBlockEvents,
  ResolutionCache,
].map(leftOutService);
