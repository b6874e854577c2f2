import {
  AWSMarketplaceSubscriptions,
  Entitlements,
  LibraryPolicies,
  LibraryPolicyBindings,
  LibraryPolicyBlockEvents,
  Malware,
  NpmPackages,
  ResolutionCache,
} from "../../schema/gen/platform/libraries/unimplemented_pb.js";
import { unimplementedService } from "../rpc/service.ts";

/** Services of version 1 that only a seller of packages has a use for. */
export const unimplemented = [
  Entitlements,
  AWSMarketplaceSubscriptions,
  Malware,
  NpmPackages,
  LibraryPolicies,
  LibraryPolicyBindings,
  LibraryPolicyBlockEvents,
  ResolutionCache,
].map(unimplementedService);
